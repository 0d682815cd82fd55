// The interfaces that a grower uses: counts of a growing text, the context of a chunk, the boundaries inside a closed unit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace chunker {

// The number of a context; 0 is that of no context.
using Context = std::size_t;

// The offsets inside heads of definitions, ascending, each with the end of its head.
using Heads = std::vector<std::pair<std::size_t, std::size_t>>;

// The boundaries inside a closed unit, as columns, and the heads.
struct InnerBoundaries {
    std::vector<std::int64_t> offsets, strengths;
    std::vector<std::size_t> labels;  // numbers
    Heads heads;
};

// From which end on a slice after a context has the tokens of the text up to there and `shift` more.
struct Agreement {
    std::size_t from;  // in bytes
    std::ptrdiff_t shift;
};

// Counts text[start:end] by offsets in characters; errors are exceptions.
class Counter {
public:
    virtual ~Counter() = default;

    // A text that grows to the right, from nothing but the context; its count after each step.
    virtual std::size_t begin(Context context) = 0;
    virtual std::size_t append(std::size_t start, std::size_t end) = 0;
    // Remember this state, which is forgotten with the next call; go back to it.
    virtual void keep() = 0;
    virtual void go_back() = 0;

    // Estimates where this many tokens from `start` end, and where this many tokens before `end` begin, as far as one step may go. `start` and `end`
    // if unknown.
    virtual std::size_t reach(std::size_t start, std::size_t) { return start; }
    virtual std::size_t reach_back(std::size_t end, std::size_t) { return end; }

    // A text that grows to the left, from text[start:end]; its count after each step.
    virtual void begin_to_the_left(std::size_t start, std::size_t end) = 0;
    virtual std::size_t prepend(std::size_t start, std::size_t end) = 0;

    // The count of a text alone; none if it is above the limit. The count of a context alone is asked for again and again.
    virtual std::optional<std::size_t> count_up_to(Context context, std::size_t start, std::size_t end, std::size_t limit) = 0;
    virtual std::size_t count(Context context, std::size_t start, std::size_t end) = 0;

    // Whether it calls Python for more than an error; so it is used with the GIL.
    virtual bool needs_python() const { return false; }
    // Whether the count of a slice of the text takes less than an append. Then it knows agreements, if there are any: see Prices.
    virtual bool is_quick() { return false; }
    virtual std::optional<Agreement> agreement(Context, std::size_t) { return std::nullopt; }
};

// Counts of slices of the text alone, by offsets in characters; errors are exceptions.
class Prices {
public:
    virtual ~Prices() = default;
    virtual std::size_t count(std::size_t start, std::size_t end) = 0;
    // For slices from `start` on; none where it is not soon known.
    virtual std::optional<Agreement> agreement(Context, std::size_t) { return std::nullopt; }
    // Whether a slice is read each time that it is counted.
    virtual bool recounts() const { return false; }
    // Whether a price takes less than an append.
    virtual bool are_quick() const { return false; }
};

// Answers that only the caller knows.
class Surroundings {
public:
    virtual ~Surroundings() = default;
    // The context of a chunk whose new text begins at `fresh`, after the overlap from `start` on.
    virtual Context context_at(std::size_t fresh, std::size_t start) = 0;
    // The inside of the closed unit that the sketch has at `offset`.
    virtual InnerBoundaries inside(std::size_t offset) = 0;
};

}  // namespace chunker
