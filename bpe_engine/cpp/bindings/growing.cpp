// The appending and the prepending encoder, with what Python adds: str in halves of surrogate pairs, marks, pickling.
#include <nanobind/nanobind.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "bpe/appending.hpp"
#include "bpe/growing_interface.hpp"
#include "bpe/limits.hpp"
#include "bpe/prepending.hpp"
#include "bpe/pipeline/growing.hpp"
#include "batches.hpp"
#include "bpe/unicode.hpp"
#include "engine.hpp"
#include "given.hpp"
#include "pipeline.hpp"
#include "references.hpp"

namespace bpe::bindings {

namespace {

// A place that `rollback` can return to. It belongs to the encoder that made it; it says nothing to anybody else.
struct Mark {
    std::uint64_t owner, serial;
    std::size_t number;
};

template <class Core>
struct Traits;

struct Appending {
    static constexpr bool before = false;  // where new text goes
    static constexpr const char* rebuild = "rebuild_appending";
    template <class Core>
    using Ids = GrownIds<Core>;
    template <class Core>
    static void grow(Core& core, Bytes text) {
        core.append(text);
    }
    // A surrogate that waits for its other half at the growing side.
    static bool waits(Py_UCS4 unit) { return unit >= 0xD800 && unit <= 0xDBFF; }
};

struct Prepending {
    static constexpr bool before = true;
    static constexpr const char* rebuild = "rebuild_prepending";
    template <class Core>
    struct Ids {};
    template <class Core>
    static void grow(Core& core, Bytes text) {
        core.prepend(text);
    }
    static bool waits(Py_UCS4 unit) { return unit >= 0xDC00 && unit <= 0xDFFF; }
};

template <>
struct Traits<AppendingEncoder> : Appending {
    using Owner = Engine;
};
template <>
struct Traits<PrependingEncoder> : Prepending {
    using Owner = Engine;
};
template <>
struct Traits<PipelineAppendingEncoder> : Appending {
    using Owner = PipelineEngine;
};
template <>
struct Traits<PipelinePrependingEncoder> : Prepending {
    using Owner = PipelineEngine;
};

std::optional<std::size_t> count_up_to(const Pipeline& pipeline, Bytes text, std::size_t limit) { return pipeline.count_up_to(text, limit); }

constexpr Byte replacement[] = {0xEF, 0xBF, 0xBD};  // U+FFFD

template <class Core>
class Growing {
public:
    using State = typename Core::State;
    using Owner = typename Traits<Core>::Owner;

    // `tokenizer` is what a pickle holds; `engine` answers, and may be the same.
    Growing(nb::object tokenizer, nb::object engine)
        : tokenizer_(std::move(tokenizer)), engine_(&owner_of<Owner>(engine)), kept_(std::move(engine)), core_(engine_->encoder()) {}

    Growing(const Growing&) = delete;
    Growing& operator=(const Growing&) = delete;

    std::size_t count() const { return core_.count(); }
    std::size_t fewest() { return core_.fewest(); }
    nb::object text() const { return decoded(core_.text(), "replace"); }
    nb::bytes data() const { return to_python(core_.text()); }

    nb::object tokens() {
        if constexpr (appends) {
            return engine_->to_list(ids_.of(core_));
        } else {
            std::vector<std::uint32_t> ids;
            core_.encoder().encode(core_.text(), ids);
            return engine_->to_list(ids);
        }
    }

    nb::object ids() { return memory_view(ids_.of(core_)); }

    // From which id on something has changed since the last call, and the ids from there on.
    nb::typed<nb::tuple, int, nb::object> changes() {
        std::vector<std::uint32_t> const& all = ids_.of(core_);
        std::size_t const from = ids_.changed_from();
        nb::object const made = memory_view({all.begin() + static_cast<std::ptrdiff_t>(from), all.end()});
        nb::tuple const told = nb::make_tuple(from, made);
        ids_.told();
        return told;
    }

    void append(nb::handle text, nb::handle allowed_special) {
        if (is_none_allowed(allowed_special)) return grow(text);
        nb::object const parts = parted(text, allowed_special);
        Place const start = place();
        try {
            for (nb::handle part : parts) {
                grow(part[0]);
                if (!nb::handle(part[1]).is_none()) put_token(part[1], part[2]);
            }
        } catch (...) {
            restore(start.state, start.before_waiting, start.waiting);
            throw;
        }
    }

    void append_token(nb::handle id) { put_token(id, tokenizer_.attr("table").attr("decode_single_token_bytes")(id)); }

