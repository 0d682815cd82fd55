#include "try_scanner.hpp"

#include <vector>

#include "bpe/dictionary.hpp"
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
    // Units with seams wherever there may be one: the dictionary has no token of two characters.
    static const std::shared_ptr<const Dictionary> bytes_alone = [] {
        std::string const all = "\xE3";
        return Dictionary::from_tokens({view(all)});
    }();
    Ends united;
    for (std::size_t place = 0, next = 0; place < bytes.size;) {
        Step const step = scanner.units(bytes.data, place, bytes.size, *bytes_alone);
        CHECK(step.consumed() > 0 && (step.ends == 0 || (step.consumed() <= 64 && step.ends >> (step.consumed() - 1) == 1)));
        std::uint64_t const ends = step.ends;
        for (std::size_t end = place + 1; end <= place + step.consumed(); ++end) {
            bool const is_end = ends == 0 ? end == place + step.consumed() : (ends >> (end - place - 1) & 1) != 0;
            bool const is_pretoken = next < walked.size() && walked[next] == end, is_seam = end - place <= 64 && (step.seams() >> (end - place - 1) & 1) != 0;
            if (is_pretoken && is_end) ++next;
            if (is_end) united.push_back(end);
            // No end is left out, and what is more stands before a character beyond U+3000.
            CHECK(is_end || !is_pretoken);
            CHECK(is_seam == (is_end && !is_pretoken));
            CHECK(is_pretoken || !is_end || (bytes[end] >= Seams::first_lead && (bytes[end - 1] & 0xC0) == 0x80));
        }
        place += step.consumed();
    }
    CHECK(united.empty() ? bytes.size == 0 : united.back() == bytes.size);

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
