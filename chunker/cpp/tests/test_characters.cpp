// Places and offsets of the characters of a text, where these are of one to four bytes, and at the ends of blocks.
#include "chunker/characters.hpp"

#include <random>
#include <string>

#include "check.hpp"
#include "chunker/break_classes.hpp"

namespace {

void check_places(const std::string& utf8) {
    chunker::Text const text(reinterpret_cast<const unsigned char*>(utf8.data()), utf8.size());
    std::size_t offset = 0;
    for (std::size_t place = 0; place < utf8.size(); ++offset) {
        CHECK(text.place(offset) == place);
        for (std::size_t end = place + 1; place < end || (place < utf8.size() && (utf8[place] & 0xC0) == 0x80); ++place) CHECK(text.offset_at(place) == offset);
    }
    CHECK(text.size() == offset && text.place(offset) == utf8.size() && text.offset_at(utf8.size()) == offset);
}

}  // namespace

int main() {
    std::string const several[] = {"a", "é", "字", "😀"};
    std::mt19937 random(7);
    for (current_round = 0; current_round < 200; ++current_round) {
        std::string text;
        for (std::size_t left = random() % 60; left > 0; --left)
            for (std::size_t times = random() % 12, kind = random() % 4; times > 0; --times) text += several[kind];
        check_places(text);
    }
    current_round = -1;
    for (std::size_t const size : {65535u, 65536u, 65537u, 131072u, 131073u}) {
        std::string text;
        for (std::size_t number = 0; number < size; ++number) text += several[number % 7 < 4 ? number % 7 : 0];
        check_places(text);
    }
    // The search for sentences passes over these.
    for (char32_t character = 0x3040; character < 0xA000; ++character) CHECK(!chunker::break_classes()[character].tells(chunker::may_end_sentence));
    return 0;
}
