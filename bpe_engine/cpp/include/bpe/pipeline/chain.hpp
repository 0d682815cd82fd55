// Pre-tokenizers in a row, each applied to every piece that the one before has left.
//
//     text          "x1 = 42"
//     Split \p{N}   x|1| = |4|2                   matches and gaps are pieces
//     Split  ?\w+…  x|1| =| |4|2                  each piece of the first is cut by the second
//
// The text may be the beginning of a longer one. What is certain whatever follows is given to a sink as it is found: pieces, and *cuts* between them.
// A cut is an offset at which the whole chain can begin anew, as if all before had never been: at which no match of an earlier stage
// is interrupted. Reading on from the last cut is all that a growing text costs.
#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <vector>

#include "bpe/regex/sweep.hpp"
#include "bpe/run_index.hpp"
#include "bpe/scanner.hpp"
#include "bpe/shelf.hpp"
#include "bpe/thresholds.hpp"
#include "bpe/types.hpp"
#include "bpe/unicode.hpp"

namespace bpe {

inline constexpr std::size_t no_match = static_cast<std::size_t>(-1);

// Offsets in bytes.
struct Found {
    std::size_t start = no_match, end = no_match;
    bool settled = false;        // whatever follows the limit, this is the first match; or there is none, and none can begin before the limit
    bool start_settled = false;  // whatever follows, the first match begins at `start`
    std::size_t open_from = 0;   // if not settled: no match begins before this, whatever follows
};

class Matcher {
public:
    virtual ~Matcher() = default;
    // The first match in text[from:limit). The piece that is searched begins at or before `from`, and ends at `limit` if `at_end`; else text may follow,
    // and the answer says what is certain. A match is never empty, but for boundaries: those are empty, and behind `from`.
    virtual Found find(const Byte* text, std::size_t from, std::size_t limit, bool at_end) const = 0;
    // The boundaries of text[from:limit), of a matcher that finds such alone; up to `capacity`.
    virtual std::size_t boundaries(const Byte*, std::size_t, std::size_t, std::size_t*, std::size_t) const { return 0; }
    // An expression, which finds match after match quicker and in linear time by a sweep; null for other matchers.
    virtual const class ExpressionMatcher* expression() const { return nullptr; }
    // The model of which it finds where no token reaches over; null for other matchers.
    virtual const class MergeModel* touched() const { return nullptr; }
    // Whether each match is a byte that is one wherever it stands.
    virtual bool is_of_bytes() const { return false; }
};

// A regular expression that neither looks behind nor matches nothing: a chain begins anew at cuts.
class ExpressionMatcher final : public Matcher {
public:
    explicit ExpressionMatcher(std::shared_ptr<const regex::Program> program)
        : program_(std::move(program)), caches_([this] { return std::make_unique<regex::Cache>(*program_); }) {}

    Found find(const Byte* text, std::size_t from, std::size_t limit, bool at_end) const override {
        Shelf<regex::Cache>::Lease const cache(caches_);
        return found(program_->find(text, from, from, limit, at_end, *cache));
    }
    const ExpressionMatcher* expression() const override { return this; }

    static Found found(const regex::Found& found) { return {found.start, found.end, found.settled, found.start_settled, found.open_from}; }
    const regex::Program& program() const { return *program_; }
    const std::shared_ptr<const regex::Program>& shared_program() const { return program_; }
    const Shelf<regex::Cache>& caches() const { return caches_; }

private:
    std::shared_ptr<const regex::Program> program_;
    Shelf<regex::Cache> caches_;
};

// What the search of a stage knows of a text that grows.
struct StageMemory {
    // Behind `start`, where a piece begins or a match ended, no match begins before `searched`.
    std::size_t start = no_match, searched = 0;
    regex::Resumption resumption;
};

// The same of a chain. All offsets are those of the text that it cuts, of which the first `valid` bytes stay as they are. Who cuts the text back forgets what
// is not known of what is left.
struct ChainMemory {
    static constexpr std::size_t most_stages = 3;
    std::array<StageMemory, most_stages> stages;
    std::unique_ptr<RunIndex> runs;  // for a scanner
    std::size_t valid = 0;

    StageMemory* of(std::size_t number) { return number < most_stages ? &stages[number] : nullptr; }
};

// The knowledge that a chain keeps of a text that grows to the left. Distances are those from the end of the text that it cuts.
class LeftMemory {
public:
    static constexpr std::size_t most_stages = 3;

