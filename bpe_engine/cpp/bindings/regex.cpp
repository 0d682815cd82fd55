// Compiled regular expressions, for tests and for who looks at what a pattern does.
#include <nanobind/nanobind.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>

#include <iterator>
#include <string>

#include "bpe/regex/sweep.hpp"
#include "text.hpp"

namespace bpe::bindings {

namespace {

using regex::Cache;
using regex::Match;
using regex::Program;

struct RegexProgram {
    std::shared_ptr<const Program> program;
};

nb::object offset(std::size_t value) { return value == regex::no_match ? nb::none() : nb::object(nb::int_(value)); }

regex::Flavour flavour_named(const std::string& name) {
    if (name == "regex") return regex::Flavour::regex;
    if (name == "fancy") return regex::Flavour::fancy;
    if (name == "oniguruma") return regex::Flavour::oniguruma;
    throw nb::value_error("flavour is \"regex\", \"fancy\" or \"oniguruma\"");
}

nb::list findall_spans(const RegexProgram& self, nb::handle text) {
    Text const given(text);
    Bytes const bytes = given.bytes();
    Cache cache(*self.program);
    regex::Sweep sweep(*self.program, cache, bytes.data, 0, 0, bytes.size, true);
    nb::list spans;
    for (;;) {
        std::size_t ends[64];
        std::size_t start = sweep.offset();
        std::size_t const count = sweep.ends(ends, std::size(ends));
        for (std::size_t index = 0; index < count; ++index) {
            spans.append(nb::make_tuple(start, ends[index]));
            start = ends[index];
        }
        if (count > 0) continue;
        Match const found = sweep.next();
        if (found.start == regex::no_match) break;
        spans.append(nb::make_tuple(found.start, found.end));
    }
    return spans;
}

nb::dict find(const RegexProgram& self, nb::bytes text, std::size_t start, std::size_t from, std::size_t limit, bool at_end, bool nonempty) {
    if (!(start <= from && from <= limit && limit <= text.size())) throw nb::value_error("start <= from <= limit <= len(text) does not hold");
    Cache cache(*self.program);
    Match const found = self.program->find(reinterpret_cast<const Byte*>(text.c_str()), start, from, limit, at_end, cache, nonempty);
    nb::dict result;
    result["start"] = offset(found.start);
    result["end"] = offset(found.end);
    result["settled"] = found.settled;
    result["start_settled"] = found.start_settled;
    result["reach"] = found.reach;
    result["open_from"] = found.open_from;
    return result;
}

}  // namespace

void define_regex(nb::module_& module) {
    nb::class_<RegexProgram>(module, "RegexProgram", "A regular expression, compiled to tables. Every match is found in time linear in the text.")
        .def(
            "__init__",
            [](RegexProgram* self, const std::string& source, const std::string& flavour, std::size_t most_states) {
                regex::Options options;
                options.flavour = flavour_named(flavour);
                options.most_states = most_states;
                new (self) RegexProgram{Program::compile(source, options)};
            },
            nb::arg("source"), nb::arg("flavour") = "regex", nb::arg("most_states") = regex::Options().most_states)
        .def("findall_spans", findall_spans, nb::arg("text"), nb::sig("def findall_spans(self, text: str | bytes) -> list[tuple[int, int]]"),
             "Byte offsets of all matches, as `regex.finditer` finds them.")
        .def("find", find, nb::arg("text"), nb::arg("start"), nb::arg("from_"), nb::arg("limit"), nb::arg("at_end"), nb::arg("nonempty") = false,
             nb::sig("def find(self, text: bytes, start: int, from_: int, limit: int, at_end: bool, nonempty: bool = False) -> dict[str, object]"),
             "The first match at `from_` or after it, and what is certain of it, as Match of regex/program.hpp has it.")
        .def_prop_ro("looks_behind", [](const RegexProgram& self) { return self.program->looks_behind(); });
}

}  // namespace bpe::bindings
