// Appending and prepending encoders against a fresh count.
#include "bpe/steps.hpp"
#include "bpe/thresholds.hpp"
#include "try_growing.hpp"

using namespace bpe;
using namespace bpe::test;

namespace {

std::shared_ptr<const Encoder> encoder_of(const Vocabulary& vocabulary, const Scanner* scanner) {
    return std::make_shared<Encoder>(vocabulary.dictionary, scanner, std::vector<std::uint32_t>{});
}

const Vocabulary& letters() {
    static const Vocabulary made({"a", "b", " ", "\n", "aa", "aaaa", "aaaaaaaa", "ab", "  ", "    ", " a"});
    return made;
}

// One pre-token that is longer than any window, in every grammar: byte by byte, and back to each tenth of it.
template <class Core>
void long_runs() {
    for (const char* name : grammar_names) {
        const Scanner* const scanner = scanner_named(name);
        for (std::string const unit : {"a", " ", "\n", "ab", "a ", " \n"}) {
            Core growing(encoder_of(letters(), scanner));
            std::string text;
            std::vector<std::pair<typename Core::State, std::size_t>> marks;
            while (text.size() < 1500) {
                if (text.size() % 150 == 0) marks.emplace_back(growing.state(), growing.count());
                if constexpr (std::is_same_v<Core, PrependingEncoder>) growing.prepend(view(unit));
                else growing.append(view(unit));
                text += unit;
                if (text.size() % 50 == 0) CHECK(growing.count() == letters().count(scanner, text));
            }
            while (!marks.empty()) {
                growing.return_to(marks.back().first);
                CHECK(growing.count() == marks.back().second);
                marks.pop_back();
            }
            CHECK(growing.text().size == 0);
        }
    }
}

// Only so much of a text is read anew when it grows to the left. Where that ends inside a character, what is before it is not settled.
void window_inside_a_character() {
    Vocabulary const vocabulary({"a", "\n", "\xe4", "\xb8", "\xad", "\xe3", "\x80", "\xe4\xb8", "aa", "a\xe4\xb8", "\n\n", "\n\xe3"});
    for (const char* name : grammar_names) {
        const Scanner* const scanner = scanner_named(name);
        for (std::size_t size = 50; size < 80; ++size) {
            for (std::string const unit : {"a", "\n"}) {
                for (std::string const last : {"\xe4\xb8\xad", "\xe3\x80\x80"}) {
                    std::string text;
                    for (std::size_t time = 0; time < size; ++time) text += unit;
                    text += last;
                    PrependingEncoder growing(encoder_of(vocabulary, scanner));
                    growing.prepend(view(text));
                    growing.prepend(view(unit));
                    CHECK(growing.count() == vocabulary.count(scanner, unit + text));
                }
            }
        }
    }
}

// A long pre-token is not merged again each time that its first character is cut: four times the text is about four times the steps.
void halves_of_characters() {
#ifdef BPE_SMALL_THRESHOLDS
    Vocabulary const vocabulary({"\xe4", "\xb8", "\xad", "\xe4\xb8", "\xe4\xb8\xad"});
    for (const char* name : grammar_names) {
        const Scanner* const scanner = scanner_named(name);
        std::uint64_t taken[2];
        for (std::size_t size : {800, 3200}) {
            std::string text;
            while (text.size() < size) text += "\xe4\xb8\xad";
            PrependingEncoder growing(encoder_of(vocabulary, scanner));
            std::uint64_t const before = steps;
            for (std::size_t end = text.size(); end > 0;) {
                std::size_t const more = std::min<std::size_t>(end, 4);
                growing.prepend(view(text).part(end - more, end));
                end -= more;
            }
            taken[size > 800] = steps - before;
            CHECK(growing.count() == vocabulary.count(scanner, text));
        }
        CHECK(taken[1] < 6 * taken[0]);
    }
#endif
}

// Punctuation and marks are one pre-token, or a mark and the character before it are one and the rest is another: it depends on the characters to the left.
const Vocabulary& marks_and_punctuation() {
    static Vocabulary const vocabulary({"#", "-", "a", " ", "\xcc", "\x81", "\xcc\x81", "##", "####", "#\xcc", "\xcc\x81#", "--", "a-"});
    return vocabulary;
}

void pretokens_that_open_again() {
#ifdef BPE_SMALL_THRESHOLDS
    for (const char* name : grammar_names) {
        const Scanner* const scanner = scanner_named(name);
        for (std::string const& unit :
             std::vector<std::string>{"####\xcc\x81\xcc\x81\xcc\x81", "#\xcc\x81", "#######\xcc\x81", std::string(250, '#') + "\xcc\x81\xcc\x81",
                                      "\xcc\x81\xcc\x81\xcc\x81\xcc\x81-----------------------"}) {
            for (std::size_t const size : {1, 3, 7, 10}) {
                std::uint64_t taken[2];
                for (std::size_t const length : {1000, 4000}) {
                    std::string text;
                    while (text.size() < length) text += unit;
                    PrependingEncoder growing(encoder_of(marks_and_punctuation(), scanner));
                    std::uint64_t const before = steps;
                    for (std::size_t end = text.size(); end > 0;) {
                        std::size_t const more = std::min(end, size);
                        growing.prepend(view(text).part(end - more, end));
                        end -= more;
                    }
                    taken[length > 1000] = steps - before;
                    CHECK(growing.count() == marks_and_punctuation().count(scanner, text));
                }
                CHECK(taken[1] <= 6 * taken[0]);
            }
        }
    }
#endif
}

template <class Core>
void open_again_and_back(Choices& choices) {
    const Scanner* const scanner = scanner_named(choices.of(std::vector<const char*>(std::begin(grammar_names), std::end(grammar_names))));
    Core growing(encoder_of(marks_and_punctuation(), scanner));
    std::string text;
    std::vector<std::pair<typename Core::State, std::string>> marks{{growing.state(), text}};
    for (std::size_t steps = 1 + choices.below(60); steps > 0 && choices.more(); --steps) {
        if (choices.one_in(5)) {
            marks.resize(choices.below(marks.size()) + 1);
            growing.return_to(marks.back().first);
            text = marks.back().second;
        } else {
            std::string more, unit = choices.of(std::vector<std::string>{"#", "-", "##-", "\xcc\x81", "#\xcc\x81", "\xcc\x81-", "a", " "});
            for (std::size_t times = 1 + choices.below(choices.one_in(3) ? 60 : 4); times > 0; --times) more += unit;
            constexpr bool appends = std::is_same_v<Core, AppendingEncoder>;
            text = appends ? text + more : more + text;
            if constexpr (appends) growing.append(view(more));
            else growing.prepend(view(more));
        }
        CHECK(growing.count() == marks_and_punctuation().count(scanner, text));
        CHECK(growing.fewest() <= growing.count());
        if (choices.one_in(3)) marks.emplace_back(growing.state(), text);
    }
}

// What is refused leaves everything as it was.
void refused() {
    AppendingEncoder appending(encoder_of(letters(), scanner_named("o200k")));
    PrependingEncoder prepending(encoder_of(letters(), scanner_named("o200k")));
    std::string const good = "aaab", bad = "aaXb";
    for (int time = 0; time < 2; ++time) {
        try {
            time ? appending.append(view(bad)) : prepending.prepend(view(bad));
            CHECK(false);
        } catch (const EncodingError& error) {
            CHECK(error.byte == 'X');
        }
        appending.append(view(good));
        prepending.prepend(view(good));
    }
    CHECK(text_of(appending.text()) == "aaabaaab" && appending.count() == *letters().count(scanner_named("o200k"), "aaabaaab"));
    CHECK(text_of(prepending.text()) == "aaabaaab" && prepending.count() == appending.count());
}

// A whole pre-token may be a token of bytes that are none: it has a count, and a bound, but no table.
void one_token_of_unknown_bytes() {
    std::string const whole(70, 'x');
    Vocabulary const vocabulary({"a", whole});
    for (const Scanner* const scanner : {static_cast<const Scanner*>(nullptr), scanner_named("o200k")}) {
        AppendingEncoder appending(encoder_of(vocabulary, scanner));
        PrependingEncoder prepending(encoder_of(vocabulary, scanner));
        appending.append(view(whole));
        prepending.prepend(view(whole));
        CHECK(appending.count() == 1 && appending.fewest() <= 1 && prepending.count() == 1 && prepending.fewest() <= 1);
        try {
            appending.append(view(whole));
            CHECK(false);
        } catch (const EncodingError&) {
        }
        CHECK(appending.count() == 1 && appending.text() == view(whole));
    }
}

// Tokens as such between texts, marks among them, and a copy now and then: ids are those of the spans by themselves.
void explicit_tokens(Choices& choices) {
    const Vocabulary& vocabulary = pooled_vocabulary(choices);
    std::shared_ptr<const Encoder> const encoder = encoder_of(vocabulary, random_scanner(choices));
    std::size_t const longest_run = choices.one_in(8) ? thresholds::long_tail * 4 / 3 + 12 : 12;
    // Texts, each but the last with the token after it, which is written in any way.
    struct Part {
        std::string text, written;
    };
    using Parts = std::vector<Part>;
    constexpr std::uint32_t token = 1u << 30;
    auto const afresh = [&](const Parts& parts) {
        std::vector<std::uint32_t> ids;
        for (std::size_t number = 0; number < parts.size(); ++number) {
            if (number > 0) ids.push_back(token + static_cast<std::uint32_t>(parts[number - 1].written.size()));
            encoder->encode(view(parts[number].text), ids);
        }
        return ids;
    };
    AppendingEncoder growing(encoder);
    GrownIds<AppendingEncoder> ids;
    std::vector<std::uint32_t> client;
    Parts parts(1);
    std::vector<std::pair<AppendingEncoder::State, Parts>> marks;
    for (std::size_t steps = 1 + choices.below(30); steps > 0 && choices.more(); --steps) {
        switch (choices.below(8)) {
        case 0: marks.emplace_back(growing.state(), parts); break;
        case 1:
            if (marks.empty()) break;
            marks.resize(choices.below(marks.size()) + 1);
            parts = marks.back().second;
            growing.return_to(marks.back().first);
            ids.return_to(marks.back().first);
            break;
        case 2: {
            std::string const written = std::string("<\xe4|").substr(0, choices.below(4));
            growing.append_token(token + static_cast<std::uint32_t>(written.size()), view(written));
            parts.back().written = written;
            parts.emplace_back();
            break;
        }
        case 3: {
            ids.update(growing);
            std::size_t const from = ids.changed_from();
            CHECK(from <= client.size());
            client.resize(from);
            std::vector<std::uint32_t> const changed = ids.from(from);
            client.insert(client.end(), changed.begin(), changed.end());
            ids.told();
            CHECK(client == afresh(parts));
            CHECK(ids.from(0) == client);
            break;
        }
        case 4: {
            // From a copy every mark is as good as from the first, and neither sees what the other adds.
            AppendingEncoder other(encoder), longer(encoder);
            other.copy(growing);
            longer.copy(growing);
            GrownIds<AppendingEncoder> longer_ids = ids;
            Parts longer_parts = parts;
            std::string const more = random_text(choices, vocabulary, 3, longest_run);
            if (vocabulary.count(encoder->scanner(), parts.back().text + more)) {
                longer.append(view(more));
                longer_parts.back().text += more;
            }
            longer_ids.update(longer);
            CHECK(longer_ids.from(0) == afresh(longer_parts));
            for (auto mark = marks.rbegin(); mark != marks.rend(); ++mark) {
                other.return_to(mark->first);
                CHECK(other.count() == afresh(mark->second).size());
            }
            break;
        }
        default:
            std::string const more = random_text(choices, vocabulary, 3, longest_run);
            if (!vocabulary.count(encoder->scanner(), parts.back().text + more)) break;
            growing.append(view(more));
            parts.back().text += more;
        }
        CHECK(growing.count() == afresh(parts).size());
        CHECK(growing.fewest() <= growing.count());
    }
    ids.update(growing);
    CHECK(ids.from(0) == afresh(parts));
}

}  // namespace

int main(int count, char** arguments) {
    // Small texts cost more where thresholds are large: every table and cache is.
    std::uint64_t const rounds = thresholds::long_tail > 100 ? 400 : 4000;
    refused();
    one_token_of_unknown_bytes();
    window_inside_a_character();
    halves_of_characters();
    pretokens_that_open_again();
    long_runs<AppendingEncoder>();
    long_runs<PrependingEncoder>();
    repeat(count, arguments, rounds, [](Choices& choices) { try_growing<AppendingEncoder>(choices); });
    repeat(count, arguments, rounds, [](Choices& choices) { try_growing<PrependingEncoder>(choices); });
    repeat(count, arguments, rounds, open_again_and_back<AppendingEncoder>);
    repeat(count, arguments, rounds, open_again_and_back<PrependingEncoder>);
    repeat(count, arguments, rounds, explicit_tokens);
    return 0;
}
