// Pipelines of all kinds: growing texts and slices have the counts of fresh ones. That these are those of the publishers is tested from Python.
#include <string>
#include <vector>

#include "bpe/models/merges.hpp"
#include "bpe/models/word_piece.hpp"
#include "bpe/pipeline/growing.hpp"
#include "bpe/pipeline/slices.hpp"
#include "bpe/pipeline/steps.hpp"
#include "bpe/pipeline/touching.hpp"
#include "bpe/steps.hpp"
#include "bpe/thresholds.hpp"
#include "try_pipeline.hpp"

using namespace bpe;
using namespace bpe::test;

#ifdef BPE_SMALL_THRESHOLDS

namespace {

using Kind = NormalizationStep::Kind;

std::shared_ptr<const MergeModel> merges(bool by_characters, const std::vector<std::string>& joined) {
    MergeModel::Options options;
    options.by_characters = by_characters;
    options.unknown = MergeModel::Unknown::token;
    options.unknown_id = 7;
    options.byte_fallback.fill(-1);
    std::vector<std::string> texts;
    for (int byte = 0; byte < (by_characters ? 128 : 256); ++byte) texts.push_back(std::string(1, static_cast<char>(byte)));
    if (by_characters) texts.push_back("\xE2\x96\x81");
    texts.insert(texts.end(), joined.begin(), joined.end());
    std::vector<MergeModel::Token> tokens;
    std::vector<std::uint32_t> ranks;
    for (std::string const& text : texts) {
        tokens.push_back({view(text), static_cast<std::uint32_t>(1000 + tokens.size())});
        ranks.push_back(static_cast<std::uint32_t>(ranks.size()));
    }
    return MergeModel::by_ranks(tokens, ranks, options);
}

Stage stage(const char* source, Behaviour behaviour) {
    return {std::make_shared<const ExpressionMatcher>(regex::Program::compile(source)), behaviour, nullptr};
}

std::shared_ptr<const Pipeline> pipeline(std::vector<NormalizationStep> steps, std::vector<Stage> stages, std::shared_ptr<const PieceModel> model) {
    std::shared_ptr<const Normalizer> normalizer = steps.empty() ? nullptr : std::make_shared<const StepNormalizer>(std::move(steps));
    return std::make_shared<const Pipeline>(std::vector<AddedToken>{}, std::move(normalizer), Chain(std::move(stages)), PieceCoder(std::move(model), {}, {}));
}

std::vector<std::shared_ptr<const Pipeline>> families() {
    std::vector<std::string> const joined{"aa", "aaaa", "aaaaaaaa", "  ", "    ", "!!", "!!!!", "ab", "ba"};
    std::vector<std::string> const spaces{"aa",
                                          "aaaa",
                                          "\xE2\x96\x81\xE2\x96\x81",
                                          "\xE2\x96\x81\xE2\x96\x81\xE2\x96\x81\xE2\x96\x81",
                                          "!!",
                                          "!!!!",
                                          "\xE2\x96\x81"
                                          "a"};
    std::vector<Stage> const words{stage("\\p{L}+| ?[^\\s\\p{L}]+|\\s+(?!\\S)|\\s+", Behaviour::isolated)};
    NormalizationStep before{.kind = Kind::prepend}, replaced{.kind = Kind::replace};
    before.content = replaced.content = U"\u2581";
    replaced.pattern = U" ";
    auto const characters = merges(true, spaces);
    static const std::string unknown = "[UNK]", a = "a", more = "##a";
    auto const word_piece = std::make_shared<const WordPieceModel>(std::vector<Bytes>{view(unknown), view(a), view(more)}, std::vector<std::uint32_t>{0, 1, 2},
                                                                   WordPieceOptions{view("##"), 0, 100});
    return {
        pipeline({}, words, merges(false, joined)),
        pipeline({}, {{nullptr, Behaviour::isolated, scanner_named("o200k")}}, merges(false, joined)),
        pipeline({{.kind = Kind::compose}}, {{nullptr, Behaviour::isolated, scanner_named("qwen2")}}, merges(false, joined)),
        pipeline({before, replaced}, {{std::make_shared<const TouchMatcher>(characters), Behaviour::isolated, nullptr}}, characters),
        pipeline({{.kind = Kind::lower}}, {stage("\\s", Behaviour::without_match), stage("\\p{P}", Behaviour::isolated)}, word_piece),
        pipeline({{.kind = Kind::decompose}, {.kind = Kind::strip_accents}, {.kind = Kind::lower}},
                 {stage("\\s", Behaviour::without_match), stage("\\p{P}", Behaviour::isolated)}, word_piece),
    };
}

// As T5: of many spaces one "▁" is left; line breaks become spaces before.
std::shared_ptr<const Pipeline> one_of_many_spaces() {
    NormalizationStep breaks{.kind = Kind::replace_members};
    breaks.members = U"\t\t\n\n\r\r";
    breaks.content = U" ";
    NormalizationStep step{.kind = Kind::replace_matches};
    step.content = U"\u2581";
    step.program = regex::Program::compile(" {2,}");
    step.least_run = 2;
    step.run_of = ' ';
    return pipeline({breaks, step}, {stage("\u2581", Behaviour::with_next)},
                    merges(true, {"aa",
                                  "\xE2\x96\x81"
                                  "a"}));
}

std::shared_ptr<const MergeModel> merges_with_a_suffix() {
    std::vector<std::string> const written{"a", "b", " ", "!", "a$", "b$", " $", "!$", "ab", "aa", "aaaa", "ab$", "<unk>"};
    std::vector<MergeModel::Token> tokens;
    for (std::string const& token : written) tokens.push_back({view(token), static_cast<std::uint32_t>(tokens.size())});
    MergeModel::Options options;
    options.by_characters = true;
    options.end_suffix = "$";
    options.unknown = MergeModel::Unknown::token;
    options.unknown_id = 12;
    options.byte_fallback.fill(-1);
    return std::make_shared<const MergeModel>(tokens, std::vector<MergeModel::Merge>{{0, 1}, {0, 0}, {9, 9}, {0, 5}}, options);
}

// What reads an open end in steps of its own.
std::vector<std::shared_ptr<const Pipeline>> steps_in_steps() {
    std::vector<std::string> const joined{"aa", "aaaa", "  ", "!!", "!!!!", "ab", "ba", "\xE2\x96\x81\xE2\x96\x81"};
    auto const bytes = merges(false, joined), characters = merges(true, joined);
    std::string const space = "\xE2\x96\x81";
    auto const with = [](std::vector<AddedToken> added, std::vector<NormalizationStep> steps, std::vector<Stage> stages, PieceCoder coder, bool looks_inside) {
        std::shared_ptr<const Normalizer> normalizer = steps.empty() ? nullptr : std::make_shared<const StepNormalizer>(std::move(steps));
        return std::make_shared<const Pipeline>(std::move(added), std::move(normalizer), Chain(std::move(stages)), std::move(coder), looks_inside);
    };
    AddedToken mask{"<mask>", 5000, false}, word{"the word", 5001, false};
    mask.lstrip = true;
    word.normalized = true;
    NormalizationStep const stripped{.kind = Kind::strip, .left = true, .right = true};
    NormalizationStep white{.kind = Kind::replace_matches};
    white.content = U" ";
    white.program = regex::Program::compile("\\s+");
    white.least_run = 1;
    white.run_of = ' ';
    white.of_white_space = true;
    std::vector<Stage> const falcon{stage("\\p{P}", Behaviour::contiguous),
                                    {nullptr, Behaviour::isolated, scanner_named("gpt2")},
                                    stage("\\d", Behaviour::contiguous),
                                    stage("\\d\\d\\d", Behaviour::isolated),
                                    stage("x", Behaviour::with_next)};
    return {
        pipeline({}, {stage("\\p{L}+|\\s+|[^\\s\\p{L}]+", Behaviour::isolated)}, merges_with_a_suffix()),
        with({}, {}, {stage("\\s+", Behaviour::with_next)},
             PieceCoder(characters, {{space, Insertion::Where::always, space}}, {Chain({stage("\xE2\x96\x81", Behaviour::with_next)})}), false),
        with({}, {}, {stage("\\s{2,}", Behaviour::isolated)},
             PieceCoder(bytes, {{space, Insertion::Where::always, space}}, {Chain({stage("\xE2\x96\x81", Behaviour::with_next)})}), false),
        with({}, {}, falcon, PieceCoder(bytes, {}, {}), false),
        with({mask}, {}, {{nullptr, Behaviour::isolated, scanner_named("gpt2")}}, PieceCoder(bytes, {}, {}), false),
        with({word}, {{.kind = Kind::lower}}, {stage("\\s", Behaviour::without_match)}, PieceCoder(characters, {}, {}), true),
        with({}, {stripped}, {}, PieceCoder(characters, {}, {}), false),
        with({}, {white}, {stage("[^\\s]+", Behaviour::without_gap)}, PieceCoder(characters, {}, {}), false),
    };
}

// Makes what a normalizer makes when a text grows for the first time, which is no step of that text.
void prepare(const Pipeline& pipeline) {
    if (Normalizer const* const normalizer = pipeline.normalizer()) (void)normalizer->settling_run('a', Side::right, true);
}

// The steps of appends of a few bytes each, with a mark in between that the text returns to, and of the ids after each.
std::uint64_t steps_of(const std::shared_ptr<const Pipeline>& pipeline, const std::string& text, bool with_marks = true, bool with_ids = true) {
    PipelineAppendingEncoder growing(pipeline);
    GrownIds<PipelineAppendingEncoder> ids;
    std::string const other = "\xC3\xA9 x";
    prepare(*pipeline);
    steps = 0;
    for (std::size_t place = 0; place + 3 <= text.size(); place += 3) {
        growing.append(view(text).part(place, place + 3));
        if (with_ids) ids.update(growing);
        if (!with_marks || place % 30 != 0) continue;
        auto const mark = growing.state();
        growing.append(view(other));
        growing.return_to(mark);
        ids.return_to(mark);
    }
    std::uint64_t const taken = steps;
    std::vector<std::uint32_t> fresh;
    pipeline->encode(growing.text(), fresh);
    ids.update(growing);
    CHECK(growing.count() == fresh.size() && ids.from(0) == fresh);
    return taken;
}

// The same of prepends.
std::uint64_t steps_to_the_left(const std::shared_ptr<const Pipeline>& pipeline, const std::string& text, bool with_marks = true) {
    PipelinePrependingEncoder growing(pipeline);
    std::string const other = "x \xC3\xA9";
    prepare(*pipeline);
    steps = 0;
    for (std::size_t place = text.size(); place >= 3; place -= 3) {
        growing.prepend(view(text).part(place - 3, place));
        if (!with_marks || place % 30 != 0) continue;
        auto const mark = growing.state();
        growing.prepend(view(other));
        growing.return_to(mark);
    }
    std::uint64_t const taken = steps;
    CHECK(growing.count() == pipeline->count(growing.text()));
    return taken;
}

// The steps of the prices of all beginnings.
std::uint64_t steps_of_prices(const std::shared_ptr<const Pipeline>& pipeline, const std::string& text) {
    PipelineIntervalEncoder const prices(pipeline, view(text));
    steps = 0;
    for (std::size_t end = 1; end <= text.size(); ++end) (void)prices.count(0, end);
    return steps;
}

// Twice the text takes twice the steps, whatever the text.
void hostile() {
    auto const is_linear = [](const std::shared_ptr<const Pipeline>& pipeline, const std::string& before, const std::string& unit) {
        std::string text = before, more;
        while (text.size() < 1500) text += unit;
        while (more.size() < 1500) more += unit;
        CHECK(steps_of(pipeline, text + more) <= 3 * steps_of(pipeline, text));
        CHECK(steps_to_the_left(pipeline, text + more) <= 3 * steps_to_the_left(pipeline, text));
        CHECK(steps_of_prices(pipeline, text + more) <= 3 * steps_of_prices(pipeline, text));
    };
    auto const all = families();
    for (auto const& pipeline : all)
        for (std::string const unit : {"a", " ", "!", "ab", "\xE4\xB8\xAD", "\n "}) is_linear(pipeline, "", unit);
    for (auto const& pipeline : steps_in_steps()) {
        for (std::string const unit : {"a", " ", "!", "ab", "1", "\xE4\xB8\xAD", "\n ", "\r\n", "ab\n\n", "a\n"}) {
            std::string some;
            while (some.size() < 1500) some += unit;
            CHECK(steps_of(pipeline, some + some, false) <= 3 * steps_of(pipeline, some, false));
            CHECK(steps_to_the_left(pipeline, some + some, false) <= 3 * steps_to_the_left(pipeline, some, false));
        }
    }
    // White space that is stripped, or of which one space is made, in parts of three bytes that cut its characters.
    NormalizationStep const left{.kind = Kind::strip, .left = true}, right{.kind = Kind::strip, .right = true};
    std::vector<std::shared_ptr<const Pipeline>> of_spaces = steps_in_steps();
    of_spaces.erase(of_spaces.begin(), of_spaces.end() - 2);
    of_spaces.push_back(pipeline({left}, {}, merges(true, {"aa"})));
    of_spaces.push_back(pipeline({right}, {stage("\\s+", Behaviour::without_match)}, merges(true, {"aa"})));
    for (auto const& pipeline : of_spaces) {
        for (std::string const end : {"", "a", "\xC3\xA9"}) {
            for (std::string const unit : {"\xE3\x80\x80 ", "\xC2\xA0\xC2\x85"}) {
                std::string some;
                while (some.size() < 1500) some += unit;
                CHECK(steps_of(pipeline, end + some + some, false) <= 3 * steps_of(pipeline, end + some, false));
                CHECK(steps_to_the_left(pipeline, some + some + end, false) <= 3 * steps_to_the_left(pipeline, some + end, false));
            }
        }
    }
    for (std::string const unit : {" ", "\n"}) {
        std::string some;
        while (some.size() < 1500) some += unit;
        std::string const twice = some + some;
        CHECK(steps_of(one_of_many_spaces(), twice, false) <= 3 * steps_of(one_of_many_spaces(), some, false));
        CHECK(steps_to_the_left(one_of_many_spaces(), twice, false) <= 3 * steps_to_the_left(one_of_many_spaces(), some, false));
    }
    // Lines of spaces alone are one match up to the last line break, and what comes after that is another, for a while.
    auto const by_lines = pipeline({}, {stage("\\s*[\r\n]+|\\s+(?!\\S)|\\s+|\\S+", Behaviour::isolated)}, merges(true, {"aa"}));
    for (std::size_t const width : {10, 50, 150, 300}) {
        std::string const unit = std::string(width, ' ') + "\n";
        std::string some;
        while (some.size() < 3000) some += unit;
        CHECK(steps_of(by_lines, some + some, false) <= 3 * steps_of(by_lines, some, false));
        CHECK(steps_to_the_left(by_lines, some + some, false) <= 3 * steps_to_the_left(by_lines, some, false));
    }
    // Nothing of these stands in a table of the normalizer; each run of spaces is where a piece ends.
    for (std::string const unit : {"\xF0\x9F\x98\x80  ", "\xF0\x9F\x98\x80 \n\n   ", "\xCC\x81  ", "\xE1\x84\x92\xE1\x85\xA1  "}) {
        std::string some;
        while (some.size() < 1500) some += unit;
        CHECK(steps_of(one_of_many_spaces(), some + some, false) <= 3 * steps_of(one_of_many_spaces(), some, false));
        CHECK(steps_to_the_left(one_of_many_spaces(), some + some, false) <= 3 * steps_to_the_left(one_of_many_spaces(), some, false));
    }
    // One grapheme cluster as long as the text.
    NormalizationStep clusters{.kind = Kind::charsmap};
    clusters.charsmap = std::make_shared<const Charsmap>();
    auto const by_clusters = pipeline({clusters}, {stage("\xE2\x96\x81", Behaviour::with_next)}, merges(true, {"aa", "\xCC\x81\xCC\x81"}));
    for (std::string const unit : {"\xCC\x81", "\xCC\xA3\xCC\x81", "\xF0\x9F\x91\xA8\xE2\x80\x8D", "\xE1\x84\x92"}) {
        std::string some;
        while (some.size() < 1500) some += unit;
        CHECK(steps_of(by_clusters, "a" + some + some, false) <= 3 * steps_of(by_clusters, "a" + some, false));
        CHECK(steps_to_the_left(by_clusters, some + some, false) <= 3 * steps_to_the_left(by_clusters, some, false));
    }
    // Two characters that a table joins may have stripped marks between them.
    auto const stripping = pipeline({{.kind = Kind::decompose, .compatible = true}, {.kind = Kind::strip_accents}, clusters},
                                    {stage("\xE2\x96\x81", Behaviour::with_next)}, merges(true, {"aa"}));
    for (std::string const unit : {"\xCC\x81", "\xCD\x84\xCC\xA3", "\xCD\x8F\xCC\x81"}) {
        std::string some;
        while (some.size() < 1500) some += unit;
        CHECK(steps_of(stripping, "a" + some + some, false) <= 3 * steps_of(stripping, "a" + some, false));
        CHECK(steps_to_the_left(stripping, some + some + "a", false) <= 3 * steps_to_the_left(stripping, some + "a", false));
    }
    // A text that is too long for a few tokens is not read.
    for (std::size_t number = 0; number < 3; ++number) {
        std::string const text(4000, 'a');
        steps = 0;
        CHECK(!all[number]->count_up_to(view(text), 3));
        CHECK(steps == 0);
        CHECK(all[number]->count_up_to(view(text), text.size()) == all[number]->count(view(text)));
    }
    // If spaces are left out, the length of a text says nothing of its tokens: reading stops when the limit is passed.
    std::string many_words;
    while (many_words.size() < 100'000) many_words += "aa b ";
    auto const leaving_out = pipeline({}, {stage("\\s+", Behaviour::without_match)}, merges(true, {"aa"}));
    steps = 0;
    CHECK(!leaving_out->count_up_to(view(many_words), 3));
    CHECK(steps < many_words.size() / 20);
    // Marks that stay are put in order: their ids are read anew each time. Of one class and of several in turn: a mark goes before those of higher classes.
    for (std::string const unit : {"\xE1\xAA\xB0", "\xE1\xAA\xB5\xE1\xAA\xB0", "\xE1\xAA\xB0\xE1\xAA\xB5\xE1\xAA\xB0"}) {
        std::string some;
        while (some.size() < 1500) some += unit;
        CHECK(steps_of(all[2], "abc" + some + some, false, false) <= 3 * steps_of(all[2], "abc" + some, false, false));
        CHECK(steps_to_the_left(all[2], some + some, false) <= 3 * steps_to_the_left(all[2], some, false));
    }
    // Without a pre-tokenizer pieces end where no token goes on.
    auto const characters = merges(true, {"aa", "\xCC\x81\xCC\x81"});
    auto const touching = pipeline({{.kind = Kind::compose}}, {{std::make_shared<const TouchMatcher>(characters), Behaviour::isolated, nullptr}}, characters);
    for (std::string const unit : {"\xCC\x81", "\xCC\xA3\xCC\x81", "\xCD\x84"}) {
        std::string some;
        while (some.size() < 1500) some += unit;
        CHECK(steps_of(touching, "abc" + some + some, false, false) <= 3 * steps_of(touching, "abc" + some, false, false));
    }
    // Parts of three bytes cut these. The last one is two marks of one class; under CLIP's steps the last of a piece has a suffix.
    std::vector<Stage> const clip{stage("\\p{L}+|[^\\s\\p{L}]+", Behaviour::without_gap), {nullptr, Behaviour::isolated, scanner_named("gpt2")}};
    auto const with_suffix = pipeline({{.kind = Kind::compose}, {.kind = Kind::lower}}, clip, merges_with_a_suffix());
    for (auto const& pipeline : {all[2], with_suffix}) {
        for (std::string const unit : {"\xCC\x81", "\xCC\xA3\xCC\x81", "\xE1\xAA\xB0", "\xCD\x84"}) {
            std::string some;
            while (some.size() < 1500) some += unit;
            CHECK(steps_of(pipeline, some + some, false, false) <= 3 * steps_of(pipeline, some, false, false));
            CHECK(steps_to_the_left(pipeline, some + some, false) <= 3 * steps_to_the_left(pipeline, some, false));
        }
    }
    // Of marks that are dropped nothing is left.
    for (std::string const before : {"", "a", "\xC3\xA9"})
        for (std::string const unit : {"\xCD\x82", "\xCC\x81\xCC\xA3"}) is_linear(all.back(), before, unit);
    // Nor of characters that are cleaned away.
    auto const cleaning = pipeline({{.kind = Kind::replace_members, .members = U"\x01\x08"}, {.kind = Kind::decompose}, {.kind = Kind::strip_accents}},
                                   {stage("\\s+", Behaviour::without_match)}, merges(true, {"aa"}));
    for (std::string const before : {"", "a", "\xC3\xA9"})
        for (std::string const unit : {"\x01", "\x02\xCC\x81", "a\x01\x01"}) is_linear(cleaning, before, unit);
}

}  // namespace

#else
void hostile() {}
#endif

int main(int count, char** arguments) {
    repeat(count, arguments, thresholds::long_tail > 100 ? 400 : 800, try_pipeline);
    hostile();
    return 0;
}
