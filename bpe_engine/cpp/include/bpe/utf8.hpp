// A character as UTF-8.
#pragma once

#include <cstdint>

namespace bpe {

// Appends the bytes of a code point below 0x110000, including surrogates.
template <class Out>
void put_utf8(Out& out, std::uint32_t code) {
    auto const put = [&](std::uint32_t byte) { out.push_back(static_cast<typename Out::value_type>(byte)); };
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

}  // namespace bpe
