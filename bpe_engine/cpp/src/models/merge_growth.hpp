// Which tokens of a merge model can be side by side, whatever the order of its merges. Shared by all pieces of a model that grow (growing_merges.cpp).
//
//     merges 1: a b   2: b c   3: ab c       tokens a b c ab bc abc
//     a | bc       no: the first merge crosses the boundary before "bc" is made
//     ab | c       no: the third merge crosses it after both are made
//     c | ab       yes: no merge has "c" and what "ab" begins with
#pragma once

#include <atomic>
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "bpe/models/merges.hpp"
#include "bpe/models/token_automaton.hpp"
#include "bpe/pair_memory.hpp"
#include "bpe/steps.hpp"

namespace bpe {

// Tables that all pieces of a model share: made when the first is asked for.
struct MergeModel::Growth {
    static constexpr std::uint64_t never = std::numeric_limits<std::uint64_t>::max();  // a rank that no merge has
    struct Sided {
        std::once_flag once;
        std::unique_ptr<const TokenAutomaton> automaton;
        std::vector<std::uint32_t> numbers;  // of the automaton's ranks
        std::mutex mutex;
        std::unordered_map<std::string, std::unique_ptr<GrowingPiece>> repeated;  // pieces of units that repeat
    };
    bool is_possible = false;
    bool drops = false;  // a piece may have characters that are dropped: see growing_without_dropped.cpp
    Sided right, left;
    // What each token is made of; found on first use. 0: not known yet.
    std::vector<std::atomic<std::uint64_t>> derivations;
    static constexpr std::uint64_t single = 1, unreachable = 2;  // made by none: a character; no encoding of its own text

    std::uint64_t derivation(const MergeModel& model, std::uint32_t token) {
        std::uint64_t found = derivations[token].load(std::memory_order_relaxed);
        if (found != 0) return found;
        found = model.derive(token);
        derivations[token].store(found, std::memory_order_relaxed);
        return found;
    }

    // The rank of the last merge of a token.
    static std::int64_t born(const MergeModel& model, std::uint64_t made) {
        return made == single ? -1 : std::int64_t{model.pairs_.find(left_of(made), right_of(made)).rank};
    }

    // A derivation holds the halves of the last merge of a token, and whether its merges are in order: none has a lower rank than one of those before it.
    static constexpr std::uint64_t in_order = std::uint64_t{1} << 63;
    static std::uint64_t of_halves(std::uint32_t left, std::uint32_t right, bool is_in_order) {
        return (std::uint64_t{left} + 1) << 32 | right | (is_in_order ? in_order : 0);
    }
    static std::uint32_t left_of(std::uint64_t made) { return static_cast<std::uint32_t>(((made & ~in_order) >> 32) - 1); }
    static std::uint32_t right_of(std::uint64_t made) { return static_cast<std::uint32_t>(made); }
    static bool is_in_order(std::uint64_t made) { return made == single || (made & in_order); }

    // Whether two tokens can be side by side, because no merge crosses the boundary between them before both are made, or after that. Of the next merge of
    // either and the one that crosses, the lowest rank is first, and of equal ranks the leftmost.
    bool meet(const MergeModel& model, std::uint32_t left, std::uint32_t right) {
        return pairs_.fits(left, right, [&] {
            std::uint64_t const left_made = derivation(model, left), right_made = derivation(model, right);
            return is_in_order(left_made) && is_in_order(right_made) ? meet_in_order(model, left, right) : meet_in_turns(model, left, right);
        });
    }

private:
    static constexpr int pair_bits = 16;

    // Merges in order: the tokens are un-merged from the outside in, the later merge first.
    bool meet_in_order(const MergeModel& model, std::uint32_t left, std::uint32_t right) {
        std::uint64_t left_ends = never, right_ends = never;  // ranks
        for (;;) {
            count_step();
            MergePairs::Pair const& pair = model.pairs_.find(left, right);
            if (pair.merges() && pair.rank < left_ends && pair.rank <= right_ends) return false;
            std::uint64_t const left_made = derivation(model, left), right_made = derivation(model, right);
            if (left_made == single && right_made == single) return true;
            std::int64_t const left_born = born(model, left_made), right_born = born(model, right_made);
            if (left_born > right_born) {
                left_ends = static_cast<std::uint64_t>(left_born);
                left = right_of(left_made);
            } else {
                right_ends = static_cast<std::uint64_t>(right_born);
                right = left_of(right_made);
            }
        }
    }

    // Any merges: both tokens are made, merge by merge. In Llama 3's tokenizer.json 107 of 127,214 tokens are not made in order.
    bool meet_in_turns(const MergeModel& model, std::uint32_t left, std::uint32_t right) {
        Course const &of_left = course(model, left), &of_right = course(model, right);
        left = of_left.last;
        right = of_right.first;
        auto const rank_at = [](const Course& course, std::size_t done) {
            return done < course.merges.size() ? std::uint64_t{course.merges[done].rank} : never;
        };
        for (std::size_t done_left = 0, done_right = 0;;) {
            count_step();
            std::uint64_t const next_left = rank_at(of_left, done_left), next_right = rank_at(of_right, done_right);
            MergePairs::Pair const& pair = model.pairs_.find(left, right);
            if (pair.merges() && pair.rank < next_left && pair.rank <= next_right) return false;
            if (next_left == never && next_right == never) return true;
            if (next_left <= next_right) left = of_left.merges[done_left++].last;
            else right = of_right.merges[done_right++].first;
        }
    }

    // How a token is made: its first and its last symbol before any merge, and after each.
    struct Course {
        struct Merged {
            std::uint32_t rank, first, last;
        };
        std::uint32_t first, last;
        std::vector<Merged> merges;
    };
    const Course& course(const MergeModel& model, std::uint32_t token) {
        std::lock_guard const lock(courses_mutex_);
        if (auto const known = courses_.find(token); known != courses_.end()) return *known->second;
        std::vector<Symbol> symbols;
        model.symbols(model.text_of(token), symbols);
        auto made = std::make_unique<Course>(Course{symbols.front().id, symbols.back().id, {}});
        while (symbols.size() > 1) {
            MergePairs::Pair const best = model.merge_best(symbols);
            made->merges.push_back({best.rank, symbols.front().id, symbols.back().id});
        }
        return *courses_.emplace(token, std::move(made)).first->second;
    }

    PairMemory pairs_{pair_bits};
    std::mutex courses_mutex_;
    std::unordered_map<std::uint32_t, std::unique_ptr<Course>> courses_;
};

}  // namespace bpe
