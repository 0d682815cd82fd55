#include "chunker/span_meter.hpp"

#include <algorithm>
#include <cstring>

#include "chunker/utf8.hpp"

namespace chunker {

namespace {

// Bytes whose characters are counted together.
constexpr std::size_t block = 64;

}  // namespace

// The breaks whose last character is in text[start:end], in bytes. Counted by whole vectors where there are no carriage returns.
std::size_t SpanMeter::breaks(std::size_t start, std::size_t end) const {
    auto const* const from = text_ + start;
    auto const* const to = text_ + end;
    std::size_t result = count_bytes(from, end - start, [](unsigned char byte) { return byte == '\n'; });
    if (!std::memchr(from, '\r', end - start)) return result;
    for (auto const* byte = from; byte < to; ++byte) result += *byte == '\r' && (byte + 1 == text_ + size_ || byte[1] != '\n');
    return result;
}

SpanMeter::Place SpanMeter::forward(Place from, std::size_t offset) const {
    std::size_t const characters = offset - from.offset;
    std::size_t end = from.byte;
    // Mostly as many bytes as characters.
    if (characters <= size_ - from.byte && is_ascii(text_ + from.byte, characters)) end += characters;
    if (end == from.byte) {
        std::size_t left = characters;
        // A block may end inside of a character, which then has begun.
        for (; left > block && size_ - end > block; end += block) left -= count_bytes(text_ + end, block, [](unsigned char byte) { return !continues(byte); });
        while (end < size_ && continues(text_[end])) ++end;
        for (; left > 0 && end < size_; --left) end += std::min(character_size(text_[end]), size_ - end);
    }
    return {offset, end, from.breaks + breaks(from.byte, end)};
}

SpanMeter::Place SpanMeter::backward(Place from, std::size_t offset) const {
    std::size_t start = from.byte;
    for (std::size_t left = from.offset - offset; left > 0 && start > 0; --left) {
        --start;
        while (start > 0 && continues(text_[start])) --start;
    }
    return {offset, start, from.breaks - breaks(start, from.byte)};
}

SpanMeter::Span SpanMeter::span(std::size_t start, std::size_t end) {
    Place const first = start == end_.offset ? end_ : at(start, start > end_.offset ? end_ : start_);
    Place const stop = forward(first, end);
    start_ = first;
    end_ = stop;
    // The last character belongs to its line even if it ends it.
    unsigned char const last = stop.byte > 0 ? text_[stop.byte - 1] : 0;
    bool const ends_line = (last == '\n' || last == '\r') && breaks(stop.byte - 1, stop.byte) > 0;
    return {first, stop, stop.breaks - ends_line};
}

}  // namespace chunker
