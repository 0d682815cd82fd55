// Chunks of one text, counted by an encoder of bpe_engine, or by any object that counts.
#include "chunker/grower.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <array>
#include <exception>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "bpe/growing_interface.hpp"
#include "chunker/refining.hpp"
#include "chunker/utf8.hpp"
#include "integers.hpp"
#include "parts.hpp"
#include "references.hpp"
#include "source.hpp"

namespace chunker::bindings {

namespace {

// Products of two of these and of a length of a text do not overflow.
constexpr std::size_t most_limit = std::size_t{1} << 40;
constexpr const char* level_labels[levels] = {"sentence", "word", "grapheme", "character"};

nb::object part_of(nb::handle text, std::size_t start, std::size_t end) {
    nb::object part = nb::steal(PyUnicode_Substring(text.ptr(), static_cast<Py_ssize_t>(start), static_cast<Py_ssize_t>(end)));
    if (!part.is_valid()) throw nb::python_error();
    return part;
}

// In UTF-8, which a str of ASCII is already. Raises UnicodeEncodeError for halves of surrogate pairs.
nb::object encoded(nb::handle source) {
    if (!PyUnicode_Check(source.ptr())) given::raise_type("a text", "a str", source);
    if (nb::cast<bool>(source.attr("isascii")())) return nb::borrow(source);
    nb::object data = nb::steal(PyUnicode_AsUTF8String(source.ptr()));
    if (!data.is_valid()) throw nb::python_error();
    return data;
}

// The contexts that were met, by numbers; 0 is that of none.
class Contexts {
public:
    Contexts() { put(nb::str("")); }

    Context number_of(nb::object context) {
        if (!PyUnicode_Check(context.ptr())) given::raise_type("a context", "a str", context);
        if (auto const known = numbers_.find(context.ptr()); known != numbers_.end()) return known->second;
        return PyUnicode_GetLength(context.ptr()) == 0 ? 0 : put(std::move(context));
    }
    nb::handle string(Context context) const { return strings_[context]; }
    std::string_view bytes(Context context) const { return bytes_[context]; }

private:
    Context put(nb::object context) {
        Py_ssize_t size = 0;
        const char* data = PyUnicode_AsUTF8AndSize(context.ptr(), &size);
        if (!data) {  // halves of surrogate pairs, as tokenizers read them
            PyErr_Clear();
            nb::object const whole = context.attr("encode")("utf-16", "surrogatepass").attr("decode")("utf-16", "replace");
            data = PyUnicode_AsUTF8AndSize(whole.ptr(), &size);
            if (!data) throw nb::python_error();
            bytes_.emplace_back(data, static_cast<std::size_t>(size));
        } else {
            bytes_.emplace_back(data, static_cast<std::size_t>(size));
        }
        numbers_.emplace(context.ptr(), strings_.size());
        strings_.push_back(std::move(context));
        return strings_.size() - 1;
    }

    std::vector<nb::object> strings_;  // so no other object gets the address of one
    std::vector<std::string> bytes_;
    std::unordered_map<PyObject*, Context> numbers_;
};

// Counts by the encoders of bpe_engine.
class NativeCounter : public Counter {
public:
    NativeCounter(const Text& text, nb::handle source, nb::handle tokenizer, nb::object appending, nb::object prepending, const Contexts& contexts)
        : text_(text), source_(source), tokenizer_(tokenizer), contexts_(contexts), appending_(std::move(appending)), prepending_(std::move(prepending)),
          right_(interface(appending_)), left_(prepending_.is_none() ? nullptr : interface(prepending_)) {}

    std::size_t begin(Context context) override {
        right_->restart(right_->encoder);
        if (context == 0) return 0;
        std::string_view const bytes = contexts_.bytes(context);
        std::size_t count = 0;
        if (!right_->grow(right_->encoder, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(), &count)) fail(contexts_.string(context));
        return count;
    }
    std::size_t append(std::size_t start, std::size_t end) override { return grow(*right_, start, end); }
    void keep() override { right_->keep(right_->encoder); }
    void go_back() override { right_->go_back(right_->encoder); }

    void begin_at_the_end() override { left_->restart(left_->encoder); }
    std::size_t prepend(std::size_t start, std::size_t end) override { return grow(*left_, start, end); }

