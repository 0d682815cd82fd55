// The mask algebra, the walking rule and the indexed rule find the same pre-tokens, in every grammar.
#include "bpe/run_index.hpp"
#include "check.hpp"
#include "try_scanner.hpp"

using namespace bpe;
using namespace bpe::test;

namespace {

// A cut-off index is the index of the cut-off text.
void same_after_truncation(const std::string& text, std::mt19937_64& random) {
    for (auto const side : {RunIndex::Side::right, RunIndex::Side::left}) {
        RunIndex index(side, 0), fresh(side, 0);
        std::string const more = random_text(random, 6);
        index.extend(view(text));
        index.extend(view(more));
        index.truncate(text.size());
        fresh.extend(view(text));
        for (int kind = 0; kind < RunIndex::kinds; ++kind) CHECK(index.toggles(RunIndex::Kind(kind)) == fresh.toggles(RunIndex::Kind(kind)));
    }
}

// Long runs of letters without case, with what makes a difference beside them.
std::string wide_text(std::mt19937_64& random) {
    static const char* const wide[] = {"\xe4\xb8\xad", "\xe3\x81\xb2", "\xed\x95\x9c", "\xf0\xa0\x80\x80"};
    static const char* const others[] = {"\xe3\x80\x82",
                                         "\xef\xbc\x8c",
                                         "\xe3\x80\x80",
                                         "A",
                                         "AB",
                                         "a",
                                         "\xc3\xa9",
                                         "\xc3\x89",
                                         "\xcc\x81",
                                         "\xe3\x82\x99",
                                         "'s",
                                         "'",
                                         " ",
                                         "  ",
                                         "\n",
                                         "1",
                                         "12345",
                                         "!",
                                         "/",
                                         "\xe4\xb8",
                                         "\x88",
                                         "\xca\xb0",
                                         "\xf0\x9f\x98\x80"};
    std::string text;
    std::size_t const spacing = 1 + random() % 24;
    for (std::size_t count = random() % 120; count > 0; --count)
        text += random() % spacing == 0 ? others[random() % std::size(others)] : wide[random() % std::size(wide)];
    return text;
}

}  // namespace

int main(int count, char** arguments) {
    std::mt19937_64 random(count > 1 ? std::strtoull(arguments[1], nullptr, 10) : 1);
    long const rounds = count > 2 ? std::strtol(arguments[2], nullptr, 10) : 20000;
    for (long round = 0; round < rounds; ++round) {
        std::string const text = round % 4 == 3 ? wide_text(random) : random_text(random, round % 3 == 0 ? 60 : 14);
        for (const char* name : grammar_names) try_scanner(*scanner_named(name), text);
        if (round % 16 == 0) same_after_truncation(text, random);
    }
    CHECK(scanner_named("nothing") == nullptr);
    return 0;
}
