// The mask algebra, the walking rule and the indexed rule find the same pre-tokens, in every grammar.
#include "bpe/scanner.hpp"

#include "bpe/run_index.hpp"
#include "check.hpp"

using namespace bpe;
using namespace bpe::test;

namespace {

using Ends = std::vector<std::size_t>;

void same(const Scanner& scanner, const std::string& text) {
    Bytes const bytes = view(text);
    Ends walked, scanned, indexed, mirrored;
    for (std::size_t place = 0; place < bytes.size;) {
        place = scanner.pretoken_end(bytes.data, place, bytes.size);
        walked.push_back(place);
    }
    for_each_pretoken(scanner, bytes.data, 0, bytes.size, [&](std::size_t, std::size_t end) { scanned.push_back(end); });
    RunIndex right(RunIndex::Side::right, 0), left(RunIndex::Side::left, 0);
    right.extend(bytes);
    left.extend(bytes);
    for (std::size_t place = 0; place < bytes.size;) {
        place = scanner.indexed_end(IndexedText(right, bytes.data, bytes.size), bytes.data, place);
        indexed.push_back(place);
    }
    for (std::size_t place = 0; place < bytes.size;) {
        place = scanner.indexed_end(IndexedText(left, bytes.data, bytes.size, bytes.size), bytes.data, place);
        mirrored.push_back(place);
    }
    if (walked != scanned || walked != indexed || walked != mirrored) {
        std::fprintf(stderr, "%.*s:", static_cast<int>(scanner.name.size()), scanner.name.data());
        for (unsigned char byte : text) std::fprintf(stderr, " %02x", byte);
        for (auto const* ends : {&walked, &scanned, &indexed, &mirrored}) {
            std::fprintf(stderr, "\n ");
            for (std::size_t end : *ends) std::fprintf(stderr, " %zu", end);
        }
        std::fprintf(stderr, "\n");
        CHECK(false);
    }
}

// A cut-off index is the index of the cut-off text.
void same_after_truncation(const std::string& text, std::mt19937_64& random) {
    for (auto const side : {RunIndex::Side::right, RunIndex::Side::left}) {
        RunIndex index(side, 0), fresh(side, 0);
        std::string const more = random_text(random, 6);
        index.extend(view(text));
        index.extend(view(more));
        index.truncate(text.size());
        fresh.extend(view(text));
        for (int kind = 0; kind < RunIndex::kinds; ++kind)
            CHECK(index.toggles(RunIndex::Kind(kind)) == fresh.toggles(RunIndex::Kind(kind)));
    }
}

}  // namespace

int main(int count, char** arguments) {
    std::mt19937_64 random(count > 1 ? std::strtoull(arguments[1], nullptr, 10) : 1);
    long const rounds = count > 2 ? std::strtol(arguments[2], nullptr, 10) : 20000;
    const char* const names[] = {"r50k", "cl100k", "o200k", "llama3", "qwen2", "qwen35", "tekken"};
    for (long round = 0; round < rounds; ++round) {
        std::string const text = random_text(random, round % 3 == 0 ? 60 : 14);
        for (const char* name : names) same(*scanner_named(name), text);
        if (round % 16 == 0) same_after_truncation(text, random);
    }
    CHECK(scanner_named("nothing") == nullptr);
    return 0;
}