    // The text that is cut now ends at this offset.
    void begin(std::size_t end) { end_ = end; }

    // The knowledge that the search of a stage keeps of a piece text[from:limit), which begins where the text has grown; null where it is as good to search anew.
    regex::Recollection* of(std::size_t number, std::size_t from, std::size_t limit) {
        if (number >= most_stages || limit - from <= thresholds::long_tail) return nullptr;
        Searched& searched = searched_[number];
        if (searched.limit != end_ - limit) searched = {end_ - limit, {}};
        return &searched.recollection;
    }

    // The end of the pre-token of a scanner at `place`, of a piece text[first:limit).
    std::size_t pretoken_end(const Scanner& scanner, const Byte* text, std::size_t first, std::size_t place, std::size_t limit) {
        if (!runs_ || runs_limit_ != end_ - limit) runs_ = std::make_unique<RunIndex>(RunIndex::Side::left, 0);
        runs_limit_ = end_ - limit;
        // Bytes that a character before them may still claim are taken in for this answer only.
        std::size_t finished = first;
        while (finished < first + 3 && finished < limit && UnicodeTable::continues(text[finished])) ++finished;
        if (std::size_t const indexed = limit - runs_->end(); finished < indexed) runs_->extend({text + finished, indexed - finished});
        std::size_t const indexed = runs_->end();
        if (limit - indexed > first) runs_->extend({text + first, limit - indexed - first});
        std::size_t const end = scanner.indexed_end(IndexedText(*runs_, text, limit, limit), text, place);
        runs_->truncate(indexed);
        return end;
    }

    // Only the last `distance` bytes of the text are still there.
    void truncate(std::size_t distance) {
        for (Searched& searched : searched_) {
            if (searched.limit == no_match) continue;
            if (searched.limit > distance) searched = {};
            else searched.recollection.truncate(distance - searched.limit);
        }
        if (runs_ && runs_limit_ > distance) runs_ = nullptr;
        if (runs_ && runs_->end() > distance - runs_limit_) runs_->truncate(distance - runs_limit_);
    }

private:
    struct Searched {
        std::size_t limit = no_match;  // where the piece ends
        regex::Recollection recollection;
    };
    std::array<Searched, most_stages> searched_;
    std::unique_ptr<RunIndex> runs_;  // for a scanner
    std::size_t runs_limit_ = 0, end_ = 0;
};

// The matches of a matcher in a piece, one after the other.
class Search {
public:
    // `memory`: of a text that grows to the right; `recollection`: of one that grows to the left, and ends here.
    Search(const Matcher& matcher, const Byte* text, std::size_t from, std::size_t limit, bool at_end, StageMemory* memory = nullptr, regex::Recollection* recollection = nullptr)
        : matcher_(matcher), text_(text), from_(from), limit_(limit), at_end_(at_end), memory_(memory), recollection_(recollection), behind_(from) {
        if (ExpressionMatcher const* const expression = matcher.expression()) {
            lease_.emplace(expression->caches());
            sweep_.emplace(expression->program(), **lease_, text, from, from, limit, at_end, memory ? &memory->resumption : nullptr, recollection);
        }
    }

    Found next() {
        if (memory_) skip();
        Found found;
        if (sweep_) {
            found = ExpressionMatcher::found(sweep_->next());
        } else if (recollection_ && matcher_.touched()) {
            found = next_boundary();
            from_ = found.end;
        } else if (recollection_ && matcher_.is_of_bytes()) {
            found = next_byte();
            from_ = found.end;
        } else {
            found = matcher_.find(text_, from_, limit_, at_end_);
            from_ = found.end;
        }
        if (memory_) note(found);
        return found;
    }

    // The ends of settled matches that follow at once, each from the end of the one before on; 0 where `next` has to say.
    std::size_t ends(std::size_t* ends, std::size_t capacity) {
        // What comes is not at once, or `next` has to note what was looked at in vain.
        if (recollection_ || (memory_ && (!sweep_ || memory_->start == behind_))) return 0;
        std::size_t const count = sweep_ ? sweep_->ends(ends, capacity) : matcher_.boundaries(text_, from_, limit_, ends, capacity);
        if (count > 0) from_ = behind_ = ends[count - 1];
        return count;
    }

private:
    // What was searched before.
    void skip() {
        if (memory_->start != behind_) return;
        std::size_t& from = from_;
        if (sweep_ ? sweep_->offset() >= memory_->searched : from >= memory_->searched) return;
        if (memory_->searched > limit_) return;
        if (sweep_) sweep_->skip_to(memory_->searched);
        else from = memory_->searched;
    }

