// Blocks of Markdown: examples, odd inputs, and inputs that look for more work than they are long.
#include <chrono>
#include <random>
#include <vector>

#include "try_markdown.hpp"

namespace {

using chunker::markdown::Blocks;
using chunker::markdown::Sketch;

// "0 section; 6 list": what begins where. What is uncertain ends with "?".
std::string read(const std::string& text) {
    Sketch sketch(text);
    std::size_t const certain = Blocks(sketch).read(0);
    std::string found;
    for (std::size_t place = 0; place < sketch.columns().offsets.size(); ++place) {
        if (place) found += "; ";
        found += std::to_string(sketch.columns().offsets[place]) + " ";
        found += sketch.columns().labels[place];
    }
    return certain < text.size() ? found + "; " + std::to_string(certain) + " ?" : found;
}

void examples() {
    HOLDS(read("") == "0 document");
    HOLDS(read("# A\n\ntext\n\nmore\n") == "0 section; 11 paragraph");
    HOLDS(read("- a\n  - b\n\n  c\n- d\ntext\n\nmore") == "0 list; 4 list; 11 paragraph; 15 item; 25 paragraph");
    HOLDS(read("text\n- a\n2. b\n") == "0 paragraph; 5 ?");
    HOLDS(read("> a\nb\n> - c\n\nd") == "0 quote; 6 list; 13 paragraph");
    HOLDS(read("a\n```\n- b\n\n# c\n```\nd") == "0 paragraph; 2 code; 19 paragraph");
    HOLDS(read("a\n===\n<div>\nb\n\nc") == "0 section; 6 html; 15 paragraph");
    HOLDS(read("a\n\n|b|c|\n|-|-|\n|d|e|\n|f|g|\n\nh") == "0 paragraph; 3 table; 21 row; 28 paragraph");
    HOLDS(read("a\n\nb | c\n--|--\nd | e\n") == "0 paragraph; 3 ?");
    HOLDS(read("a\n\n[^1]: note\n") == "0 paragraph; 3 ?");
    HOLDS(read("a\n\n[b]: c\n[d]: e\n\nf") == "0 paragraph; 3 paragraph; 10 line; 18 paragraph");
    HOLDS(read("a\n\n-\tb\n") == "0 paragraph; 3 ?");
    HOLDS(chunker::parser_copy("\xC3\xA9?\r\na\rb\v\x01") == "\x02? \na\nb\x02\x02");
    HOLDS(chunker::markdown::cells("| a |  b \\| c |") == 2 && chunker::markdown::cells("|") == 1 && chunker::markdown::cells("a|b") == 2);
    HOLDS(chunker::markdown::cells("| a |\\") == 0 && chunker::markdown::cells("| a |\\\\") == 2 && chunker::markdown::cells("| a\\ ") == 1);
}

std::string random_text(std::mt19937& random) {
    static const std::vector<std::string> fragments = {"text\n",
                                                       "- a\n",
                                                       "* b\n",
                                                       "1. c\n",
                                                       "  - d\n",
                                                       "    e\n",
                                                       "> f\n",
                                                       "> - g\n",
                                                       "- - h\n",
                                                       "```\n",
                                                       "~~~ x\n",
                                                       "  ```\n",
                                                       "\n",
                                                       "\n",
                                                       "  \n",
                                                       "\ti\n",
                                                       "# J\n",
                                                       "===\n",
                                                       "---\n",
                                                       "***\n",
                                                       "[k](l) m\n",
                                                       "[n]: o\n",
                                                       "[^1]: p\n",
                                                       "| q | r |\n",
                                                       "|---|---|\n",
                                                       "|-\n",
                                                       "<div>\n",
                                                       "</div>\n",
                                                       "<!-- s\n",
                                                       "-->\n",
                                                       "<pre>\n",
                                                       "<b>\n",
                                                       "<a b='",
                                                       "$$\n",
                                                       "$$ t $$\n",
                                                       "\r\n",
                                                       "\r",
                                                       "\xC3\xA9",
                                                       "\xF0\x9F\x98\x80\n",
                                                       "\f",
                                                       std::string(1, '\0'),
                                                       "-\n",
                                                       ">",
                                                       "-     u\n",
                                                       "`",
                                                       "\\",
                                                       "|"};
    std::string text;
    for (unsigned count = random() % 24; count > 0; --count) {
        text += fragments[random() % fragments.size()];
        if (random() % 16 == 0 && !text.empty()) text.erase(random() % text.size(), 1);
    }
    return text;
}

// Seconds for reading `size` bytes of the same.
double seconds(const std::string& pattern, std::size_t size) {
    std::string text;
    while (text.size() < size) text += pattern;
    auto const start = std::chrono::steady_clock::now();
    chunker::test::try_markdown(text);
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Time grows as the text does. A quadratic step would take minutes for any of these, not a second.
void hostile() {
    for (const char* const pattern :
         {"[",        "[\n", ">",       "> a\n",     "- ",     "- a\n",      "|",        "|a|\n", "|a|\n|-|\n", "`",  "```\n",   "```a`\n", "<!--",
          "<!--\n\n", "<",   "<a b=\"", "<div>\n\n", "$$",     "$$\n\n",     "$$\na\n",  " ",     "\t",         "\n", " \n",     "-\n",     "1. ",
          "* * ",     "_ ",  "=\n",     "#",         "a\n=\n", "> - a\nb\n", "[a]: b\n", "\\",    "a",          "\r", "\xC3\xA9"}) {
        HOLDS(seconds(pattern, 1 << 20) < 20);
    }
    std::string deep;
    for (int depth = 0; depth < 30; ++depth) deep += "- ";
    chunker::test::try_markdown(deep + "a" + std::string(1 << 20, '\n') + "b");
}

}  // namespace

int main() {
    examples();
    std::mt19937 random(11);
    for (int round = 0; round < 10'000; ++round) chunker::test::try_markdown(random_text(random));
    hostile();
    return 0;
}
