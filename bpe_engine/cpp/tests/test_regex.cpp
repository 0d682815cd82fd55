// Regular expressions: known matches, all ways to find them, and linear work on what is hostile.
#include "bpe/regex/sweep.hpp"

#include <cstdio>

#include "try_regex.hpp"

using namespace bpe;
using namespace bpe::regex;
using namespace bpe::test;

namespace {

std::string cut(const std::string& pattern, const std::string& text, Flavour flavour = Flavour::regex) {
    Options options;
    options.flavour = flavour;
    auto const program = Program::compile(pattern, options);
    Cache cache(*program);
    Sweep sweep(*program, cache, view(text).data, 0, 0, text.size(), true);
    std::string shown;
    for (Match found = sweep.next(); found.start != no_match; found = sweep.next()) shown += "<" + text.substr(found.start, found.end - found.start) + ">";
    return shown;
}

void known() {
    CHECK(cut("a|ab", "abab") == "<a><a>");
    CHECK(cut("(?:a|ab)(?:c|bcd)", "abcd") == "<abcd>");
    CHECK(cut("a*", "baa") == "<><aa><>");
    CHECK(cut("\\s+(?!\\S)|\\s+|\\S+", "a   b  ") == "<a><  >< ><b><  >");
    CHECK(cut("(?>a|ab)c", "abc ac") == "<ac>");
    CHECK(cut("(?>ab|a)c", "abc ac") == "<abc><ac>");
    CHECK(cut("(?:(?!aab)\\w)+", "xaaab") == "<xa><ab>");
    CHECK(cut("x++x|x", "xxx") == "<x><x><x>");
    CHECK(cut("[^a]",
              "\xff"
              "a\xe4\xb8") == "<\xff><\xe4><\xb8>");
    CHECK(cut("\\p{L}|.", "\xff") == "<\xff>");
    CHECK(cut("(?i:k|s)+",
              "kK\xe2\x84\xaa"
              "S\xc5\xbf") ==
          "<kK\xe2\x84\xaa"
          "S\xc5\xbf>");
    CHECK(cut("a$", "a\n") == "<a>");
    CHECK(cut("a$", "a\n", Flavour::fancy).empty());
    CHECK(cut("[\\w--[a-c]&&\\p{Ll}]+", "abxyB", Flavour::fancy) == "<xy>");
}

// Work in characters for each byte of the text: the same at every size.
void growth() {
    struct Hostile {
        const char *pattern, *unit, *last;
    };
    for (Hostile const hostile : {Hostile{"(?:a|aa)+$", "a", "b"},
                                  {"a.*b", "a", ""},
                                  {"a(?:.*b)?", "a", ""},
                                  {"(?:a*)*b", "a", ""},
                                  {"\\s+$", " ", "x"},
                                  {"\\s+$|a", " a", "x"},
                                  {"a{1,20}b|a", "a", ""},
                                  {"(?:.*c|a)", "a", ""},
                                  {".*?x|a", "a", ""},
                                  {"a(?:b*c)?", "ab", ""},
                                  {"\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+", " ", "x"}})
        for (std::size_t const most_states : {std::size_t{5000}, std::size_t{0}}) {
            std::size_t steps[2];
            for (int doubled : {0, 1}) {
                std::string text;
                for (int count = 0; count < 20000 << doubled; ++count) text += hostile.unit;
                text += hostile.last;
                Options options;
                options.most_states = most_states;
                options.flavour = Flavour::fancy;  // with a `$` that asks one thing alone
                auto const program = Program::compile(hostile.pattern, options);
                Cache cache(*program);
                Sweep sweep(*program, cache, view(text).data, 0, 0, text.size(), true);
                while (sweep.next().start != no_match) continue;
                steps[doubled] = sweep.steps();
                if (steps[doubled] > 20 * text.size() + 20000)
                    std::fprintf(stderr, "%s: %zu steps for %zu bytes\n", hostile.pattern, steps[doubled], text.size());
                CHECK(steps[doubled] <= 20 * text.size() + 20000);
            }
            CHECK(steps[1] <= 3 * steps[0]);
        }
}

// Bounded work, or an error that says why.
void hostile_patterns() {
    for (const char* pattern :
         {"((((a{9}){9}){9}){9}){9}", "((((((a{99}){99}){99}){99}){99}){99})", "(?:(?:(?:(?:a*)*)*)*)*", "(?:){1000}{1000}{1000}", "(?:a|b)*a(?:a|b){30}",
          "(?:(?=a)(?=.b)(?=..c)(?=...d)){5}", "(?=(?:a|b)*c(?:a|b){12}d)[abcd]*", "a??b??c??{90}", "(?:(?>a|ab|b)){40}c"}) {
        for (Flavour const flavour : {Flavour::regex, Flavour::fancy}) {
            Options options;
            options.flavour = flavour;
            try {
                auto const program = Program::compile(pattern, options);
                Cache cache(*program);
                std::string const text = "abcdaaaaaaaaaabbbbbbb";
                Match const found = program->find(view(text).data, 0, 0, text.size(), true, cache);
                CHECK(found.start == no_match || found.end <= text.size());
            } catch (const UnsupportedPattern& error) {
                CHECK(*error.what() != 0);
            } catch (const PatternSyntax& error) {
                CHECK(error.offset <= std::string(pattern).size());
            }
        }
    }
}

void any_pattern(Choices& choices) {
    std::mt19937_64 random(choices.below(1u << 30));
    std::string text = random_text(random, 8);
    if (choices.one_in(2)) {
        text.clear();
        for (std::size_t count = choices.below(14); count > 0; --count) text += "aaab1 \n'"[choices.below(8)];
    }
    try_regex(random_pattern(choices, 9), text, random_text(random, 3));
}

}  // namespace

int main(int count, char** arguments) {
    known();
    growth();
    hostile_patterns();
    repeat(count, arguments, 400, any_pattern);
    return 0;
}