    // A boundary is known by the characters on both sides, so what was found behind a place is the same for all that begin before it.
    Found next_boundary() {
        std::vector<std::size_t> passed;
        std::size_t end = no_match;
        for (std::size_t place = from_; place < limit_;) {
            std::size_t stop = std::min(limit_, std::max(regex::Recollection::next_slot(place, limit_), place + 9));
            if (stop < limit_) stop -= unfinished_end({text_ + place, stop - place});
            if (matcher_.boundaries(text_, place, stop, &end, 1) > 0) break;
            end = no_match;
            if (stop == limit_) break;
            place = character_before(text_, stop, place);
            if (regex::Recollection::Outcome const* const known = recollection_->find(limit_ - place, regex::Recollection::searching)) {
                if (known->end != regex::Recollection::none) end = limit_ - known->end;
                break;
            }
            passed.push_back(limit_ - place);
        }
        std::size_t const distance = end == no_match ? regex::Recollection::none : limit_ - end;
        for (std::size_t const place : passed) recollection_->put(place, regex::Recollection::searching, {distance, distance});
        return {end, end, true, end != no_match, end == no_match ? limit_ : end};
    }

    Found next_byte() {
        std::vector<std::size_t> passed;
        Found found;
        for (std::size_t place = from_, stop; place < limit_; place = stop) {
            if (place != from_) {
                if (regex::Recollection::Outcome const* const known = recollection_->find(limit_ - place, regex::Recollection::searching)) {
                    if (known->end != regex::Recollection::none) found = {limit_ - known->start, limit_ - known->end, true, true, limit_ - known->start};
                    break;
                }
                passed.push_back(limit_ - place);
            }
            stop = regex::Recollection::next_slot(place, limit_);
            found = matcher_.find(text_, place, stop, true);
            if (found.start != no_match) break;
        }
        using Recollection = regex::Recollection;
        Recollection::Outcome const outcome = found.start == no_match ? Recollection::Outcome{Recollection::none, Recollection::none} : Recollection::Outcome{limit_ - found.start, limit_ - found.end};
        for (std::size_t const place : passed) recollection_->put(place, Recollection::searching, outcome);
        if (found.start == no_match) found = {no_match, no_match, true, false, limit_};
        return found;
    }

    void note(const Found& found) {
        if (found.start != no_match) behind_ = found.end;
        if (at_end_ || found.settled || found.start_settled || found.start != no_match || found.open_from <= behind_) return;
        std::size_t searched = found.open_from;
        // A boundary is known by the characters on both sides.
        if (!sweep_) searched = character_before(text_, searched, behind_);
        *memory_ = {behind_, searched, memory_->resumption};
    }

    const Matcher& matcher_;
    const Byte* text_;
    std::size_t from_, limit_;
    bool at_end_;
    StageMemory* memory_;
    regex::Recollection* recollection_;
    std::size_t behind_;  // the last match, or the start
    std::optional<Shelf<regex::Cache>::Lease> lease_;
    std::optional<regex::Sweep> sweep_;
};

// What becomes of matches and of the gaps between them. Each of Hugging Face's behaviours, inverted or not, is one of these.
enum class Behaviour : std::uint8_t {
    isolated,       // each match and each gap is a piece
    without_match,  // gaps are pieces
    without_gap,    // matches are pieces
    contiguous,     // matches that touch are one piece; gaps are pieces
    with_previous,  // a match belongs to the gap before it; behind another match it is alone
    with_next,      // a match belongs to the gap behind it; before another match it is alone
};

struct Stage {
    std::shared_ptr<const Matcher> matcher;
    Behaviour behaviour = Behaviour::isolated;
    const Scanner* scanner = nullptr;  // in place of a matcher: its pre-tokens are the pieces
    std::shared_ptr<const regex::Program> expression = nullptr;  // of which the pre-tokens of a scanner are the matches, where that is known
};

class Chain {
public:
    static constexpr std::size_t most_stages = 16;

    explicit Chain(std::vector<Stage> stages) : stages_(std::move(stages)) {}
    const std::vector<Stage>& stages() const { return stages_; }
    // Whether some text is part of no piece.
    bool leaves_out() const {
        return std::any_of(stages_.begin(), stages_.end(), [](Stage const& stage) { return stage.behaviour == Behaviour::without_match || stage.behaviour == Behaviour::without_gap; });
    }