    std::optional<std::size_t> count_up_to(Context context, std::size_t start, std::size_t end, std::size_t limit) override {
        std::size_t const first = text_.place(start), size = text_.place(end) - first;
        std::size_t count = 0;
        if (context == 0) return right_->fits(right_->encoder, text_.data() + first, size, limit, &count) ? std::optional(count) : std::nullopt;
        together_ = contexts_.bytes(context);
        together_.append(reinterpret_cast<const char*>(text_.data() + first), size);
        bool const fits = right_->fits(right_->encoder, reinterpret_cast<const unsigned char*>(together_.data()), together_.size(), limit, &count);
        return fits ? std::optional(count) : std::nullopt;
    }
    std::size_t count(Context context, std::size_t start, std::size_t end) override {
        auto const found = count_up_to(context, start, end, most_limit);
        if (!found) fail(part_of(source_, start, end));
        return *found;
    }

private:
    static const GrowingInterface* interface(nb::handle encoder) {
        nb::object const capsule = encoder.attr("_interface")();
        auto const* const found = static_cast<const GrowingInterface*>(PyCapsule_GetPointer(capsule.ptr(), growing_interface_name));
        if (!found) throw nb::python_error();
        return found;
    }

    std::size_t grow(const GrowingInterface& encoder, std::size_t start, std::size_t end) {
        std::size_t const first = text_.place(start);
        std::size_t count = 0;
        if (!encoder.grow(encoder.encoder, text_.data() + first, text_.place(end) - first, &count)) fail(part_of(source_, start, end));
        return count;
    }

    // Raises what the tokenizer has to say of a text that it cannot count.
    [[noreturn]] void fail(nb::handle text) {
        tokenizer_.attr("count")(text);
        given::raise(PyExc_ValueError, "the tokenizer cannot count this text while it grows: %.200R", text.ptr());
    }

    const Text& text_;
    nb::handle source_, tokenizer_;
    const Contexts& contexts_;
    nb::object appending_, prepending_;
    const GrowingInterface *right_, *left_;
    std::string together_;  // a context and what it stands before
};

// Counts by what other packages' objects say.
class AnyCounter : public Counter {
public:
    AnyCounter(nb::handle source, nb::handle tokenizer, nb::object appending, const Contexts& contexts)
        : source_(source), tokenizer_(tokenizer), contexts_(contexts), appending_(std::move(appending)), empty_(appending_.attr("snapshot")()) {}

    std::size_t begin(Context context) override {
        appending_.attr("rollback")(empty_);
        if (context == 0) return 0;
        appending_.attr("append")(contexts_.string(context));
        return count_of(appending_);
    }
    std::size_t append(std::size_t start, std::size_t end) override {
        appending_.attr("append")(part_of(source_, start, end));
        return count_of(appending_);
    }
    void keep() override { kept_ = appending_.attr("snapshot")(); }
    void go_back() override { appending_.attr("rollback")(kept_); }

    void begin_at_the_end() override { prepending_ = tokenizer_.attr("prepending_encoder")(); }
    std::size_t prepend(std::size_t start, std::size_t end) override {
        prepending_.attr("prepend")(part_of(source_, start, end));
        return count_of(prepending_);
    }

    std::optional<std::size_t> count_up_to(Context context, std::size_t start, std::size_t end, std::size_t limit) override {
        nb::object const found = tokenizer_.attr("count_up_to")(together(context, start, end), limit);
        return found.is_none() ? std::nullopt : std::optional(given::size(found, "a count"));
    }
    std::size_t count(Context context, std::size_t start, std::size_t end) override {
        return given::size(tokenizer_.attr("count")(together(context, start, end)), "a count");
    }

private:
    static std::size_t count_of(nb::handle encoder) { return given::size(encoder.attr("count"), "a count"); }

    nb::object together(Context context, std::size_t start, std::size_t end) const {
        nb::object const part = part_of(source_, start, end);
        return context == 0 ? part : contexts_.string(context) + part;
    }

    nb::handle source_, tokenizer_;
    const Contexts& contexts_;
    nb::object appending_, empty_, kept_, prepending_;
};

// The boundaries of an outline, as Python has them, with the labels of all that is found.
class Outlined : public Surroundings {
public:
    Outlined(nb::object source, nb::object labels, nb::object context_at, nb::object look, Contexts& contexts)
        : source_(std::move(source)), labels_(std::move(labels)), context_at_(std::move(context_at)), look_(std::move(look)), contexts_(contexts),
          rows_(nb::len(labels_)) {
        for (const char* const label : level_labels) more_labels_.push_back(nb::str(label));
    }

    Context context_at(std::size_t fresh, std::size_t start) override {
        if (context_at_.is_none()) return 0;
        return contexts_.number_of(fresh == start ? context_at_(fresh) : context_at_(fresh, part_of(source_, start, fresh)));
    }

