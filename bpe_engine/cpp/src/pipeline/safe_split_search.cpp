// The search for safe splits in a text, by the tables that safe_splits.cpp makes.
#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "bpe/models/merges.hpp"
#include "bpe/pipeline/safe_splits.hpp"
#include "bpe/steps.hpp"
#include "bpe/unicode.hpp"

namespace bpe {

namespace {

// A character of three bytes: 1110aaaa 10bbbbbb 10cccccc.
constexpr std::uint32_t three_mask = 0xC0C0F0, three_bytes = 0x8080E0;
char32_t code_of_three(std::uint32_t bytes) { return (bytes & 0x0F) << 12 | (bytes >> 2 & 0xFC0) | (bytes >> 16 & 0x3F); }

// Without flags, which cost a look into a table.
Character character_at(const Byte* text, std::size_t available) {
    if (available >= 4) [[likely]] {
        std::uint32_t bytes;
        std::memcpy(&bytes, text, 4);
        if ((bytes & three_mask) == three_bytes) {
            char32_t const code = code_of_three(bytes);
            if (code >= 0x800 && (code < 0xD800 || code >= 0xE000)) return {code, 0, 3};
        }
        // Two: 110aaaaa 10bbbbbb.
        if ((bytes & 0xC0E0) == 0x80C0 && (bytes & 0x1E) != 0) return {(bytes & 0x1F) << 6 | (bytes >> 8 & 0x3F), 0, 2};
    }
    if (text[0] < 0x80) return {text[0], 0, 1};
    return UnicodeTable::instance().beyond_ascii(text, available);
}

}  // namespace

bool SafeSplits::has_at(const Byte* text, std::size_t start, std::size_t place, std::size_t end, bool follows) const {
    if (place <= start || place >= end) return false;
    auto const is_ascii = [&](std::size_t at) { return text[at] < 0x80; };
    if (place - start >= 2 && is_ascii(place - 2) && is_ascii(place - 1) && is_ascii(place) && (place + 1 == end || is_ascii(place + 1))) [[likely]]
        return pairs_[text[place - 1] * classes + text[place]] == yes;
    // The class of a character may depend on the two before it, and a split on the character after it.
    std::size_t from = place;
    constexpr int looked_at = 3;
    static_assert(reach_back > looked_at * std::size_t{4});
    for (int characters = 0; characters < looked_at && from > start; ++characters) from = character_before(text, from, start);
    std::size_t const limit = std::min(end, place + 8);
    Search search(*this, text, from, limit, limit == end, from > start || follows);
    std::array<std::size_t, Search::least_room> splits;
    for (std::size_t count; (count = search.next(splits.data(), splits.size())) > 0;)
        if (std::find(splits.begin(), splits.begin() + static_cast<std::ptrdiff_t>(count), place) != splits.begin() + static_cast<std::ptrdiff_t>(count))
            return true;
    return false;
}

std::size_t SafeSplits::Search::next(std::size_t* offsets, std::size_t capacity) {
    Byte const* const text = text_;
    std::size_t const limit = limit_;
    std::uint8_t const* const pairs = splits_.pairs_.data();
    std::atomic<Class> const* const class_of = splits_.class_of_.get();
    bool const depends_on_next = splits_.depends_on_next_;
    constexpr std::size_t block = 16;
    std::size_t count = 0, before = before_, last = last_, place = place_;
    char32_t code = code_;
    if (held_ > 0) offsets[count++] = held_;
    held_ = 0;
    auto const is_special = [](std::size_t number) { return number >= unknown && number <= none; };
    auto const add_ascii = [&](std::size_t size) {
        for (std::size_t index = 0; index < size; ++index) {
            std::size_t const byte = text[place + index];
            offsets[count] = place + index;
            count += pairs[before * classes + byte] & 1;
            before = byte;
        }
        last = place + size - 1;
        place += size;
    };
    while (place < limit && count + block < capacity) {
        count_step();
        if (text[place] < 0x80 && limit - place >= block && before != never && before != none && pairs[before * classes + text[place]] != ask) {
            std::uint64_t words[2];
            std::memcpy(words, text + place, block);
            constexpr std::uint64_t high = 0x8080808080808080ull;
            if (((words[0] | words[1]) & high) == 0) [[likely]] {
                add_ascii(block);
                continue;
            }
            bool const is_first = (words[0] & high) != 0;
            add_ascii((is_first ? 0 : 8) + static_cast<std::size_t>(std::countr_zero(words[is_first ? 0 : 1] & high)) / 8);
        }
        Character const character = character_at(text + place, limit - place);
        std::size_t number = character.code < 0x10000 ? splits_.class_of(character.code) : character.code <= 0x10FFFF ? splits_.beyond_ : splits_.invalid_;
        if (is_special(number) && depends_on_next && count > 0 && offsets[count - 1] == last) --count;
        std::uint8_t found = pairs[before * classes + number];
        if (found >= ask) found = splits_.asks_no_join(before < 128 ? static_cast<char32_t>(before) : code, character.code, text + place);
        offsets[count] = place;
        count += found;
        if (is_special(before) || is_special(number)) [[unlikely]] {
            if (number == joined) number = splits_.leaves_nonblank_[before] ? nonblank : unknown;
            // If the normalizer removes the first characters, the text begins with the next one.
            if (before == none && splits_.may_leave_nothing_[number]) number = none;
            if (before == never && number != never) number = unknown;
        }
        bool const may_run = before == number && character.size == 3 && !is_special(number);
        before = number;
        code = character.code;
        last = place;
        place += character.size;
        if (!may_run) continue;
        // A run of characters of one class, each of three bytes. Tried after each character, it made Hindi slower, where classes alternate.
        std::uint8_t const inside = pairs[number * classes + number];
        auto const run = [&](auto&& is_split) {
            while (limit - place >= 4 && count + block < capacity) {
                std::uint32_t bytes;
                std::memcpy(&bytes, text + place, 4);
                if ((bytes & three_mask) != three_bytes) break;
                char32_t const next = code_of_three(bytes);
                // No other class has surrogates, nor overlong sequences a code from 0x800 on.
                if (class_of[next].load(std::memory_order_acquire) != number || next < 0x800) break;
                count_step();
                offsets[count] = place;
                count += is_split(next);
                code = next;
                last = place;
                place += 3;
            }
        };
        switch (inside) {
        case no: run([](char32_t) { return false; }); break;
        case yes: run([](char32_t) { return true; }); break;
        case ask_table: run([&, &touching = splits_.touched_->touching()](char32_t next) { return !touching.has(code, next); }); break;
        default: run([&](char32_t next) { return splits_.asks_no_join(code, next, text + place); }); break;
        }
    }
    // The next character may take back a split before the last one.
    if (count > 0 && offsets[count - 1] == last && depends_on_next) {
        if (place < limit) held_ = offsets[--count];
        else if (!at_end_) --count;
    }
    before_ = before;
    last_ = last;
    place_ = place;
    code_ = code;
    return count;
}

}  // namespace bpe
