// Counters of a text that is being cut: the encoders of bpe_engine, or any object that counts.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/string_view.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "chunker/characters.hpp"
#include "chunker/counter.hpp"
#include "contexts.hpp"
#include "gil.hpp"
#include "length_counter.hpp"
#include "native_counter.hpp"

namespace chunker::bindings {

// Counts by what other packages' objects say.
class AnyCounter : public Counter {
public:
    AnyCounter(nb::handle source, nb::handle tokenizer, nb::object appending, Contexts& contexts)
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

    void begin_to_the_left(std::size_t start, std::size_t end) override {
        prepending_ = tokenizer_.attr("prepending_encoder")();
        if (start < end) prepending_.attr("prepend")(part_of(source_, start, end));
    }
    std::size_t prepend(std::size_t start, std::size_t end) override {
        prepending_.attr("prepend")(part_of(source_, start, end));
        return count_of(prepending_);
    }

    std::optional<std::size_t> count_up_to(Context context, std::size_t start, std::size_t end, std::size_t limit) override {
        nb::object const found = tokenizer_.attr("count_up_to")(together(context, start, end), limit);
        return found.is_none() ? std::nullopt : std::optional(given::size(found, "a count"));
    }
    std::size_t count(Context context, std::size_t start, std::size_t end) override {
        auto const counted = [&] { return given::size(tokenizer_.attr("count")(together(context, start, end)), "a count"); };
        return start == end ? contexts_.size(context, counted) : counted();
    }
    bool needs_python() const override { return true; }

private:
    static std::size_t count_of(nb::handle encoder) { return given::size(encoder.attr("count"), "a count"); }

    nb::object together(Context context, std::size_t start, std::size_t end) const {
        nb::object const part = part_of(source_, start, end);
        return context == 0 ? part : contexts_.string(context) + part;
    }

    nb::handle source_, tokenizer_;
    Contexts& contexts_;
    nb::object appending_, empty_, kept_, prepending_;
};

// A counter for who cuts a text; `whole`, if it is one for who prices all of it.
inline std::unique_ptr<Counter> make_counter(const Text& text, nb::handle source, nb::handle tokenizer, Contexts& contexts, bool whole) {
    // Of `chunker.counting.UnitCounter`, for characters and bytes.
    if (nb::object const unit = nb::getattr(tokenizer, "_length_in", nb::none()); !unit.is_none())
        return std::make_unique<LengthCounter>(text, contexts, nb::cast<std::string_view>(unit) == "bytes");
    if (auto encoders = Encoders::of(tokenizer)) return std::make_unique<NativeCounter>(text, source, tokenizer, std::move(*encoders), contexts, whole);
    return std::make_unique<AnyCounter>(source, tokenizer, tokenizer.attr("appending_encoder")(), contexts);
}

// Prices by a counter: one that is quick, or one that reads each slice.
class CountedPrices : public Prices {
public:
    CountedPrices(Counter& counter, bool quick) : counter_(counter), quick_(quick) {}

    std::size_t count(std::size_t start, std::size_t end) override { return counter_.count(0, start, end); }
    std::optional<Agreement> agreement(Context context, std::size_t start) override { return quick_ ? counter_.agreement(context, start) : std::nullopt; }
    bool recounts() const override { return !quick_; }
    bool are_quick() const override { return quick_; }

private:
    Counter& counter_;
    bool quick_;
};

// Prices by an object of another package that has them. It is used with or without the GIL.
class AnyPrices : public Prices {
public:
    explicit AnyPrices(nb::object slices) : count_(slices.attr("count")) {}
    ~AnyPrices() override {
        gil::Held const held;
        count_.reset();
    }
    std::size_t count(std::size_t start, std::size_t end) override {
        gil::Held const held;
        return given::size(count_(start, end), "a count");
    }

private:
    nb::object count_;
};

// Called with or without the GIL.
inline std::unique_ptr<Prices> make_prices(nb::handle source, nb::handle tokenizer, Counter& counter) {
    if (counter.is_quick()) return std::make_unique<CountedPrices>(counter, true);
    gil::Held const held;
    if (!nb::hasattr(tokenizer, "interval_encoder")) return std::make_unique<CountedPrices>(counter, false);
    return std::make_unique<AnyPrices>(tokenizer.attr("interval_encoder")(source));
}

// BudgetTooSmallError for text[start:end], which is more tokens than `limit`.
inline nb::python_error too_small(nb::handle source, std::size_t start, std::size_t end, std::size_t tokens, std::size_t limit) {
    nb::object const type = nb::module_::import_("chunker.errors").attr("BudgetTooSmallError");
    nb::object const error = type(part_of(source, start, end), start, tokens, limit);
    PyErr_SetObject(type.ptr(), error.ptr());
    return nb::python_error();
}

}  // namespace chunker::bindings
