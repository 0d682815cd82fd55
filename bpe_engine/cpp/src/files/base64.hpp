// Base64 with padding, and no other characters.
#pragma once

#include <array>
#include <vector>

#include "bpe/types.hpp"

namespace bpe::files {

inline constexpr std::array<std::int8_t, 256> base64_values = [] {
    std::array<std::int8_t, 256> values{};
    for (std::int8_t& value : values) value = -1;
    constexpr char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (std::int8_t value = 0; value < 64; ++value) values[static_cast<Byte>(digits[static_cast<std::size_t>(value)])] = value;
    return values;
}();

// Returns false for anything that an encoder does not write.
inline bool decode_base64(Bytes text, std::vector<Byte>& out) {
    out.clear();
    if (text.size % 4 != 0) return false;
    for (std::size_t place = 0; place < text.size; place += 4) {
        std::size_t digits = 4;
        if (place + 4 == text.size) digits = text[place + 3] != '=' ? 4 : text[place + 2] != '=' ? 3 : 2;
        std::uint32_t value = 0;
        for (std::size_t digit = 0; digit < 4; ++digit) {
            int const found = digit < digits ? base64_values[text[place + digit]] : 0;
            if (found < 0) return false;
            value = value << 6 | static_cast<std::uint32_t>(found);
        }
        // Unused bits must be zero.
        if ((digits == 3 && (value & 0xFF) != 0) || (digits == 2 && (value & 0xFFFF) != 0)) return false;
        out.push_back(static_cast<Byte>(value >> 16));
        if (digits > 2) out.push_back(static_cast<Byte>(value >> 8));
        if (digits > 3) out.push_back(static_cast<Byte>(value));
    }
    return true;
}

}  // namespace bpe::files
