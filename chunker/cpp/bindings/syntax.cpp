// Source code by its syntax tree: what a grammar means, made once, and the reading of one text.
#include "chunker/syntax.hpp"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <string_view>
#include <tuple>

#include "integers.hpp"
#include "native_sketch.hpp"
#include "breadcrumbs.hpp"
#include "gil.hpp"
#include "parts.hpp"
#include "references.hpp"
#include "source.hpp"

namespace chunker::bindings {

namespace {

using Strings = nb::typed<nb::list, nb::str>;
using Heads = nb::typed<nb::dict, int, int>;
using Columns = nb::typed<nb::tuple, Integers, Integers, Strings, Heads>;

// The capsule that the function `language` of a grammar's package makes. Not the number that older ones made: any number passes for one.
const void* language_of(nb::handle object) {
    if (!PyCapsule_CheckExact(object.ptr())) given::raise_type("a language", "the capsule that a grammar's package makes", object);
    void* const language = PyCapsule_GetPointer(object.ptr(), "tree_sitter.Language");
    if (!language) throw nb::python_error();
    return language;
}

// A text in UTF-8: what the str itself keeps of it, if it can, else bytes that hold surrogates.
struct Source {
    explicit Source(nb::str given) : text(std::move(given)) {
        if (!utf8_if_whole(text)) text = text.attr("encode")("utf-8", "surrogatepass");
        view = Utf8(text).view();
    }

    nb::object text;
    std::string_view view;
};

using KindRow = std::tuple<int, int, std::size_t, int>;
// A segment of a name: whether it is optional, its literal text, and placeholders, each with its ways (a field, and whether it goes deep) and the
// literal text after it.
using Placeholders = std::vector<std::pair<std::vector<std::pair<std::string, bool>>, std::string>>;
using SegmentRow = std::tuple<bool, std::string, Placeholders>;
using DefinitionRow = std::tuple<std::size_t, std::vector<std::pair<Path, std::vector<std::string>>>, std::vector<SegmentRow>, bool>;
using Pairs = nb::typed<nb::list, nb::typed<nb::tuple, int, int>>;
using Bodies = nb::typed<nb::list, nb::typed<nb::tuple, nb::str, nb::str>>;
using Regions = nb::typed<nb::list, nb::typed<nb::tuple, int, int, nb::str>>;
using Names = nb::typed<nb::tuple, nb::str, nb::ellipsis>;

class Grammar {
public:
    // The kinds by number, then the kind of errors; `labels` begins with those that every grammar has.
    Grammar(nb::object language, const std::vector<KindRow>& kinds, const std::vector<DefinitionRow>& definitions, std::size_t whole_text, Strings labels,
            nb::bytes skimmed, nb::bytes opening, bool spaced)
        : language_(std::move(language)) {
        // A copy, so that no other code can change it.
        for (nb::handle label : labels) {
            label_texts_.push_back(utf8_of(label, "a label").view());
            labels_.push_back(nb::borrow(label));
        }
        table_.language = language_of(language_);
        if (kinds.empty()) throw nb::value_error("a grammar has kinds of nodes");
        if (labels_.size() < fixed_labels) throw nb::value_error("no such label as the ones that every grammar has");
        for (auto const& [role, inside, label, definition] : kinds) {
            bool const defines = role == static_cast<int>(Role::definition);
            if (role < -1 || role > static_cast<int>(Role::wrapper) || inside < nothing || inside > elements) throw nb::value_error("no such role");
            if (defines && (definition < 0 || static_cast<std::size_t>(definition) >= definitions.size())) throw nb::value_error("no such definition");
            table_.kinds.push_back({static_cast<Role>(role), static_cast<Inside>(inside), checked(label), definition});
        }
        for (auto const& [label, conditions, name, joined] : definitions) {
            Definition definition{checked(label), {}, {}, joined};
            for (auto const& [path, types] : conditions) definition.conditions.push_back({path, types});
            for (auto const& [optional, before, placeholders] : name) {
                NameTemplate::Segment segment{optional, before, {}};
                for (auto const& [ways, after] : placeholders) {
                    NameTemplate::Placeholder placeholder{{}, after};
                    for (auto const& [field, deep] : ways) placeholder.ways.push_back({field, deep});
                    segment.placeholders.push_back(std::move(placeholder));
                }
                definition.name.segments.push_back(std::move(segment));
            }
            table_.definitions.push_back(std::move(definition));
        }
        table_.whole_text = checked(whole_text);
        table_.skimmed.assign(skimmed.c_str(), skimmed.size());
        table_.spaced = spaced;
        table_.opening.assign(opening.c_str(), opening.size());
    }

    const SyntaxGrammar& table() const { return table_; }