    // Cuts text[start:limit). Calls `sink.piece(start, end)` for each piece that is not empty, and `sink.cut(offset)` at cuts behind them; that returns false
    // to end the search. With `at_end` the text ends at `limit`, else only what is certain is given. Whether all was given. `memory` is of this text.
    template <class Sink>
    bool run(const Byte* text, std::size_t start, std::size_t limit, bool at_end, Sink& sink, ChainMemory* memory = nullptr) const {
        return Run<Sink>{stages_, text, sink, memory, nullptr}.stage(0, start, limit, at_end);
    }

    // Scans a text that has grown to the left, up to a cut at which the sink says that it knows the rest.
    template <class Sink>
    bool run_from_left(const Byte* text, std::size_t start, std::size_t limit, Sink& sink, LeftMemory& left) const {
        return Run<Sink>{stages_, text, sink, nullptr, &left}.stage(0, start, limit, true);
    }

    // Whether `run_to_end` knows these stages.
    bool runs_to_end() const {
        return stages_.size() == 1 && (stages_[0].scanner || (stages_[0].matcher->expression() && stages_[0].behaviour == Behaviour::isolated));
    }

    // The same for a text that ends at `limit` now, and goes on later: calls `sink.uncertain()` behind the last piece that is certain. In one pass.
    template <class Sink>
    void run_to_end(const Byte* text, std::size_t start, std::size_t limit, Sink& sink) const {
        if (!stages_[0].scanner) return search_to_end(text, start, limit, sink);
        Scanner const& scanner = *stages_[0].scanner;
        Held held{static_cast<std::size_t>(scanner.lookback), start};
        for_each_pretoken(scanner, text, start, limit, [&](std::size_t, std::size_t end) {
            if (std::size_t const first = held.from, settled = held.push(end); settled != no_match) {
                sink.piece(first, settled);
                sink.cut(settled);
            }
        });
        sink.uncertain();
        for (std::size_t index = 0; index < held.count; ++index) {
            sink.piece(held.from, held.ends[index]);
            held.from = held.ends[index];
        }
    }

private:
    template <class Sink>
    void search_to_end(const Byte* text, std::size_t start, std::size_t limit, Sink& sink) const {
        Search search(*stages_[0].matcher, text, start, limit, false);
        bool is_certain = true;
        std::size_t piece = start;
        auto const give = [&](std::size_t end, bool certain) {
            if (is_certain && !certain) sink.uncertain();
            is_certain = certain;
            if (end == piece) return;
            sink.piece(piece, end);
            if (certain) sink.cut(end);
            piece = end;
        };
        std::array<std::size_t, 512> ends;
        for (;;) {
            for (std::size_t count; is_certain && (count = search.ends(ends.data(), ends.size())) > 0;)
                for (std::size_t index = 0; index < count; ++index) give(ends[index], true);
            // Where it is not settled, as if the text ended here.
            Found const found = search.next();
            if (found.start == no_match) break;
            give(found.start, is_certain && (found.settled || found.start_settled));
            give(found.end, is_certain && found.settled);
        }
        give(limit, false);
    }

    // The last pre-tokens of a scanner, which later text may change.
    struct Held {
        std::size_t most, from;
        std::array<std::size_t, 4> ends{};
        std::size_t count = 0;

        // The end of the pre-token that is certain now; `from` is moved there.
        std::size_t push(std::size_t end) {
            std::size_t settled = no_match;
            if (count == most) {
                settled = from = ends[0];
                for (std::size_t index = 1; index < count; ++index) ends[index - 1] = ends[index];
                --count;
            }
            ends[count++] = end;
            return settled;
        }
    };

    template <class Sink>
    struct Run {
        const std::vector<Stage>& stages;
        const Byte* text;
        Sink& sink;
        ChainMemory* memory;
        LeftMemory* left;
        // The last match of each stage.
        std::array<std::size_t, most_stages> match_start{}, match_end{};

        bool cut(std::size_t offset) {
            for (std::size_t number = 0; number + 1 < stages.size(); ++number)
                if (match_start[number] < offset && offset < match_end[number]) return true;
            return sink.cut(offset);
        }

