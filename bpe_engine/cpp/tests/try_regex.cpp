#include "try_regex.hpp"

#include <algorithm>

#include "bpe/regex/sweep.hpp"

using namespace bpe::regex;

namespace bpe::test {

namespace {

using Spans = std::vector<std::pair<std::size_t, std::size_t>>;

const Byte* bytes(const std::string& text) { return reinterpret_cast<const Byte*>(text.data()); }

// Each match by a call of its own.
Spans by_find(const Program& program, const std::string& text) {
    Cache cache(program);
    Spans spans;
    bool nonempty = false;
    for (std::size_t from = 0; from <= text.size();) {
        Match const found = program.find(bytes(text), 0, from, text.size(), true, cache, nonempty);
        if (found.start == no_match) break;
        CHECK(from <= found.start && found.start <= found.end && found.end <= text.size() && found.settled);
        CHECK(!(nonempty && found.start == from && found.end == from));
        bool settled = false;
        std::size_t reach = 0;
        CHECK(program.match_at(bytes(text), 0, found.start, text.size(), true, cache, settled, reach, nonempty && found.start == from) == found.end);
        spans.emplace_back(found.start, found.end);
        nonempty = found.start == found.end;
        from = found.end;
    }
    return spans;
}

Spans by_sweep(const Program& program, const std::string& text, bool at_end, bool many) {
    Cache cache(program);
    Spans spans;
    Sweep sweep(program, cache, bytes(text), 0, 0, text.size(), at_end);
    for (;;) {
        std::size_t ends[5];
        std::size_t start = sweep.offset();
        std::size_t const count = many ? sweep.ends(ends, 1 + spans.size() % 5) : 0;
        for (std::size_t index = 0; index < count; ++index) {
            CHECK(start < ends[index]);
            spans.emplace_back(start, ends[index]);
            start = ends[index];
        }
        if (count > 0) continue;
        Match const found = sweep.next();
        if (found.start == no_match) break;
        spans.emplace_back(found.start, found.end);
    }
    CHECK(sweep.steps() <= 40 * text.size() + 20000);
    return spans;
}

void settled_stays(const Program& program, const std::string& text, const std::string& more) {
    Cache cache(program);
    std::string const longer = text + more;
    for (std::size_t from = 0; from <= text.size(); from += 1 + text.size() / 6) {
        Match const before = program.find(bytes(text), 0, from, text.size(), false, cache);
        Match const at_end = program.find(bytes(text), 0, from, text.size(), true, cache);
        Match const after = program.find(bytes(longer), 0, from, longer.size(), true, cache);
        CHECK(before.start == at_end.start && before.end == at_end.end && before.reach <= text.size());
        if (before.settled) CHECK(after.start == before.start && after.end == before.end && before.start_settled);
        else if (before.start_settled) CHECK(after.start == before.start);
        else CHECK(after.start == no_match || after.start >= before.open_from);
    }
}

std::shared_ptr<const Program> compiled(const std::string& pattern, std::size_t most_states) {
    Options options;
    options.most_states = most_states;
    options.cache_size = 4096;
    try {
        return Program::compile(pattern, options);
    } catch (const PatternSyntax&) {
    } catch (const UnsupportedPattern&) {
    }
    return nullptr;
}

}  // namespace

void try_regex(const std::string& pattern, const std::string& text, const std::string& more) {
    std::shared_ptr<const Program> programs[] = {compiled(pattern, 300), compiled(pattern, 0)};
    Spans first;
    bool has_first = false;
    for (auto const& program : programs) {
        if (!program) continue;
        Spans const spans = by_find(*program, text);
        if (has_first) CHECK(spans == first);
        first = spans;
        has_first = true;
        for (bool const at_end : {true, false})
            for (bool const many : {false, true}) CHECK(by_sweep(*program, text, at_end, many) == spans);
        settled_stays(*program, text, more);
    }
}

std::string random_pattern(Choices& choices, std::size_t most) {
    static const std::vector<std::string> parts = {"a",
                                                   "b",
                                                   "\\p{L}",
                                                   "\\s",
                                                   "\\S",
                                                   "\\d",
                                                   ".",
                                                   "[^a]",
                                                   "[^\\r\\n\\p{L}\\p{N}]",
                                                   "\xe4\xb8\xad",
                                                   "\\b",
                                                   "^",
                                                   "$",
                                                   "(?=a)",
                                                   "(?!\\S)",
                                                   "(?<=a)",
                                                   "(?<!b)",
                                                   "(?:",
                                                   "(?:",
                                                   "(?i:",
                                                   "(?>",
                                                   "(?=",
                                                   "(?!",
                                                   ")",
                                                   ")",
                                                   ")",
                                                   "|",
                                                   "|",
                                                   "*",
                                                   "+",
                                                   "?",
                                                   "{1,3}",
                                                   "{2}",
                                                   "+?",
                                                   "*+",
                                                   "'s",
                                                   " ?",
                                                   "\\w+"};
    std::string pattern;
    std::size_t open = 0;
    for (std::size_t count = choices.below(most + 1); count > 0; --count) {
        std::string const& part = choices.of(parts);
        if (part == ")" && open == 0) continue;
        open += part[0] == '(' && part.back() != ')' ? 1 : 0;
        open -= part == ")" ? 1 : 0;
        pattern += part;
    }
    return pattern + std::string(open, ')');
}

}  // namespace bpe::test
