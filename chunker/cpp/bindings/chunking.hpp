// The chunks of one text, which are made one after the other or all at once, and what is made of them: pieces, texts, rows of columns.
#pragma once

#include <nanobind/nanobind.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <deque>
#include <exception>
#include <limits>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "chunker/chunk_columns.hpp"
#include "chunker/formats/text.hpp"
#include "counters.hpp"
#include "integers.hpp"
#include "outlined.hpp"
#include "gil.hpp"

namespace chunker::bindings {

// Makes pieces of a class of tuples. To make a tuple and then one of the class of it took a tenth of the time of small chunks.
class PieceMaker {
public:
    explicit PieceMaker(nb::handle kind) : kind_(reinterpret_cast<PyTypeObject*>(kind.ptr())) {
        bool const is_right = PyType_Check(kind.ptr()) && PyType_IsSubtype(kind_, &PyTuple_Type) && nb::hasattr(kind, "_fields");
        if (!is_right || nb::len(nb::object(kind.attr("_fields"))) != parts) given::raise_type("a kind of pieces", "a class of tuples with five names", kind);
    }

    nb::object operator()(const Piece& piece, nb::handle context, nb::handle label) const {
        nb::object made = nb::steal(PyType_GenericAlloc(kind_, parts));
        if (!made.is_valid()) throw nb::python_error();
        Py_ssize_t place = 0;
        auto const put = [&](nb::object part) { PyTuple_SetItem(made.ptr(), place++, part.release().ptr()); };
        put(nb::int_(piece.start));
        put(nb::int_(piece.end));
        put(nb::borrow(context));
        put(nb::int_(piece.tokens));
        put(nb::borrow(label));
        // Numbers and strings are in no cycle.
        PyObject_GC_UnTrack(made.ptr());
        return made;
    }

private:
    static constexpr int parts = 5;

    PyTypeObject* kind_;
};

// Makes the chunks of one text; the base class of the growers. Holds a reference to each Python object that it reads.
class Chunking {
public:
    Chunking(nb::object source, nb::object tokenizer, nb::object outline, const Limits& limits, nb::object context_at, bool whole)
        : source_(source),
          tokenizer_(std::move(tokenizer)),
          native_(nb::getattr(outline, "native", nb::none())),
          text_(text_of(source)),
          counter_(make_counter(text_, source_, tokenizer_, contexts_, whole)),
          outlined_(source, text_, std::move(outline), std::move(context_at), contexts_, *counter_, native_sketch(native_)),
          limit_(limits.most) {}
    Chunking(const Chunking&) = delete;
    Chunking& operator=(const Chunking&) = delete;
    virtual ~Chunking() = default;

    // At most `number` chunks; fewer if there are no more. An error is raised only after the chunks before it have been returned.
    nb::list grow(nb::handle kind, std::size_t number, std::optional<std::size_t> horizon) {
        PieceMaker const as_piece(kind);
        Busy const busy(*this);
        std::vector<Piece> const pieces = next(number, horizon.value_or(std::numeric_limits<std::size_t>::max()));
        if (pieces.empty()) raise_failure();
        return list_of(pieces.size(), [&](std::size_t index) {
            Piece const& piece = pieces[index];
            return as_piece(piece, contexts_.string(piece.context), outlined_.label(piece.label));
        });
    }

    // The texts of all further chunks without their contexts, with no object for anything else of them. `strip`: without white space at their ends, and
    // without those that are nothing else.
    nb::list bodies(bool strip) {
        Busy const busy(*this);
        nb::list made;
        for_each_further([&](const Piece& piece) {
            std::size_t start = piece.start;
            std::size_t const end = strip ? text_.stripped(start, piece.end) : piece.end;
            while (strip && start < end && formats::is_space(text_[start])) ++start;
            if (start < end) made.append(part_of(source_, start, end));
        });
        return made;
    }

    // Adds all further chunks to `columns`, or none if an error is raised. Returns where the new text of each chunk begins, after its overlap.
    Integers put_into(ChunkColumns& columns, nb::bytes identity) {
        Busy const busy(*this);
        std::vector<ChunkColumns::Piece> rows;
        std::vector<nb::object> held;  // the strings whose bytes the rows are made of
        std::vector<std::size_t> fresh;
        std::size_t done = 0;
        for_each_further([&](const Piece& piece) {
            if (piece.tokens > ChunkColumns::most_tokens) throw nb::value_error("more tokens than a column can hold");
            held.push_back(nb::borrow(contexts_.string(piece.context)));
            held.push_back(outlined_.label(piece.label));
            rows.push_back({piece.start, piece.end, piece.tokens, Utf8(held[held.size() - 2]).view(), Utf8(held.back()).view()});
            fresh.push_back(piece.start < done && done < piece.end ? done : piece.start);
            done = piece.end;
        });
        columns.add(Utf8(source_).view(), rows, {identity.c_str(), identity.size()});
        return Integers(to_list(fresh));
    }

