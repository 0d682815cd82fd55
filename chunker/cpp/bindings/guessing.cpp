// The lines by which the language of a text is guessed.
#include <nanobind/nanobind.h>

#include <string>
#include <utility>
#include <vector>

#include "chunker/code_lines.hpp"
#include "parts.hpp"
#include "source.hpp"

namespace chunker::bindings {

namespace {

using Words = std::vector<std::pair<std::string, CodeLines::Languages>>;

Words words_of(nb::dict given) {
    Words made;
    for (auto const& [word, languages] : given) {
        made.emplace_back(utf8_of(word, "a word").view(), nb::cast<CodeLines::Languages>(languages));
        if (made.back().first.empty()) throw nb::value_error("a word must not be empty");
    }
    return made;
}

}  // namespace

void define_guessing(nb::module_& module) {
    nb::class_<CodeLines>(module, "CodeLines", "Finds the lines of a text that may be code: see chunker.formats.guessing.")
        .def(
            "__init__", [](CodeLines* self, nb::dict words, nb::dict marks) { new (self) CodeLines(words_of(words), words_of(marks)); }, nb::arg("words"),
            nb::arg("marks"), nb::sig("def __init__(self, words: dict[str, int], marks: dict[str, int]) -> None"),
            "What lines begin with, after spaces and tabs, and what they hold; each with its languages, a bit for each.")
        .def(
            "find",
            [](const CodeLines& self, nb::str text, std::size_t longest) {
                nb::object const source = utf8_if_whole(text) ? nb::object(text) : text.attr("encode")("utf-8", "surrogatepass");
                nb::list found;
                for (CodeLines::Line const& line : self.find(Utf8(source).view(), longest)) {
                    nb::object const made = nb::steal(PyUnicode_DecodeUTF8(line.text.data(), static_cast<Py_ssize_t>(line.text.size()), "surrogatepass"));
                    if (!made.is_valid()) throw nb::python_error();
                    found.append(nb::make_tuple(made, line.languages));
                }
                return found;
            },
            nb::arg("text"), nb::arg("longest"), nb::sig("def find(self, text: str, longest: int) -> list[tuple[str, int]]"),
            "The lines that some language has, each with its languages; none of more than `longest` characters.");
}

}  // namespace chunker::bindings