    // A token that is written in another way than by itself: with white space that it takes along.
    void put_token(nb::handle id, nb::handle written) {
        auto const number = static_cast<std::uint32_t>(given::number(id, "an id", 0, std::numeric_limits<std::uint32_t>::max()));
        Text const text(written);
        core_.append_token(number, text.bytes());
        waiting_ = 0;
    }

    void move_to(nb::handle text, nb::handle allowed_special) {
        Target const target(is_none_allowed(allowed_special) ? nb::object(nb::make_tuple(nb::make_tuple(text, nb::none(), nb::none())))
                                                             : parted(text, allowed_special));
        Bytes const old = core_.text();
        ExplicitTokens const& old_tokens = core_.explicit_tokens();
        std::size_t common = common_prefix(old, target.bytes());
        std::size_t tokens = 0;
        for (;; ++tokens) {
            bool const any = tokens < old_tokens.size(), wanted = tokens < target.tokens.size();
            if (any && wanted && old_tokens[tokens] == target.tokens[tokens] && old_tokens[tokens].end <= common) continue;
            if (any) common = std::min(common, old_tokens[tokens].start);
            if (wanted) common = std::min(common, target.tokens[tokens].start);
            break;
        }
        std::size_t const base = old_tokens.end_of(tokens);
        while (common > base && (continues(old, common) || continues(target.bytes(), common))) --common;

        Bytes const whole = target.bytes();
        go_on(common, tokens, whole.part(common, whole.size), target.tokens.data() + tokens, target.tokens.size() - tokens, target.unfinished);
    }

    // Bytes and characters that this text and another both begin with.
    nb::typed<nb::tuple, int, int> common_with(nb::handle text) const {
        Text const other(text);
        Bytes const old = core_.text(), given = other.bytes();
        std::size_t common = common_prefix(old, given);
        while (common > 0 && (continues(old, common) || continues(given, common))) --common;
        bool const is_ascii = other.is_str() && !other.had_surrogates() && static_cast<std::size_t>(PyUnicode_GetLength(text.ptr())) == given.size;
        return nb::make_tuple(common, is_ascii ? common : characters_in(old.part(0, common)));
    }

    // Keeps the first `length` bytes, and goes on with `parts`: (text, id, how the token is written) each.
    void replace_tail(nb::handle length, nb::handle parts) {
        Bytes const old = core_.text();
        Py_ssize_t const wanted = PyLong_AsSsize_t(length.ptr());
        if (wanted == -1 && PyErr_Occurred()) throw nb::python_error();
        if (wanted < 0 || static_cast<std::size_t>(wanted) > old.size) {
            PyErr_Format(PyExc_IndexError, "length must be from 0 to %zu, not %zd", old.size, wanted);
            throw nb::python_error();
        }
        auto const common = static_cast<std::size_t>(wanted);
        ExplicitTokens const& old_tokens = core_.explicit_tokens();
        std::size_t tokens = 0, most = old_tokens.size();
        while (tokens < most) {
            std::size_t const middle = (tokens + most) / 2;
            if (old_tokens[middle].end <= common)
                tokens = middle + 1;
            else
                most = middle;
        }
        bool const in_token = tokens < old_tokens.size() && old_tokens[tokens].start < common;
        // A token as such may begin inside of a character.
        bool const at_token = tokens < old_tokens.size() && old_tokens[tokens].start == common;
        if (in_token || (!at_token && common > old_tokens.end_of(tokens) && continues(old, common))) {
            PyErr_Format(PyExc_IndexError, "length %zu is inside of a character or of a token as such", common);
            throw nb::python_error();
        }
        Target target(parts);
        for (ExplicitToken& token : target.tokens) token.start += common, token.end += common;
        go_on(common, tokens, target.bytes(), target.tokens.data(), target.tokens.size(), target.unfinished);
    }

    // An encoder of its own over the same text, without marks.
    nb::object fork() const {
        nb::object const made = [&] {
            if constexpr (std::is_same_v<Owner, Engine>)
                return nb::type<Growing>()(tokenizer_);
            else
                return nb::type<Growing>()(tokenizer_, kept_);
        }();
        auto& other = *nb::inst_ptr<Growing>(made);
        other.core_.copy(core_);
        other.ids_ = ids_;
        other.checkpoints_ = checkpoints_;
        other.waiting_ = waiting_;
        other.before_waiting_ = before_waiting_;
        return made;
    }

