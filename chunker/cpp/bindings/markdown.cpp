// Bindings of Markdown: the copy that parsers read, and the sketch of a text. Offsets are in characters.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string_view.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "chunker/constants.hpp"
#include "chunker/formats/markup.hpp"
#include "chunker/markdown_blocks.hpp"
#include "chunker/markdown_headings.hpp"
#include "chunker/parser_copy.hpp"
#include "contexts.hpp"
#include "formats.hpp"
#include "integers.hpp"
#include "native_sketch.hpp"
#include "parts.hpp"
#include "references.hpp"

namespace chunker::bindings {

namespace {

nb::object copy_for_parsers(nb::str text) {
    auto const utf8 = utf8_if_whole(text);
    if (!utf8) return nb::none();
    if (is_parser_copy(utf8->view())) return text;
    std::string const copy = parser_copy(utf8->view());
    PyObject* const made = PyUnicode_DecodeASCII(copy.data(), static_cast<Py_ssize_t>(copy.size()), nullptr);
    if (!made) throw nb::python_error();
    return nb::steal(made);
}

// The literal that a block from Python is labelled with.
formats::Label label_of(std::string_view name) {
    for (formats::Label const label : {"html", "math", "rule", "quote", "list", "footnote"})
        if (label == name) return label;
    throw nb::value_error("no label of Markdown");
}

// A sketch of the copy of one text, which it keeps.
class Sketch : public NativeSketch {
public:
    explicit Sketch(nb::str copy) : owner_(copy), sketch_(bytes_of_copy(copy)), blocks_(sketch_) {}
    Sketch(const Sketch&) = delete;
    Sketch& operator=(const Sketch&) = delete;

    markdown::Sketch& told() { return sketch_; }

    std::array<PyObject*, 1> held() const { return {owner_.ptr()}; }

    std::size_t read_plain(std::size_t start) {
        std::size_t const size = sketch_.copy().size();
        if (start > size) throw nb::value_error("start is not in the text");
        return blocks_.read(start);
    }

    void check(std::size_t start, std::size_t end) const {
        if (start > end || end > sketch_.copy().size()) throw nb::value_error("not a span of the copy");
    }

    void check(std::size_t start) const { check(start, sketch_.copy().size()); }

    void check_text(nb::str text) const {
        if (PyUnicode_GetLength(text.ptr()) != static_cast<Py_ssize_t>(sketch_.copy().size())) throw nb::value_error("not the text of this copy");
    }

    ThreeColumns columns() const { return to_columns(sketch_.columns()); }

    nb::list closed() const {
        std::vector<std::size_t> units;
        for (const markdown::Work& work : sketch_.works()) {
            if (units.empty() || units.back() != work.unit) units.push_back(work.unit);
        }
        return to_list(units);
    }

    nb::list work_in(std::size_t unit) const {
        nb::list found;
        for (const markdown::Work& work : sketch_.works_in(unit)) {
            std::string_view const name = markdown::work_names[static_cast<std::size_t>(work.kind)];
            found.append(nb::make_tuple(nb::str(name.data(), name.size()), work.start, work.end));
        }
        return found;
    }

    // Whether some of a unit may be in another language, whose definitions have names.
    bool may_have_names(std::size_t unit) const override {
        return std::ranges::any_of(sketch_.works_in(unit),
                                   [&](markdown::Work const& work) { return work.kind != markdown::WorkKind::prose && !sketch_.verbatim_lines(work); });
    }

    // The unit around an offset, if it may have names inside.
    std::optional<std::size_t> named_unit(std::size_t offset) const {
        auto const& offsets = sketch_.columns().offsets;
        auto const next = std::upper_bound(offsets.begin(), offsets.end(), offset);
        if (next == offsets.begin() || *std::prev(next) == offset || !may_have_names(*std::prev(next))) return std::nullopt;
        return *std::prev(next);
    }