        // Each of these returns whether the search goes on.
        bool stage(std::size_t number, std::size_t start, std::size_t limit, bool at_end) {
            if (number == stages.size()) {
                if (!at_end) return false;
                if (start == limit) return true;
                sink.piece(start, limit);
                return cut(limit);
            }
            Stage const& stage = stages[number];
            if (stage.scanner) return scanned(number, start, limit, at_end);
            switch (stage.behaviour) {
                case Behaviour::isolated: return apart(number, start, limit, at_end, true, true);
                case Behaviour::without_match: return apart(number, start, limit, at_end, true, false);
                case Behaviour::without_gap: return apart(number, start, limit, at_end, false, true);
                case Behaviour::contiguous: return contiguous(number, start, limit, at_end);
                case Behaviour::with_previous: return with_previous(number, start, limit, at_end);
                case Behaviour::with_next: return with_next(number, start, limit, at_end);
            }
            return false;
        }

        void matched(std::size_t number, std::size_t start, std::size_t end) {
            match_start[number] = start;
            match_end[number] = end;
        }

        // Gaps and matches that are pieces or left out.
        bool apart(std::size_t number, std::size_t start, std::size_t limit, bool at_end, bool with_gaps, bool with_matches) {
            Matcher const& matcher = *stages[number].matcher;
            auto const gap = [&](std::size_t from, std::size_t to, bool ended) {
                if (from == to) return true;
                if (with_gaps) return stage(number + 1, from, to, ended);
                return cut(to);
            };
            Search search(matcher, text, start, limit, at_end, memory ? memory->of(number) : nullptr, left ? left->of(number, start, limit) : nullptr);
            std::array<std::size_t, 512> ends;
            for (std::size_t piece = start;;) {
                for (std::size_t count; (count = search.ends(ends.data(), ends.size())) > 0;) {
                    for (std::size_t index = 0; index < count; ++index) {
                        if (number + 1 == stages.size() && with_matches) {
                            // What is known of a piece comes from memory meanwhile.
                            if constexpr (requires { sink.expect(piece, limit); })
                                if (index + 4 < count) sink.expect(ends[index + 3], ends[index + 4]);
                            sink.piece(piece, ends[index]);
                            if (!cut(ends[index])) return false;
                        } else {
                            matched(number, piece, ends[index]);
                            if (with_matches ? !stage(number + 1, piece, ends[index], true) : !cut(ends[index])) return false;
                        }
                        piece = ends[index];
                    }
                }
                Found const found = search.next();
                if (!at_end && !found.settled) {
                    if (found.start_settled) gap(piece, found.start, true);
                    else gap(piece, found.open_from, false);
                    return false;
                }
                if (found.start == no_match) return gap(piece, limit, at_end) && at_end;
                if (!gap(piece, found.start, true)) return false;
                piece = found.end;
                if (found.start == found.end) continue;
                matched(number, found.start, found.end);
                if (with_matches ? !stage(number + 1, found.start, found.end, true) : !cut(found.end)) return false;
            }
        }

        bool contiguous(std::size_t number, std::size_t start, std::size_t limit, bool at_end) {
            Matcher const& matcher = *stages[number].matcher;
            Search search(matcher, text, start, limit, at_end, memory ? memory->of(number) : nullptr, left ? left->of(number, start, limit) : nullptr);
            std::size_t run = start, end = start;  // of the matches that touch
            auto const give_run = [&] {
                matched(number, run, end);
                return stage(number + 1, run, end, true);
            };
            for (;;) {
                Found const found = search.next();
                bool const is_open = !at_end && !found.settled;
                bool const none = !is_open && found.start == no_match;
                std::size_t const next = none ? limit : is_open && !found.start_settled ? found.open_from : found.start;
                if (next == end && is_open) return false;  // the run may go on
                if (next > end) {
                    if (run < end && !give_run()) return false;
                    bool const ended = none ? at_end : !is_open || found.start_settled;
                    if (!stage(number + 1, end, next, ended)) return false;
                    run = next;
                }
                if (is_open) return false;
                if (none) return next > end || run == end || give_run();
                end = found.end;
            }
        }

        bool with_previous(std::size_t number, std::size_t start, std::size_t limit, bool at_end) {
            Matcher const& matcher = *stages[number].matcher;
            Search search(matcher, text, start, limit, at_end, memory ? memory->of(number) : nullptr, left ? left->of(number, start, limit) : nullptr);
            for (std::size_t piece = start;;) {
                Found const found = search.next();
                if (!at_end && !found.settled) {
                    std::size_t const certain = found.start_settled ? found.start : found.open_from;
                    if (certain > piece) stage(number + 1, piece, certain, false);
                    return false;
                }
                if (found.start == no_match) return piece == limit || stage(number + 1, piece, limit, at_end);
                matched(number, found.start, found.end);
                if (!stage(number + 1, piece, found.end, true)) return false;
                piece = found.end;
            }
        }