    void grow(nb::handle text) {
        if (PyUnicode_Check(text.ptr())) {
            Py_ssize_t size = 0;
            const char* const data = PyUnicode_AsUTF8AndSize(text.ptr(), &size);
            if (!data || waiting_ != 0) {
                PyErr_Clear();
                if (PyUnicode_GetLength(text.ptr()) > 0) grow_units(text);
                return;
            }
            Traits<Core>::grow(core_, {reinterpret_cast<const Byte*>(data), static_cast<std::size_t>(size)});
            return;
        }
        Text const given(text);
        if (given.bytes().size == 0) return;
        Traits<Core>::grow(core_, given.bytes());
        waiting_ = 0;
    }

    Mark snapshot() {
        marks_.push_back({core_.state(), ++last_serial_, waiting_ == 0 ? nullptr : std::make_unique<Waiting>(Waiting{before_waiting_, waiting_})});
        return {owner_, last_serial_, marks_.size() - 1};
    }

    void rollback(nb::handle given) {
        Mark mark;
        if (!nb::try_cast(given, mark)) {
            nb::object const type = nb::borrow(nb::handle(reinterpret_cast<PyObject*>(Py_TYPE(given.ptr()))));
            PyErr_Format(PyExc_TypeError, "rollback takes what snapshot() returned, not %U", nb::object(type.attr("__name__")).ptr());
            throw nb::python_error();
        }
        if (mark.owner != owner_ || mark.number >= marks_.size() || marks_[mark.number].serial != mark.serial) {
            nb::object const error = nb::module_::import_("bpe_engine.errors").attr("StaleMarkError");
            PyErr_SetString(error.ptr(),
                            "this mark is of another encoder, or a rollback has gone behind it; take a new one with snapshot()");
            throw nb::python_error();
        }
        marks_.erase(marks_.begin() + static_cast<std::ptrdiff_t>(mark.number) + 1, marks_.end());
        Saved const& saved = marks_.back();
        if (saved.waiting)
            restore(saved.state, saved.waiting->before, saved.waiting->unit);
        else
            restore(saved.state, {}, 0);
    }

    // Pieces of `text`, up to the last cut at which the count is at most `limit`; the counts there, and whether it was the count that ended it.
    nb::typed<nb::tuple, nb::typed<nb::list, int>, bool> grow_fitting(nb::str text, nb::typed<nb::sequence, int> cuts, std::size_t limit, std::size_t slack) {
        auto const length = static_cast<std::size_t>(PyUnicode_GetLength(text.ptr()));
        std::vector<std::size_t> const places = offsets_in(cuts, length);
        Ascii const ascii(text);
        // No count and no length comes near to a quarter of all numbers: larger ones are the same, and cannot overflow.
        constexpr std::size_t most = std::numeric_limits<std::size_t>::max() / 4;
        limit = std::min(limit, most);
        slack = std::min(slack, most);
        std::size_t const stride = std::max<std::size_t>(limit, 16) * 2;  // as in bpe_engine/encoders.py
        std::vector<std::size_t> counts;
        std::size_t fitting = 0;
        bool overflowed = false;
        State mark = core_.state(), mark_before_waiting = before_waiting_;
        Py_UCS4 mark_waiting = waiting_;
        try {
            for (std::size_t index = 1; index < places.size() && !overflowed; ++index) {
                for (std::size_t at = places[index - 1]; at < places[index] && !overflowed; at += stride) {
                    grow_part(text, ascii, at, std::min(places[index], at + stride));
                    overflowed = core_.count() > limit + slack;
                }
                counts.push_back(core_.count());
                if (overflowed || core_.count() > limit) continue;
                fitting = counts.size();
                mark = core_.state();
                mark_before_waiting = before_waiting_;
                mark_waiting = waiting_;
            }
        } catch (...) {
            restore(mark, mark_before_waiting, mark_waiting);
            throw;
        }
        restore(mark, mark_before_waiting, mark_waiting);
        nb::list made;
        for (std::size_t index = 0; index < fitting; ++index) made.append(counts[index]);
        return nb::make_tuple(made, overflowed);
    }

    std::array<PyObject*, 2> held() const { return {tokenizer_.ptr(), kept_.ptr()}; }

