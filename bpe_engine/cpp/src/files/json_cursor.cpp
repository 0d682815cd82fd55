#include "bpe/files/json_cursor.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "bpe/unicode.hpp"
#include "bpe/utf8.hpp"

namespace bpe::files {

namespace {

bool is_structural(Byte byte) { return byte == ',' || byte == ':' || byte == '"' || byte == '{' || byte == '}' || byte == '[' || byte == ']'; }

constexpr std::int64_t largest_power = 308;

// 10 to the power of `exponent`, rounded to the nearest double.
double power_of_ten(std::int64_t exponent) {
    static std::array<double, largest_power + 1> const powers = [] {
        std::array<double, largest_power + 1> made{};
        for (std::size_t index = 0; index < made.size(); ++index) {
            std::string const text = "1e" + std::to_string(index);
            std::from_chars(text.data(), text.data() + text.size(), made[index]);
        }
        return made;
    }();
    return powers[static_cast<std::size_t>(exponent)];
}

// Rounds a number of JSON as `tokenizers` does. The specification is bpe_engine/formats/json_numbers.py.
double rounded(std::string_view text) {
    constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
    constexpr std::int64_t far = 1'000'000'000;  // an exponent beyond which it does not matter
    std::uint64_t significand = 0;
    std::int64_t exponent = 0;
    std::size_t at = text.starts_with('-');
    // Reads digits; each adds to the exponent what is given for one that the significand has room for, or has none for.
    auto const read = [&](std::int64_t taken, std::int64_t left) {
        for (bool is_full = false; at < text.size() && text[at] >= '0' && text[at] <= '9'; ++at) {
            auto const digit = static_cast<std::uint64_t>(text[at] - '0');
            is_full = is_full || (significand >= most / 10 && significand > (most - digit) / 10);
            if (!is_full) significand = significand * 10 + digit;
            exponent += is_full ? left : taken;
        }
    };
    read(0, 1);
    if (at < text.size() && text[at] == '.') {
        ++at;
        read(-1, 0);
    }
    if (at < text.size()) {
        bool const is_negative = text[++at] == '-';
        std::int64_t power = 0;
        for (at += text[at] == '-' || text[at] == '+'; at < text.size(); ++at) power = std::min(power * 10 + (text[at] - '0'), far);
        exponent += is_negative ? -power : power;
    }
    auto value = static_cast<double>(significand);
    for (; value != 0 && exponent < -largest_power; exponent += largest_power) value /= power_of_ten(largest_power);
    if (value != 0 && exponent > largest_power) value = std::numeric_limits<double>::infinity();
    else if (value != 0) value = exponent >= 0 ? value * power_of_ten(exponent) : value / power_of_ten(-exponent);
    return text.starts_with('-') ? -value : value;
}

}  // namespace

bool is_utf8(Bytes text) {
    UnicodeTable const& table = UnicodeTable::instance();
    for (std::size_t place = 0; place < text.size;) {
        Character const character = table.at(text.data, place, text.size);
        if (character.code > 0x10FFFF) return false;
        place += character.size;
    }
    return true;
}

Byte JsonCursor::next() {
    while (place_ < text_.size && (text_[place_] == ' ' || text_[place_] == '\n' || text_[place_] == '\r' || text_[place_] == '\t')) ++place_;
    return place_ < text_.size ? text_[place_] : Byte{0};
}

bool JsonCursor::take(char wanted) {
    if (next() != static_cast<Byte>(wanted)) return false;
    ++place_;
    return true;
}

bool JsonCursor::take_null() {
    (void)next();
    if (text_.size - place_ < 4 || std::memcmp(text_.data + place_, "null", 4) != 0) return false;
    place_ += 4;
    return true;
}

Bytes JsonCursor::string() {
    expect('"');
    std::size_t const start = place_;
    Byte all = 0;
    while (place_ < text_.size && text_[place_] != '"' && text_[place_] != '\\' && text_[place_] >= 0x20) all |= text_[place_++];
    Bytes found = text_.part(start, place_);
    if (place_ < text_.size && text_[place_] == '\\') {
        unescaped_.assign(found.begin(), found.end());
        while (place_ < text_.size && text_[place_] != '"') {
            Byte const byte = text_[place_++];
            if (byte < 0x20) throw Unreadable{};
            all |= byte;
            if (byte == '\\') escape();
            else unescaped_.push_back(byte);
        }
        found = {unescaped_.data(), unescaped_.size()};
    }
    if (place_ >= text_.size || text_[place_] != '"') throw Unreadable{};
    ++place_;
    if (all >= 0x80 && !is_utf8(found)) throw Unreadable{};
    return found;
}

void JsonCursor::escape() {
    if (place_ >= text_.size) throw Unreadable{};
    switch (text_[place_++]) {
    case '"': unescaped_.push_back('"'); return;
    case '\\': unescaped_.push_back('\\'); return;
    case '/': unescaped_.push_back('/'); return;
    case 'b': unescaped_.push_back('\b'); return;
    case 'f': unescaped_.push_back('\f'); return;
    case 'n': unescaped_.push_back('\n'); return;
    case 'r': unescaped_.push_back('\r'); return;
    case 't': unescaped_.push_back('\t'); return;
    case 'u': break;
    default: throw Unreadable{};
    }
    std::uint32_t code = four_digits();
    if (code >= 0xD800 && code < 0xE000) {
        // A surrogate pair, or a lone surrogate, which is invalid.
        if (code >= 0xDC00 || place_ + 1 >= text_.size || text_[place_] != '\\' || text_[place_ + 1] != 'u') throw Unreadable{};
        place_ += 2;
        std::uint32_t const low = four_digits();
        if (low < 0xDC00 || low >= 0xE000) throw Unreadable{};
        code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
    }
    put_utf8(unescaped_, code);
}

std::uint32_t JsonCursor::four_digits() {
    std::uint32_t code = 0;
    for (int digit = 0; digit < 4; ++digit) {
        if (place_ >= text_.size) throw Unreadable{};
        Byte const byte = text_[place_++];
        std::uint32_t value;
        if (byte >= '0' && byte <= '9') value = byte - '0';
        else if (byte >= 'a' && byte <= 'f') value = byte - 'a' + 10;
        else if (byte >= 'A' && byte <= 'F') value = byte - 'A' + 10;
        else throw Unreadable{};
        code = code << 4 | value;
    }
    return code;
}

std::uint64_t JsonCursor::whole_number(std::uint64_t most) {
    (void)next();
    auto const is_digit = [&] { return place_ < text_.size && text_[place_] >= '0' && text_[place_] <= '9'; };
    if (!is_digit()) throw Unreadable{};
    std::uint64_t value = 0;
    bool const starts_with_zero = text_[place_] == '0';
    for (std::size_t digits = 0; is_digit(); ++digits) {
        if (digits > 0 && starts_with_zero) throw Unreadable{};
        value = value * 10 + (text_[place_++] - std::uint64_t{'0'});
        if (value > most || digits > 18) throw Unreadable{};
    }
    // Fractions are left to another reader.
    if (place_ < text_.size && (text_[place_] == '.' || text_[place_] == 'e' || text_[place_] == 'E')) throw Unreadable{};
    return value;
}

double JsonCursor::number() {
    (void)next();
    std::size_t const start = place_;
    auto const digits = [&] {
        std::size_t const first = place_;
        while (place_ < text_.size && text_[place_] >= '0' && text_[place_] <= '9') ++place_;
        if (place_ == first) throw Unreadable{};
        return place_ - first;
    };
    auto const goes_over = [&](auto... wanted) {
        bool const found = place_ < text_.size && ((text_[place_] == static_cast<Byte>(wanted)) || ...);
        if (found) ++place_;
        return found;
    };
    (void)goes_over('-');
    bool const starts_with_zero = place_ < text_.size && text_[place_] == '0';
    if (digits() > 1 && starts_with_zero) throw Unreadable{};
    if (goes_over('.')) (void)digits();
    if (goes_over('e', 'E')) {
        (void)goes_over('+', '-');
        (void)digits();
    }
    double const value = rounded({reinterpret_cast<const char*>(text_.data) + start, place_ - start});
    if (std::isinf(value)) throw Unreadable{};
    return value;
}

void JsonCursor::skip_string() {
    for (++place_; place_ < text_.size && text_[place_] != '"'; ++place_)
        if (text_[place_] == '\\') ++place_;
    if (place_ >= text_.size) throw Unreadable{};
    ++place_;
}

void JsonCursor::skip() {
    std::size_t depth = 0;
    do {
        switch (next()) {
        case 0: throw Unreadable{};
        case '"': skip_string(); break;
        case '{':
        case '[':
            ++depth;
            ++place_;
            break;
        case '}':
        case ']':
            if (depth == 0) throw Unreadable{};
            --depth;
            ++place_;
            break;
        case ',':
        case ':':
            if (depth == 0) throw Unreadable{};
            ++place_;
            break;
        default:  // a number or a word
            if (text_[place_] <= ' ') throw Unreadable{};
            while (place_ < text_.size && text_[place_] > ' ' && !is_structural(text_[place_])) ++place_;
        }
    } while (depth > 0);
}

}  // namespace bpe::files
