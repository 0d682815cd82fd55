// A search for the matches of a matcher, one after the other, and its notes for a text that grows to either side.
#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <vector>

#include "bpe/pipeline/matcher.hpp"
#include "bpe/run_index.hpp"
#include "bpe/scanner.hpp"
#include "bpe/thresholds.hpp"
#include "bpe/unicode.hpp"

namespace bpe {

// Memory of the search of a stage in a text that grows.
struct StageMemory {
    // No match starts after `start` (the start of a piece or the end of a match) and before `searched`.
    std::size_t start = no_match, searched = 0;
    // Matches follow one another without gaps from `run` to `run_end`.
    std::size_t run = no_match, run_end = 0;
    regex::Resumption resumption;
};

// The progress of the searches of a chain of pre-tokenizers. All offsets are those of the text that it cuts, of which the first `valid` bytes stay as they are.
// Code that shortens that text must also drop whatever is noted here beyond its new end.
struct ChainMemory {
    static constexpr std::size_t most_stages = 3;
    std::array<StageMemory, most_stages> stages;
    std::unique_ptr<RunIndex> runs;  // for a scanner
    std::size_t valid = 0;

    StageMemory* of(std::size_t number) { return number < most_stages ? &stages[number] : nullptr; }
    void set_valid(std::size_t size) {
        valid = size;
        for (StageMemory& stage : stages) stage.resumption.valid = size;
    }
    // The text is cut back to `size`: what was noted beyond it is forgotten.
    void truncate(std::size_t size) {
        set_valid(std::min(valid, size));
        for (StageMemory& stage : stages) {
            auto const& tries = stage.resumption.tries;
            bool const is_known = stage.searched <= size && (stage.run == no_match || stage.run_end <= size) &&
                                  std::all_of(tries.begin(), tries.end(), [&](auto const& one) { return one.from == no_match || one.place <= size; });
            if (!is_known) stage = {};
            stage.resumption.valid = valid;
        }
        if (runs && runs->origin() > size) runs = nullptr;
        if (runs && runs->end() > size) runs->truncate(size);
    }
};

// The knowledge that a chain keeps of a text that grows to the left. Distances are those from the end of the text that it cuts.
class LeftMemory {
public:
    static constexpr std::size_t most_stages = 3;

    // The text that is cut now ends at this offset.
    void begin(std::size_t end) { end_ = end; }

    // The knowledge that the search of a stage keeps of a piece text[from:limit), which begins where the text has grown; null where it is as good to search
    // anew.
    regex::Recollection* of(std::size_t number, std::size_t from, std::size_t limit) {
        if (number >= most_stages || limit - from <= thresholds::long_tail) return nullptr;
        Searched& searched = searched_[number];
        if (searched.limit != end_ - limit) searched = {end_ - limit, {}, {}};
        return &searched.recollection;
    }

    // The end of the pre-token of a scanner at `place`, of a piece text[first:limit).
    std::size_t pretoken_end(const Scanner& scanner, const Byte* text, std::size_t first, std::size_t place, std::size_t limit) {
        if (!runs_ || runs_limit_ != end_ - limit) runs_ = std::make_unique<RunIndex>(RunIndex::Side::left, 0);
        runs_limit_ = end_ - limit;
        // Bytes that may belong to a character before them.
        auto const after_claimed = [&](std::size_t from) {
            std::size_t place = from;
            while (place < from + 3 && place < limit && UnicodeTable::continues(text[place])) ++place;
            return place;
        };
        // The text may have been cut back to the middle of a character.
        runs_->truncate(limit - after_claimed(limit - runs_->end()));
        // At the start of the text they are added for this answer only.
        std::size_t const finished = after_claimed(first);
        if (std::size_t const indexed = limit - runs_->end(); finished < indexed) runs_->extend({text + finished, indexed - finished});
        std::size_t const indexed = runs_->end();
        if (limit - indexed > first) runs_->extend({text + first, limit - indexed - first});
        std::size_t const end = scanner.indexed_end(IndexedText(*runs_, text, limit, limit), text, place);
        runs_->truncate(indexed);
        return end;
    }

    // Matches touch from the offset `start` on; returns up to where, if that is known, else `start`.
    std::size_t run_end(std::size_t number, std::size_t start) const {
        if (number < most_stages)
            for (Run const& run : searched_[number].runs)
                if (run.start == end_ - start) return end_ - run.end;
        return start;
    }
    void note_run(std::size_t number, std::size_t start, std::size_t end) {
        if (number >= most_stages || end - start <= thresholds::recalled) return;
        auto& runs = searched_[number].runs;
        std::rotate(runs.begin(), runs.end() - 1, runs.end());
        runs[0] = {end_ - start, end_ - end};
    }

