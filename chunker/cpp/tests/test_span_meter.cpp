#include "chunker/span_meter.hpp"

#include <cstdio>
#include <random>
#include <string>
#include <vector>

#include "chunker/utf8.hpp"

int main() {
    std::mt19937 random(5);
    std::string const pieces[] = {"a", "\n", "\r", "\r\n", "\xC3\xA9", "\xE7\x8C\xAB", "\xF0\x9F\x98\x80", "a line of words"};
    for (int round = 0; round < 4000; ++round) {
        std::string text;
        for (unsigned count = 1 + random() % 30; count > 0; --count) text += pieces[random() % 8];
        auto const* const data = reinterpret_cast<const unsigned char*>(text.data());
        std::vector<std::size_t> places, breaks;  // of each character, and of the end
        std::size_t lines = 0;
        for (std::size_t byte = 0; byte < text.size(); ++byte) {
            if (!chunker::continues(data[byte])) {
                places.push_back(byte);
                breaks.push_back(lines);
            }
            lines += text[byte] == '\n' || (text[byte] == '\r' && (byte + 1 == text.size() || text[byte + 1] != '\n'));
        }
        places.push_back(text.size());
        breaks.push_back(lines);
        chunker::SpanMeter meter(data, text.size());
        for (int question = 0; question < 6; ++question) {
            std::size_t const start = random() % (places.size() - 1), end = start + 1 + random() % (places.size() - start - 1);
            auto const span = meter.span(start, end);
            std::size_t const last = breaks[end] - (breaks[end] > breaks[end - 1]);
            if (span.start.byte == places[start] && span.end.byte == places[end] && span.start.breaks == breaks[start] && span.last_line == last) continue;
            std::fprintf(stderr, "round %d: %zu to %zu\n", round, start, end);
            return 1;
        }
    }
    return 0;
}