        bool with_next(std::size_t number, std::size_t start, std::size_t limit, bool at_end) {
            Matcher const& matcher = *stages[number].matcher;
            Search search(matcher, text, start, limit, at_end, memory ? memory->of(number) : nullptr, left ? left->of(number, start, limit) : nullptr);
            std::size_t piece = start, behind = start;  // the piece begins with a match if it begins before `behind`
            for (;;) {
                Found const found = search.next();
                if (!at_end && !found.settled) {
                    if (found.start_settled) {
                        if (found.start > piece) stage(number + 1, piece, found.start, true);
                    } else if (std::size_t const certain = std::max(found.open_from, behind); certain > piece) {
                        stage(number + 1, piece, certain, false);
                    }
                    return false;
                }
                if (found.start == no_match) return piece == limit || stage(number + 1, piece, limit, at_end);
                if (found.start > piece && !stage(number + 1, piece, found.start, true)) return false;
                piece = found.start;
                behind = found.end;
                matched(number, found.start, found.end);
            }
        }

        // The pre-tokens of a scanner: all but the last few are certain.
        bool scanned(std::size_t number, std::size_t start, std::size_t limit, bool at_end) {
            Scanner const& scanner = *stages[number].scanner;
            bool goes_on = true;
            auto const give = [&](std::size_t from, std::size_t to) {
                if (number + 1 == stages.size()) {
                    sink.piece(from, to);
                    return sink.cut(to) || (goes_on = false);
                }
                matched(number, from, to);
                return stage(number + 1, from, to, true) || (goes_on = false);
            };
            // The end of a long pre-token comes from an index of runs.
            struct Index {
                ChainMemory* memory;
                LeftMemory* left;
                const Byte* text;
                std::size_t start;
                std::size_t limit;
                bool is_ready = false;
                ~Index() {
                    if (is_ready && memory->runs->end() > memory->valid) memory->runs->truncate(std::max(memory->valid, memory->runs->origin()));
                }
                bool helps(std::size_t place) const { return (memory || left) && limit - place > thresholds::long_tail; }
                std::size_t end(const Scanner& of, std::size_t place) {
                    if (left) return left->pretoken_end(of, text, start, place, limit);
                    std::unique_ptr<RunIndex>& runs = memory->runs;
                    if (!runs || runs->origin() > place || runs->end() < place) runs = std::make_unique<RunIndex>(RunIndex::Side::right, place);
                    is_ready = true;
                    if (std::size_t const indexed = runs->end(); indexed < limit) runs->extend({text + indexed, limit - indexed});
                    return of.indexed_end(IndexedText(*runs, text, limit), text, place);
                }
            } index{memory, left, text, start, limit};
            if (at_end) {
                for (std::size_t place = start; place < limit;) {
                    if (index.helps(place)) {
                        std::size_t const end = index.end(scanner, place);
                        if (!give(place, end)) return false;
                        place = end;
                        continue;
                    }
                    Step const step = scanner.step(text, place, limit);
                    std::size_t from = place;
                    for (std::uint64_t ends = step.ends; ends; ends &= ends - 1) {
                        std::size_t const end = place + static_cast<std::size_t>(std::countr_zero(ends)) + 1;
                        if (!give(from, end)) return false;
                        from = end;
                    }
                    if (!step.ends && !give(place, place + step.consumed)) return false;
                    place += step.consumed;
                }
                return true;
            }
            Held held{static_cast<std::size_t>(scanner.lookback), start};
            auto const hold = [&](std::size_t end) {
                if (std::size_t const first = held.from, settled = held.push(end); settled != no_match) give(first, settled);
            };
            for (std::size_t place = start; place < limit && goes_on;) {
                if (index.helps(place)) {
                    hold(place = index.end(scanner, place));
                    continue;
                }
                Step const step = scanner.step(text, place, limit);
                for (std::uint64_t ends = step.ends; ends && goes_on; ends &= ends - 1)
                    hold(place + static_cast<std::size_t>(std::countr_zero(ends)) + 1);
                if (!step.ends) hold(place + step.consumed);
                place += step.consumed;
            }
            return false;
        }
    };

    std::vector<Stage> stages_;
};

}  // namespace bpe
