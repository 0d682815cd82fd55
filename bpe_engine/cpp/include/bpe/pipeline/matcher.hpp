// Matchers: the interface of searches in a text that may be the start of a longer one.
#pragma once

#include <array>
#include <memory>

#include "bpe/regex/sweep.hpp"
#include "bpe/shelf.hpp"
#include "bpe/types.hpp"

namespace bpe {

inline constexpr std::size_t no_match = static_cast<std::size_t>(-1);

// Offsets in bytes.
struct Match {
    std::size_t start = no_match, end = no_match;
    bool settled = false;        // whatever follows the limit, this is the first match; or there is none, and none can start before the limit
    bool start_settled = false;  // whatever follows, the first match starts at `start`
    std::size_t open_from = 0;   // if not settled: no match starts before this offset, whatever follows
};

class Matcher {
public:
    virtual ~Matcher() = default;
    // The first match in text[from:limit). The searched piece starts at or before `from`, and ends at `limit` if `at_end`; otherwise text may follow, and
    // the result reports what is certain. A match is never empty, except boundaries: those are empty, and after `from`.
    virtual Match find(const Byte* text, std::size_t from, std::size_t limit, bool at_end) const = 0;
    // The boundaries of text[from:limit), up to `capacity`, for a matcher that finds only boundaries.
    virtual std::size_t boundaries(const Byte*, std::size_t, std::size_t, std::size_t*, std::size_t) const { return 0; }
    // The expression, whose consecutive matches a sweep finds faster and in linear time; null for other matchers.
    virtual const class ExpressionMatcher* expression() const { return nullptr; }
    // The model whose boundaries without crossing tokens the matcher finds; null for other matchers.
    virtual const class MergeModel* touched() const { return nullptr; }
    // Whether each match is a single byte that matches in any context.
    virtual bool is_of_bytes() const { return false; }
    // The bytes that a match may begin with; null if any may.
    virtual const std::array<bool, 256>* first_bytes() const { return nullptr; }
};

// A regular expression that neither looks behind nor matches the empty text, because a chain starts anew at cuts.
class ExpressionMatcher final : public Matcher {
public:
    explicit ExpressionMatcher(std::shared_ptr<const regex::Program> program)
        : program_(std::move(program)), caches_([this] { return std::make_unique<regex::Cache>(*program_); }) {}

    Match find(const Byte* text, std::size_t from, std::size_t limit, bool at_end) const override {
        Shelf<regex::Cache>::Lease const cache(caches_);
        return found(program_->find(text, from, from, limit, at_end, *cache));
    }
    const ExpressionMatcher* expression() const override { return this; }
    const std::array<bool, 256>* first_bytes() const override { return &program_->first_bytes(); }

    static Match found(const regex::Match& found) { return {found.start, found.end, found.settled, found.start_settled, found.open_from}; }
    const regex::Program& program() const { return *program_; }
    const std::shared_ptr<const regex::Program>& shared_program() const { return program_; }
    const Shelf<regex::Cache>& caches() const { return caches_; }

private:
    std::shared_ptr<const regex::Program> program_;
    Shelf<regex::Cache> caches_;
};

}  // namespace bpe