    Inside inside(std::size_t offset) override {
        nb::object const found = look_(offset);
        Inside inside;
        inside.offsets = from_list(nb::cast<nb::list>(found.attr("offsets")));
        inside.strengths = from_list(nb::cast<nb::list>(found.attr("strengths")));
        nb::list const labels = nb::cast<nb::list>(found.attr("labels"));
        if (inside.offsets.size() != inside.strengths.size() || inside.offsets.size() != nb::len(labels))
            throw nb::value_error("as many strengths and labels as offsets");
        for (nb::handle label : labels) inside.labels.push_back(number_of(nb::borrow(label)));
        inside.heads = read_heads(found.attr("heads"), static_cast<std::size_t>(PyUnicode_GetLength(source_.ptr())));
        return inside;
    }

    static std::unordered_map<std::size_t, std::size_t> read_heads(nb::handle heads, std::size_t size) {
        std::unordered_map<std::size_t, std::size_t> result;
        nb::object const items = nb::steal(PyMapping_Items(heads.ptr()));
        if (!items.is_valid()) throw nb::python_error();
        for (nb::handle item : items) {
            std::size_t const offset = given::size(item[0], "the offset of a head"), end = given::size(item[1], "the end of a head");
            if (offset >= end || end > size) throw nb::value_error("a head ends behind its start, inside of the text");
            result[offset] = end;
        }
        return result;
    }

    std::size_t number_of(nb::object label) {
        // A few labels come again and again, mostly the same objects.
        auto const known = std::find_if(more_labels_.rbegin(), more_labels_.rend(), [&](const nb::object& other) { return other.is(label); });
        if (known != more_labels_.rend()) return rows_ + static_cast<std::size_t>(more_labels_.rend() - known) - 1;
        more_labels_.push_back(std::move(label));
        return rows_ + more_labels_.size() - 1;
    }
    nb::object label(std::size_t number) const { return number < rows_ ? given::element(labels_, number, "labels") : more_labels_[number - rows_]; }

    std::array<PyObject*, 4> held() const { return {source_.ptr(), labels_.ptr(), context_at_.ptr(), look_.ptr()}; }

private:
    nb::object source_, labels_, context_at_, look_;
    Contexts& contexts_;
    std::size_t rows_;
    std::vector<nb::object> more_labels_;
};

Rows read_rows(nb::handle outline, std::size_t size, nb::handle closed) {
    Rows rows;
    rows.offsets = from_list(nb::cast<nb::list>(outline.attr("offsets")));
    rows.strengths = from_list(nb::cast<nb::list>(outline.attr("strengths")));
    rows.finest = given::number(outline.attr("finest"), "finest");
    if (rows.offsets.size() != rows.strengths.size() || rows.offsets.size() != nb::len(nb::object(outline.attr("labels"))))
        throw nb::value_error("as many strengths and labels as offsets");
    // That of a stream may begin behind what is ahead of it already.
    if (!std::is_sorted(rows.offsets.begin(), rows.offsets.end()) ||
        (!rows.offsets.empty() && (rows.offsets.front() < 0 || rows.offsets.back() >= static_cast<std::int64_t>(size))))
        throw nb::value_error("an outline's offsets must ascend inside of the text");
    rows.heads = Outlined::read_heads(outline.attr("heads"), size);
    if (!closed.is_none()) {
        rows.closed.assign(rows.offsets.size(), 0);
        for (nb::handle offset : closed) {
            std::int64_t const number = given::number(offset, "the offset of a closed unit");
            auto const place = std::lower_bound(rows.offsets.begin(), rows.offsets.end(), number);
            if (place == rows.offsets.end() || *place != number) throw nb::value_error("a closed unit begins where a row does");
            rows.closed[static_cast<std::size_t>(place - rows.offsets.begin())] = 1;
        }
    }
    return rows;
}

// Keeps all that the grower reads.
class Growing {
public:
    Growing(nb::object source, nb::object tokenizer, nb::object outline, const Limits& limits, nb::object context_at, nb::object look, nb::handle closed)
        : source_(source), data_(encoded(source)), tokenizer_(std::move(tokenizer)), text_(utf8_of(data_)),
          outlined_(source, outline.attr("labels"), std::move(context_at), std::move(look), contexts_), counter_(make_counter(limits)),
          grower_(text_, read_rows(outline, text_.size(), closed), limits, *counter_, outlined_), limit_(limits.most) {}
    Growing(const Growing&) = delete;
    Growing& operator=(const Growing&) = delete;