    nb::object label(Label number) const { return labels_[number]; }
    const std::vector<nb::object>& labels() const { return labels_; }
    std::string_view label_text(Label number) const { return label_texts_[number]; }

    std::array<PyObject*, 1> held() const { return {language_.ptr()}; }

private:
    Label checked(std::size_t label) const {
        if (label >= labels_.size() || label > std::numeric_limits<Label>::max()) throw nb::value_error("no such label");
        return static_cast<Label>(label);
    }

    nb::object language_;  // keeps it loaded
    std::vector<nb::object> labels_;
    std::vector<std::string_view> label_texts_;
    SyntaxGrammar table_;
};

// Made by `Grammar.read`; keeps the grammar and the text.
class CodeReading : public NativeSketch {
public:
    CodeReading(nb::object of_grammar, nb::str text, std::uint32_t small) : grammar_(std::move(of_grammar)), source_(text) {
        size_ = static_cast<std::size_t>(PyUnicode_GetLength(text.ptr()));
        if (source_.view.empty()) throw nb::value_error("an empty text");
        if (source_.view.size() > std::numeric_limits<std::uint32_t>::max() - 4) throw nb::value_error("a text of 4 GB or more");
        const SyntaxGrammar& table = grammar().table();
        gil::Released const others_may_run;
        reading_ = read_syntax(table, source_.view, small);
    }

    std::size_t size() const override { return size_; }
    std::optional<NativeInside> look(const Text&, std::size_t unit) const override {
        InsideUnit found = reading_->inside(static_cast<std::uint32_t>(unit));
        NativeInside inside{{}, std::move(found.boundaries.heads), std::move(found.regions)};
        inside.columns.reserve(found.boundaries.offsets.size());
        for (std::size_t row = 0; row < found.boundaries.offsets.size(); ++row)
            inside.columns.add(found.boundaries.offsets[row], found.boundaries.strengths[row], grammar().label_text(found.boundaries.labels[row]));
        return inside;
    }

    NativeRows rows(const Text&) const override {
        Boundaries const& found = reading_->boundaries();
        NativeRows rows;
        rows.offsets.assign(found.offsets.begin(), found.offsets.end());
        rows.strengths.assign(found.strengths.begin(), found.strengths.end());
        rows.heads.assign(found.heads.begin(), found.heads.end());
        for (std::uint32_t const unit : reading_->closed()) rows.close(unit);
        rows.labels = found.labels;
        rows.names = grammar().labels();
        return rows;
    }
    std::unique_ptr<Breadcrumbs> breadcrumbs() const override { return std::make_unique<CodeBreadcrumbs>(*reading_); }

    // The names around an offset.
    Names breadcrumb(std::size_t offset) {
        if (!breadcrumbs_) breadcrumbs_ = breadcrumbs();
        nb::list names;
        for (std::string const& name : breadcrumbs_->names(offset)) names.insert(0, nb::str(name.data(), name.size()));
        return Names(nb::tuple(names));
    }
    Columns columns() const { return as_lists(reading_->boundaries()); }
    nb::typed<nb::tuple, Columns, Regions> inside(std::uint32_t offset) const {
        InsideUnit const found = reading_->inside(offset);
        return nb::typed<nb::tuple, Columns, Regions>(nb::make_tuple(as_lists(found.boundaries), as_list(found.regions)));
    }
    Regions regions() const { return as_list(reading_->regions()); }
    nb::typed<nb::tuple, Pairs, Bodies, Pairs> resumption(std::uint32_t preamble) const {
        Resumption const found = reading_->resumption(preamble);
        nb::list points, bodies, errors;
        for (ResumePoint const point : found.points) points.append(nb::make_tuple(point.offset, point.body));
        for (const EnclosingLines& lines : found.bodies) bodies.append(nb::make_tuple(as_str(lines.header), as_str(lines.closing)));
        for (auto const& [start, end] : found.errors) errors.append(nb::make_tuple(start, end));
        return nb::typed<nb::tuple, Pairs, Bodies, Pairs>(nb::make_tuple(points, bodies, errors));
    }
    Integers closed() const { return Integers(to_list(reading_->closed())); }
    bool had_errors() const { return reading_->parsed() == Parsed::with_errors; }
    bool given_up() const { return reading_->parsed() == Parsed::given_up; }
    std::array<PyObject*, 2> held() const { return {grammar_.ptr(), source_.text.ptr()}; }

private:
    const Grammar& grammar() const { return *nb::inst_ptr<Grammar>(grammar_); }