    // Cut back to the last `distance` bytes of the text.
    void truncate(std::size_t distance) {
        for (Searched& searched : searched_) {
            for (Run& run : searched.runs)
                if (run.start > distance) run = {};
            if (searched.limit == no_match) continue;
            if (searched.limit > distance) searched = {};
            else searched.recollection.truncate(distance - searched.limit);
        }
        if (runs_ && runs_limit_ > distance) runs_ = nullptr;
        if (runs_ && runs_->end() > distance - runs_limit_) runs_->truncate(distance - runs_limit_);
    }

private:
    // Distances between which matches follow one another without gaps.
    struct Run {
        std::size_t start = no_match, end = 0;
    };
    struct Searched {
        std::size_t limit = no_match;  // the end of the piece
        regex::Recollection recollection;
        std::array<Run, 4> runs{};  // the last first
    };
    std::array<Searched, most_stages> searched_;
    std::unique_ptr<RunIndex> runs_;  // for a scanner
    std::size_t runs_limit_ = 0, end_ = 0;
};

// The matches of a matcher in a piece, one after the other.
class Search {
public:
    // `memory`: of a text that grows to the right; `recollection`: of one that grows to the left, and ends here.
    Search(const Matcher& matcher, const Byte* text, std::size_t from, std::size_t limit, bool at_end, StageMemory* memory = nullptr,
           regex::Recollection* recollection = nullptr)
        : matcher_(matcher), text_(text), from_(from), limit_(limit), at_end_(at_end), memory_(memory), recollection_(recollection), last_end_(from) {
        if (ExpressionMatcher const* const expression = matcher.expression()) {
            lease_.emplace(expression->caches());
            sweep_.emplace(expression->program(), **lease_, text, from, from, limit, at_end, memory ? &memory->resumption : nullptr, recollection);
        }
    }

    Match next() {
        if (memory_) skip();
        Match found;
        if (sweep_) {
            found = ExpressionMatcher::found(sweep_->next());
        } else if (recollection_ && matcher_.touched()) {
            found = next_boundary();
            from_ = found.end;
        } else if (recollection_ && matcher_.is_of_bytes()) {
            found = next_byte();
            from_ = found.end;
        } else if (has_no_more_boundaries_) {
            found = {no_match, no_match, at_end_, false, limit_};
        } else {
            found = matcher_.find(text_, from_, limit_, at_end_);
            from_ = found.end;
        }
        if (memory_) note(found);
        return found;
    }

    // Continues after a match that ended at `place`.
    void go_to(std::size_t place) {
        from_ = last_end_ = place;
        has_no_more_boundaries_ = false;
        if (sweep_) sweep_->skip_to(place);
    }

    // The ends of settled matches that follow at once, each from the end of the one before on; 0 where `next` has to say.
    std::size_t ends(std::size_t* ends, std::size_t capacity) {
        // The next match cannot be read here, or `next` must record where it searched in vain.
        if (recollection_ || (memory_ && (!sweep_ || memory_->start == last_end_))) return 0;
        std::size_t const count = sweep_ ? sweep_->ends(ends, capacity) : matcher_.boundaries(text_, from_, limit_, ends, capacity);
        if (count > 0) from_ = last_end_ = ends[count - 1];
        has_no_more_boundaries_ = count < capacity && matcher_.touched();
        return count;
    }

private:
    // Skips the part that was searched before.
    void skip() {
        if (memory_->start != last_end_) return;
        std::size_t& from = from_;
        if (sweep_ ? sweep_->offset() >= memory_->searched : from >= memory_->searched) return;
        if (memory_->searched > limit_) return;
        if (sweep_) sweep_->skip_to(memory_->searched);
        else from = memory_->searched;
    }

    // The characters on both sides decide about a boundary, so the boundaries after a place are the same for all searches that start before it.
    Match next_boundary() {
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

    Match next_byte() {
        std::vector<std::size_t> passed;
        Match found;
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
        Recollection::Outcome const outcome = found.start == no_match ? Recollection::Outcome{Recollection::none, Recollection::none}
                                                                      : Recollection::Outcome{limit_ - found.start, limit_ - found.end};
        for (std::size_t const place : passed) recollection_->put(place, Recollection::searching, outcome);
        if (found.start == no_match) found = {no_match, no_match, true, false, limit_};
        return found;
    }

    void note(const Match& found) {
        if (found.start != no_match) last_end_ = found.end;
        if (at_end_ || found.settled || found.start_settled || found.start != no_match || found.open_from <= last_end_) return;
        std::size_t searched = found.open_from;
        // The characters on both sides decide about a boundary.
        if (!sweep_) searched = character_before(text_, searched, last_end_);
        memory_->start = last_end_;
        memory_->searched = searched;
    }

    const Matcher& matcher_;
    const Byte* text_;
    std::size_t from_, limit_;
    bool at_end_;
    StageMemory* memory_;
    regex::Recollection* recollection_;
    std::size_t last_end_;  // the end of the last match, or the start
    bool has_no_more_boundaries_ = false;
    std::optional<Shelf<regex::Cache>::Lease> lease_;
    std::optional<regex::Sweep> sweep_;
};

}  // namespace bpe