    // For other compiled modules. The capsule keeps the encoder, which is `self`.
    nb::object interface(nb::handle self) {
        interface_ = {
            this,
            [](void* self) {
                auto& growing = *static_cast<Growing*>(self);
                growing.restore({}, {}, 0);
                growing.interface_state_ = {};
                // Marks of a text that is there no more; those of no text come first.
                auto const first = std::find_if(growing.marks_.begin(), growing.marks_.end(), [](const Saved& mark) { return mark.waiting || mark.state.length > 0; });
                growing.marks_.erase(first, growing.marks_.end());
            },
            [](void* self, const unsigned char* text, std::size_t size, std::size_t* count) {
                auto& growing = *static_cast<Growing*>(self);
                if (growing.waiting_ != 0) return false;
                try {
                    Traits<Core>::grow(growing.core_, {text, size});
                } catch (const std::exception&) {
                    return false;
                }
                *count = growing.core_.count();
                return true;
            },
            [](void* self, const unsigned char* text, std::size_t size, std::size_t limit, std::size_t* count) {
                try {
                    auto const found = count_up_to(static_cast<Growing*>(self)->core_.encoder(), {text, size}, limit);
                    *count = found.value_or(0);
                    return found.has_value();
                } catch (const std::exception&) {
                    return false;
                }
            },
            [](void* self) {
                auto& growing = *static_cast<Growing*>(self);
                growing.interface_state_ = growing.core_.state();
            },
            [](void* self) {
                auto& growing = *static_cast<Growing*>(self);
                growing.restore(growing.interface_state_, {}, 0);
            },
            [](void* self) { return settled(static_cast<Growing*>(self)->core_.state()); },
        };
        PyObject* const made = PyCapsule_New(&interface_, growing_interface_name, [](PyObject* capsule) {
            Py_XDECREF(static_cast<PyObject*>(PyCapsule_GetContext(capsule)));
        });
        if (!made) throw nb::python_error();
        nb::object capsule = nb::steal(made);
        if (PyCapsule_SetContext(made, self.ptr()) != 0) throw nb::python_error();
        self.inc_ref();
        return capsule;
    }

    // The same text and count, no marks.
    nb::object reduce() const {
        Bytes finished = core_.text();
        nb::object unfinished = nb::str("");
        if (waiting_ != 0) {
            unfinished = nb::steal(PyUnicode_FromOrdinal(static_cast<int>(waiting_)));
            finished = Traits<Core>::before ? finished.part(sizeof replacement, finished.size) : finished.part(0, finished.size - sizeof replacement);
        }
        nb::list tokens;
        if constexpr (appends) {
            ExplicitTokens const& all = core_.explicit_tokens();
            for (std::size_t number = 0; number < all.size(); ++number) tokens.append(nb::make_tuple(all[number].start, all[number].end, all[number].id));
        }
        nb::object const rebuild = nb::module_::import_("bpe_engine.compiled").attr(Traits<Core>::rebuild);
        nb::bytes const data = to_python(finished);
        if (nb::len(tokens) == 0) return nb::make_tuple(rebuild, nb::make_tuple(tokenizer_, data, unfinished));
        return nb::make_tuple(rebuild, nb::make_tuple(tokenizer_, data, unfinished, nb::tuple(tokens)));
    }

private:
    static constexpr bool appends = !Traits<Core>::before;
    // Bytes. `move_to` notes a state this often, so that it reads little of what it knows.
    static constexpr std::size_t stride = 1024;

    struct Place {
        State state, before_waiting;
        Py_UCS4 waiting;
    };
    Place place() const { return {core_.state(), before_waiting_, waiting_}; }

    // Where `move_to` goes.
    struct Target {
        // `parts`: (text, id, how the token is written) each.
        explicit Target(nb::handle parts) {
            std::size_t const count = nb::len(parts);
            for (std::size_t number = 0; number < count; ++number) {
                nb::handle const part = parts[number];
                nb::object text = part[0];
                Text const received(text);
                bool const is_last = number + 1 == count;
                std::optional<Text> finished;
                if (received.had_surrogates() && is_last) {
                    nb::object const cut = nb::module_::import_("bpe_engine.text.input").attr("cut_unfinished_end")(text);
                    finished.emplace(cut[0]);
                    nb::object const rest = cut[1];
                    if (nb::len(rest) > 0) unfinished = rest;
                }
                if (count == 1) {
                    whole.emplace(finished ? std::move(*finished) : Text(text));
                    return;
                }
                Bytes const bytes = finished ? finished->bytes() : received.bytes();
                joined.insert(joined.end(), bytes.begin(), bytes.end());
                if (nb::handle(part[1]).is_none()) continue;
                Text const written(part[2]);
                std::size_t const start = joined.size();
                joined.insert(joined.end(), written.bytes().begin(), written.bytes().end());
                tokens.push_back({start, joined.size(), static_cast<std::uint32_t>(given::number(part[1], "an id", 0, std::numeric_limits<std::uint32_t>::max()))});
            }
        }
        Bytes bytes() const { return whole ? whole->bytes() : Bytes{joined.data(), joined.size()}; }