    static nb::object as_str(const std::string& bytes) {
        nb::object made = nb::steal(PyUnicode_DecodeUTF8(bytes.data(), static_cast<Py_ssize_t>(bytes.size()), "surrogatepass"));
        if (!made.is_valid()) throw nb::python_error();
        return made;
    }

    static Regions as_list(const std::vector<NamedRegion>& regions) {
        nb::list result;
        for (const NamedRegion& region : regions) {
            std::string const name = in_one_line(region.name);
            if (!name.empty()) result.append(nb::make_tuple(region.start, region.end, name));
        }
        return Regions(result);
    }

    Columns as_lists(const Boundaries& boundaries) const {
        nb::list const labels = list_of(boundaries.labels.size(), [&](std::size_t row) { return grammar().label(boundaries.labels[row]); });
        nb::dict heads;
        for (auto const& [offset, end] : boundaries.heads) heads[nb::int_(offset)] = nb::int_(end);
        return Columns(nb::make_tuple(to_list(boundaries.offsets), to_list(boundaries.strengths), labels, heads));
    }

    nb::object grammar_;
    Source source_;
    std::size_t size_ = 0;  // in characters
    std::unique_ptr<SyntaxReading> reading_;
    std::unique_ptr<Breadcrumbs> breadcrumbs_;  // once they were asked for
};

}  // namespace

void define_syntax(nb::module_& module) {
    module.def("has_syntax", has_syntax, "Whether the runtime of tree-sitter is built in: without it grammars are of no use.");

    nb::class_<CodeReading, NativeSketch>(module, "CodeReading", nb::type_slots(references::shown<CodeReading>),
                                          "A text, parsed and walked: the boundaries of its sketch.")
        .def("columns", &CodeReading::columns, nb::lock_self(),
             "Offsets in characters, strengths and labels; and the heads: offsets between the top of a definition and its first line -> where that ends.")
        .def("closed", &CodeReading::closed, nb::lock_self(), "Where the closed units begin, ascending.")
        .def("inside", &CodeReading::inside, nb::lock_self(), nb::arg("offset"),
             "The columns and the regions of what is inside a closed unit. Raises IndexError where none begins.")
        .def("resumption", &CodeReading::resumption, nb::lock_self(), nb::arg("preamble") = 0,
             "The offsets outside of closed units from which a part of the text can be read alone, with the same result: in characters, ascending, each with "
             "the number of the body around it. By these numbers, the lines that stand in for the text before and after. And the starts and ends of the "
             "parser's errors. `preamble`: the number of characters at the start that stand in for text before.")
        .def("regions", &CodeReading::regions, nb::lock_self(),
             "The definitions outside of closed units that have a name: start and end in characters, and the name, on one line.")
        .def("breadcrumb", &CodeReading::breadcrumb, nb::lock_self(), nb::arg("offset"), "The names of the definitions around an offset, outermost first.")
        .def_prop_ro("had_errors", &CodeReading::had_errors, nb::lock_self(), "Whether the parser met what it does not understand.")
        .def_prop_ro("given_up", &CodeReading::given_up, nb::lock_self(), "Whether it did not get done; all is lines then.");

    nb::class_<Grammar>(module, "Grammar", nb::type_slots(references::shown<Grammar>),
                        "What the nodes of a tree-sitter grammar mean: `Compiled` in chunker/formats/code/grammar.py, in numbers.\n\n"
                        "`kinds`: role, inside, number of the label, number of the definition or -1; after those of the grammar that of errors.\n"
                        "`definitions`: number of the label; conditions: a path and the types of what is there; and the segments of the name: whether it "
                        "is optional, its literal text, and placeholders, each with its ways and the literal text after it.\n"
                        "`labels`: the first are line, paragraph, statement, clause, comment.")
        .def(nb::init<nb::object, const std::vector<KindRow>&, const std::vector<DefinitionRow>&, std::size_t, Strings, nb::bytes, nb::bytes, bool>(),
             nb::arg("language"), nb::arg("kinds"), nb::arg("definitions"), nb::arg("whole_text"), nb::arg("labels"), nb::arg("skimmed"), nb::arg("opening"),
             nb::arg("spaced"))
        .def_static(
            "reads", [](nb::object language) { return reads(language_of(language)); }, nb::arg("language"),
            "Whether the runtime knows grammars of this version.")
        .def(
            "read",
            [](nb::handle_t<Grammar> self, nb::str text, std::uint32_t small) {
                if (!nb::inst_ready(self)) throw nb::type_error("the grammar was never initialized");
                return std::make_unique<CodeReading>(nb::borrow(self), text, small);
            },
            nb::arg("text"), nb::arg("small"), "Read a text that is not empty; nodes of at most `small` bytes are closed. The GIL is released meanwhile.");
}

}  // namespace chunker::bindings
