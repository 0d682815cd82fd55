// A compiled regular expression, and the search for its matches.
//
//     auto const program = Program::compile("\\p{L}+|\\s", {});
//     Cache cache(*program);
//     Match const found = program->find(text, 0, 0, size, true, cache);       text[found.start:found.end]
//
// Matches are those of a backtracking matcher: the leftmost, and of those that start there the first by the order of alternatives and the greed of
// quantifiers. The search takes one table step a character. A Program is immutable and shared by threads; each thread has its own Cache.
//
// Text is UTF-8. A byte that is not part of UTF-8 is one character, which negated sets match and others do not.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <string_view>

#include "bpe/regex/states.hpp"

namespace bpe::regex {

inline constexpr std::size_t no_match = ~std::size_t{0};

struct Options {
    Flavour flavour = Flavour::regex;
    // The largest number of states that are made when the pattern is compiled; further states are made when a text leads to them, and kept in a Cache.
    std::size_t most_states = 5000;
    // Bytes of the table of states in a Cache, which is cleared when it is full.
    std::size_t cache_size = std::size_t{4} << 20;
};

// All offsets are bytes of the text. If `settled` is false, `start` and `end` are as if the text ended at `limit`.
struct Match {
    std::size_t start = no_match, end = no_match;  // no_match: there is none
    bool settled = false;                          // whatever follows `limit`, this is the first match, with this start and end
    bool start_settled = false;                    // whatever follows, the first match starts at `start`; its end may still move
    std::size_t reach = 0;                         // text[from:reach) was read; a settled result is the same for any text that is equal up to there
    std::size_t open_from = 0;                     // if there is no settled match: the first offset at which a match may start after text is appended
};

class Program;

// The states that a thread has made while it ran one program. A program that has all its states already makes none.
class Cache {
public:
    explicit Cache(const Program& program) : program_(program) {}

private:
    friend class Program;
    friend class Sweep;
    States& states();
    const Program& program_;
    std::unique_ptr<States> states_;
};

class Program {
public:
    // Throws PatternSyntax, or UnsupportedPattern with the reason in plain words.
    static std::shared_ptr<const Program> compile(std::string_view source, Options options = {});
    Program(const Program&) = delete;
    Program& operator=(const Program&) = delete;

    // For many matches of one text use a Sweep, which is faster, and linear over all of them together.

    // The first match in text[from:limit) that begins at `from` or after it. The region begins at `start` <= `from`, which \A, ^ and look-behind see. `at_end`:
    // the region ends at `limit`, so everything is settled; otherwise more may follow. `nonempty`: a match at `from` must not be empty.
    Match find(const Byte* text, std::size_t start, std::size_t from, std::size_t limit, bool at_end, Cache& cache, bool nonempty = false) const;

    // The end of the match that starts exactly at `from`; no_match if there is none. If it is not settled, as if the text ended at `limit`.
    std::size_t match_at(const Byte* text, std::size_t start, std::size_t from, std::size_t limit, bool at_end, Cache& cache, bool& settled, std::size_t& reach,
                         bool nonempty = false) const;

    bool looks_behind() const { return code_.looks_behind; }
    bool matches_empty() const { return matches_empty_; }
    // Whether all states were made when the pattern was compiled.
    bool is_eager() const { return !table_.empty(); }
    std::size_t state_count() const { return table_.size() / stride_; }
    const Classes& classes() const { return classes_; }
    // Whether a match may begin with a byte.
    const std::array<bool, 256>& first_bytes() const { return begins_; }

private:
    friend class Boundaries;
    friend class Cache;
    friend class Foresight;
    friend class Sweep;
    explicit Program(Code code, Options options);

    void make_states(const Options& options);
    void drop_hopeless(std::vector<Transition>& table) const;
    void join();
    std::size_t class_before(const Byte* text, std::size_t start, std::size_t from) const;

    // Bits of an entry of the joined table (see sweep.cpp).
    static constexpr std::uint32_t seen = 1, over = 2, rare = 4;

    Code code_;
    Classes classes_;
    Determinizer determinizer_;
    std::size_t stride_;
    std::size_t cache_size_;
    bool matches_empty_ = true;
    std::vector<Transition> table_;
    std::vector<State> starts_;  // of context and nonempty
    std::array<bool, 256> begins_;
    std::vector<std::uint32_t> joined_;
    std::uint32_t joined_start_ = 0;
};

}  // namespace bpe::regex
