// Lines by the index of words and rare characters are those that trying every word and mark finds.
#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "check.hpp"
#include "chunker/code_lines.hpp"

using chunker::CodeLines;

int main() {
    std::vector<std::pair<std::string, CodeLines::Languages>> const words{{"if ", 1}, {"if (", 2}, {"import ", 4}, {"\xE4\xB8\xAD", 8}, {"i", 16}};
    std::vector<std::pair<std::string, CodeLines::Languages>> const marks{{"::", 32}, {"let ", 64}, {"\xE4\xB8\xAD", 128}};
    CodeLines const lines(words, marks);
    std::vector<std::string> const parts{"if", " ", "(", "import ", "\xE4\xB8\xAD", ":", "let ", "e", "\n", "\n", "\t", "x"};
    std::mt19937 random(7);
    constexpr std::size_t longest = 9;
    for (current_round = 0; current_round < 20'000; ++current_round) {
        std::string text;
        for (unsigned size = random() % 40; size > 0; --size) text += parts[random() % parts.size()];
        std::vector<CodeLines::Line> const found = lines.find(text, longest);
        std::size_t next = 0;
        for (std::size_t start = 0; start <= text.size();) {
            std::size_t const end = std::min(text.find('\n', start), text.size());
            std::string const line = text.substr(start, end - start);
            std::size_t const first = std::min(line.find_first_not_of(" \t"), line.size());
            std::size_t longest_word = 0, characters = 0;
            CodeLines::Languages languages = 0;
            for (auto const& [word, of_word] : words)
                if (word.size() > longest_word && line.compare(first, word.size(), word) == 0) longest_word = word.size(), languages = of_word;
            for (auto const& [mark, of_mark] : marks)
                if (line.find(mark) != std::string::npos) languages |= of_mark;
            for (char const byte : line) characters += (static_cast<unsigned char>(byte) & 0xC0) != 0x80;
            if (languages != 0 && characters <= longest) {
                CHECK(next < found.size() && found[next].text == line && found[next].languages == languages);
                ++next;
            }
            start = end + 1;
        }
        CHECK(next == found.size());
    }
}
