// Prices of slices of a long text, by an encoder of bpe_engine that has read a window of it: what a grower looks at is around one place, which moves on.
//
//     text      ...|=========================================|...........
//                  start of a chunk    what fits, and more   end of the window: a slice that ends after it makes the next one
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string_view>

#include "chunker/characters.hpp"
#include "chunker/counter.hpp"
#include "chunker/utf8.hpp"
#include "interfaces.hpp"

namespace chunker::bindings {

class Window {
public:
    // `whole`: the window is the whole text, once it is asked for.
    Window(const Text& text, const Encoders& encoders, bool whole)
        : text_(text), size_(text.place(text.size())), encoders_(encoders), reach_(whole ? size_ : first_reach) {}

    // Make the window hold text[start:end], in bytes. False where this text cannot be priced.
    bool hold(std::size_t start, std::size_t end) {
        if (holds(start, end)) return true;
        if (is_useless_) return false;
        std::size_t const first = reach_ == size_ ? 0 : start;
        std::size_t last = std::min(std::max(end, start_ < end_ && end <= end_ ? end_ : 0) + reach_, size_);
        reach_ = std::min(std::max(reach_, end - start) * 2, most_reach);
        while (last < size_ && continues(text_.data()[last])) ++last;
        make(first, last);
        return !is_useless_;
    }
    bool holds(std::size_t start, std::size_t end) const { return start >= start_ && end <= end_ && bool(slices_); }
    // All in bytes of the text, inside of the window.
    std::optional<std::size_t> count(std::size_t start, std::size_t end) const {
        std::size_t count = 0;
        if (!slices_->count(slices_->encoder, start - start_, end - start_, &count)) return std::nullopt;
        return count;
    }
    // From which end on text[start:end] after `before` has the tokens of the window up to there and `shift` more.
    std::optional<Agreement> agreement(std::string_view before, std::size_t start) const {
        std::size_t from = 0;
        std::ptrdiff_t shift = 0;
        auto const* const bytes = reinterpret_cast<const unsigned char*>(before.data());
        if (!slices_->agreement(slices_->encoder, bytes, before.size(), start - start_, &from, &shift)) return std::nullopt;
        return Agreement{from + start_, shift};
    }
    // Whether the count of any text that ends with a line feed can be added to that of text[start:end].
    bool begins_after_line(std::size_t start) const { return slices_->begins_after_line(slices_->encoder, start - start_); }
    // About how far so many tokens go.
    std::size_t reach(std::size_t start, std::size_t tokens) const { return start_ + slices_->reach(slices_->encoder, start - start_, tokens); }
    std::size_t reach_back(std::size_t end, std::size_t tokens) const { return start_ + slices_->reach_back(slices_->encoder, end - start_, tokens); }
    std::size_t start() const { return start_; }
    // Changes with each window.
    std::size_t number() const { return number_; }

private:
    // Bytes after what is asked for that a window has: few at first, so that who makes one chunk of a long text does not read much of it.
    static constexpr std::size_t first_reach = 1 << 14, most_reach = 1 << 18;

    void make(std::size_t start, std::size_t end) {
        ++number_;
        // There are no prices for a text with a byte that is in no token. The error is raised later, by who counts the part with that byte.
        slices_ = encoders_.intervals(text_.data() + start, end - start);
        is_useless_ = !slices_;
        start_ = start;
        end_ = end;
    }

    const Text& text_;
    std::size_t size_;
    const Encoders& encoders_;
    Dropped<IntervalInterface> slices_;
    std::size_t start_ = 0, end_ = 0, reach_, number_ = 0;
    bool is_useless_ = false;
};

}  // namespace chunker::bindings
