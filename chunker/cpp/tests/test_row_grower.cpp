// The grower over an encoder that any reader can check: two characters that are not of a line end, or one line end, are a token.
#include "chunker/row_grower.hpp"

#include <algorithm>
#include <cstdio>
#include <random>
#include <string>

#include "chunker/utf8.hpp"

namespace {

struct Encoder {
    std::string text;
    bool broken = false;

    static std::size_t count(const std::string& text) {
        std::size_t tokens = 0, open = 0;
        for (char const byte : text) {
            if (chunker::continues(static_cast<unsigned char>(byte))) continue;
            if (byte == '\n') open = 0;
            tokens += byte == '\n' || open % 2 == 0;
            open = byte == '\n' ? 0 : open + 1;
        }
        return tokens;
    }

    GrowingInterface interface() {
        return {this, [](void* self) { static_cast<Encoder*>(self)->text.clear(); },
                [](void* self, const unsigned char* more, std::size_t size, std::size_t* tokens) {
                    auto& encoder = *static_cast<Encoder*>(self);
                    encoder.text.append(reinterpret_cast<const char*>(more), size);
                    *tokens = count(encoder.text);
                    return !encoder.broken;
                },
                [](void* self, const unsigned char* more, std::size_t size, std::size_t limit, std::size_t* tokens) {
                    *tokens = count({reinterpret_cast<const char*>(more), size});
                    return !static_cast<Encoder*>(self)->broken && *tokens <= limit;
                }};
    }
};

bool try_one(std::mt19937& random, std::size_t& chunks) {
    std::string text;
    std::vector<std::int64_t> offsets, strengths;
    std::vector<std::size_t> starts;
    std::vector<unsigned char> closed;
    std::size_t characters = 0;
    std::string const pieces[] = {"a", "bc", " ", "\xC3\xA9", "\xE3\x80\x80", "\n", "\n\n", "\xF0\x9F\x98\x80", "words of a line"};
    for (unsigned rows = 1 + random() % 30; rows > 0; --rows) {
        offsets.push_back(static_cast<std::int64_t>(characters));
        starts.push_back(text.size());
        strengths.push_back(offsets.size() == 1 ? 1000 : 30 + static_cast<std::int64_t>(random() % 4) * 10);
        closed.push_back(static_cast<unsigned char>((random() % 5 == 0) + (random() % 9 == 0) * 2));
        for (unsigned size = 1 + random() % 5; size > 0; --size) text += pieces[random() % 9];
        characters = static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char byte) { return !chunker::continues(static_cast<unsigned char>(byte)); }));
    }
    starts.push_back(text.size());
    std::size_t const most = 6 + random() % 40;
    chunker::RowGrower const grower(reinterpret_cast<const unsigned char*>(text.data()), text.size(), offsets, strengths, characters,
                                    {most, random() % most, 4, most * 9 / 10, 0.75, 16, 128, 30});
    Encoder encoder;
    encoder.broken = random() % 20 == 0;
    GrowingInterface const interface = encoder.interface();
    std::size_t full = random() % 60;
    std::size_t row = random() % (grower.rows() + 2);
    // Before the rows, the characters of the row above, or of the first ones of these.
    std::vector<chunker::Unit> front;
    std::vector<std::size_t> places;
    bool const whole = random() % 3 != 0;
    if (row > 0 && row <= grower.rows() && random() % 2 == 0) {
        for (std::size_t place = starts[row - 1]; place < starts[row]; place += chunker::character_size(static_cast<unsigned char>(text[place]))) {
            chunker::Spot const from = grower.row_before(static_cast<std::size_t>(offsets[row - 1]));
            chunker::Spot const spot = grower.spot(static_cast<std::size_t>(offsets[row - 1]) + front.size(), from);
            if (spot.place != place) return false;
            front.push_back({spot, grower.spot(characters, from), static_cast<std::int64_t>(random() % 3) * 10 + 20, random() % 9 == 0, random() % 9 == 0});
            places.push_back(place);
        }
    }
    for (std::size_t index = row; (whole || front.empty()) && index < starts.size(); ++index) places.push_back(starts[index]);
    auto const [found, opening] = grower.grow(interface, front, whole, row, 1 + random() % 8, closed.data(), full);
    if (encoder.broken) return found.empty();
    chunks += found.size();
    std::size_t unit = 0;
    for (auto const piece : found) {
        if (piece.units <= unit || piece.units >= places.size() || piece.tokens > most) return false;
        if (Encoder::count(text.substr(places[unit], places[piece.units] - places[unit])) != piece.tokens) return false;
        unit = piece.units;
    }
    if (!opening) return true;
    // It is one of those that are closed, and not behind what does not fit.
    return *opening >= unit && (*opening < front.size() ? front[*opening].closed : (closed[row + *opening - front.size()] & 1) != 0);
}

}  // namespace

int main() {
    std::mt19937 random(11);
    std::size_t chunks = 0;
    for (int round = 0; round < 20000; ++round) {
        if (try_one(random, chunks)) continue;
        std::fprintf(stderr, "round %d\n", round);
        return 1;
    }
    std::printf("%zu chunks\n", chunks);
    return chunks > 10000 ? 0 : 1;
}
