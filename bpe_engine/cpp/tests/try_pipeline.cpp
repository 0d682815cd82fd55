#include "try_pipeline.hpp"

#include <memory>
#include <string>
#include <vector>

#include "bpe/models/merges.hpp"
#include "bpe/models/unigram.hpp"
#include "bpe/pipeline/growing.hpp"
#include "bpe/pipeline/slices.hpp"
#include "bpe/pipeline/steps.hpp"
#include "bpe/pipeline/touching.hpp"

namespace bpe::test {

namespace {

std::string some_text(Choices& choices, std::size_t most) {
    std::string text;
    for (std::size_t size = choices.below(most + 1); size > 0 && choices.more(); --size) {
        std::string const& fragment = choices.of(fragments());
        for (std::size_t times = choices.one_in(10) ? 1 + choices.below(20) : 1; times > 0; --times) text += fragment;
    }
    return text;
}

std::shared_ptr<const MergeModel> some_model(Choices& choices) {
    MergeModel::Options options;
    options.by_characters = choices.one_in(2);
    options.ignore_merges = choices.one_in(3);
    options.byte_fallback.fill(-1);
    std::vector<std::string> texts;
    auto const add = [&](std::string text) {
        if (!text.empty() && std::find(texts.begin(), texts.end(), text) == texts.end()) texts.push_back(std::move(text));
    };
    if (options.by_characters) {
        options.unknown = choices.one_in(3) ? MergeModel::Unknown::drop : MergeModel::Unknown::token;
        options.unknown_id = 7;
        options.fuse_unknown = choices.one_in(2);
        if (choices.one_in(2))
            for (std::size_t byte = 0; byte < 256; ++byte) options.byte_fallback[byte] = static_cast<std::int64_t>(1000 + byte);
        for (std::string const& fragment : fragments())
            if (!choices.one_in(5) && fragment.size() < 4) add(fragment);
        add("\xE2\x96\x81");
    } else {
        for (int byte = 0; byte < 256; ++byte) add(std::string(1, static_cast<char>(byte)));
    }
    for (std::size_t wanted = choices.below(40); wanted > 0; --wanted) {
        std::string joined = choices.of(texts);
        joined += choices.of(texts);
        add(joined);
    }
    std::vector<MergeModel::Token> tokens;
    std::vector<std::uint32_t> ranks;
    for (std::string const& text : texts) {
        tokens.push_back({view(text), static_cast<std::uint32_t>(tokens.size() * 3)});
        ranks.push_back(choices.one_in(12) ? 0xFFFFFFFF : static_cast<std::uint32_t>(choices.one_in(8) ? choices.below(50) : ranks.size()));
    }
    return MergeModel::by_ranks(tokens, ranks, options);
}

std::shared_ptr<const Normalizer> some_normalizer(Choices& choices) {
    using Kind = NormalizationStep::Kind;
    std::vector<NormalizationStep> steps;
    for (std::size_t wanted = choices.below(4); wanted > 0; --wanted) {
        NormalizationStep step{};
        switch (choices.below(13)) {
        case 0:
            step.kind = Kind::compose;
            step.compatible = choices.one_in(2);
            break;
        case 1:
            step.kind = Kind::decompose;
            step.compatible = choices.one_in(2);
            break;
        case 2: step.kind = Kind::lower; break;
        case 3: step.kind = Kind::strip_accents; break;
        case 4:
            step.kind = Kind::strip;
            step.left = choices.one_in(2);
            step.right = choices.one_in(2);
            break;
        case 5:
            step.kind = Kind::prepend;
            step.content = U"\u2581";
            break;
        case 6:
            step.kind = Kind::prepend_unless;
            step.content = choices.one_in(2) ? U" " : U"\u2581";
            step.first_only = choices.one_in(2);
            break;
        case 7:
            step.kind = Kind::replace;
            step.pattern = U" ";
            step.content = U"\u2581";
            break;
        case 8:
            // Some of what NMT makes spaces of, or deletes.
            step.kind = Kind::replace_members;
            step.members = choices.one_in(2) ? U"\t\n\u200b\u200f\u2581\u2581" : U"\u0001\u0008\u3000\u3000";
            step.content = choices.one_in(2) ? U" " : U"";
            break;
        case 9:
            step.kind = Kind::surround;
            step.members = choices.one_in(2) ? U"\u4e00\u9fff" : U"\u3000\u3000";
            step.content = U" ";
            break;
        case 10: {
            step.kind = Kind::replace_matches;
            step.least_run = 1 + choices.below(3);
            step.run_of = ' ';
            step.of_white_space = choices.one_in(2);
            step.program = regex::Program::compile((step.of_white_space ? "\\s{" : " {") + std::to_string(step.least_run) + ",}");
            step.content = choices.one_in(2) ? U" " : U"\u2581";
            break;
        }
        case 11:
            step.kind = Kind::strip;
            step.left = choices.one_in(2);
            step.right = choices.one_in(2);
            step.members = U"  \u3000\u3000";
            break;
        default:
            step.kind = Kind::replace;
            step.pattern = choices.one_in(2) ? U"aa" : U" a";
            step.content = choices.one_in(2) ? U"" : U"b ";
        }
        steps.push_back(std::move(step));
    }
    return steps.empty() ? nullptr : std::make_shared<const StepNormalizer>(std::move(steps));
}

Chain some_chain(Choices& choices, const std::shared_ptr<const MergeModel>& model) {
    static const std::vector<std::string> sources{
        "\\p{L}+|\\p{N}{1,3}| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+", "\\s", "\\p{N}", "'s|a+", " ?[a-z]+", "\xE2\x96\x81", "[^a]b|a(?=b)"};
    static const std::vector<std::string> scanners{"o200k", "cl100k", "r50k", "qwen2", "deepseek_v3"};
    static const std::vector<std::pair<std::string, std::shared_ptr<const regex::Program>>> expressions{
        {"cl100k",
         regex::Program::compile(
             "'(?i:[sdmt]|ll|ve|re)|[^\\r\\n\\p{L}\\p{N}]?+\\p{L}++|\\p{N}{1,3}+| ?[^\\s\\p{L}\\p{N}]++[\\r\\n]*+|\\s++$|\\s*[\\r\\n]|\\s+(?!\\S)|\\s")},
        {"qwen2", regex::Program::compile(
                      "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+")}};
    static std::vector<std::shared_ptr<const Matcher>> const matchers = [] {
        std::vector<std::shared_ptr<const Matcher>> made;
        for (std::string const& source : sources) made.push_back(std::make_shared<const ExpressionMatcher>(regex::Program::compile(source)));
        return made;
    }();
    std::vector<Stage> stages;
    for (std::size_t wanted = choices.below(4); wanted > 0; --wanted) {
        if (choices.one_in(5)) {
            auto const& [name, expression] = choices.of(expressions);
            stages.push_back({nullptr, Behaviour::isolated, scanner_named(name), expression});
        } else if (choices.one_in(5)) stages.push_back({nullptr, Behaviour::isolated, scanner_named(choices.of(scanners))});
        else stages.push_back({choices.of(matchers), static_cast<Behaviour>(choices.below(6)), nullptr});
    }
    if (choices.one_in(2)) stages.push_back({std::make_shared<const TouchMatcher>(model), Behaviour::isolated, nullptr});
    return Chain(std::move(stages));
}

std::shared_ptr<const Pipeline> some_pipeline(Choices& choices) {
    static const std::vector<std::string> texts{"ab", "<m>", " a", "'s", "\xE4\xB8\xAD", "  ", "abc"};
    auto const model = some_model(choices);
    auto normalizer = some_normalizer(choices);
    bool const looks_inside = normalizer && choices.one_in(3);
    std::vector<AddedToken> added;
    for (std::size_t wanted = choices.one_in(2) ? choices.below(4) : 0; wanted > 0; --wanted) {
        AddedToken token{choices.of(texts), static_cast<std::uint32_t>(5000 + wanted)};
        token.special = choices.one_in(3);
        token.lstrip = choices.one_in(4);
        token.rstrip = choices.one_in(4);
        token.single_word = choices.one_in(4);
        token.normalized = (!normalizer || looks_inside) && choices.one_in(2);
        added.push_back(std::move(token));
    }
    std::vector<Insertion> insertions;
    std::vector<Chain> chains;
    if (choices.one_in(4)) {
        insertions.push_back({"\xE2\x96\x81", static_cast<Insertion::Where>(choices.below(3)), choices.one_in(2) ? "\xE2\x96\x81" : ""});
        chains.push_back(choices.one_in(2) ? Chain({}) : some_chain(choices, model));
    }
    Chain chain = some_chain(choices, model);
    return std::make_shared<const Pipeline>(std::move(added), std::move(normalizer), std::move(chain),
                                            PieceCoder(model, std::move(insertions), std::move(chains)), looks_inside);
}

// Ways that are as good as each other, or nearly so, and sums that are rounded, or begin anew.
std::shared_ptr<const UnigramModel> some_unigram(Choices& choices) {
    static const std::vector<double> units{-1, -0.1, -8.5, -33.3001, -2500.125, -9000.3, -33'333.25};
    UnigramOptions options;
    options.unknown = 1;
    options.flavor = choices.one_in(2) ? UnigramOptions::Flavor::tokenizers : UnigramOptions::Flavor::sentencepiece;
    if (choices.one_in(3))
        for (std::size_t byte = 0; byte < 256; ++byte) options.bytes[byte] = static_cast<std::uint32_t>(1000 + byte);
    std::vector<std::string> texts{"<unk>"};
    std::vector<double> scores{-20};
    double const unit = choices.of(units);
    for (std::string const& fragment : fragments()) {
        if (fragment.empty() || fragment.size() > 6 || choices.one_in(4)) continue;
        texts.push_back(fragment);
        scores.push_back(unit * static_cast<double>(1 + choices.below(3)));
    }
    for (std::size_t wanted = choices.below(40); wanted > 0; --wanted) {
        std::size_t const left = choices.below(texts.size()), right = choices.below(texts.size());
        texts.push_back(texts[left] + texts[right]);
        scores.push_back(scores[left] + scores[right] + (choices.one_in(2) ? 0 : unit / static_cast<double>(std::uint64_t{1} << choices.below(24))));
    }
    std::vector<Bytes> tokens;
    std::vector<std::uint32_t> ids;
    for (std::string const& text : texts) {
        tokens.push_back(view(text));
        ids.push_back(static_cast<std::uint32_t>(tokens.size()));
    }
    return std::make_shared<const UnigramModel>(tokens, ids, scores, options);
}

// A whole text is one piece of the model.
std::shared_ptr<const Pipeline> some_unigram_pipeline(Choices& choices) {
    std::vector<AddedToken> added;
    if (choices.one_in(3)) added.push_back({"<m>", 5000});
    std::shared_ptr<const Normalizer> normalizer = choices.one_in(2) ? some_normalizer(choices) : nullptr;
    return std::make_shared<const Pipeline>(std::move(added), std::move(normalizer), Chain({}), PieceCoder(some_unigram(choices), {}, {}));
}

// The ids of a text that is one piece, from its first character to its last.
std::vector<std::uint32_t> read_as_one(const Pipeline& pipeline, Bytes text) {
    Normalized made;
    if (pipeline.normalizer() && text.size > 0) {
        pipeline.normalizer()->run(text.data, 0, text.size, true, true, true, 0, made);
        text = {made.text.data(), made.text.size()};
    }
    std::vector<std::uint32_t> ids;
    pipeline.coder().model().encode(text, ids, nullptr);
    return ids;
}

template <class Growing>
void try_growing(Choices& choices, const std::shared_ptr<const Pipeline>& pipeline, bool to_the_left) {
    Growing growing(pipeline);
    struct Mark {
        typename Growing::State state;
        std::string text;
    };
    std::vector<Mark> marks;
    std::string text;
    GrownIds<PipelineAppendingEncoder> ids;
    std::vector<std::uint32_t> client;  // who asks for changes alone
    for (std::size_t steps = 1 + choices.below(12); steps > 0 && choices.more(); --steps) {
        if (choices.one_in(4)) {
            marks.push_back({growing.state(), text});
        } else if (choices.one_in(4) && !marks.empty()) {
            marks.resize(choices.below(marks.size()) + 1);
            growing.return_to(marks.back().state);
            if constexpr (std::is_same_v<Growing, PipelineAppendingEncoder>) ids.return_to(marks.back().state);
            text = marks.back().text;
        } else {
            std::string const more = some_text(choices, 4);
            text = to_the_left ? more + text : text + more;
            if constexpr (std::is_same_v<Growing, PipelinePrependingEncoder>) growing.prepend(view(more));
            else growing.append(view(more));
        }
        CHECK(growing.text() == view(text));
        CHECK(growing.count() == pipeline->count(view(text)));
        CHECK(growing.fewest() <= growing.count());
        if constexpr (std::is_same_v<Growing, PipelineAppendingEncoder>) {
            if (choices.one_in(2)) {
                std::vector<std::uint32_t> fresh;
                pipeline->encode(view(text), fresh);
                ids.update(growing);
                client.resize(ids.changed_from());
                std::vector<std::uint32_t> const changed = ids.from(client.size());
                client.insert(client.end(), changed.begin(), changed.end());
                ids.told();
                CHECK(client == fresh);
                CHECK(ids.from(0) == fresh);
            }
        }
    }
}

}  // namespace

void try_pipeline(Choices& choices) {
    auto const pipeline = choices.one_in(4) ? some_unigram_pipeline(choices) : some_pipeline(choices);
    std::string const text = some_text(choices, 20);
    std::vector<std::uint32_t> ids, again, offsets;
    pipeline->encode(view(text), ids);
    std::size_t const count = pipeline->count(view(text));
    CHECK(ids.size() == count);
    pipeline->encode_with_offsets(view(text), again, offsets);
    CHECK(again == ids && offsets.size() == ids.size());
    if (pipeline->cuts_nothing()) CHECK(ids == read_as_one(*pipeline, view(text)));
    for (std::uint32_t const offset : offsets) CHECK(offset <= text.size());
    CHECK(pipeline->count_up_to(view(text), count) == count);
    if (count > 0) CHECK(pipeline->count_up_to(view(text), count - 1) == std::nullopt);
    PipelineIntervalEncoder const prices(pipeline, view(text));
    for (int slice = 0; slice < 12; ++slice) {
        std::size_t const start = choices.below(text.size() + 1), end = start + choices.below(text.size() - start + 1);
        CHECK(prices.count(start, end) == pipeline->count(view(text).part(start, end)));
        // Slices with the same end and other starts: the encoder remembers the end.
        for (int other = 0; other < 3; ++other) {
            std::size_t const first = choices.below(end + 1);
            CHECK(prices.count(first, end) == pipeline->count(view(text).part(first, end)));
        }
        std::string before = choices.one_in(2) ? some_text(choices, 4) : "";
        before.resize(before.size() - unfinished_end(view(before)));
        auto const agreement = prices.agreement(start, view(before));
        for (std::size_t at = agreement ? std::max(start, agreement->from) : text.size() + 1; at <= text.size(); ++at) {
            if (at < text.size() && UnicodeTable::continues(view(text)[at])) continue;
            std::size_t const together = pipeline->count(view(before + text.substr(start, at - start)));
            CHECK(static_cast<std::ptrdiff_t>(together) == static_cast<std::ptrdiff_t>(prices.count(0, at)) + agreement->shift);
        }
        std::size_t const tokens = choices.below(12), reached = prices.reach(start, tokens), first = prices.reach_back(end, tokens);
        CHECK(start <= reached && reached <= text.size() && first <= end);
    }
    try_growing<PipelineAppendingEncoder>(choices, pipeline, false);
    try_growing<PipelinePrependingEncoder>(choices, pipeline, true);
}

}  // namespace bpe::test
