// Safe splits of known texts. That units add up to the count of a text is tested with random pipelines (test_pipeline.cpp).
#include "bpe/pipeline/safe_splits.hpp"

#include <algorithm>
#include <iterator>
#include <random>
#include <thread>

#include "bpe/models/merges.hpp"
#include "bpe/pipeline/sentence_piece_text.hpp"
#include "bpe/pipeline/steps.hpp"
#include "bpe/pipeline/touching.hpp"
#include "bpe/regex/boundaries.hpp"
#include "bpe/utf8.hpp"
#include "check.hpp"

using namespace bpe;
using namespace bpe::test;

namespace {

using Kind = NormalizationStep::Kind;

const char* const words = "[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}{1,3}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+";
const char* const marks_and_words = "\\p{P}|[^\\s\\p{P}]+";

Chain chain(const char* source, Behaviour behaviour = Behaviour::isolated) {
    return Chain({{std::make_shared<const ExpressionMatcher>(regex::Program::compile(source)), behaviour, nullptr}});
}

std::string with_splits(const SafeSplits& splits, const std::string& text, bool at_end = true) {
    SafeSplits::Search search(splits, view(text).data, 0, text.size(), at_end);
    std::string shown = text;
    std::size_t offsets[SafeSplits::Search::least_room], added = 0;
    for (std::size_t count; (count = search.next(offsets, std::size(offsets))) > 0;)
        for (std::size_t index = 0; index < count; ++index) shown.insert(offsets[index] + added++, "|");
    return shown;
}

std::string units(const Normalizer* normalizer, const Chain& chain, const std::string& text, bool at_end = true, const PieceModel* model = nullptr,
                  const std::vector<AddedToken>& inside = {}) {
    auto const splits = SafeSplits::make(normalizer, chain, model, inside);
    return splits ? with_splits(*splits, text, at_end) : "none";
}

void expressions() {
    Chain const pieces = chain(words);
    CHECK(units(nullptr, pieces, "the cat's hat, 12 x") == "the| cat|'s| hat|,| 12| x");
    // White space at the end of a text is one piece, before a word two.
    CHECK(units(nullptr, pieces, "a   b") == "a|   b");
    CHECK(units(nullptr, pieces, "a(b)\n  c") == "a|(b|)\n  c");
    CHECK(units(nullptr, pieces, "\xE3\x80\x80 a") == "\xE3\x80\x80 a");
    // One digit more makes another piece.
    CHECK(units(nullptr, pieces, "a1234b") == "a|1234|b");
    // Emoji are no white space, whatever else they are.
    CHECK(units(nullptr, pieces, "\xF0\x9F\x98\x80 a\xFF b") == "\xF0\x9F\x98\x80| a\xFF| b");
    // Nor if the expression does not tell them from white space: they match with "x".
    CHECK(units(nullptr, chain("[\\s\\x{1F600}]+x|."), "ab\xF0\x9F\x98\x80x") == "a|b\xF0\x9F\x98\x80x");
    // There may be no split but beside characters beyond ASCII.
    CHECK(units(nullptr, chain("[\\x{4E00}-\\x{9FFF}]"),
                "a\xE4\xB8\xAD"
                "b") == "a|\xE4\xB8\xAD|b");
    // Each behaviour ends pieces elsewhere.
    CHECK(units(nullptr, chain("\\s", Behaviour::without_match), "a b") == "a| b");
    CHECK(units(nullptr, chain("-", Behaviour::with_next), "a-b") == "a|-b");
    CHECK(units(nullptr, chain("-", Behaviour::with_previous), "a-b") == "a-|b");
    CHECK(units(nullptr, chain("-", Behaviour::contiguous), "a-b") == "none");
    CHECK(units(nullptr, Chain({{nullptr, Behaviour::isolated, scanner_named("cl100k"), regex::Program::compile(words)}}), "a b") == "a| b");
    CHECK(units(nullptr, Chain({{nullptr, Behaviour::isolated, scanner_named("cl100k"), nullptr}}), "a b") == "none");
    // "b" may stand inside of a match, but what it began is over at "d".
    CHECK(units(nullptr, chain("a.c|."), "abcabd") == "abc|ab|d");
    std::string longer;
    for (int times = 0; times < 100; ++times) longer += "some words ";
    std::string shown = units(nullptr, pieces, longer);
    CHECK(std::count(shown.begin(), shown.end(), '|') == 200);
}

// Lines that do not come apart before their ends do after them.
void lines() {
    Chain const words_of_lines = chain(" ", Behaviour::with_next);
    CHECK(units(nullptr, words_of_lines, "a\n b\nc d") == "a\n| b\nc| d");
    CHECK(units(nullptr, chain("\\s", Behaviour::with_next), "a\n b") == "a|\n b");
    NormalizationStep strip{.kind = Kind::strip};
    strip.right = true;
    CHECK(units(std::make_unique<StepNormalizer>(std::vector{strip}).get(), words_of_lines, "a\n b c") == "a\n b| c");
}

void facts() {
    using regex::Boundaries;
    auto const program = regex::Program::compile("[ab]+|c(?=d)|e");
    Boundaries const between(*program);
    auto const at = [&](char left, char right) {
        return between.between(program->classes().of_ascii(static_cast<Byte>(left)), program->classes().of_ascii(static_cast<Byte>(right)));
    };
    CHECK(at('a', 'e') == (Boundaries::uncrossed | Boundaries::ends | Boundaries::resumes | Boundaries::meets | Boundaries::begins));
    CHECK(at('a', 'b') == (Boundaries::resumes | Boundaries::meets));
    CHECK(at('c', 'd') == 0);  // "c" is a match before "d" alone
    CHECK(at('x', 'a') == (Boundaries::uncrossed | Boundaries::resumes | Boundaries::begins));
    CHECK(at('x', 'd') == (Boundaries::uncrossed | Boundaries::resumes));
    CHECK(Boundaries(*regex::Program::compile("(?<=a)b")).between(0, 0) == 0);
    CHECK(Boundaries(*regex::Program::compile("a*")).between(0, 0) == 0);
}

void normalizers() {
    // As for BERT: marks are left out, so what stands before them does not matter.
    StepNormalizer const plain({{.kind = Kind::decompose}, {.kind = Kind::strip_accents}, {.kind = Kind::lower}});
    Chain const pieces = chain(marks_and_words, Behaviour::without_gap);
    CHECK(units(&plain, pieces, "\xE0\xA4\x95\xE0\xA4\xBF \xE0\xA4\x95\xE0\xA5\x8D \xC3\x89t\xC3\xA9!") ==
          "\xE0\xA4\x95\xE0\xA4\xBF| \xE0\xA4\x95\xE0\xA5\x8D| \xC3\x89t\xC3\xA9|!");
    // Normalization forms never turn a mark into white space, so a split after it is safe. A normalizer that drops marks may leave white space before the
    // split.
    Chain const white = chain("\\s+|\\S+");
    StepNormalizer const forms({{.kind = Kind::decompose}, {.kind = Kind::lower}});
    CHECK(units(&forms, white, "\xE0\xA4\x95\xE0\xA5\x8D a") == "\xE0\xA4\x95\xE0\xA5\x8D| a");
    CHECK(units(&plain, white, "\xE0\xA4\x95\xE0\xA5\x8D a") == "\xE0\xA4\x95\xE0\xA5\x8D a");
    // "<" and a mark are one character, and the text may go on.
    StepNormalizer const composed({{.kind = Kind::compose}});
    CHECK(units(&composed, chain(words), "a<\xCC\xB8 b") == "a<\xCC\xB8| b");
    CHECK(units(&composed, chain(words), "a<b") == "a|<b");
    CHECK(units(&composed, chain(words), "a<", false) == "a<");
    CHECK(units(&composed, chain(words), "a<") == "a|<");
    // What is left out at the end of a text would be left out at the end of a unit: no unit but the last ends in white space.
    NormalizationStep strip{.kind = Kind::strip};
    strip.right = true;
    StepNormalizer const stripping({strip});
    CHECK(units(&stripping, chain(words), "a  b \n c ") == "a|  b| \n c| ");
    CHECK(units(&stripping, white, "a  b \n c ") == "a|  b| \n c| ");
    CHECK(units(&stripping, chain("\\S+ ?|\\s+"), "a  b c") == "a  b c");
    // All of a run becomes one space, and so does each character of it: the text may be split before it.
    NormalizationStep run{.kind = Kind::replace_matches, .content = U" ", .program = regex::Program::compile("\\s+")};
    run.least_run = 1;
    run.run_of = ' ';
    run.of_white_space = true;
    StepNormalizer const spacing({{.kind = Kind::compose}, run, {.kind = Kind::lower}});
    CHECK(units(&spacing, chain(words), "a\n\nb\tc d \n e\r\n\xE3\x80\x80") == "a|\n\nb|\tc| d| \n e|\r\n\xE3\x80\x80");
    // One character alone stays what it is.
    run.program = regex::Program::compile("\\s{2,}");
    run.least_run = 2;
    CHECK(units(std::make_unique<StepNormalizer>(std::vector{run}).get(), chain(words), "a\n\nb c") == "a\n\nb| c");
}

// Tokens that are looked for in normalized text: none is across a split.
void tokens_inside() {
    StepNormalizer const plain({{.kind = Kind::decompose}, {.kind = Kind::strip_accents}, {.kind = Kind::lower}});
    Chain const pieces = chain(marks_and_words, Behaviour::without_gap);
    auto const with = [&](std::vector<AddedToken> const& tokens) { return units(&plain, pieces, "the \xC3\x89 cat, Eat e-mail", true, nullptr, tokens); };
    AddedToken token{.text = "eat", .normalized = true};
    CHECK(with({token}) == "the| \xC3\x89| cat|,| Eat| e|-|mail");
    // Whatever the case, and with accents that are stripped.
    token.text = "e c";
    CHECK(with({token}) == "the \xC3\x89 cat|,| Eat| e|-|mail");
    // No word may go on beside it.
    token = {.text = "cat", .single_word = true, .normalized = true};
    CHECK(with({token}) == "the| \xC3\x89| cat|,| Eat| e|-|mail");
    token.text = ",";
    CHECK(with({token}) == "the| \xC3\x89| cat,| Eat| e|-|mail");
    token = {.text = "cat", .rstrip = true, .normalized = true};
    CHECK(with({token}) == "none");
}

std::shared_ptr<const MergeModel> model() {
    MergeModel::Options options;
    options.by_characters = true;
    options.unknown = MergeModel::Unknown::token;
    options.unknown_id = 0;
    options.byte_fallback.fill(-1);
    std::vector<std::string> const texts{"\xE2\x96\x81",
                                         "a",
                                         "b",
                                         ".",
                                         "ab",
                                         "\xE2\x96\x81"
                                         "a",
                                         "\xE4\xB8\xAD",
                                         "\xE6\x96\x87",
                                         "\xE4\xB8\xAD\xE6\x96\x87"};
    std::vector<MergeModel::Token> tokens;
    std::vector<std::uint32_t> ranks;
    for (std::string const& text : texts) {
        ranks.push_back(static_cast<std::uint32_t>(tokens.size()));
        tokens.push_back({view(text), static_cast<std::uint32_t>(tokens.size())});
    }
    return MergeModel::by_ranks(tokens, ranks, options);
}

// Of a model of bytes: no token holds the second and the third character side by side.
void seams() {
    MergeModel::Options options;
    options.unknown = MergeModel::Unknown::error;
    options.byte_fallback.fill(-1);
    std::vector<std::string> texts;
    for (int byte = 0; byte < 256; ++byte) texts.push_back(std::string(1, static_cast<char>(byte)));
    for (const char* text : {"\xE4\xB8", "\xE4\xB8\xAD", "\xE6\x96", "\xE6\x96\x87", "\xE4\xB8\xAD\xE6\x96\x87"}) texts.push_back(text);
    std::vector<MergeModel::Token> tokens;
    std::vector<std::uint32_t> ranks;
    for (std::string const& text : texts) {
        ranks.push_back(static_cast<std::uint32_t>(tokens.size()));
        tokens.push_back({view(text), static_cast<std::uint32_t>(tokens.size())});
    }
    Chain const pieces = chain(words);
    std::string const text = "\xE4\xB8\xAD\xE6\x96\x87\xE4\xB8\xAD\xE6\x96\x87";
    CHECK(units(nullptr, pieces, text, true, MergeModel::by_ranks(tokens, ranks, options).get()) == "\xE4\xB8\xAD\xE6\x96\x87|\xE4\xB8\xAD\xE6\x96\x87");
    CHECK(units(nullptr, pieces, text) == text);
    // Nor any two characters of ASCII; in words that is not asked.
    Chain const runs = chain("[ab .]+|\\p{Devanagari}[\\p{Devanagari} ]*");
    CHECK(units(nullptr, runs, "ab ab.", true, MergeModel::by_ranks(tokens, ranks, options).get()) == "ab| ab|.");
    CHECK(units(nullptr, runs, "ab ab.") == "ab ab.");
    // Something is a token only where it is a whole piece: no part must be taken for that.
    options.ignore_merges = true;
    ranks[texts.size() - 1] = 0xFFFFFFFF;
    CHECK(units(nullptr, pieces, text, true, MergeModel::by_ranks(tokens, ranks, options).get()) == text);
}

void touching() {
    Chain const pieces({{std::make_shared<const TouchMatcher>(model()), Behaviour::isolated, nullptr}});
    SentencePieceNormalizer const plain({.add_dummy_prefix = true, .remove_extra_whitespaces = false});
    CHECK(units(&plain, pieces, "ab ab. \xE4\xB8\xAD\xE6\x96\x87\xE4\xB8\xAD") == "ab| ab|.| \xE4\xB8\xAD\xE6\x96\x87|\xE4\xB8\xAD");
    SentencePieceNormalizer const with_symbols({.user_defined = {"b.",
                                                                 "\xE4\xB8\xAD"
                                                                 "a"},
                                                .add_dummy_prefix = true,
                                                .remove_extra_whitespaces = false});
    CHECK(units(&with_symbols, pieces, "ab. ab a.") == "ab.| ab| a|.");
    CHECK(units(&with_symbols, pieces,
                "\xE6\x96\x87\xE4\xB8\xAD"
                "a") ==
          "\xE6\x96\x87\xE4\xB8\xAD"
          "a");
}

// If no stage looks at more than two characters, a split depends on the two around it alone, in a text of any length.
void pairs() {
    std::vector<std::string> const characters{
        "a", "b", ".", " ", "\n", "\xC3\xA9", "\xE4\xB8\xAD", "\xE6\x96\x87", "\xE4\xBA\xBA", "\xE0\xA4\x95", "\xF0\x9F\x98\x80", "\xFF", "\xE4\xB8"};
    Chain const touching({{std::make_shared<const TouchMatcher>(model()), Behaviour::isolated, nullptr}});
    Chain const expression = chain(words);
    std::mt19937 random(1);
    for (Chain const* const pieces : {&touching, &expression}) {
        auto const splits = SafeSplits::make(nullptr, *pieces);
        for (int round = 0; round < 300; ++round) {
            std::string text, shown;
            std::string const* before = nullptr;
            // Mostly the same few characters: long runs of three bytes, or of one.
            std::size_t const first = random() % characters.size(), kinds = 1 + random() % 4;
            for (std::size_t size = random() % 300; size > 0; --size) {
                std::string const& next = characters[(first + random() % kinds) % characters.size()];
                // A byte that begins a character is another character together with the bytes after it.
                if (before && *before == "\xE4\xB8") continue;
                if (before && with_splits(*splits, *before + next).find('|') != std::string::npos) shown += '|';
                text += next;
                shown += next;
                before = &next;
            }
            CHECK(with_splits(*splits, text) == shown);
        }
    }
}

// Classes of characters are made when a text has them, in any order and by several threads at once: what is split stays the same.
void classes_made_late() {
    StepNormalizer const plain({{.kind = Kind::decompose}, {.kind = Kind::strip_accents}, {.kind = Kind::lower}});
    Chain const pieces = chain(words);
    std::vector<std::string> texts;
    for (char32_t block = 0x80; block < 0x10000; block += 0x300) {
        if (block >= 0xD800 && block < 0xE000) continue;
        std::string text = "a";
        for (char32_t code = block; code < block + 8; ++code) put_utf8(text, code), text += code % 3 ? " x" : "-";
        texts.push_back(text);
    }
    auto const splits = SafeSplits::make(&plain, pieces);
    std::vector<std::string> shown(texts.size());
    std::vector<std::thread> threads;
    for (std::size_t first = 0; first < 4; ++first)
        threads.emplace_back([&, first] {
            for (std::size_t index = first; index < texts.size(); index += 4) shown[index] = with_splits(*splits, texts[index]);
        });
    for (std::thread& thread : threads) thread.join();
    for (std::size_t index = 0; index < texts.size(); ++index) {
        CHECK(shown[index] == units(&plain, pieces, texts[index]));
        CHECK(with_splits(*splits, texts[index]) == shown[index]);
    }
}

}  // namespace

int main() {
    classes_made_late();
    pairs();
    lines();
    facts();
    expressions();
    normalizers();
    tokens_inside();
    touching();
    seams();
    return 0;
}