        std::optional<Text> whole;
        std::vector<Byte> joined;
        std::vector<ExplicitToken> tokens;
        nb::object unfinished;  // a surrogate that waits, or none
    };

    // See GrowingInterface.
    static std::uint64_t settled(const State& state) {
        if constexpr (!appends)
            return 0;
        else if constexpr (requires { state.certain; })
            return state.certain.offset * 4 + static_cast<std::uint64_t>(state.certain.before);
        else
            return state.settled_end * 4;  // nothing depends on what stands before a pre-token
    }

    // Keeps the first `common` bytes, with the first `tokens` explicit tokens in them, and goes on with `behind`. `more`: the tokens in it, with offsets of the whole.
    void go_on(std::size_t common, std::size_t tokens, Bytes behind, const ExplicitToken* more, std::size_t count, nb::handle unfinished) {
        Bytes const old = core_.text();
        ExplicitTokens const& old_tokens = core_.explicit_tokens();
        // From the last state that is known of what both begin with.
        auto const is_kept = [&](const State& state) { return state.length <= common && state.tokens <= tokens; };
        auto const stale = std::find_if(marks_.begin(), marks_.end(), [&](const Saved& mark) { return !is_kept(mark.state); });
        Place const old_place = place();
        State start = core_.state();
        if (waiting_ != 0 || !is_kept(start)) {
            while (!checkpoints_.empty() && !is_kept(checkpoints_.back())) checkpoints_.pop_back();
            start = checkpoints_.empty() ? State{} : checkpoints_.back();
            for (auto mark = stale; mark != marks_.begin();)
                if (!(--mark)->waiting) {
                    if (mark->state.length > start.length) start = mark->state;
                    break;
                }
        }
        std::vector<Byte> rest(old.begin() + start.length, old.begin() + common);
        rest.insert(rest.end(), behind.begin(), behind.end());
        std::vector<ExplicitToken> rest_tokens;
        for (std::size_t number = start.tokens; number < tokens; ++number) rest_tokens.push_back(old_tokens[number]);
        rest_tokens.insert(rest_tokens.end(), more, more + count);
        // The text that goes comes back where the new one cannot be encoded.
        std::vector<Byte> const lost(old.begin() + start.length, old.end());
        std::vector<ExplicitToken> lost_tokens;
        for (std::size_t number = start.tokens; number < old_tokens.size(); ++number) lost_tokens.push_back(old_tokens[number]);
        restore(start, {}, 0);
        try {
            read({rest.data(), rest.size()}, start.length, rest_tokens.data(), rest_tokens.size());
            if (unfinished.is_valid()) grow(unfinished);
        } catch (...) {
            restore(start, {}, 0);
            Bytes const all{lost.data(), lost.size()};
            std::size_t const waits = old_place.waiting != 0 ? sizeof replacement : 0;
            read(all.part(0, all.size - waits), start.length, lost_tokens.data(), lost_tokens.size());
            if (waits != 0) grow(nb::steal(PyUnicode_FromOrdinal(static_cast<int>(old_place.waiting))));
            throw;
        }
        marks_.erase(stale, marks_.end());
    }

    static bool is_none_allowed(nb::handle allowed_special) {
        int const any = PyObject_IsTrue(allowed_special.ptr());
        if (any < 0) throw nb::python_error();
        return any == 0;
    }

    nb::object parted(nb::handle text, nb::handle allowed_special) const {
        return nb::list(nb::module_::import_("bpe_engine.special_tokens").attr("parted")(tokenizer_, text, allowed_special));
    }

    static bool continues(Bytes text, std::size_t place) { return place < text.size && UnicodeTable::continues(text[place]); }

    // Sums of a byte are added up many at a time.
    static std::size_t characters_in(Bytes text) {
        constexpr std::size_t block = 255;
        std::size_t characters = 0;
        for (std::size_t start = 0; start < text.size; start += block) {
            std::uint8_t sum = 0;
            std::size_t const end = std::min(text.size, start + block);
            for (std::size_t place = start; place < end; ++place) sum = static_cast<std::uint8_t>(sum + !UnicodeTable::continues(text.data[place]));
            characters += sum;
        }
        return characters;
    }

    static std::size_t common_prefix(Bytes one, Bytes other) {
        constexpr std::size_t block = 4096;
        std::size_t const most = std::min(one.size, other.size);
        std::size_t place = 0;
        while (most - place >= block && std::memcmp(one.data + place, other.data + place, block) == 0) place += block;
        return static_cast<std::size_t>(std::mismatch(one.data + place, one.data + most, other.data + place).first - one.data);
    }