    // Adds the boundaries inside a unit; false if a part of it may be in another language. `part`: the characters between two offsets.
    template <class Part>
    bool look_by(std::size_t unit, formats::Columns& found, Part&& part) const {
        for (const markdown::Work& work : sketch_.works_in(unit)) {
            if (work.kind == markdown::WorkKind::prose) {
                formats::prose(part(work.start, work.end), sketch_.copy(), work.start, found);
            } else if (std::optional<markdown::Lines> const lines = sketch_.verbatim_lines(work)) {
                formats::verbatim(sketch_.copy(), lines->start, lines->end, found);
            } else {
                return false;
            }
        }
        return true;
    }

    std::size_t size() const override { return sketch_.copy().size(); }
    NativeRows rows(const Text&) const override {
        markdown::Columns const& columns = sketch_.columns();
        NativeRows rows;
        rows.offsets.assign(columns.offsets.begin(), columns.offsets.end());
        rows.strengths.assign(columns.strengths.begin(), columns.strengths.end());
        for (markdown::Work const& work : sketch_.works()) rows.close(static_cast<std::int64_t>(work.unit));
        // A text has a few of the labels, each of them often.
        std::vector<const char*> known;
        rows.labels.reserve(columns.size());
        for (formats::Label const label : columns.labels) {
            auto const place = std::ranges::find(known, label.data());
            rows.labels.push_back(static_cast<std::uint16_t>(place - known.begin()));
            if (place != known.end()) continue;
            known.push_back(label.data());
            rows.names.push_back(interned(label));
        }
        return rows;
    }
    std::optional<NativeInside> look(const Text& text, std::size_t unit) const override {
        NativeInside found;
        auto const part = [&text](std::size_t start, std::size_t end) {
            Characters const characters = text.part(start, end);
            return formats::Text(characters.data(), characters.size());
        };
        return look_by(unit, found.columns, part) ? std::optional(std::move(found)) : std::nullopt;
    }

    nb::object inside(nb::str text, std::size_t unit) const {
        check_text(text);
        formats::Columns found;
        std::u32string paragraph;
        auto const part = [&](std::size_t start, std::size_t end) -> formats::Text {
            return paragraph = characters_of(nb::borrow<nb::str>(part_of(text, start, end)));
        };
        return look_by(unit, found, part) ? to_columns(found) : nb::object(nb::none());
    }

    // `plain`: returns the text of a heading on one line. Called for those that are not simple.
    nb::list scopes(nb::str text, nb::callable plain) {
        nb::str const none("");
        nb::list found;
        for (markdown::Region const& region : named(text, plain).regions) {
            if (region.is_table)
                found.append(nb::make_tuple(region.start, region.end, none, part_of(text, region.start, sketch_.tables()[region.number].first_row)));
            else found.append(nb::make_tuple(region.start, region.end, named_->names[region.number], none));
        }
        return found;
    }

    // The names of the sections around an offset, outermost first: what `Scopes.around` of chunker/formats/outline.py says.
    nb::object breadcrumb(nb::str text, nb::callable plain, std::size_t offset) {
        Named const& all = named(text, plain);
        auto const next =
            std::lower_bound(all.regions.begin(), all.regions.end(), offset, [](markdown::Region const& region, std::size_t at) { return region.start < at; });
        nb::list around;
        for (auto number = next - all.regions.begin() - 1; number >= 0; number = all.parents[static_cast<std::size_t>(number)]) {
            markdown::Region const& region = all.regions[static_cast<std::size_t>(number)];
            if (offset < region.end && !region.is_table) around.append(all.names[region.number]);
        }
        around.attr("reverse")();
        return nb::tuple(around);
    }

private:
    // The sections and tables of the text, found when somebody asks for them.
    struct Named {
        std::vector<markdown::Region> regions;
        std::vector<std::ptrdiff_t> parents;  // the number of the region around each, or -1
        std::vector<nb::object> names;        // of the headings
    };

