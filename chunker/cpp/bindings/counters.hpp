// Counters of a text for whoever cuts it: the encoders of bpe_engine, or any object that counts.
#pragma once

#include <nanobind/nanobind.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "bpe/growing_interface.hpp"
#include "bpe/interval_interface.hpp"
#include "chunker/characters.hpp"
#include "chunker/counter.hpp"
#include "given.hpp"
#include "source.hpp"

namespace chunker::bindings {

// Products of two of these and of a length of a text do not overflow.
inline constexpr std::size_t most_limit = std::size_t{1} << 40;

inline nb::object part_of(nb::handle text, std::size_t start, std::size_t end) {
    nb::object part = nb::steal(PyUnicode_Substring(text.ptr(), static_cast<Py_ssize_t>(start), static_cast<Py_ssize_t>(end)));
    if (!part.is_valid()) throw nb::python_error();
    return part;
}

// In UTF-8, which a str of ASCII is already. Raises UnicodeEncodeError for halves of surrogate pairs.
inline nb::object encoded(nb::handle source) {
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

// Raises what the tokenizer has to say of a text that it cannot count.
[[noreturn]] inline void raise_uncountable(nb::handle tokenizer, nb::handle text) {
    tokenizer.attr("count")(text);
    given::raise(PyExc_ValueError, "the tokenizer cannot count this text while it grows: %.200R", text.ptr());
}

// The pointer in a capsule of bpe_engine.
template <class Interface>
const Interface* interface_of(nb::handle encoder, const char* name) {
    nb::object const capsule = encoder.attr("_interface")();
    auto const* const found = static_cast<const Interface*>(PyCapsule_GetPointer(capsule.ptr(), name));
    if (!found) throw nb::python_error();
    return found;
}

// Counts by the encoders of bpe_engine.
class NativeCounter : public Counter {
public:
    NativeCounter(const Text& text, nb::handle source, nb::handle tokenizer, nb::object appending, nb::object prepending, const Contexts& contexts)
        : text_(text), source_(source), tokenizer_(tokenizer), contexts_(contexts), appending_(std::move(appending)), prepending_(std::move(prepending)),
          right_(interface_of<GrowingInterface>(appending_, growing_interface_name)),
          left_(prepending_.is_none() ? nullptr : interface_of<GrowingInterface>(prepending_, growing_interface_name)) {}

    std::size_t begin(Context context) override {
        right_->restart(right_->encoder);
        context_size_ = contexts_.bytes(context).size();
        origin_ = no_origin;
        if (context == 0) return 0;
        std::string_view const bytes = contexts_.bytes(context);
        std::size_t count = 0;
        if (!right_->grow(right_->encoder, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(), &count)) raise_uncountable(tokenizer_, contexts_.string(context));
        return count;
    }
    std::size_t append(std::size_t start, std::size_t end) override {
        if (origin_ == no_origin) origin_ = text_.place(start);
        return grow(*right_, start, end);
    }
    std::optional<std::uint64_t> settled() override {
        std::uint64_t const cut = right_->settled(right_->encoder), offset = cut / 4;
        if (origin_ == no_origin || offset < context_size_) return std::nullopt;
        return (origin_ + offset - context_size_) * 4 + cut % 4;
    }
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
        if (!found) raise_uncountable(tokenizer_, part_of(source_, start, end));
        return *found;
    }

private:
    std::size_t grow(const GrowingInterface& encoder, std::size_t start, std::size_t end) {
        std::size_t const first = text_.place(start);
        std::size_t count = 0;
        if (!encoder.grow(encoder.encoder, text_.data() + first, text_.place(end) - first, &count)) raise_uncountable(tokenizer_, part_of(source_, start, end));
        return count;
    }

    const Text& text_;
    nb::handle source_, tokenizer_;
    const Contexts& contexts_;
    nb::object appending_, prepending_;
    const GrowingInterface *right_, *left_;
    static constexpr std::size_t no_origin = std::numeric_limits<std::size_t>::max();
    std::size_t context_size_ = 0, origin_ = no_origin;  // in bytes; where the text that grows begins
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

// A counter for who cuts a text: `overlap`, whether it has to count what grows to the left.
inline std::unique_ptr<Counter> make_counter(const Text& text, nb::handle source, nb::handle tokenizer, bool overlap, const Contexts& contexts) {
    nb::object appending = tokenizer.attr("appending_encoder")();
    if (!nb::hasattr(appending, "_interface")) return std::make_unique<AnyCounter>(source, tokenizer, std::move(appending), contexts);
    nb::object prepending = overlap ? tokenizer.attr("prepending_encoder")() : nb::none();
    return std::make_unique<NativeCounter>(text, source, tokenizer, std::move(appending), std::move(prepending), contexts);
}

// Prices by the interval encoder of bpe_engine.
class NativePrices : public Prices {
public:
    NativePrices(const Text& text, nb::handle source, nb::handle tokenizer, nb::object slices)
        : text_(text), source_(source), tokenizer_(tokenizer), slices_(std::move(slices)),
          interface_(interface_of<IntervalInterface>(slices_, interval_interface_name)) {}

    std::size_t count(std::size_t start, std::size_t end) override {
        std::size_t count = 0;
        if (!interface_->count(interface_->encoder, text_.place(start), text_.place(end), &count)) raise_uncountable(tokenizer_, part_of(source_, start, end));
        return count;
    }
    std::optional<Agreement> agreement(std::size_t start) override {
        std::size_t from = 0;
        std::ptrdiff_t shift = 0;
        if (!interface_->agreement(interface_->encoder, text_.place(start), &from, &shift)) return std::nullopt;
        return Agreement{from, shift};
    }
    bool are_quick() const override { return true; }

private:
    const Text& text_;
    nb::handle source_, tokenizer_;
    nb::object slices_;
    const IntervalInterface* interface_;
};

// Prices by an object of another package that has them.
class AnyPrices : public Prices {
public:
    explicit AnyPrices(nb::object slices) : count_(slices.attr("count")) {}
    std::size_t count(std::size_t start, std::size_t end) override { return given::size(count_(start, end), "a count"); }

private:
    nb::object count_;
};

// Prices by counting each slice.
class RecountedPrices : public Prices {
public:
    explicit RecountedPrices(Counter& counter) : counter_(counter) {}
    std::size_t count(std::size_t start, std::size_t end) override { return counter_.count(0, start, end); }
    bool recounts() const override { return true; }

private:
    Counter& counter_;
};

inline std::unique_ptr<Prices> make_prices(const Text& text, nb::handle source, nb::handle tokenizer, Counter& counter) {
    if (!nb::hasattr(tokenizer, "interval_encoder")) return std::make_unique<RecountedPrices>(counter);
    nb::object slices = tokenizer.attr("interval_encoder")(source);
    if (!nb::hasattr(slices, "_interface")) return std::make_unique<AnyPrices>(std::move(slices));
    return std::make_unique<NativePrices>(text, source, tokenizer, std::move(slices));
}

// BudgetTooSmallError for text[start:end], which is more tokens than `limit`.
inline nb::python_error too_small(nb::handle source, std::size_t start, std::size_t end, std::size_t tokens, std::size_t limit) {
    nb::object const type = nb::module_::import_("chunker.errors").attr("BudgetTooSmallError");
    nb::object const error = type(part_of(source, start, end), start, tokens, limit);
    PyErr_SetObject(type.ptr(), error.ptr());
    return nb::python_error();
}

}  // namespace chunker::bindings