    // Appends text and tokens, which begin at the offset `begin` of the whole, and notes states on the way.
    void read(Bytes text, std::size_t begin, const ExplicitToken* tokens, std::size_t count) {
        std::size_t place = 0;
        for (std::size_t number = 0; number <= count; ++number) {
            std::size_t const stop = number < count ? tokens[number].start - begin : text.size;
            while (place < stop) {
                // Where much is open each step reads it anew: then steps are as long.
                std::size_t const open = core_.state().length - Core::settled_end(core_.state());
                std::size_t end = std::min(stop, place + std::max(stride, open));
                if (end < stop)
                    for (int back = 0; back < 3 && continues(text, end); ++back) --end;
                core_.append(text.part(place, end));
                place = end;
                if (checkpoints_.empty() || core_.state().length >= checkpoints_.back().length + stride) checkpoints_.push_back(core_.state());
            }
            if (number == count) break;
            core_.append_token(tokens[number].id, text.part(stop, tokens[number].end - begin));
            place = tokens[number].end - begin;
        }
    }

    void go_back(const State& state) {
        core_.return_to(state);
        if constexpr (appends) {
            ids_.return_to(state);
            while (!checkpoints_.empty() && (checkpoints_.back().length > state.length || checkpoints_.back().tokens > state.tokens)) checkpoints_.pop_back();
        }
    }

    struct Waiting {
        State before;
        Py_UCS4 unit;
    };
    struct Saved {
        State state;
        std::uint64_t serial;
        std::unique_ptr<Waiting> waiting;  // mostly there is none
    };

    // Goes back to a state. A surrogate that waited is written anew: what came later may have made another character of it.
    void restore(const State& state, const State& before_waiting, Py_UCS4 waiting) {
        if (waiting == 0) {
            go_back(state);
        } else {
            go_back(before_waiting);
            Traits<Core>::grow(core_, {replacement, sizeof replacement});
        }
        before_waiting_ = before_waiting;
        waiting_ = waiting;
    }

    // The bytes of a str of ASCII; none of any other, which is not to keep its UTF-8 for this.
    struct Ascii {
        explicit Ascii(nb::str text) {
            // Not that of a class of its own.
            if (nb::handle(reinterpret_cast<PyObject*>(&PyUnicode_Type)).attr("isascii")(text).is(nb::handle(Py_False))) return;
            data = reinterpret_cast<const Byte*>(PyUnicode_AsUTF8AndSize(text.ptr(), nullptr));
            if (!data) throw nb::python_error();
        }
        const Byte* data = nullptr;
    };

    static std::vector<std::size_t> offsets_in(nb::sequence cuts, std::size_t length) {
        std::vector<std::size_t> places;
        for (nb::handle cut : cuts) {
            std::size_t const place = PyLong_AsSize_t(cut.ptr());
            if (PyErr_Occurred() && !PyErr_ExceptionMatches(PyExc_OverflowError)) throw nb::python_error();
            PyErr_Clear();
            places.push_back(place);  // too large where it is negative
        }
        bool const ascending = std::is_sorted(places.begin(), places.end());
        if (places.size() > 1 && (!ascending || places.back() > length)) {
            PyErr_Format(PyExc_IndexError, "cuts must be ascending offsets into a text of %zu characters", length);
            throw nb::python_error();
        }
        return places;
    }

    // text[start:end], without a str of its own where that is possible.
    void grow_part(nb::handle text, const Ascii& ascii, std::size_t start, std::size_t end) {
        if (waiting_ == 0 && ascii.data)
            Traits<Core>::grow(core_, {ascii.data + start, end - start});
        else
            grow(nb::steal(PyUnicode_Substring(text.ptr(), static_cast<Py_ssize_t>(start), static_cast<Py_ssize_t>(end))));
    }