    Named const& named(nb::str text, nb::callable plain) {
        check_text(text);
        if (named_) return *named_;
        Named made;
        std::vector<bool> have_names;
        for (markdown::Heading const& heading : sketch_.headings()) {
            nb::object shown = part_of(text, heading.start, heading.end);
            auto const name = markdown::plain_heading(characters_of(nb::borrow<nb::str>(shown)));
            shown = name ? part_of(text, heading.start + name->first, heading.start + name->second) : plain(shown);
            have_names.push_back(PyUnicode_GetLength(shown.ptr()) > 0);
            made.names.push_back(std::move(shown));
        }
        made.regions = markdown::nested_regions(sketch_.headings(), have_names, sketch_.tables(), sketch_.copy().size());
        std::vector<std::size_t> open;
        for (std::size_t number = 0; number < made.regions.size(); ++number) {
            while (!open.empty() && made.regions[open.back()].end <= made.regions[number].start) open.pop_back();
            made.parents.push_back(open.empty() ? -1 : static_cast<std::ptrdiff_t>(open.back()));
            open.push_back(number);
        }
        named_ = std::move(made);
        return *named_;
    }

    nb::str owner_;
    markdown::Sketch sketch_;
    markdown::Blocks blocks_;
    std::optional<Named> named_;
};

using Works = nb::typed<nb::list, nb::typed<nb::tuple, nb::str, int, int>>;

}  // namespace

void define_markdown(nb::module_& module) {
    module.def("copy_for_parsers", &copy_for_parsers, nb::arg("text"), nb::sig("def copy_for_parsers(text: str) -> str | None"),
               "`text` in ASCII, with a line feed at the end of each line and every character in its place; None if it has lone surrogates.");

    nb::class_<Sketch, NativeSketch>(module, "MarkdownSketch", nb::type_slots(references::shown<Sketch>),
                                     "Where the units of a text begin and what is left for later; as `markdown_sketch.MarkdownSketch`.")
        .def(nb::init<nb::str>(), nb::arg("copy"))
        .def("read_plain", &Sketch::read_plain, nb::lock_self(), nb::arg("start"),
             "Take in the blocks from `start` on; the offset of the first one that is not certain, or that of the end.")
        .def(
            "heading",
            [](Sketch& self, std::size_t start, std::size_t end, int level) {
                self.check(start, end);
                if (level < 1 || level > markdown_headings::deepest_level) throw nb::value_error("a heading has a level from 1 to 6");
                self.told().heading(start, end, level);
            },
            nb::lock_self(), nb::arg("start"), nb::arg("end"), nb::arg("level"), "A heading, with its marks.")
        .def(
            "paragraph",
            [](Sketch& self, std::size_t start, std::size_t end) {
                self.check(start, end);
                self.told().paragraph(start, end);
            },
            nb::lock_self(), nb::arg("start"), nb::arg("end"), "Prose.")
        .def(
            "code",
            [](Sketch& self, std::size_t start, std::size_t end, nb::object info) {
                self.check(start, end);
                self.told().code(start, end, !info.is_none());
            },
            nb::lock_self(), nb::arg("start"), nb::arg("end"), nb::arg("info").none(),
            nb::sig("def code(self, start: int, end: int, info: str | None) -> None"), "A fence with its info string, or an indented block.")
        .def(
            "table",
            [](Sketch& self, std::size_t start, std::size_t end, Integers rows) {
                self.check(start, end);
                std::vector<std::size_t> places;
                for (std::int64_t const row : from_list(rows)) {
                    places.push_back(static_cast<std::size_t>(row));
                    self.check(places.back());
                }
                self.told().table(start, end, places);
            },
            nb::lock_self(), nb::arg("start"), nb::arg("end"), nb::arg("rows"), "A table; `rows` are the starts of the lines below the delimiter row.")
        .def(
            "leaf",
            [](Sketch& self, std::size_t start, std::size_t end, std::string_view label) {
                self.check(start, end);
                self.told().leaf(start, end, label_of(label));
            },
            nb::lock_self(), nb::arg("start"), nb::arg("end"), nb::arg("label"), "Another block without blocks inside.")
        .def(
            "lines",
            [](Sketch& self, std::size_t start, std::size_t end) {
                self.check(start, end);
                self.told().lines(start, end);
            },
            nb::lock_self(), nb::arg("start"), nb::arg("end"), "Lines that are no block.")
        .def(
            "open",
            [](Sketch& self, std::size_t start, std::string_view label) {
                self.check(start);
                self.told().open(start, label_of(label));
            },
            nb::lock_self(), nb::arg("start"), nb::arg("label"), "A block with blocks inside begins.")
        .def(
            "item",
            [](Sketch& self, std::size_t start) {
                self.check(start);
                self.told().item(start);
            },
            nb::lock_self(), nb::arg("start"), "An item of the innermost list begins.")
        .def(
            "close", [](Sketch& self) { self.told().close(); }, nb::lock_self(), "The innermost open block ends.")
        .def(
            "begin",
            [](Sketch& self, std::size_t start) {
                self.check(start);
                self.told().begin(start);
            },
            nb::lock_self(), nb::arg("start"), "Make the block at `start`, after a byte order mark, begin at 0.")
        .def(
            "front_matter",
            [](Sketch& self, std::size_t start, std::size_t end, std::string_view language) {
                self.check(start, end);
                self.told().front_matter(start, end, language == "toml" ? markdown::WorkKind::toml : markdown::WorkKind::yaml);
            },
            nb::lock_self(), nb::arg("start"), nb::arg("end"), nb::arg("language"), "What stands before the text, without the lines around it.")
        .def(
            "strengthen", [](Sketch& self, std::size_t start) { self.told().strengthen(start); }, nb::lock_self(), nb::arg("start"),
            "Make the first boundary at or after `start` as strong as a section.")
        .def("columns", &Sketch::columns, nb::lock_self(), "Offsets, strengths and labels of the boundaries.")
        .def(
            "closed", [](const Sketch& self) { return Integers(self.closed()); }, nb::lock_self(), "Where units begin that have something left for later.")
        .def(
            "work_in", [](const Sketch& self, std::size_t unit) { return Works(self.work_in(unit)); }, nb::lock_self(), nb::arg("unit"),
            "What is left for later of the unit that begins there: what it is, its start and its end.")
        .def("inside", &Sketch::inside, nb::lock_self(), nb::arg("text"), nb::arg("unit"),
             nb::sig("def inside(self, text: str, unit: int) -> tuple[list[int], list[int], list[str]] | None"),
             "Offsets, strengths and labels of the boundaries inside of the unit of `text` that begins there; None if it holds code that may be cut as its "
             "language is.")
        .def("may_have_names", &Sketch::may_have_names, nb::lock_self(), nb::arg("unit"),
             "Whether some of the unit that begins there may be in another language, whose definitions have names.")
        .def("named_unit", &Sketch::named_unit, nb::lock_self(), nb::arg("offset"),
             "Where the unit begins that an offset is inside of, if it may have names; else None.")
        .def("breadcrumb", &Sketch::breadcrumb, nb::lock_self(), nb::arg("text"), nb::arg("plain"), nb::arg("offset"),
             nb::sig("def breadcrumb(self, text: str, plain: collections.abc.Callable[[str], str], offset: int) -> tuple[str, ...]"),
             "The names of the sections of `text` around an offset, outermost first; `plain` as for `scopes`.")
        .def("scopes", &Sketch::scopes, nb::lock_self(), nb::arg("text"), nb::arg("plain"),
             nb::sig("def scopes(self, text: str, plain: collections.abc.Callable[[str], str]) -> list[tuple[int, int, str, str]]"),
             "Start, end, name and header of the sections and tables of `text`, outermost first. `plain` returns the text of a heading on one line; called for "
             "those that have marks or links inside.");
}

}  // namespace chunker::bindings