    // Makes all chunks of texts, each of which then returns its own.
    static void make_all(nb::list list) {
        std::vector<nb::object> makers;
        for (nb::handle const one : list) {
            if (!nb::isinstance<Chunking>(one) || !nb::inst_ready(one)) given::raise_type("what makes chunks", "a Grower or an Optimizer", one);
            makers.push_back(nb::borrow(one));
        }
        std::deque<Busy> busy;
        std::vector<Chunking*> natives;
        std::size_t bytes = 0;
        for (nb::object const& one : makers) {
            Chunking* const maker = nb::inst_ptr<Chunking>(one);
            if (!maker->runs_without_python()) continue;
            busy.emplace_back(*maker);
            natives.push_back(maker);
            bytes += maker->bytes();
        }
        gil::Released const others_may_run(bytes);
        for (Chunking* const maker : natives) maker->add_next(std::numeric_limits<std::size_t>::max(), std::numeric_limits<std::size_t>::max());
    }

    std::array<PyObject*, 7> held() const {
        auto const more = outlined_.held();
        return {source_.ptr(), tokenizer_.ptr(), native_.ptr(), more[0], more[1], more[2], more[3]};
    }

protected:
    // Another thread, or a context that is asked for, must not meet a chunk half grown.
    class Busy {
    public:
        explicit Busy(const Chunking& of) : busy_(of.busy_) {
            if (busy_.exchange(true)) given::raise(PyExc_RuntimeError, "a chunk is being grown, by another thread or by who is asked for its context");
        }
        Busy(const Busy&) = delete;
        Busy& operator=(const Busy&) = delete;
        ~Busy() { busy_ = false; }

    private:
        std::atomic<bool>& busy_;
    };
    // Adds at most `number` chunks to `ready_` that begin up to `horizon`. Throws TooSmall.
    virtual void make(std::size_t number, std::size_t horizon) = 0;
    // Whether that takes no time of Python.
    bool runs_without_python() const { return !counter_->needs_python(); }
    std::size_t bytes() const { return text_.place(text_.size()); }

    nb::object source_, tokenizer_, native_;
    Text text_;
    Contexts contexts_;
    std::unique_ptr<Counter> counter_;
    Outlined outlined_;
    std::deque<Piece> ready_;  // made, and not asked for yet

private:
    static constexpr std::size_t at_once = 64;  // chunks that are grown before Ctrl-C is looked for

    // Calls `use` with each further chunk. Ctrl-C ends it in a long text.
    template <class Use>
    void for_each_further(Use use) {
        for (std::vector<Piece> pieces; !(pieces = next(at_once, std::numeric_limits<std::size_t>::max())).empty();) {
            if (PyErr_CheckSignals() != 0) throw nb::python_error();
            for (Piece const& piece : pieces) use(piece);
        }
        raise_failure();
    }

    // At most `number` chunks, begun up to `horizon` (a shorter overlap may move the start of one after it); fewer if there are no more, or one fails, which
    // `raise_failure` tells. Other threads run meanwhile, unless an object of Python counts.
    std::vector<Piece> next(std::size_t number, std::size_t horizon) {
        if (ready_.empty()) {
            gil::Released const others_may_run(runs_without_python() ? bytes() : 0);
            add_next(number, horizon);
        }
        auto const end = ready_.begin() + static_cast<std::ptrdiff_t>(std::min(number, ready_.size()));
        std::vector<Piece> const pieces(ready_.begin(), end);
        ready_.erase(ready_.begin(), end);
        return pieces;
    }

    // Makes at most `number` chunks more, or notes why there are none.
    void add_next(std::size_t number, std::size_t horizon) {
        try {
            if (!failed_) make(number, horizon);
        } catch (...) {
            failed_ = std::current_exception();
        }
    }

    // Raises what ended `next`, once.
    void raise_failure() {
        if (!failed_) return;
        try {
            std::rethrow_exception(std::exchange(failed_, nullptr));
        } catch (const TooSmall& unit) {
            throw too_small(source_, unit.start, unit.end, unit.tokens, limit_);
        }
    }

    static Text text_of(nb::handle source) {
        Utf8 const bytes = utf8_of(source);
        gil::Released const others_may_run(bytes.size);
        return Text(bytes.data, bytes.size);
    }

    std::size_t limit_;
    std::exception_ptr failed_;
    mutable std::atomic<bool> busy_ = false;
};

}  // namespace chunker::bindings