    // Text with lone surrogates, or after one: two that belong together are a character, any other is U+FFFD.
    void grow_units(nb::handle text) {
        State const start = core_.state(), start_before_waiting = before_waiting_;
        Py_UCS4 const start_waiting = waiting_;
        std::vector<Py_UCS4> units;
        auto const length = PyUnicode_GetLength(text.ptr());
        units.reserve(static_cast<std::size_t>(length) + 1);
        if (waiting_ != 0 && !Traits<Core>::before) units.push_back(waiting_);
        for (Py_ssize_t place = 0; place < length; ++place) units.push_back(PyUnicode_ReadChar(text.ptr(), place));
        if (waiting_ != 0 && Traits<Core>::before) units.push_back(waiting_);
        Py_UCS4 waits = 0;
        std::size_t first = 0, last = units.size();
        if (Traits<Core>::before && Traits<Core>::waits(units.front())) waits = units[first++];
        if (!Traits<Core>::before && Traits<Core>::waits(units.back())) waits = units[--last];
        std::string utf8;
        for (std::size_t place = first; place < last; ++place) {
            Py_UCS4 unit = units[place];
            if (unit >= 0xD800 && unit <= 0xDBFF && place + 1 < last && units[place + 1] >= 0xDC00 && units[place + 1] <= 0xDFFF)
                unit = 0x10000 + ((unit - 0xD800) << 10) + (units[++place] - 0xDC00);
            else if (unit >= 0xD800 && unit <= 0xDFFF)
                unit = 0xFFFD;
            append_utf8(utf8, unit);
        }
        try {
            if (waiting_ != 0) go_back(before_waiting_);
            waiting_ = 0;
            Traits<Core>::grow(core_, {reinterpret_cast<const Byte*>(utf8.data()), utf8.size()});
            if (waits != 0) {
                before_waiting_ = core_.state();
                Traits<Core>::grow(core_, {replacement, sizeof replacement});
                waiting_ = waits;
            }
        } catch (...) {
            restore(start, start_before_waiting, start_waiting);
            throw;
        }
    }

    static void append_utf8(std::string& out, Py_UCS4 code) {
        auto const put = [&](Py_UCS4 byte) { out.push_back(static_cast<char>(byte)); };
        if (code < 0x80) {
            put(code);
        } else if (code < 0x800) {
            put(0xC0 | code >> 6);
            put(0x80 | (code & 0x3F));
        } else if (code < 0x10000) {
            put(0xE0 | code >> 12);
            put(0x80 | (code >> 6 & 0x3F));
            put(0x80 | (code & 0x3F));
        } else {
            put(0xF0 | code >> 18);
            put(0x80 | (code >> 12 & 0x3F));
            put(0x80 | (code >> 6 & 0x3F));
            put(0x80 | (code & 0x3F));
        }
    }

    static std::uint64_t next_owner() {
        static std::atomic<std::uint64_t> last{0};
        return ++last;
    }

