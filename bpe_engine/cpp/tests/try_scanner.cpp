#include "try_scanner.hpp"

#include <vector>

#include "bpe/run_index.hpp"
#include "check.hpp"

namespace bpe::test {

void try_scanner(const Scanner& scanner, const std::string& text) {
    using Ends = std::vector<std::size_t>;
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

}  // namespace bpe::test
