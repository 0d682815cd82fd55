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
#include <vector>

#include "bpe/pipeline/search.hpp"
#include "bpe/scanner.hpp"
#include "bpe/thresholds.hpp"
#include "bpe/types.hpp"
#include "bpe/unicode.hpp"

namespace bpe {

// Treatment of matches and of the gaps between them. Each of Hugging Face's behaviours, inverted or not, is one of these.
enum class Behaviour : std::uint8_t {
    isolated,       // each match and each gap is a piece
    without_match,  // gaps are pieces
    without_gap,    // matches are pieces
    contiguous,     // matches that touch are one piece; gaps are pieces
    with_previous,  // a match belongs to the gap before it; after another match it is alone
    with_next,      // a match belongs to the gap after it; before another match it is alone
};

struct Stage {
    std::shared_ptr<const Matcher> matcher;
    Behaviour behaviour = Behaviour::isolated;
    const Scanner* scanner = nullptr;                            // instead of a matcher: its pre-tokens are the pieces
    std::shared_ptr<const regex::Program> expression = nullptr;  // if known, an expression whose matches are the pre-tokens of the scanner
};

class Chain {
public:
    static constexpr std::size_t most_stages = 16;

    explicit Chain(std::vector<Stage> stages);
    const std::vector<Stage>& stages() const { return stages_; }
    // This chain without the stage that splits where no token can cross. Pieces are longer then, and have as many tokens in all.
    Chain without_touching() const;
    // Whether no stage distinguishes two marks: where one stands the other may stand, and every cut stays.
    bool treats_alike(char32_t one, char32_t other) const;
    // Whether some text is part of no piece.
    bool leaves_out() const {
        return std::any_of(stages_.begin(), stages_.end(),
                           [](Stage const& stage) { return stage.behaviour == Behaviour::without_match || stage.behaviour == Behaviour::without_gap; });
    }

    // Cuts text[start:limit). Calls `sink.piece(start, end)` for each piece that is not empty, and `sink.cut(offset)` at cuts after them; that returns false
    // to end the search. With `at_end` the text ends at `limit`, else only what is certain is given. Whether all was given. `memory` is of this text.
    template <class Sink>
    bool run(const Byte* text, std::size_t start, std::size_t limit, bool at_end, Sink& sink, ChainMemory* memory = nullptr) const {
        return Run<Sink>{stages_, beginning_, cutting_, text, sink, memory, nullptr}.stage(0, start, limit, at_end);
    }

    // Scans a text that has grown to the left, up to a cut at which the sink says that it knows the rest.
    template <class Sink>
    bool run_from_left(const Byte* text, std::size_t start, std::size_t limit, Sink& sink, LeftMemory& left) const {
        return Run<Sink>{stages_, beginning_, cutting_, text, sink, nullptr, &left}.stage(0, start, limit, true);
    }

    // Whether `run_to_end` knows these stages.
    bool runs_to_end() const {
        return stages_.size() == 1 && (stages_[0].scanner || (stages_[0].matcher->expression() && stages_[0].behaviour == Behaviour::isolated));
    }

    // For a text that ends at `limit` now and continues later: calls `sink.uncertain()` after the last certain piece. One pass.
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
            // If it is not settled, take it as if the text ended here.
            Match const found = search.next();
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
        const std::vector<std::array<bool, 256>>&beginning, &cutting;
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
            // Most pieces are not cut again, which is known sooner than a search begins.
            if (number > 0 && at_end && stays_whole(number, start, limit)) {
                sink.piece(start, limit);
                return cut(limit);
            }
            // A long piece that is cut again is a text of its own, with a memory of its own.
            if constexpr (requires { sink.part(number, start, limit); }) {
                if (number > 0 && at_end && (memory || left) && sink.parts && limit - start > thresholds::kept_size) {
                    sink.part(number, start, limit);
                    return cut(limit);
                }
            }
            // Stages without a memory would read an open piece again each time; the one who counts it up to its end has a memory for them.
            if (number >= ChainMemory::most_stages && !at_end && memory && limit - start > thresholds::kept_size) return false;
            Stage const& stage = stages[number];
            // A short piece in which no match of this stage can begin is one gap.
            if (at_end && start < limit && begins_none(beginning[number], start, limit)) return this->stage(number + 1, start, limit, true);
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

        // Whether a short piece is left as it is by the stages from `number` on, because no match of theirs can begin in it.
        bool stays_whole(std::size_t number, std::size_t start, std::size_t limit) const {
            return number == stages.size() || begins_none(cutting[number], start, limit);
        }
        bool begins_none(const std::array<bool, 256>& bytes, std::size_t start, std::size_t limit) const {
            return limit - start <= thresholds::short_piece && std::none_of(text + start, text + limit, [&bytes](Byte byte) { return bytes[byte]; });
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
                        if (with_matches && stays_whole(number + 1, piece, ends[index])) {
                            // Prefetch what is known of a piece a few steps ahead.
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
                Match const found = search.next();
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
            StageMemory* const known = memory ? memory->of(number) : nullptr;
            regex::Recollection* const recollection = left ? left->of(number, start, limit) : nullptr;
            Search search(matcher, text, start, limit, at_end, known, recollection);
            std::size_t run = start, end = start;  // of the matches that touch
            auto const give_run = [&] {
                if (recollection) left->note_run(number, run, end);
                matched(number, run, end);
                return stage(number + 1, run, end, true);
            };
            for (;;) {
                // The matches of a long run are not found again.
                if (known && known->run == run && known->run_end > end && known->run_end <= limit) search.go_to(end = known->run_end);
                if (std::size_t const place = recollection ? left->run_end(number, end) : end; place > end && place <= limit) search.go_to(end = place);
                Match const found = search.next();
                bool const is_open = !at_end && !found.settled;
                bool const none = !is_open && found.start == no_match;
                std::size_t const next = none ? limit : is_open && !found.start_settled ? found.open_from : found.start;
                if (next == end && is_open) {  // the run may go on
                    if (known && !at_end) known->run = run, known->run_end = end;
                    return false;
                }
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
                Match const found = search.next();
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
            std::size_t piece = start, match_end = start;  // the piece begins with a match if it begins before `match_end`
            for (;;) {
                Match const found = search.next();
                if (!at_end && !found.settled) {
                    if (found.start_settled) {
                        if (found.start > piece) stage(number + 1, piece, found.start, true);
                    } else if (std::size_t const certain = std::max(found.open_from, match_end); certain > piece) {
                        stage(number + 1, piece, certain, false);
                    }
                    return false;
                }
                if (found.start == no_match) return piece == limit || stage(number + 1, piece, limit, at_end);
                if (found.start > piece && !stage(number + 1, piece, found.start, true)) return false;
                piece = found.start;
                match_end = found.end;
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
                    if (!step.ends && !give(place, place + step.consumed())) return false;
                    place += step.consumed();
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
                for (std::uint64_t ends = step.ends; ends && goes_on; ends &= ends - 1) hold(place + static_cast<std::size_t>(std::countr_zero(ends)) + 1);
                if (!step.ends) hold(place + step.consumed());
                place += step.consumed();
            }
            return false;
        }
    };

    std::vector<Stage> stages_;
    // Of each stage: the bytes that a match of it, and of it or a later stage, may begin with; all where gaps are left out.
    std::vector<std::array<bool, 256>> beginning_, cutting_;
};

}  // namespace bpe
