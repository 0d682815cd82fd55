// Bindings of the formats of markup: the outline of one text. Offsets are in characters.
#include <nanobind/stl/string.h>

#include <array>
#include <set>
#include <string>
#include <string_view>
#include <unordered_set>

#include "chunker/formats/html.hpp"
#include "chunker/formats/latex.hpp"
#include "chunker/formats/restructuredtext.hpp"
#include "formats.hpp"
#include "given.hpp"
#include "parts.hpp"

namespace chunker::bindings {

namespace {

using formats::Code;
using formats::Columns;
using formats::Elements;

// Asks Python for the boundaries inside code, and keeps the labels that it returns.
class CodeAsked {
public:
    explicit CodeAsked(nb::callable look) : look_(std::move(look)) {}
    CodeAsked(const CodeAsked&) = delete;
    CodeAsked& operator=(const CodeAsked&) = delete;

    bool operator()(const Code& code, Columns& found) {
        nb::object const answer = look_(code.start, code.end, code.named, code.name_end);
        if (answer.is_none()) return false;
        nb::tuple const columns = as_tuple(answer, 3, "the answer about code");
        auto const [offsets, strengths, labels] = read_columns(columns[0], columns[1], columns[2]);
        for (std::size_t row = 0; row < offsets.size(); ++row) {
            auto const offset = static_cast<std::size_t>(offsets[row]);
            if (offset <= code.start || offset >= code.end) throw nb::value_error("what is inside of code is strictly inside of it");
            found.add(offset, static_cast<std::int32_t>(strengths[row]), *labels_.insert(as_text(labels[row], "a label")).first);
        }
        return true;
    }

private:
    nb::callable look_;
    std::unordered_set<std::string> labels_;
};

Elements elements_of(nb::list told) {
    std::vector<formats::Element> elements;
    for (nb::handle const element : told) {
        nb::tuple const members = as_tuple(element, 5, "an element");
        formats::Element made;
        made.name = as_text(members[0], "the name of an element");
        made.label = as_text(members[1], "the label of an element");
        std::array<bool*, 7> const flags = {&made.is_block,   &made.is_void,      &made.is_raw,        &made.is_table_part,
                                            &made.is_barrier, &made.ends_section, &made.is_in_headings};
        nb::tuple const given = as_tuple(members[2], flags.size(), "the marks of an element");
        for (std::size_t number = 0; number < flags.size(); ++number) *flags[number] = as<bool>(given[number], "a mark of an element", "a bool");
        made.is_kept_whole = as<bool>(members[3], "whether an element is kept whole", "a bool");
        for (nb::handle const other : as_list(members[4], "the names of elements that are ended"))
            made.ended.push_back(as_text(other, "the name of an element"));
        if (made.name.empty()) throw nb::value_error("an element has a name");
        elements.push_back(std::move(made));
    }
    return Elements(std::move(elements));
}

nb::list headings_of(const std::vector<formats::Heading>& headings) {
    nb::list result;
    for (const formats::Heading& heading : headings) {
        nb::object const end = heading.end == formats::none ? nb::none() : nb::object(nb::int_(heading.end));
        result.append(nb::make_tuple(heading.start, heading.level, heading.text_start, heading.text_end, end));
    }
    return result;
}

nb::list regions_of(const std::vector<formats::Region>& regions) {
    nb::list result;
    for (const formats::Region& region : regions) result.append(nb::make_tuple(region.start, region.end, region.told_start, region.told_end));
    return result;
}

nb::tuple read_html(nb::str text, const Elements& elements, nb::callable code_inside) {
    std::u32string const characters = characters_of(text);
    CodeAsked asked(std::move(code_inside));
    formats::MarkupOutline const found = formats::read_html(characters, elements, std::ref(asked));
    return nb::make_tuple(to_columns(found.columns), headings_of(found.headings), regions_of(found.tables));
}

nb::object number_of(std::size_t number) { return number == formats::none ? nb::int_(-1) : nb::int_(number); }

nb::tuple html_states(nb::str text, const Elements& elements) {
    formats::HtmlStates const found = formats::html_states(characters_of(text), elements);
    nb::list places, open, sections;
    for (const auto& place : found.places) places.append(nb::make_tuple(place.offset, number_of(place.element), number_of(place.section)));
    for (const auto& element : found.elements)
        open.append(nb::make_tuple(number_of(element.parent), element.name, element.start, element.end, element.closing));
    for (const auto& section : found.sections)
        sections.append(nb::make_tuple(number_of(section.parent), section.depth, section.level, section.start, section.end));
    return nb::make_tuple(places, open, sections);
}

formats::Environments environments_of(nb::dict told) {
    auto const names = [&](const char* kind) {
        std::set<std::string, std::less<>> found;
        for (nb::handle const name : as_list(told[kind], "names of environments")) found.insert(as_text(name, "the name of an environment"));
        return found;
    };
    formats::Environments made{names("whole"), names("tables"), names("lists"), names("verbatim"), {}};
    for (nb::handle const name : as_list(told["sections"], "names of sections")) made.sections.push_back(as_text(name, "the name of a section"));
    return made;
}

nb::tuple read_latex(nb::str text, const formats::Environments& environments, nb::callable code_inside) {
    std::u32string const characters = characters_of(text);
    CodeAsked asked(std::move(code_inside));
    formats::MarkupOutline const found = formats::read_latex(characters, environments, std::ref(asked));
    return nb::make_tuple(to_columns(found.columns), headings_of(found.headings), regions_of(found.named), regions_of(found.tables));
}

using Lines = nb::typed<nb::list, nb::typed<nb::tuple, int, int, int, int, bool, nb::str>>;

Lines restructuredtext_lines(nb::str copy, std::size_t start) {
    nb::list lines;
    for (const formats::TextLine& line : formats::restructuredtext_lines(bytes_of_copy(copy), start))
        lines.append(nb::make_tuple(line.start, line.text_start, line.end, line.indent, line.after_blank, nb::str(line.text.data(), line.text.size())));
    return Lines(lines);
}

ThreeColumns prose_columns(nb::str paragraph) {
    std::u32string const characters = characters_of(paragraph);
    Columns found;
    formats::prose(characters, formats::copy_of(characters), 0, found);
    return to_columns(found);
}

ThreeColumns verbatim_columns(nb::str lines) {
    std::u32string const characters = characters_of(lines);
    Columns found;
    formats::verbatim(formats::copy_of(characters), 0, characters.size(), found);
    return to_columns(found);
}

}  // namespace

void define_markup_formats(nb::module_& module) {
    nb::class_<Elements>(module, "HtmlElements", "The elements of HTML that mean something for blocks.")
        .def(
            "__init__", [](Elements* self, nb::list elements) { new (self) Elements(elements_of(std::move(elements))); }, nb::arg("elements"),
            nb::sig("def __init__(self, elements: list[tuple[str, str, tuple[bool, ...], bool, list[str]]]) -> None"),
            "Of each its name, its label, whether it is a block, void, raw, a part of tables, a barrier, ends sections, and stands in headings; whether "
            "it is kept whole; and the names of those that it ends.");
    module.def(
        "read_html", &read_html, nb::arg("text"), nb::arg("elements"), nb::arg("code_inside"),
        nb::sig("def read_html(text: str, elements: HtmlElements, code_inside: object) -> "
                "tuple[tuple[list[int], list[int], list[str]], list[tuple[int, int, int, int, int | None]], list[tuple[int, int, int, int]]]"),
        "The boundaries of HTML; its headings, each with its start, its level, its text from where to where, and where its section ends at the latest; and "
        "tables with a header: start, end, and from where to where the header stands. See chunker.formats.markup.html.");
    module.def("html_states", &html_states, nb::arg("text"), nb::arg("elements"),
               nb::sig("def html_states(text: str, elements: HtmlElements) -> "
                       "tuple[list[tuple[int, int, int]], list[tuple[int, str, int, int, str]], list[tuple[int, int, int, int, int]]]"),
               "The offsets where parsing of HTML can resume, with their states: the columns of chunker.formats.markup.html_restarts.States.");

    nb::class_<formats::Environments>(module, "LatexEnvironments", "The environments of LaTeX that mean something for blocks.")
        .def(
            "__init__", [](formats::Environments* self, nb::dict names) { new (self) formats::Environments(environments_of(std::move(names))); },
            nb::arg("names"), nb::sig("def __init__(self, names: dict[str, list[str]]) -> None"),
            "The names of those that are kept whole, of tables, lists and what is verbatim, and the commands of sections, the highest first.");
    module.def("prose_columns", &prose_columns, nb::arg("paragraph"), "The boundaries inside a paragraph: see chunker.formats.columns.");
    module.def("verbatim_columns", &verbatim_columns, nb::arg("lines"), "The lines but the first that are not blank: see chunker.formats.columns.");
    module.def("restructuredtext_lines", &restructuredtext_lines, nb::arg("copy"), nb::arg("start"),
               "The lines of copy[start:] that are not blank, as fields of chunker.formats.markup.restructuredtext_lines.Line.");
    module.def(
        "read_latex", &read_latex, nb::arg("text"), nb::arg("environments"), nb::arg("code_inside"),
        nb::sig("def read_latex(text: str, environments: LatexEnvironments, code_inside: object) -> tuple[tuple[list[int], list[int], list[str]], "
                "list[tuple[int, int, int, int, int | None]], list[tuple[int, int, int, int]], list[tuple[int, int, int, int]]]"),
        "The boundaries of LaTeX; its headings, as those of read_html; slides, each with its start, its end, and from where to where its title stands; and "
        "tables with a header, likewise. See chunker.formats.markup.latex.");
}

}  // namespace chunker::bindings
