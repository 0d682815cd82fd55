// Appending and prepending encoders for Python: a core, with str in halves of surrogate pairs, marks, pickling.
#pragma once

#include <nanobind/nanobind.h>

#include <array>
#include <atomic>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "bpe/appending.hpp"
#include "bpe/pipeline/growing.hpp"
#include "bpe/prepending.hpp"
#include "bpe/shared_items.hpp"
#include "batches.hpp"
#include "engine.hpp"
#include "given.hpp"
#include "pipeline.hpp"
#include "text_parts.hpp"

namespace bpe::bindings {

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

inline constexpr Byte replacement[] = {0xEF, 0xBF, 0xBD};  // U+FFFD

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
            ids_.update(core_);
            return engine_->to_list(ids_.from(0));
        } else {
            std::vector<std::uint32_t> ids;
            core_.encoder().encode(core_.text(), ids);
            return engine_->to_list(ids);
        }
    }

    nb::object ids() {
        ids_.update(core_);
        return memory_view(ids_.from(0));
    }

    // From which id on something has changed since the last call, and the ids from there on.
    nb::typed<nb::tuple, int, nb::object> changes() {
        ids_.update(core_);
        std::size_t const from = ids_.changed_from();
        nb::tuple const told = nb::make_tuple(from, memory_view(ids_.from(from)));
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

    void append_token(nb::handle id) { put_token(id, tokenizer_.attr("table").attr("written")(id)); }

    // A token that is written in another way than by itself: with white space that it takes along.
    void put_token(nb::handle id, nb::handle written) {
        auto const number = static_cast<std::uint32_t>(given::number(given::whole_number(id, "an id"), "an id", 0, std::numeric_limits<std::uint32_t>::max()));
        Text const text(written);
        core_.append_token(number, text.bytes());
        waiting_ = 0;
    }

    void move_to(nb::handle text, nb::handle allowed_special);

    // Bytes and characters that this text and another both begin with.
    nb::typed<nb::tuple, int, int> common_with(nb::handle text) const;

    // Bytes and characters that this text and the parts of another both begin with, and the rest of the other.
    nb::typed<nb::tuple, int, int, nb::str> common_with_parts(nb::handle parts) const;

    // The last `characters` characters of the first `length` bytes.
    nb::object text_before(nb::handle length, nb::handle characters) const;

    // Keeps the first `length` bytes, and goes on with `parts`: (text, id, how the token is written) each.
    void replace_tail(nb::handle length, nb::handle parts);

    // An encoder of its own over the same text, without marks. What has settled is shared.
    nb::object fork() const {
        nb::object const made = [&] {
            if constexpr (std::is_same_v<Owner, Engine>) return nb::type<Growing>()(tokenizer_);
            else return nb::type<Growing>()(tokenizer_, kept_);
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
            PyErr_Format(PyExc_TypeError, "rollback takes a mark from snapshot(), not %U", nb::object(type.attr("__name__")).ptr());
            throw nb::python_error();
        }
        if (mark.owner != owner_ || mark.number >= marks_.size() || marks_[mark.number].serial != mark.serial) {
            nb::object const error = nb::module_::import_("bpe_engine.errors").attr("StaleMarkError");
            PyErr_SetString(error.ptr(), "this mark belongs to another encoder, or a rollback to an earlier mark has ended it; take a new one with snapshot()");
            throw nb::python_error();
        }
        marks_.erase(marks_.begin() + static_cast<std::ptrdiff_t>(mark.number) + 1, marks_.end());
        Saved const& saved = marks_.back();
        if (saved.waiting) restore(saved.state, saved.waiting->before, saved.waiting->unit);
        else restore(saved.state, {}, 0);
    }

    // Pieces of `text`, up to the last cut at which the count is at most `limit`; the counts there, and whether it was the count that ended it.
    nb::typed<nb::tuple, nb::typed<nb::list, int>, bool> grow_fitting(nb::handle text, nb::handle cuts, nb::handle most, nb::handle more);

    std::array<PyObject*, 2> held() const { return {tokenizer_.ptr(), kept_.ptr()}; }

    // An encoder with the text and count of this one, and without its marks.
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
    static constexpr std::size_t stride = 2048;

    struct Place {
        State state, before_waiting;
        Py_UCS4 waiting;
    };
    Place place() const { return {core_.state(), before_waiting_, waiting_}; }

    // Keeps the first `start` bytes, with the first `tokens` explicit tokens in them, and all that the text has in common with `target` from there on. The
    // tokens of `target` have offsets of the whole.
    void go_to(std::size_t start, std::size_t tokens, const Target& target);

    // Keeps the first `common` bytes, with the first `tokens` explicit tokens in them, and goes on with `after`. `more`: the tokens in it, with offsets of the
    // whole.
    void go_on(std::size_t common, std::size_t tokens, Bytes after, const ExplicitToken* more, std::size_t count, nb::handle unfinished);

    static bool is_none_allowed(nb::handle allowed_special) {
        int const any = PyObject_IsTrue(allowed_special.ptr());
        if (any < 0) throw nb::python_error();
        return any == 0;
    }

    nb::object parted(nb::handle text, nb::handle allowed_special) const {
        return nb::list(nb::module_::import_("bpe_engine.special_tokens").attr("parted")(tokenizer_, text, allowed_special));
    }

    // Appends text and tokens, which begin at the offset `begin` of the whole, and notes states on the way.
    void read(Bytes text, std::size_t begin, const ExplicitToken* tokens, std::size_t count);

    void go_back(const State& state) {
        core_.return_to(state);
        if constexpr (appends) {
            ids_.return_to(state);
            while (!checkpoints_.empty() && (checkpoints_.back().length > state.length || checkpoints_.back().tokens > state.tokens))
                checkpoints_.truncate(checkpoints_.size() - 1);
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

    // text[start:end], without a str of its own where that is possible.
    void grow_part(nb::handle text, const Ascii& ascii, std::size_t start, std::size_t end) {
        if (waiting_ == 0 && ascii.data) Traits<Core>::grow(core_, {ascii.data + start, end - start});
        else grow(nb::steal(PyUnicode_Substring(text.ptr(), static_cast<Py_ssize_t>(start), static_cast<Py_ssize_t>(end))));
    }

    // Text with lone surrogates, or after one: two that belong together are a character, any other is U+FFFD.
    void grow_units(nb::handle text);

    static std::uint64_t next_owner() {
        static std::atomic<std::uint64_t> last{0};
        return ++last;
    }

    nb::object tokenizer_;  // keeps the engine
    const Owner* engine_;
    nb::object kept_;  // the engine
    Core core_;
    typename Traits<Core>::template Ids<Core> ids_;
    SharedItems<State> checkpoints_;
    std::uint64_t owner_ = next_owner();
    std::uint64_t last_serial_ = 0;
    std::vector<Saved> marks_;
    Py_UCS4 waiting_ = 0;  // a surrogate at the growing side that shows as U+FFFD until its other half comes; 0: none
    State before_waiting_;
};

}  // namespace bpe::bindings
