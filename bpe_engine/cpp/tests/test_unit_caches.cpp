// Caches of units of all sizes: an answer is exact or absent, and a unit that was read is known as long as there is room, while the caches grow.
#include "bpe/pipeline/unit_caches.hpp"

#include <algorithm>
#include <functional>

#include "check.hpp"

using namespace bpe;
using namespace bpe::test;

namespace {

// Units of every size, most of them unlike any other; some differ in one byte alone.
std::vector<std::string> some_units(std::mt19937_64& random, std::size_t number) {
    std::vector<std::string> units;
    while (units.size() < number) {
        std::string unit(1 + random() % UnitCounts::longest, 'a');
        if (random() % 2) unit.resize(1 + unit.size() % 20);
        for (char& byte : unit)
            if (random() % 4 == 0) byte = static_cast<char>(random() % 256);
        units.push_back(unit);
        unit[random() % unit.size()] ^= 1;
        units.push_back(unit);
    }
    return units;
}

// From none to one for each byte: short, medium and long units of few and of many tokens, for which there are different caches.
std::size_t tokens_of(const std::string& unit) { return std::hash<std::string>()(unit) % (1 + unit.size()); }

void counts() {
    std::mt19937_64 random(1);
    UnitCounts caches;
    std::vector<std::string> const units = some_units(random, 400);
    auto const without_tokens =
        static_cast<std::size_t>(std::count_if(units.begin(), units.end(), [](std::string const& unit) { return tokens_of(unit) == 0; }));
    for (int round = 0; round < 3; ++round) {
        std::size_t made = 0;
        bool const had_room = caches.has_room();
        for (std::string const& unit : units) {
            auto const anew = [&] {
                ++made;
                return tokens_of(unit);
            };
            CHECK(caches.count(view(unit), unit.size(), anew) == tokens_of(unit));
            CHECK(caches.count(view(unit), unit.size(), anew) == tokens_of(unit));
        }
        // Units without tokens are counted each time, and the few that find no room.
        CHECK(!had_room || round == 0 || made <= 2 * without_tokens + units.size() / 50);
    }
}

void ids() {
    std::mt19937_64 random(2);
    UnitIds caches;
    std::vector<std::string> const units = some_units(random, 400);
    for (int round = 0; round < 3; ++round) {
        for (std::string const& unit : units) {
            std::vector<std::uint32_t> expected, found;
            for (std::size_t number = tokens_of(unit); number > 0; --number) expected.push_back(static_cast<std::uint32_t>(number * unit.size()));
            StagedIds out(found);
            auto const anew = [&](std::vector<std::uint32_t>& all) { all.insert(all.end(), expected.begin(), expected.end()); };
            caches.encode(view(unit), unit.size(), out, anew);
            caches.encode(view(unit), unit.size(), out, anew);
            out.flush();
            expected.insert(expected.end(), expected.begin(), expected.end());
            CHECK(found == expected);
        }
    }
}

}  // namespace

int main() {
    counts();
    ids();
    return 0;
}
