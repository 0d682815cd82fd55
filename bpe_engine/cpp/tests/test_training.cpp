// Training: against its definition; counting; limits; and that it takes its time only once.
#include <chrono>

#include "bpe/counting.hpp"
#include "bpe/training.hpp"
#include "try_training.hpp"

using namespace bpe;
using namespace bpe::test;

namespace {

void nothing(std::size_t) {}

Words words_of_text(const std::vector<std::pair<std::string, std::uint64_t>>& counted) {
    Words words(256);
    for (auto const& [word, count] : counted) words.add(word.begin(), word.end(), count);
    return words;
}

// The example of training.hpp.
void example() {
    auto const found = learn_merges(words_of_text({{"low", 5}, {"lower", 2}, {"newest", 6}, {"widest", 3}}), {4, 1, Ties::first}, nothing);
    CHECK((found == std::vector<Merge>{{'e', 's'}, {256, 't'}, {'l', 'o'}, {258, 'w'}}));
}

void limits() {
    constexpr std::uint64_t most = (std::uint64_t{1} << 62) - 1;
    CHECK(learn_merges(words_of_text({{"ab", most}}), {9, most, Ties::lowest}, nothing).size() == 1);
    CHECK(learn_merges(words_of_text({{"ab", most}}), {9, most + 1, Ties::lowest}, nothing).empty());
    bool refused = false;
    try {
        words_of_text({{"ab", most}, {"cd", 1}});
    } catch (const TrainingLimit&) {
        refused = true;
    }
    CHECK(refused);
    CHECK(learn_merges(words_of_text({}), {9, 1, Ties::first}, nothing).empty());
    CHECK(learn_merges(words_of_text({{"a", 3}, {"", 4}, {"bc", 0}}), {9, 1, Ties::first}, nothing).empty());

    // Counts that no longer fit stay at the largest number.
    PretokenCounts counts;
    for (std::string const& piece : {std::string("short"), std::string(40, 'l')}) {
        counts.add(view(piece), piece.size(), 7, ~std::uint64_t{0} - 1);
        counts.add(view(piece), piece.size(), 3, 5);
    }
    std::size_t seen = 0;
    counts.for_each([&](Bytes, std::uint64_t count, std::uint64_t first) {
        CHECK(count == ~std::uint64_t{0} && first == 3);
        ++seen;
    });
    CHECK(seen == 2 && counts.memory() > 0);
}

// What `progress` throws ends the training.
void stops() {
    bool stopped = false;
    try {
        learn_merges(words_of_text({{"abc", 1}}), {9, 1, Ties::lowest}, [](std::size_t) { throw std::runtime_error("enough"); });
    } catch (const std::runtime_error&) {
        stopped = true;
    }
    CHECK(stopped);
}

// A megabyte of one letter, and one of two in turn: each merge halves it.
void one_long_word() {
    for (Ties const ties : {Ties::lowest, Ties::first}) {
        std::string const same(1 << 20, 'a');
        auto const found = learn_merges(words_of_text({{same, 1}}), {1000, 1, ties}, nothing);
        CHECK(found.size() == 20 && found[0] == (Merge{'a', 'a'}) && found[19] == (Merge{256 + 18, 256 + 18}));
        std::string turns;
        for (int time = 0; time < 1 << 19; ++time) turns += "ab";
        CHECK(learn_merges(words_of_text({{turns, 1}}), {1000, 1, ties}, nothing).size() == 20);
    }
}

// Twice as many words take no more than some four times as long: nothing is quadratic. Words without repetition, all pairs of one count.
void grows_with_its_input() {
    auto const seconds = [](std::size_t size, Ties ties) {
        std::mt19937_64 random(5);
        std::string word;
        while (word.size() < size) word += static_cast<char>('a' + random() % 26);
        auto const start = std::chrono::steady_clock::now();
        learn_merges(words_of_text({{word, 1}}), {size / 4, 1, ties}, nothing);
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    };
    for (Ties const ties : {Ties::lowest, Ties::first}) {
        double const small = seconds(1 << 14, ties), large = seconds(1 << 18, ties);
        CHECK(large < 16 * 8 * small + 0.5);
    }
}

// Pieces that all had one hash before it had a seed, and took minutes.
void pieces_made_to_collide() {
    constexpr std::uint64_t factor = 0xD6E8FEB86659FD93ull, top = std::uint64_t{1} << 63, both = top | std::uint64_t{1} << 31;
    auto const start = std::chrono::steady_clock::now();
    PretokenCounts counts;
    for (std::uint64_t number = 0; number < 1 << 15; ++number) {
        std::uint64_t const low = 0x1234567812345678 ^ (number | std::uint64_t{15} << 60) * factor;
        Byte piece[16];
        std::memcpy(piece, &low, 8);
        std::memcpy(piece + 8, &number, 8);
        counts.add({piece, 15}, 16, 0);
        std::string chain;
        for (int bit = 0; bit < 15; ++bit)
            for (std::uint64_t const difference : {top, both}) {
                std::uint64_t const word = 0x4141414141414141 ^ (number >> bit & 1 ? difference : 0);
                chain.append(reinterpret_cast<const char*>(&word), 8);
            }
        counts.add(view(chain), chain.size(), 0);
    }
    CHECK(counts.size() == 1 << 16);
    CHECK(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() < 20);
}

void safe_splits() {
    std::string const text = "the answer: 42 \xC3\xA9, \xE4\xB8\xAD\xE3\x80\x82 x\xFFy's",
                      marked = "the| answer|: 42| \xC3\xA9|, \xE4\xB8\xAD|\xE3\x80\x82 x\xFFy's";
    std::string cut;
    for (std::size_t place = 0; place <= text.size(); ++place) {
        if (is_safe_split(view(text), place)) cut += '|';
        if (place < text.size()) cut += text[place];
    }
    CHECK(cut == marked);
}

}  // namespace

int main(int count, char** arguments) {
    example();
    limits();
    stops();
    one_long_word();
    grows_with_its_input();
    pieces_made_to_collide();
    safe_splits();
    repeat(count, arguments, 6000, [](Choices& choices) { try_training(choices); });
    repeat(count, arguments, 3000, [](Choices& choices) { try_counting(choices); });
    return 0;
}
