#include "try_training.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <vector>

#include "bpe/counting.hpp"
#include "bpe/training.hpp"
#include "vocabularies.hpp"

namespace bpe::test {

namespace {

struct CountedWord {
    std::vector<Symbol> symbols;
    std::uint64_t count;
};

// The merges by definition: before each, all pairs are counted anew.
std::vector<Merge> naive_merges(std::vector<CountedWord> words, Symbol symbols, const TrainingOptions& options) {
    std::vector<Merge> merges;
    while (merges.size() < options.merges) {
        std::map<Merge, std::pair<std::uint64_t, std::size_t>> found;  // count, and which of all pairs was seen first
        for (CountedWord const& word : words)
            for (std::size_t place = 0; word.count > 0 && place + 1 < word.symbols.size(); ++place)  // what never occurs is not seen first, either
                found.try_emplace({word.symbols[place], word.symbols[place + 1]}, 0, found.size()).first->second.first += word.count;
        auto best = found.end();
        for (auto pair = found.begin(); pair != found.end(); ++pair) {  // the lowest come first
            if (pair->second.first < std::max<std::uint64_t>(options.min_frequency, 1)) continue;
            bool const better = best == found.end() || pair->second.first > best->second.first ||
                                (options.ties == Ties::first && pair->second.first == best->second.first && pair->second.second < best->second.second);
            if (better) best = pair;
        }
        if (best == found.end()) break;
        auto const made = static_cast<Symbol>(symbols + merges.size());
        merges.push_back(best->first);
        for (CountedWord& word : words) {
            std::vector<Symbol> merged;
            for (std::size_t place = 0; place < word.symbols.size(); ++place) {
                bool const here = place + 1 < word.symbols.size() && Merge{word.symbols[place], word.symbols[place + 1]} == merges.back();
                merged.push_back(here ? made : word.symbols[place]);
                place += here;
            }
            word.symbols = std::move(merged);
        }
    }
    return merges;
}

std::map<std::string, std::pair<std::uint64_t, std::uint64_t>> contents(const PretokenCounts& counts) {
    std::map<std::string, std::pair<std::uint64_t, std::uint64_t>> all;
    counts.for_each([&](Bytes bytes, std::uint64_t count, std::uint64_t first) { CHECK(all.try_emplace(text_of(bytes), count, first).second); });
    CHECK(all.size() == counts.size());
    return all;
}

}  // namespace

void try_training(Choices& choices) {
    auto const symbols = static_cast<Symbol>(1 + choices.below(4));
    Words words(symbols);
    std::vector<CountedWord> all;
    for (std::size_t number = choices.below(10); number > 0 && choices.more(); --number) {
        CountedWord word;
        for (std::size_t size = choices.below(12); size > 0; --size)
            word.symbols.insert(word.symbols.end(), choices.one_in(8) ? 1 + choices.below(20) : 1, static_cast<Symbol>(choices.below(symbols)));
        constexpr std::array<std::uint64_t, 5> large{0, 0xFFFFFFFE, 0xFFFFFFFF, 0x100000000, 0x1000000000000};
        word.count = choices.one_in(6) ? choices.of(large) : 1 + choices.below(6);
        words.add(word.symbols.begin(), word.symbols.end(), word.count);
        all.push_back(std::move(word));
    }
    TrainingOptions const options{choices.below(40), choices.below(4), choices.below(2) ? Ties::first : Ties::lowest};
    std::size_t told = 0;
    CHECK(learn_merges(std::move(words), options, [&](std::size_t done) { told = done; }) == naive_merges(all, symbols, options));
    CHECK(told <= options.merges);
}

void try_counting(Choices& choices) {
    Vocabulary const& vocabulary = pooled_vocabulary(choices);
    const Scanner* const scanner = random_scanner(choices);
    std::vector<std::string> texts;
    for (std::size_t number = 1 + choices.below(3); number > 0; --number) texts.push_back(random_text(choices, vocabulary, 12));

    PretokenCounts expected;
    std::uint64_t place = 0;
    for (std::string const& text : texts) {
        auto const add = [&](std::size_t start, std::size_t end) { expected.add(view(text).part(start, end), text.size() - start, place + start); };
        if (scanner) for_each_pretoken(*scanner, view(text).data, 0, text.size(), add);
        else if (!text.empty()) add(0, text.size());
        place += text.size() + 1;
    }

    PretokenCounter whole(scanner, 1 + choices.below(3));
    std::vector<Bytes> views;
    for (std::string const& text : texts) views.push_back(view(text));
    whole.add(views);
    CHECK(whole.bytes() == place);
    CHECK(contents(whole.result()) == contents(expected));

    PretokenCounter blocks(scanner, 1 + choices.below(3));
    for (std::string const& text : texts) {
        std::string rest;
        for (std::size_t start = 0; start < text.size();) {
            std::size_t const size = std::min(text.size() - start, 1 + choices.below(9));
            rest.append(text, start, size);
            start += size;
            // A copy of its own, so that a sanitizer sees a read beyond the end.
            std::string const block = rest;
            std::size_t const done = blocks.add_open(view(block));
            CHECK(done <= block.size());
            rest.erase(0, done);
        }
        blocks.add({view(rest)});
    }
    if (contents(blocks.result()) != contents(expected)) fail("counted in blocks", vocabulary, scanner, texts.front());
}

}  // namespace bpe::test
