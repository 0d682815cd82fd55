// Chunks of one text, counted by an encoder of bpe_engine, or by any object that counts.
#include "chunker/grower.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <array>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "chunker/refining.hpp"
#include "chunker/segmentation.hpp"
#include "chunker/utf8.hpp"
#include "chunking.hpp"
#include "formats.hpp"
#include "gil.hpp"
#include "parts.hpp"
#include "references.hpp"

namespace chunker::bindings {

namespace {

using Pairs = std::vector<std::pair<std::size_t, std::size_t>>;

class Growing final : public Chunking {
public:
    Growing(nb::object source, nb::object tokenizer, nb::object outline, const Limits& limits, nb::object context_at)
        : Chunking(std::move(source), std::move(tokenizer), std::move(outline), limits, std::move(context_at), false),
          grower_(begin(limits, outlined_.rows())) {}

    // The fields of `Ahead` in chunker/growing/units.py.
    std::tuple<nb::object, std::size_t, std::size_t, std::size_t, Py_ssize_t> ahead(std::size_t most) const {
        Busy const busy(*this);
        Units const& units = grower_.units();
        nb::object places = nb::none();
        if (units.front_size() <= most) {
            nb::list made;
            for (Place const& place : units.front())
                made.append(nb::make_tuple(place.offset, place.strength, outlined_.label(place.label), place.enclosing_end));
            places = std::move(made);
        }
        return {places, units.offset(), units.next_row(), grower_.overlapping(), units.unsettled()};
    }

    // Of the places ahead that are not rows: those that are closed, with their starts in the sketch; and those in heads, with the ends of these
    // heads.
    std::pair<Pairs, Pairs> details() const {
        Busy const busy(*this);
        Units const& units = grower_.units();
        std::pair<Pairs, Pairs> result;
        for (Place const& place : units.front()) {
            if (std::size_t const said = units.closed_at(place); said != no_outline_row) result.first.emplace_back(place.offset, said);
            if (std::size_t const end = units.head_end(place.offset); end > 0) result.second.emplace_back(place.offset, end);
        }
        return result;
    }

    void follow() {
        Busy const busy(*this);
        grower_.follow();
    }
    std::size_t reach() const {
        Busy const busy(*this);
        return grower_.reach();
    }

    void resume(nb::list given_places, std::size_t overlapping, const Pairs& closed) {
        Busy const busy(*this);
        Places places;
        std::size_t least = 0;
        for (nb::handle const given_place : given_places) {
            nb::tuple const place = as_tuple(given_place, 4, "a place");
            std::size_t const offset = given::size(place[0], "the offset of a place"), end = given::size(place[3], "the end of a place");
            if (offset < least || end <= offset || end > text_.size())
                throw nb::value_error("places must ascend inside of the text, and end after their start");
            least = offset + 1;
            places.push_back({offset, given::number(place[1], "the strength of a place"), outlined_.number_of(place[2]), end, no_outline_row});
        }
        if (!places.empty() && places.back().offset >= grower_.units().offset()) throw nb::value_error("places must stand before what is ahead");
        if (overlapping > places.size() + grower_.units().size()) throw nb::value_error("no more units are repeated than are ahead");
        for (auto const& [offset, said] : closed)
            if (std::none_of(places.begin(), places.end(), [place = offset](const Place& one) { return one.offset == place; }))
                throw nb::value_error("a closed place is one of those");
        grower_.resume(std::move(places), overlapping);
        for (auto const& [offset, said] : closed) grower_.close(offset, said);
    }

private:
    void make(std::size_t number, std::size_t horizon) override {
        while (number-- > 0) {
            auto const piece = grower_.next(horizon);
            if (!piece) return;
            ready_.push_back(*piece);
        }
    }

    Grower begin(const Limits& limits, OutlineRows rows) {
        gil::Released const others_may_run(bytes());
        return Grower(text_, std::move(rows), limits, *counter_, outlined_);
    }