    // At most `number` chunks; fewer if there are no more. What goes wrong is raised once those before it have been given out.
    nb::list grow(std::size_t number, std::optional<std::size_t> horizon) {
        if (failed_) std::rethrow_exception(std::exchange(failed_, nullptr));
        if (growing_) given::raise(PyExc_RuntimeError, "a chunk is being grown, which asked for its context");
        growing_ = true;
        nb::list made;
        try {
            while (nb::len(made) < number) {
                auto const piece = grower_.next(horizon.value_or(std::numeric_limits<std::size_t>::max()));
                if (!piece) break;
                made.append(nb::make_tuple(piece->start, piece->end, contexts_.string(piece->context), piece->tokens, outlined_.label(piece->label)));
            }
        } catch (const Grower::TooSmall& unit) {
            failed_ = std::make_exception_ptr(too_small(unit));
        } catch (...) {
            failed_ = std::current_exception();
        }
        growing_ = false;
        if (failed_ && nb::len(made) == 0) std::rethrow_exception(std::exchange(failed_, nullptr));
        return made;
    }

    // The units ahead that are not, or not as they are, of the outline; how many of the outline's are behind; how many of those ahead repeat
    // the end of the last chunk.
    std::tuple<nb::list, std::size_t, std::size_t> ahead() const {
        nb::list places;
        for (Place const& place : grower_.units().front())
            places.append(nb::make_tuple(place.offset, place.strength, outlined_.label(place.label), place.enclosing_end));
        return {places, grower_.units().behind(), grower_.overlapping()};
    }

    void resume(nb::list given_places, std::size_t overlapping) {
        Places places;
        std::size_t least = 0;
        for (nb::handle const place : given_places) {
            if (!PyTuple_Check(place.ptr()) || PyTuple_Size(place.ptr()) != 4) given::raise_type("a place", "a tuple of offset, strength, label and end", place);
            auto const part = [&](Py_ssize_t number) { return nb::borrow(PyTuple_GetItem(place.ptr(), number)); };
            std::size_t const offset = given::size(part(0), "the offset of a place"), end = given::size(part(3), "the end of a place");
            if (offset < least || end <= offset || end > text_.size()) throw nb::value_error("places must ascend inside of the text, and end behind their start");
            least = offset + 1;
            places.push_back({offset, given::number(part(1), "the strength of a place"), outlined_.number_of(part(2)), end, no_row});
        }
        if (!places.empty() && places.back().offset >= grower_.units().offset())
            throw nb::value_error("places must stand before what is ahead");
        if (overlapping > places.size() + grower_.units().size()) throw nb::value_error("no more units are repeated than are ahead");
        grower_.resume(std::move(places), overlapping);
    }

    std::array<PyObject*, 6> held() const {
        auto const more = outlined_.held();
        return {source_.ptr(), tokenizer_.ptr(), more[0], more[1], more[2], more[3]};
    }

private:
    static Text utf8_of(nb::handle data) {
        Utf8 const source(data);
        return {source.data, source.size};
    }

    std::unique_ptr<Counter> make_counter(const Limits& limits) {
        nb::object appending = tokenizer_.attr("appending_encoder")();
        if (!nb::hasattr(appending, "_interface")) return std::make_unique<AnyCounter>(source_, tokenizer_, std::move(appending), contexts_);
        nb::object prepending = limits.overlap > 0 ? tokenizer_.attr("prepending_encoder")() : nb::none();
        return std::make_unique<NativeCounter>(text_, source_, tokenizer_, std::move(appending), std::move(prepending), contexts_);
    }

    nb::python_error too_small(const Grower::TooSmall& unit) const {
        nb::object const type = nb::module_::import_("chunker.errors").attr("BudgetTooSmallError");
        nb::object const error = type(part_of(source_, unit.start, unit.end), unit.start, unit.tokens, limit_);
        PyErr_SetObject(type.ptr(), error.ptr());
        return nb::python_error();
    }

