#include "chunker/text_rows.hpp"

#include <algorithm>
#include <cstdio>
#include <random>
#include <string>

namespace {

std::string shown(const std::string& text) {
    std::string result;
    for (auto const row : chunker::text_rows(reinterpret_cast<const unsigned char*>(text.data()), text.size()))
        result += std::to_string(row.offset) + ":" + std::to_string(row.blank) + " ";
    return result;
}

bool is(const std::string& text, const std::string& expected) {
    std::string const found = shown(text);
    if (found != expected) std::fprintf(stderr, "expected %s, found %s\n", expected.c_str(), found.c_str());
    return found == expected;
}

}  // namespace

int main() {
    bool good = is("", "") && is("a", "0:0 ") && is("a\nb\r\n\nc", "0:0 2:0 6:1 ") && is("\n\n\n\n\nx", "0:0 5:5 ") &&
                is(std::string(10, '\n') + "x", "0:0 10:8 ") && is(std::string(20, '\r') + "\xC3\xA9", "0:0 20:8 ") &&
                is("\xC3\xA9\xE3\x80\x80\n\xE3\x80\x80\nx", "0:0 5:1 ") &&
                is("a\xE2\x80\xA9"
                   "b\xE2\x80\xA8"
                   "c\xC2\x85"
                   "d",
                   "0:0 2:1 4:0 6:0 ") &&
                is(" \x1C\n \x1F\n", "0:0 3:0 ") && is("a\r\r\nb", "0:0 4:1 ");
    // Anything at all, broken off anywhere.
    std::mt19937 random(3);
    for (int round = 0; round < 3000; ++round) {
        std::string text;
        for (unsigned size = random() % 80; size > 0; --size) {
            std::string const pieces[] = {"a", "\n", "\r", " ", "\xE2\x80\xA9", "\xC2\x85", "\xF0\x9F\x98\x80", "\xE3\x80\x80"};
            text += pieces[random() % 8];
        }
        text.resize(text.size() - std::min<std::size_t>(text.size(), random() % 3));
        std::size_t last = 0;
        for (auto const row : chunker::text_rows(reinterpret_cast<const unsigned char*>(text.data()), text.size())) {
            good = good && row.blank <= 8 && row.offset <= text.size() && (row.offset > last || row.offset == 0);
            last = row.offset;
        }
    }
    return good ? 0 : 1;
}
