// Counts of a text in characters or bytes: differences of places, so that nothing is read.
#pragma once

#include <nanobind/nanobind.h>

#include <algorithm>
#include <cstddef>
#include <optional>

#include "chunker/characters.hpp"
#include "chunker/counter.hpp"
#include "contexts.hpp"
#include "gil.hpp"

namespace chunker::bindings {

class LengthCounter : public Counter {
public:
    LengthCounter(const Text& text, Contexts& contexts, bool bytes) : text_(text), contexts_(contexts), bytes_(bytes) {}

    std::size_t begin(Context context) override { return size_ = size_of(context); }
    std::size_t append(std::size_t start, std::size_t end) override { return size_ += length(start, end); }
    void keep() override { kept_ = size_; }
    void go_back() override { size_ = kept_; }

    std::size_t reach(std::size_t start, std::size_t tokens) override {
        if (!bytes_) return std::min(start + tokens, text_.size());
        return text_.offset_at(std::min(text_.place(start) + tokens, text_.place(text_.size())));
    }
    std::size_t reach_back(std::size_t end, std::size_t tokens) override {
        if (!bytes_) return end - std::min(end, tokens);
        std::size_t const last = text_.place(end);
        return text_.offset_at(last - std::min(last, tokens));
    }

    void begin_to_the_left(std::size_t start, std::size_t end) override { size_to_the_left_ = length(start, end); }
    std::size_t prepend(std::size_t start, std::size_t end) override { return size_to_the_left_ += length(start, end); }

    std::optional<std::size_t> count_up_to(Context context, std::size_t start, std::size_t end, std::size_t limit) override {
        std::size_t const found = count(context, start, end);
        return found <= limit ? std::optional(found) : std::nullopt;
    }
    std::size_t count(Context context, std::size_t start, std::size_t end) override { return size_of(context) + length(start, end); }
    bool is_quick() override { return true; }

private:
    std::size_t length(std::size_t start, std::size_t end) const { return bytes_ ? text_.place(end) - text_.place(start) : end - start; }
    std::size_t size_of(Context context) {
        return contexts_.size(context, [&] {
            gil::Held const held;
            // Halves of surrogate pairs are three bytes each.
            if (bytes_) return nb::len(contexts_.string(context).attr("encode")("utf-8", "surrogatepass"));
            return static_cast<std::size_t>(PyUnicode_GetLength(contexts_.string(context).ptr()));
        });
    }

    const Text& text_;
    Contexts& contexts_;
    bool bytes_;
    std::size_t size_ = 0, kept_ = 0, size_to_the_left_ = 0;
};

}  // namespace chunker::bindings