    Grower grower_;
};

}  // namespace

void define_growing(nb::module_& module) {
    nb::class_<Limits>(module, "Limits", "The budget of a chunk: see chunker.growing.budget.")
        .def(
            "__init__",
            [](Limits* self, std::size_t most, std::size_t least, std::size_t overlap, std::optional<std::size_t> desired, std::int64_t overlap_finest) {
                for (std::size_t const limit : {most, least, overlap, desired.value_or(0)})
                    if (limit > most_limit) given::raise(PyExc_ValueError, "a limit is at most %zu, not %zu", most_limit, limit);
                if (overlap >= most) throw nb::value_error("an overlap is less than a chunk");
                new (self) Limits{most, least, overlap, desired, overlap_finest};
            },
            nb::kw_only(), nb::arg("most"), nb::arg("least"), nb::arg("overlap"), nb::arg("desired").none(), nb::arg("overlap_finest"));
    nb::class_<Chunking>(module, "Chunking", nb::type_slots(references::shown<Chunking>), "Makes the chunks of one text, once.")
        .def("grow", &Chunking::grow, nb::lock_self(), nb::arg("kind"), nb::arg("number"), nb::arg("horizon").none(),
             nb::sig("def grow(self, kind: type[tuple[int, int, str, int, str]], number: int, horizon: int | None) -> list[typing.Any]"),
             "The next chunks, at most so many, that begin up to `horizon`, as tuples of a class with these names: where it starts and ends, its context, its "
             "tokens, and the label of its first unit. Fewer where there are no more, or where the next call raises.")
        .def("bodies", &Chunking::bodies, nb::lock_self(), nb::arg("strip"), nb::sig("def bodies(self, strip: bool) -> list[str]"),
             "The texts of all further chunks without contexts; with `strip` without white space at their ends, and none of white space only.")
        .def("put_into", &Chunking::put_into, nb::lock_self(), nb::arg("columns"), nb::arg("identity"),
             "Add all further chunks to columns, or none where an error is raised; `identity` is what their ids begin with. Where the new text of each begins, "
             "after an overlap.");
    nb::class_<Growing, Chunking>(module, "Grower", nb::type_slots(references::shown<Growing>), "Grows the chunks of one text, once.")
        .def(
            nb::init<nb::object, nb::object, nb::object, const Limits&, nb::object>(), nb::arg("text"), nb::arg("tokenizer"), nb::arg("outline"),
            nb::arg("limits"), nb::arg("context_at").none(),
            nb::sig("def __init__(self, text: str, tokenizer: object, outline: object, limits: Limits, context_at: object | None) -> None"),
            "`outline`: an Outline or a Sketch, whose `native` is asked before all else of it. `context_at` is None where chunks have no contexts. A text with "
            "halves of surrogate pairs raises UnicodeEncodeError.")
        .def("follow", &Growing::follow, nb::lock_self(), "Know of the next chunks how far each of them looks.")
        .def("reach", &Growing::reach, nb::lock_self(),
             "How far the last chunk looked: it comes out as it did whatever comes after that offset. At least the end of the text if it depends on that.")
        .def("ahead", &Growing::ahead, nb::lock_self(), nb::arg("most"),
             nb::sig("def ahead(self, most: int) -> tuple[list[tuple[int, int, str, int]] | None, int, int, int, int]"), "See chunker.growing.units.Ahead.")
        .def(
            "details", &Growing::details, nb::lock_self(),
            "Of the units of `ahead` those that are closed, each with where the sketch says that it begins; and those in heads, each with where the head ends.")
        .def("resume", &Growing::resume, nb::lock_self(), nb::arg("places"), nb::arg("overlapping"), nb::arg("closed") = Pairs(),
             nb::sig("def resume(self, places: list[tuple[int, int, str, int]], overlapping: int, closed: list[tuple[int, int]] = ...) -> None"),
             "Put units ahead that another grower had, the first `overlapping` of which repeat the end of a chunk; `closed` are those that are.");
    module.def(
        "make_all", &Chunking::make_all, nb::arg("makers"), nb::sig("def make_all(makers: list[Chunking]) -> None"),
        "Make all chunks of several texts in one call, without the GIL; `grow` of each then returns them. Those whose counters are objects of Python are left "
        "as they are.");
    module.def(
        "distinct_characters",
        [](nb::object text) {
            Utf8 const source = utf8_of(text);
            std::array<bool, 0x80> seen{};
            std::vector<bool> seen_wide;
            nb::list found;
            auto const add = [&](char32_t character) { found.append(nb::steal(PyUnicode_FromOrdinal(static_cast<int>(character)))); };
            for (std::size_t at = 0; at < source.size;) {
                std::size_t const size = character_size(source.data[at]);
                if (size == 1) {
                    seen[source.data[at++]] = true;
                    continue;
                }
                char32_t const character = decoded(source.data + at, size);
                if (seen_wide.empty()) seen_wide.resize(0x110000);
                if (!seen_wide[character]) add(character);
                seen_wide[character] = true;
                at += size;
            }
            for (char32_t character = 0; character < 0x80; ++character)
                if (seen[character]) add(character);
            return found;
        },
        nb::arg("text"), nb::sig("def distinct_characters(text: str) -> list[str]"),
        "Each character of a text once. Raises UnicodeEncodeError for halves of surrogate pairs.");
    module.def(
        "sentence_ends", [](nb::str text) { return to_list(sentence_ends(characters_of(text))); }, nb::arg("text"),
        nb::sig("def sentence_ends(text: str) -> list[int]"), "The ends of the sentences of a text: see chunker.formats.segmentation.");
    module.def(
        "refine",
        [](nb::str text, std::size_t start, std::size_t end, std::int64_t strength) {
            Utf8 const data(text);
            Text const characters(data.data, data.size);
            if (start > end || end > characters.size()) throw nb::index_error("no span of this text");
            Refined const found = refine(characters, start, end, strength);
            return nb::make_tuple(to_list(found.offsets), found.strength());
        },
        nb::arg("text"), nb::arg("start"), nb::arg("end"), nb::arg("strength"),
        nb::sig("def refine(text: str, start: int, end: int, strength: int) -> tuple[list[int], int]"),
        "The boundaries inside text[start:end] of the next level below `strength` that has any, and that level's strength: see chunker.formats.refining.");
}

}  // namespace chunker::bindings