    GrowingInterface interface_{};
    State interface_state_{};
    nb::object tokenizer_;  // keeps the engine
    const Owner* engine_;
    nb::object kept_;  // the engine
    Core core_;
    typename Traits<Core>::template Ids<Core> ids_;
    std::vector<State> checkpoints_;
    std::uint64_t owner_ = next_owner();
    std::uint64_t last_serial_ = 0;
    std::vector<Saved> marks_;
    Py_UCS4 waiting_ = 0;  // a surrogate at the growing side that shows as U+FFFD until its other half comes; 0: none
    State before_waiting_;
};

template <class Core>
nb::class_<Growing<Core>> define(nb::module_& module, const char* name, const char* grow, const char* signature, const char* doc, const char* grow_doc) {
    using Bound = Growing<Core>;
    nb::class_<Bound> bound(module, name, nb::type_slots(references::shown<Bound>), doc);
    if constexpr (std::is_same_v<typename Bound::Owner, Engine>)
        bound.def("__init__", [](Bound* self, nb::object tokenizer) { new (self) Bound(tokenizer, tokenizer); }, nb::arg("tokenizer"));
    else
        bound.def("__init__", [](Bound* self, nb::object tokenizer, nb::object engine) { new (self) Bound(tokenizer, engine); },
                  nb::arg("tokenizer"), nb::arg("engine"), nb::sig("def __init__(self, tokenizer: object, engine: Pipeline) -> None"));
    bound.def(grow, &Bound::grow, nb::arg("text").none(), nb::sig(signature), grow_doc)
        .def_prop_ro("count", &Bound::count, "The number of tokens of the text: equal to `tokenizer.count(encoder.data)`. Constant time.")
        .def_prop_ro("fewest", &Bound::fewest, "A lower bound for the count of this text and of whatever it may grow to.")
        .def_prop_ro("text", &Bound::text, nb::sig("def text(self) -> str"),
                     "The text as the tokenizer sees it; bytes that are not UTF-8 show as U+FFFD. Linear time.")
        .def_prop_ro("data", &Bound::data, "The text as bytes, exactly. Linear time.")
        .def("tokens", &Bound::tokens, nb::sig("def tokens(self) -> list[int]"),
             "The token ids of the text, as a list: equal to `tokenizer.encode(encoder.data)`. Linear time.")
        .def("snapshot", &Bound::snapshot, "A mark of the text as it is now. Constant time, and some 100 bytes until a rollback goes behind it.")
        .def("rollback", &Bound::rollback, nb::arg("mark").none(), nb::sig("def rollback(self, mark: Mark) -> None"),
             "Return to the text as it was when the mark was taken. The mark stays good, the ones taken after it do not.")
        .def("__reduce__", &Bound::reduce, nb::sig("def __reduce__(self) -> tuple[object, ...]"))
        .def("_interface", [](nb::handle_t<Bound> self) {
            if (!nb::inst_ready(self)) throw nb::type_error("the encoder was never initialized");
            return nb::inst_ptr<Bound>(self)->interface(self);
        }, nb::sig("def _interface(self) -> object"), "For compiled callers: a capsule, which keeps this encoder.");
    return bound;
}

// Tokens as such, ids that grow, other texts.
template <class Core>
void define_ids(nb::class_<Growing<Core>>& bound) {
    using Bound = Growing<Core>;
    // A second signature, for an argument with a default takes a tenth of the time of a short append.
    bound.def("append", &Bound::append, nb::arg("text").none(), nb::arg("allowed_special").none(),
              nb::sig("def append(self, text: str | bytes, allowed_special: object) -> None"), "The same, with special tokens found in `text` alone.")
        .def("append_token", &Bound::append_token, nb::arg("id").none(), nb::sig("def append_token(self, id: int) -> None"),
              "Add a token as such: nothing merges over its ends.")
        .def("ids", &Bound::ids, nb::sig("def ids(self) -> memoryview"), "The token ids of the text, as unsigned 32-bit integers.")
        .def("changes", &Bound::changes, nb::sig("def changes(self) -> tuple[int, memoryview]"),
             "From which id on something has changed since the last call, and the ids from there on.")
        .def("move_to", &Bound::move_to, nb::arg("text").none(), nb::arg("allowed_special") = nb::tuple(),
             nb::sig("def move_to(self, text: str | bytes, allowed_special: object = ()) -> None"),
             "Go to another text by the longest common prefix.")
        .def("common_prefix", &Bound::common_with, nb::arg("text").none(), nb::sig("def common_prefix(self, text: str | bytes) -> tuple[int, int]"),
             "Bytes and characters that this text and another both begin with.")
        .def("replace_tail", &Bound::replace_tail, nb::arg("length").none(), nb::arg("parts"),
             nb::sig("def replace_tail(self, length: int, parts: object) -> None"),
             "Keep the first `length` bytes, and go on with texts and tokens as such.")
        .def("fork", &Bound::fork, nb::sig("def fork(self) -> typing.Self"), "An independent encoder over the same text, without marks.")
        .def("_put_token", &Bound::put_token, nb::arg("id").none(), nb::arg("written").none(), nb::sig("def _put_token(self, id: int, written: bytes) -> None"),
             "Add a token as such that is written in another way.");
}

template <class Core>
void define_fitting(nb::class_<Growing<Core>>& bound) {
    bound.def("append_fitting", &Growing<Core>::grow_fitting, nb::arg("text"), nb::arg("cuts"), nb::arg("limit"), nb::arg("slack") = 0,
              "Add text[cuts[0]:cuts[1]], text[cuts[1]:cuts[2]] and so on, up to the last cut at which the count is at most `limit`.");
}

}  // namespace

void define_growing(nb::module_& module) {
    nb::class_<Mark>(module, "Mark", "A place that `rollback` can return to.");
    auto appending = define<AppendingEncoder>(module, "AppendingEncoder", "append", "def append(self, text: str | bytes) -> None",
                             "A text that grows to the right, and its count.",
                             "Add `text` at the end. Amortized time proportional to its length.");
    define<PrependingEncoder>(module, "PrependingEncoder", "prepend", "def prepend(self, text: str | bytes) -> None",
                              "A text that grows to the left, and its count.",
                              "Add `text` at the start. Amortized time proportional to its length.");
    auto pipeline_appending = define<PipelineAppendingEncoder>(module, "PipelineAppendingEncoder", "append", "def append(self, text: str | bytes) -> None",
                                                               "A text that grows to the right, and its count.",
                                                               "Add `text` at the end. Amortized time proportional to its length.");
    define<PipelinePrependingEncoder>(module, "PipelinePrependingEncoder", "prepend", "def prepend(self, text: str | bytes) -> None",
                                      "A text that grows to the left, and its count.",
                                      "Add `text` at the start. Amortized time proportional to its length.");
    define_ids(appending);
    define_ids(pipeline_appending);
    define_fitting(appending);
    define_fitting(pipeline_appending);
}

}  // namespace bpe::bindings