    nb::object source_, data_, tokenizer_;
    Text text_;
    Contexts contexts_;
    Outlined outlined_;
    std::unique_ptr<Counter> counter_;
    Grower grower_;
    std::size_t limit_;
    std::exception_ptr failed_;
    bool growing_ = false;
};

}  // namespace

void define_growing(nb::module_& module) {
    nb::class_<Limits>(module, "Limits", "What a chunk may be, and how far it is looked for: see chunker.growing.grower.")
        .def(
            "__init__",
            [](Limits* self, std::size_t most, std::size_t least, std::size_t overlap, std::optional<std::size_t> desired, std::int64_t overlap_finest,
               std::size_t look_ahead, std::size_t look, std::size_t overlap_look, std::size_t longest_token) {
                for (std::size_t const limit : {most, least, overlap, desired.value_or(0), look_ahead, look, overlap_look, longest_token})
                    if (limit > most_limit) given::raise(PyExc_ValueError, "a limit is at most %zu, not %zu", most_limit, limit);
                if (overlap >= most || look == 0 || overlap_look == 0) throw nb::value_error("an overlap is less than a chunk, and a look at least a character");
                new (self) Limits{most, least, overlap, desired, overlap_finest, look_ahead, look, overlap_look, longest_token};
            },
            nb::kw_only(), nb::arg("most"), nb::arg("least"), nb::arg("overlap"), nb::arg("desired").none(), nb::arg("overlap_finest"), nb::arg("look_ahead"),
            nb::arg("look"), nb::arg("overlap_look"), nb::arg("longest_token"));
    nb::class_<Growing>(module, "Grower", nb::type_slots(references::shown<Growing>), "Grows the chunks of one text, once.")
        .def(nb::init<nb::object, nb::object, nb::object, const Limits&, nb::object, nb::object, nb::handle>(), nb::arg("text"), nb::arg("tokenizer"),
             nb::arg("outline"), nb::arg("limits"), nb::arg("context_at").none(), nb::arg("inside").none(), nb::arg("closed").none(),
             nb::sig("def __init__(self, text: str, tokenizer: object, outline: object, limits: Limits, context_at: object | None, "
                     "inside: object | None, closed: object | None) -> None"),
             "`context_at`, `inside` and `closed` are None where there are none of these. A text with halves of surrogate pairs raises UnicodeEncodeError.")
        .def("grow", &Growing::grow, nb::arg("number"), nb::arg("horizon").none(),
             nb::sig("def grow(self, number: int, horizon: int | None) -> list[tuple[int, int, str, int, str]]"),
             "The next chunks, at most so many, that begin up to `horizon`: of each where it starts and ends, its context, its tokens, and the label of its "
             "first unit. Fewer where there are no more, or where the next call raises.")
        .def("ahead", &Growing::ahead, nb::sig("def ahead(self) -> tuple[list[tuple[int, int, str, int]], int, int]"),
             "The units ahead that are no rows of the outline as it is; the row behind them; and how many units repeat the end of the last chunk.")
        .def("resume", &Growing::resume, nb::arg("places"), nb::arg("overlapping"),
             nb::sig("def resume(self, places: list[tuple[int, int, str, int]], overlapping: int) -> None"),
             "Put units ahead that another grower had, the first `overlapping` of which repeat the end of a chunk.");
    module.def(
        "distinct_characters",
        [](nb::object text) {
            nb::object const data = encoded(text);
            Utf8 const source(data);
            std::vector<bool> seen(0x110000);
            nb::list found;
            for (std::size_t at = 0; at < source.size;) {
                std::size_t const size = character_size(source.data[at]);
                char32_t character = size == 1 ? source.data[at] : source.data[at] & (0x7Fu >> size);
                for (std::size_t next = 1; next < size; ++next) character = character << 6 | (source.data[at + next] & 0x3Fu);
                if (!seen[character]) found.append(nb::steal(PyUnicode_FromOrdinal(static_cast<int>(character))));
                seen[character] = true;
                at += size;
            }
            return found;
        },
        nb::arg("text"), nb::sig("def distinct_characters(text: str) -> list[str]"),
        "Each character of a text once. Raises UnicodeEncodeError for halves of surrogate pairs.");
    module.def(
        "refine",
        [](nb::str text, std::size_t start, std::size_t end, std::int64_t strength) {
            Utf8 const data(text);
            Text const characters(data.data, data.size);
            if (start > end || end > characters.size()) throw nb::index_error("no stretch of this text");
            Refined const found = refine(characters, start, end, strength);
            return nb::make_tuple(to_list(found.offsets), found.strength());
        },
        nb::arg("text"), nb::arg("start"), nb::arg("end"), nb::arg("strength"),
        nb::sig("def refine(text: str, start: int, end: int, strength: int) -> tuple[list[int], int]"),
        "The boundaries inside text[start:end] of the next level below `strength` that has any, and that level's strength: see chunker.formats.refining.");
}

}  // namespace chunker::bindings
