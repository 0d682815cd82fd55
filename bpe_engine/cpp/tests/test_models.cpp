// WordPiece, Unigram and WordLevel: growth against encoding anew, and how many steps hostile texts take. That the encodings are those of the
// libraries is tested from Python.
#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bpe/models/merges.hpp"
#include "bpe/models/unigram.hpp"
#include "bpe/models/word_level.hpp"
#include "bpe/models/word_piece.hpp"
#include "bpe/steps.hpp"
#include "bpe/unicode.hpp"
#include "choices.hpp"
#include "naive.hpp"

using namespace bpe;
using namespace bpe::test;

namespace {

const std::vector<std::string> letters{"a", "b", "ab", "\xC3\xBC", "\xE4\xB8\xAD", "\xF0\x9F\x98\x80", "\xCC\x81", "#", "##", "<unk>"};
// Parts of characters, and what is none.
const std::vector<std::string> fragments_of_characters{"\xE4", "\xB8", "\xF0\x9F", "\x80", "\xFF", "\xC0\xAF", "\xED\xA0\x80", "\xF0\x9F\x98", "x"};

std::string random_string(Choices& choices, std::size_t most) {
    std::string text;
    for (std::size_t size = choices.below(most + 1); size > 0; --size) text += choices.one_in(5) ? choices.of(fragments_of_characters) : choices.of(letters);
    return text;
}

struct Case {
    std::vector<std::string> tokens;
    std::vector<std::uint32_t> ids;
    std::vector<double> scores;
    std::optional<std::uint32_t> unknown;
    std::shared_ptr<PieceModel> model;
};

Case random_case(Choices& choices) {
    static const std::vector<double> scores{0, -1, -1, -2, -2.5, -0.1, -0.2, -0.3, -1e9, 40, 25};
    Case made;
    bool const is_plain = choices.one_in(2);
    for (std::size_t wanted = 1 + choices.below(20); wanted > 0; --wanted) {
        made.tokens.push_back(random_string(choices, 4));
        made.scores.push_back(is_plain ? -1.0 - static_cast<double>(choices.below(3)) : choices.of(scores));
    }
    std::vector<Bytes> views;
    for (std::string const& token : made.tokens) {
        made.ids.push_back(static_cast<std::uint32_t>(views.size() * 2 + 5));
        views.push_back(view(token));
    }
    if (!choices.one_in(4)) made.unknown = choices.one_in(2) ? 1 : choices.of(made.ids);
    std::size_t const kind = choices.below(6);
    if (kind == 0) {
        made.model = std::make_unique<WordLevelModel>(views, made.ids, made.unknown);
    } else if (kind == 1) {
        static const std::string prefix = "##", none;
        WordPieceOptions options{view(choices.one_in(2) ? prefix : none), made.unknown};
        if (choices.one_in(3)) options.most_characters = choices.below(6);
        made.model = std::make_unique<WordPieceModel>(views, made.ids, options);
    } else {
        UnigramOptions options;
        options.unknown = made.unknown;
        options.flavor = kind % 2 ? UnigramOptions::Flavor::sentencepiece : UnigramOptions::Flavor::tokenizers;
        if (options.flavor == UnigramOptions::Flavor::sentencepiece) {
            options.unknown = 1;
            if (choices.one_in(3)) options.user_defined.push_back(choices.of(made.ids));
        }
        if (choices.one_in(2))
            for (std::size_t byte = 0; byte < 256; ++byte)
                if (byte != 'x' || choices.one_in(2)) options.bytes[byte] = static_cast<std::uint32_t>(1000 + byte);
        made.model = std::make_unique<UnigramModel>(views, made.ids, made.scores, options);
    }
    return made;
}

std::optional<std::size_t> fresh_count(const PieceModel& model, const std::string& text) {
    std::vector<std::uint32_t> ids{7}, lengths{7};
    try {
        model.encode(view(text), ids, &lengths);
    } catch (const EncodingError& error) {
        CHECK(error.offset < text.size());
        try {
            model.count(view(text));
        } catch (const EncodingError&) {
            return std::nullopt;
        }
        CHECK(false);
    }
    CHECK(ids.size() == lengths.size() && ids[0] == 7 && lengths[0] == 7);
    std::size_t covered = 0;
    for (std::size_t index = 1; index < lengths.size(); ++index) covered += lengths[index];
    CHECK(covered == text.size() || ids.size() == 1);  // all of it may be dropped
    CHECK(model.count(view(text)) == ids.size() - 1);
    return ids.size() - 1;
}

// Merges whose tokens come after their halves, mostly: then pieces grow to both sides.
Case random_merges(Choices& choices) {
    Case made;
    MergeModel::Options options;
    options.by_characters = choices.one_in(2);
    options.ignore_merges = choices.one_in(4);
    options.byte_fallback.fill(-1);
    auto const add = [&](std::string text) {
        if (!text.empty() && std::find(made.tokens.begin(), made.tokens.end(), text) == made.tokens.end()) made.tokens.push_back(std::move(text));
    };
    if (options.by_characters) {
        options.unknown = choices.one_in(5) ? MergeModel::Unknown::error : choices.one_in(4) ? MergeModel::Unknown::drop : MergeModel::Unknown::token;
        options.unknown_id = 1;
        options.fuse_unknown = choices.one_in(2);
        if (choices.one_in(3))
            for (std::size_t byte = 0; byte < 256; ++byte)
                if (byte != 'x' || choices.one_in(2)) options.byte_fallback[byte] = static_cast<std::int64_t>(1000 + byte);
        for (std::string const& letter : letters)
            if (!choices.one_in(6) && letter != "##" && letter != "ab" && letter != "<unk>") add(letter);
        add("a");
    } else {
        for (int byte = 0; byte < 256; ++byte)
            if (byte != 'x' || !choices.one_in(5)) add(std::string(1, static_cast<char>(byte)));
    }
    std::size_t const single = made.tokens.size();
    for (std::size_t wanted = choices.below(40); wanted > 0; --wanted) {
        std::string joined = choices.one_in(3) ? choices.of(letters) : choices.of(made.tokens);
        joined += choices.one_in(3) ? choices.of(letters) : choices.of(made.tokens);
        add(joined);
    }
    std::vector<MergeModel::Token> tokens;
    std::vector<std::uint32_t> ranks;
    std::size_t const alike = choices.one_in(3) ? 1 + choices.below(20) : 1;  // neighbours of one rank
    for (std::string const& token : made.tokens) {
        ranks.push_back(ranks.size() < single ? 0xFFFFFFFF : static_cast<std::uint32_t>(choices.one_in(40) ? choices.below(50) : ranks.size() / alike));
        tokens.push_back({view(token), static_cast<std::uint32_t>(tokens.size() * 3 + 5)});
    }
    made.model = MergeModel::by_ranks(tokens, ranks, options);
    return made;
}

// Merges whose tokens say whether they begin or end a pre-token.
Case random_marked_merges(Choices& choices) {
    Case made;
    MergeModel::Options options;
    options.by_characters = choices.one_in(2);
    options.ignore_merges = choices.one_in(4);
    options.unknown = choices.one_in(4) ? MergeModel::Unknown::error : choices.one_in(3) ? MergeModel::Unknown::drop : MergeModel::Unknown::token;
    options.unknown_id = 1;
    options.fuse_unknown = choices.one_in(2);
    options.byte_fallback.fill(-1);
    if (choices.one_in(2)) options.continuing_prefix = choices.one_in(4) ? "a" : "##";
    if (options.continuing_prefix.empty() || choices.one_in(2)) options.end_suffix = choices.one_in(4) ? "b" : "</w>";
    auto const add = [&](const std::string& text) {
        auto const found = std::find(made.tokens.begin(), made.tokens.end(), text);
        if (found == made.tokens.end()) made.tokens.push_back(text);
        return static_cast<std::uint32_t>((found - made.tokens.begin()) * 3 + 5);
    };
    std::vector<std::string> units(letters.begin(), letters.begin() + 2);
    if (options.by_characters) units.insert(units.end(), {letters[3], letters[4], letters[5], "<", "\xFF"});
    else units.insert(units.end(), {"\xE4", "\xB8", "\xFF"});
    for (std::string const& unit : units)
        for (std::string const& prefix : {std::string(), options.continuing_prefix})
            for (std::string const& suffix : {std::string(), options.end_suffix})
                if (!choices.one_in(10)) (void)add(prefix + unit + suffix);
    (void)add("a");
    std::vector<MergeModel::Merge> merges;
    for (std::size_t wanted = choices.below(40); wanted > 0; --wanted) {
        std::string const left = choices.of(made.tokens), right = choices.of(made.tokens);
        if (!right.starts_with(options.continuing_prefix) || (left.ends_with(options.end_suffix) && !options.end_suffix.empty() && !choices.one_in(10)))
            continue;
        std::uint32_t const left_id = add(left), right_id = add(right);
        (void)add(left + right.substr(options.continuing_prefix.size()));
        merges.push_back({left_id, right_id});
    }
    std::vector<MergeModel::Token> tokens;
    for (std::string const& token : made.tokens) tokens.push_back({view(token), static_cast<std::uint32_t>(tokens.size() * 3 + 5)});
    made.model = std::make_shared<MergeModel>(tokens, merges, options);
    return made;
}

// The lowest pair first, the leftmost of equals, as the definition says: in rows of all lengths, with ranks that are equal or far apart, and pairs given twice.
void merging(Choices& choices) {
    std::vector<std::string> texts{"a", "b", "c"};
    std::vector<std::uint32_t> ranks(texts.size(), 0xFFFFFFFF);
    std::vector<MergeModel::Merge> merges;
    std::map<std::pair<std::string, std::string>, std::uint32_t> rank_of_pair;
    bool const by_ranks = choices.one_in(2);
    auto const apart = choices.of(std::vector<std::uint32_t>{1, 1 << 27, 100'000'003});
    for (std::size_t wanted = choices.below(30); wanted > 0; --wanted) {
        std::string const left = choices.of(texts), right = choices.of(texts), both = left + right;
        auto const number = [&](const std::string& text) { return static_cast<std::uint32_t>(std::find(texts.begin(), texts.end(), text) - texts.begin()); };
        if (both.size() > 12) continue;
        rank_of_pair[{left, right}] = static_cast<std::uint32_t>(merges.size());
        merges.push_back({number(left), number(right)});
        if (number(both) < texts.size()) continue;
        texts.push_back(both);
        ranks.push_back(static_cast<std::uint32_t>(choices.below(20)) * apart);
    }
    auto const rank_of = [&](const std::string& left, const std::string& right) -> std::uint32_t {
        if (by_ranks) {
            auto const found = std::find(texts.begin(), texts.end(), left + right);
            return found == texts.end() ? 0xFFFFFFFF : ranks[static_cast<std::size_t>(found - texts.begin())];
        }
        auto const found = rank_of_pair.find({left, right});
        return found == rank_of_pair.end() ? 0xFFFFFFFF : found->second;
    };
    std::vector<MergeModel::Token> tokens;
    for (std::string const& text : texts) tokens.push_back({view(text), static_cast<std::uint32_t>(tokens.size())});
    MergeModel::Options options;
    options.byte_fallback.fill(-1);
    std::shared_ptr<const MergeModel> const model =
        by_ranks ? MergeModel::by_ranks(tokens, ranks, options) : std::make_shared<MergeModel>(tokens, merges, options);
    std::string text;
    for (std::size_t size = choices.below(choices.one_in(3) ? 300 : 20); size > 0; --size) text += choices.of(std::vector<std::string>{"a", "a", "b", "c"});
    std::vector<std::string> expected;
    for (char const letter : text) expected.emplace_back(1, letter);
    for (;;) {
        std::uint32_t lowest = 0xFFFFFFFF;
        std::size_t place = 0;
        for (std::size_t index = 0; index + 1 < expected.size(); ++index) {
            std::uint32_t const rank = rank_of(expected[index], expected[index + 1]);
            if (rank < lowest) lowest = rank, place = index;
        }
        if (lowest == 0xFFFFFFFF) break;
        expected[place] += expected[place + 1];
        expected.erase(expected.begin() + static_cast<std::ptrdiff_t>(place) + 1);
    }
    std::vector<std::uint32_t> ids, lengths;
    model->encode(view(text), ids, &lengths);
    CHECK(ids.size() == expected.size() && model->count(view(text)) == expected.size());
    for (std::size_t index = 0; index < ids.size(); ++index) CHECK(texts[ids[index]] == expected[index] && lengths[index] == expected[index].size());
    // Every beginning and every end of it.
    for (Side const side : {Side::right, Side::left}) {
        std::unique_ptr<GrowingPiece> const piece = model->growing(side);
        CHECK(piece != nullptr);
        for (std::size_t size = 1; size <= text.size(); ++size) {
            Bytes const grown = side == Side::right ? view(text).part(0, size) : view(text).part(text.size() - size, text.size());
            piece->extend(side == Side::right ? grown.part(size - 1, size) : grown.part(0, 1));
            CHECK(piece->count() == model->count(grown));
        }
    }
}

// A program of growth and truncation: after each step the count is that of the text, or neither can be had.
void growth(Choices& choices) {
    Case const made = choices.one_in(2) ? random_merges(choices) : choices.one_in(2) ? random_marked_merges(choices) : random_case(choices);
    fresh_count(*made.model, random_string(choices, 60));
    Side const side = choices.one_in(2) ? Side::left : Side::right;
    std::unique_ptr<GrowingPiece> const piece = made.model->growing(side);
    if (!piece) return;
    // A text that repeats is counted by what is known of it, and encoded as any other.
    std::string unit = random_string(choices, 3), repeated;
    if (!unit.empty())
        for (std::size_t size = 64 + choices.below(200); repeated.size() < size;) repeated += unit;
    fresh_count(*made.model, repeated);
    fresh_count(*made.model, choices.of(letters) + repeated);
    fresh_count(*made.model, repeated.substr(0, choices.below(repeated.size() + 1)));
    std::string text;
    std::vector<std::uint32_t> client;                        // who reads what has changed
    std::vector<std::pair<std::size_t, std::size_t>> bounds;  // of sizes
    for (std::size_t step = 0; step < 25; ++step) {
        if (choices.one_in(4)) {
            std::size_t const size = choices.below(text.size() + 1);
            text = side == Side::left ? text.substr(text.size() - size) : text.substr(0, size);
            piece->truncate(text.size());
            while (!bounds.empty() && bounds.back().first > text.size()) bounds.pop_back();
        } else {
            std::size_t const from = choices.below(repeated.size() + 1);
            std::string const more = choices.one_in(3) ? repeated.substr(from, choices.below(80)) : choices.one_in(8) ? repeated : random_string(choices, 4);
            try {
                piece->extend(view(more));
                text = side == Side::left ? more + text : text + more;
            } catch (const EncodingError&) {
                CHECK(!fresh_count(*made.model, side == Side::left ? more + text : text + more));
            }
        }
        CHECK(piece->size() == text.size());
        bounds.emplace_back(text.size(), piece->fewest());
        std::optional<std::size_t> counted;
        try {
            counted = piece->count();
        } catch (const EncodingError&) {
        }
        CHECK(counted == fresh_count(*made.model, text));
        if (counted && side == Side::right && choices.one_in(2)) {
            if (choices.one_in(8)) piece->forget_read();
            std::vector<std::uint32_t> changed, ids;
            std::size_t const same = piece->read(changed);
            CHECK(same <= client.size());
            client.resize(same);
            client.insert(client.end(), changed.begin(), changed.end());
            made.model->encode(view(text), ids, nullptr);
            CHECK(client == ids);
        }
        if (counted)
            for (auto const& [size, least] : bounds) CHECK(least <= *counted);
    }
}

void characters(Choices& choices) {
    std::string const text = random_string(choices, 12);
    for (std::size_t place = 0; place < text.size();) {
        std::size_t const size = character_size(view(text).data + place, text.size() - place);
        CHECK(size == naive_character(text, place));
        place += size;
    }
}

#ifdef BPE_SMALL_THRESHOLDS

std::uint64_t steps_of(const PieceModel& model, const std::string& text, bool by_byte, bool with_bound) {
    steps = 0;
    if (by_byte) {
        auto const piece = model.growing(Side::right);
        for (std::size_t place = 0; place < text.size(); ++place) {
            piece->extend({view(text).data + place, 1});
            piece->count();
            if (with_bound) piece->fewest();
        }
    } else {
        model.count(view(text));
    }
    return steps;
}

std::uint64_t steps_to_the_left(const PieceModel& model, const std::string& text) {
    steps = 0;
    auto const piece = model.growing(Side::left);
    for (std::size_t place = text.size(); place-- > 0;) {
        piece->extend({view(text).data + place, 1});
        piece->count();
    }
    return steps;
}

// Twice the text takes at most twice the steps (and a little), whatever the text; the number of tokens that end at a place is what a byte costs.
void hostile() {
    std::vector<std::string> nested;  // a, aa, aaa ...
    for (std::size_t size = 1; size <= 60; ++size) nested.emplace_back(size, 'a');
    std::vector<std::string> deep{"a", "b", std::string(5000, 'a') + "b", std::string(3000, 'b')};
    std::vector<std::string> plain{"a",
                                   "b",
                                   "ab",
                                   "ba",
                                   "\xE2\x96\x81",
                                   "\xE2\x96\x81"
                                   "a"};
    for (auto const& [tokens, a_byte, a_byte_with_bound] : {std::tuple{nested, 70u, 140u}, {deep, 8u, 6000u}, {plain, 8u, 16u}}) {
        std::vector<Bytes> views;
        std::vector<std::uint32_t> ids;
        std::vector<double> scores;
        for (std::string const& token : tokens) {
            views.push_back(view(token));
            ids.push_back(static_cast<std::uint32_t>(ids.size()));
            scores.push_back(-1.0 - static_cast<double>(ids.size()));
        }
        for (bool const is_float : {false, true}) {
            UnigramOptions options;
            options.flavor = is_float ? UnigramOptions::Flavor::sentencepiece : UnigramOptions::Flavor::tokenizers;
            options.unknown = 1000;
            UnigramModel const model(views, ids, scores, options);
            for (std::string const& unit : {std::string("a"), std::string("ab"), std::string("aaaaaaab"), std::string("\xE2\x96\x81"),
                                            std::string("\xF0\x9F\x98\x80"), std::string("\xE4"), std::string(2999, 'b') + "a"}) {
                std::string text;
                while (text.size() < 8000) text += unit;
                CHECK(steps_of(model, text, false, false) <= a_byte * text.size());
                CHECK(steps_of(model, text, true, false) <= 4 * a_byte * text.size());
                CHECK(steps_of(model, text, true, true) <= 4 * a_byte_with_bound * text.size());
                // To the left, where no token reaches over most places, and all characters are known.
                if (bool const has_units = unit == "a" || unit == "aaaaaaab" || unit == "\xE2\x96\x81"; has_units && a_byte_with_bound == 16u)
                    CHECK(steps_to_the_left(model, text) <= 60 * text.size());
            }
        }
    }
}

// The same where the last character of a piece is written otherwise.
void hostile_marked() {
    std::vector<std::string> const written{"a", "b", "a$", "b$", "ab", "aa", "aaaa", "ab$", "aab$"};
    std::vector<MergeModel::Token> tokens;
    for (std::string const& token : written) tokens.push_back({view(token), static_cast<std::uint32_t>(tokens.size())});
    MergeModel::Options options;
    options.end_suffix = "$";
    options.byte_fallback.fill(-1);
    MergeModel const model(tokens, {{0, 1}, {0, 0}, {5, 5}, {0, 3}, {0, 7}}, options);
    CHECK(model.growing(Side::left) && model.growing(Side::right));
    for (std::string const& unit : {std::string("a"), std::string("ab"), std::string("aaaaaaab")}) {
        std::string text;
        while (text.size() < 8000) text += unit;
        CHECK(steps_of(model, text, true, true) <= 60 * text.size());
        CHECK(steps_to_the_left(model, text) <= 60 * text.size());
    }
}

// The same for models that drop unknown characters, or have a token for them, with and without `ignore_merges`.
void hostile_unknown() {
    std::vector<std::string> const written{"a", "b", "aa", "aaaa", "ab", "aab", "aXb"};
    std::vector<MergeModel::Token> tokens;
    for (std::string const& token : written) tokens.push_back({view(token), static_cast<std::uint32_t>(tokens.size())});
    for (MergeModel::Unknown const unknown : {MergeModel::Unknown::drop, MergeModel::Unknown::token}) {
        for (bool const ignore_merges : {false, true}) {
            MergeModel::Options options;
            options.by_characters = true;
            options.ignore_merges = ignore_merges;
            options.unknown = unknown;
            options.unknown_id = 1000;
            options.byte_fallback.fill(-1);
            MergeModel const model(tokens, {{0, 0}, {2, 2}, {0, 1}, {2, 1}}, options);
            for (std::string const& unit :
                 {std::string("a"), std::string("ab"), std::string("aaaaaaab"), std::string("aXb"), std::string("X"), std::string("\xE4")}) {
                std::string text;
                while (text.size() < 8000) text += unit;
                CHECK(steps_of(model, text, true, true) <= 60 * text.size());
                CHECK(steps_to_the_left(model, text) <= 60 * text.size());
            }
        }
    }
}

#else
void hostile() {}
void hostile_marked() {}
void hostile_unknown() {}
#endif

}  // namespace

int main(int count, char** arguments) {
    repeat(count, arguments, 2000, growth);
    repeat(count, arguments, 2000, merging);
    repeat(count, arguments, 500, characters);
    hostile();
    hostile_marked();
    hostile_unknown();
}
