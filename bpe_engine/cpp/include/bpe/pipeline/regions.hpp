// A region is the text between two added tokens. It is normalized and cut into pieces, which a sink receives (Pipeline::scan describes sinks). There are three
// ways to read one:
//
//     by units     from one safe split to the next: a unit that was met before is looked up
//     pieces       a window at a time, which grows until something in it is certain
//     grown        on from a text that was read before and is longer now: what was learned of it is remembered (OpenTail)
//
// Tokens that are looked for in normalized text are found here; those of the raw text, at which a region ends, by Pipeline.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "bpe/pipeline/added_tokens.hpp"
#include "bpe/pipeline/chain.hpp"
#include "bpe/pipeline/normalizer.hpp"
#include "bpe/pipeline/open_tail.hpp"
#include "bpe/pipeline/piece_coder.hpp"
#include "bpe/pipeline/piece_sinks.hpp"
#include "bpe/pipeline/safe_splits.hpp"
#include "bpe/pipeline/unigram_text.hpp"
#include "bpe/pipeline/unit_caches.hpp"
#include "bpe/slice_end.hpp"
#include "bpe/thresholds.hpp"
#include "bpe/unicode.hpp"

namespace bpe {

class Regions {
public:
    enum class Progress : std::uint8_t { done, uncertain, ended };

    struct Workspace {
        PieceCoder::Workspace pieces;
        UnitCounts unit_counts;
        std::unique_ptr<UnitCounts> first_counts;  // of units that a text begins with, where that matters
        std::unique_ptr<UnitIds> unit_ids;         // made on the first request for ids
        Normalized normalized;
        Normalized first;  // of two normalizers
        SliceEnd slice_end;
    };

    // As those of Pipeline.
    Regions(const std::vector<AddedToken>& tokens, std::shared_ptr<const Normalizer> normalizer, Chain chain, PieceCoder coder, bool looks_inside,
            std::shared_ptr<const Normalizer> second);

    // The tokens that are `normalized`.
    const AddedTokens& inner() const { return inner_; }
    const Normalizer* normalizer() const { return normalizer_.get(); }
    const std::shared_ptr<const Normalizer>& second() const { return second_; }
    bool looks_inside() const { return looks_inside_; }
    // Whether a token that is looked for inside of a region is in what comes from the first character of the text, the first `size` bytes of the region as it
    // is normalized. Then what follows it is the first of the text as well, which a pipeline that begins with the token does not know.
    bool begins_with_token(Bytes made, std::size_t size) const {
        return size < made.size && inner_.finds({}) && inner_.find(made.data, 0, 0, size, true, {}).is_found();
    }
    // Whether something is done at the start of a region that is not done elsewhere.
    bool acts_at_start() const { return acts_at_start_; }
    const Chain& chain() const { return chain_; }
    const PieceCoder& coder() const { return coder_; }
    // The stage before which a region is whole, and still has tokens in it: see Pipeline::growing.
    std::size_t before_tokens_inside() const { return chain_.stages().size() + 1; }
    // Null: none are known, or too little was read to look for them, which takes as long as reading a small vocabulary. `size`: bytes that are read now.
    const SafeSplits* splits(std::size_t size) const {
        return has_sought_splits_.load(std::memory_order_acquire) || seek_splits(size) ? splits_.get() : nullptr;
    }
    // Null: pieces are read one by one.
    const UnigramText* units_of_unigram() const { return units_of_unigram_.get(); }

    // Reads on in a region, which ends at `end` if that is known, and else goes on at least up to `reach`, unless a token takes along what stands after `end`.
    template <class Sink>
    Progress read(const Byte* text, std::size_t begin, Position& at, std::size_t end, std::size_t reach, std::size_t limit, bool is_known,
                  const AddedTokens::Wanted& wanted, Workspace& workspace, Sink& sink, OpenTail* tail, bool learns) const {
        if constexpr (requires(UnigramText::Part part) { sink.part_of_region(*units_of_unigram_, part); }) {
            // A long tail goes on from where it was read to, but where it has doubled there may be something certain in it.
            if (units_of_unigram_ && (!tail || (is_known ? end - at.offset <= thresholds::long_tail : tail->is_worth_a_try(end - at.offset)))) {
                std::size_t const from = at.offset;
                sink.part_of_region(*units_of_unigram_, {text, at, end, limit, is_known});
                if (at.offset > from && !sink.cut(at)) return Progress::ended;
                if (is_known) return Progress::done;
                if (!tail || at.offset > from) return Progress::uncertain;
            }
        }
        if (tail && !looks_inside_) return grown(text, begin, at, is_known ? no_match : end, reach, limit, is_known, workspace, sink, *tail, learns);
        if (at.offset >= end) return Progress::uncertain;
        if (tail && !coder_.acts_at_start()) return grown_inside(text, begin, at, end, limit, is_known, wanted, workspace, sink, *tail);
        if constexpr (counts_units<Sink> || requires { sink.unit(text, begin, end, limit); })
            if (SafeSplits const* const splits = !looks_inside_ || wanted.empty() ? this->splits(end - at.offset) : nullptr)
                return by_units(*splits, text, begin, at, end, limit, is_known, workspace, sink);
        return pieces(text, begin, at, end, limit, is_known, wanted, workspace, sink);
    }

    // Reads on in a region as `read` does, without units and without what was remembered: every piece goes to the sink.
    template <class Sink>
    Progress pieces(const Byte* text, std::size_t begin, Position& at, std::size_t end, std::size_t limit, bool is_known, const AddedTokens::Wanted& wanted,
                    Workspace& workspace, Sink& sink) const {
        if (!normalizer_) return plain(text, begin, at, end, limit, is_known, sink);
        for (std::size_t size = thresholds::read_window;;) {
            std::size_t stop = end;
            if (end - at.offset > size) stop = at.offset + size - unfinished_end({text + at.offset, size});
            bool const at_end = is_known && stop == end;
            std::size_t const from = at.offset;
            bool const at_start = begins_region(at.before);
            auto const keeps = [&] { return normalizer_->keeps({text + from, stop - from}, at_start, at.before == Before::nothing); };
            // Text that is appended later may change the last character: a mark may join it.
            auto const last = [&] {
                std::size_t place = stop;
                if (!at_end && place > from) do
                        --place;
                    while (place > from && UnicodeTable::continues(text[place]));
                return place;
            };
            Progress const progress = looks_inside_ ? inside(text, begin, at, stop, at_end, wanted, workspace, sink)
                                      : keeps()     ? plain(text, begin, at, last(), limit, at_end, sink)
                                                    : normalized(text, begin, at, stop, at_end, workspace, sink);
            if (progress != Progress::uncertain || stop == end) return progress;
            sink.again();
            // If nothing in this window was certain, the next one is twice as large.
            size = at.offset == from ? size * 2 : thresholds::read_window;
        }
    }

    // Whether a piece that is a whole unit need not be remembered beside the unit: few others have it (where spaces are left out, " cat" and "cat" may have the
    // same), and none of `units` had to go. Where there are more units than are remembered, their pieces are fewer.
    template <class Units>
    bool is_alone(const Units& units) const {
        return units.has_room() && !leaves_out_;
    }

    // Reads text[start:end), which is between two safe splits, or the text begins there, by its pieces.
    template <class Sink>
    void unit(const Byte* text, Position start, std::size_t end, std::size_t limit, Workspace& workspace, Sink& sink) const {
        pieces(text, start.before == Before::nothing ? start.offset : no_match, start, end, limit, true, {}, workspace, sink);
    }

    // The number of tokens of text[at.offset:end), which is between two safe splits, or the text begins or ends there.
    std::size_t count_between(const Byte* text, Position at, std::size_t end, std::size_t limit, Workspace& workspace) const {
        Bytes const unit{text + at.offset, end - at.offset};
        auto const anew = [&] { return count_unit(text, at, end, limit, workspace); };
        bool const is_like_others = !acts_at_start_ || at.before == Before::region;
        if (unit.size > longest_unit || (!is_like_others && at.before != Before::nothing)) return anew();
        if (is_like_others) return workspace.unit_counts.count(unit, limit - at.offset, anew);
        // Slices begin with ever the same words.
        if (!workspace.first_counts) workspace.first_counts = std::make_unique<UnitCounts>();
        return workspace.first_counts->count(unit, limit - at.offset, anew);
    }
    static constexpr std::size_t longest_unit = std::min(UnitCounts::longest, UnitIds::longest);  // bytes, of those that are remembered

    // Reads the first `size` bytes of a normalized text, which begins at `at`.
    template <class Sink>
    Progress between_tokens(const Normalized& first, std::size_t size, std::size_t begin, Position& at, bool at_end, const AddedTokens::Wanted& wanted,
                            Workspace& workspace, Sink& sink) const {
        std::size_t const base = at.offset;
        bool const is_first = at.before == Before::nothing;
        bool starts = at.before != Before::region;  // a region between tokens begins
        for (std::size_t place = 0; place < size;) {
            AddedTokens::Match const match =
                inner_.finds(wanted) ? inner_.find(first.text.data(), 0, place, size, at_end, wanted) : AddedTokens::Match{.certain = size};
            std::size_t const end = match.is_found() ? match.start : at_end ? size : match.certain;
            bool const ended = at_end || match.is_found();
            if (place < end) {
                Progress progress = Progress::done;
                auto const give = [&](Normalized const& read, std::size_t from, std::size_t to) {
                    NormalizedSink<Sink> inner{sink, at, read, base, begin};
                    bool const all = chain_.run(read.text.data(), from, to, ended, inner);
                    progress = inner.has_ended ? Progress::ended : all ? Progress::done : Progress::uncertain;
                };
                if (second_) {
                    Normalized& made = workspace.normalized;
                    made.clear();
                    second_->run(first.text.data(), place, end, starts, is_first && starts && base + first.origin[place] == begin, ended, place, made);
                    for (std::size_t index = 0; index < made.origin.size(); ++index) {
                        if (made.is_cut(index)) made.cuts[index] = first.cuts[place + made.cuts[index]];
                        made.origin[index] = first.origin[place + made.origin[index]];
                    }
                    give(made, 0, made.text.size());
                } else {
                    give(first, place, end);
                }
                if (progress == Progress::ended || (progress == Progress::uncertain && match.is_found())) return progress;
            }
            if (!match.is_found()) break;
            sink.token(match.number, base + first.origin[match.start], base + first.origin[match.end]);
            place = match.end;
            starts = true;
            // Text that is inserted at the start of a region would be missing after a cut.
            if (second_ || !first.is_cut(place)) continue;
            if constexpr (refuses_cuts<Sink>)
                if (sink.refuses(base + first.cuts[place])) continue;
            at = {base + first.cuts[place], Before::region};
            if (!sink.cut(at)) return Progress::ended;
        }
        return at_end ? Progress::done : Progress::uncertain;
    }

private:
    template <class Sink>
    Progress plain(const Byte* text, std::size_t begin, Position& at, std::size_t stop, std::size_t limit, bool at_end, Sink& sink,
                   ChainMemory* memory = nullptr, std::size_t last_cut = no_match) const {
        RawSink<Sink> raw{sink, at, text, begin, limit, last_cut};
        bool const all = chain_.run(text, at.offset, stop, at_end, raw, memory);
        return raw.has_ended ? Progress::ended : all ? Progress::done : Progress::uncertain;
    }

    template <class Sink>
    Progress normalized(const Byte* text, std::size_t begin, Position& at, std::size_t stop, bool at_end, Workspace& workspace, Sink& sink) const {
        Normalized& made = workspace.normalized;
        made.clear();
        std::size_t const base = at.offset;
        normalizer_->run(text, base, stop, begins_region(at.before), at.before == Before::nothing, at_end, base, made);
        NormalizedSink<Sink> inner{sink, at, made, base, begin};
        bool const all = chain_.run(made.text.data(), 0, made.text.size(), at_end, inner);
        return inner.has_ended ? Progress::ended : all ? Progress::done : Progress::uncertain;
    }

    // As `normalized`, with tokens that are looked for in the normalized text.
    template <class Sink>
    Progress inside(const Byte* text, std::size_t begin, Position& at, std::size_t stop, bool at_end, const AddedTokens::Wanted& wanted, Workspace& workspace,
                    Sink& sink) const {
        Normalized& first = second_ ? workspace.first : workspace.normalized;
        first.clear();
        std::size_t const base = at.offset;
        normalizer_->run(text, base, stop, begins_region(at.before), at.before == Before::nothing, at_end, base, first);
        std::size_t const size = first.text.size();
        // A token that begins at a cut must not look at what stands before it.
        if (inner_.looks_back()) {
            for (std::size_t place = 0; place < size; ++place)
                if (inner_.looks_back(first.text[place])) first.cuts[place] = Normalized::no_cut;
            if (!at_end) first.cuts[size] = Normalized::no_cut;
        }
        if (inner_.hides()) {
            std::vector<AddedTokens::Span> unwanted;
            for (AddedTokens::Match match; (match = inner_.find(first.text.data(), 0, match.end, size, at_end, wanted, nullptr, &unwanted)).is_found();) {
            }
            for (AddedTokens::Span const& span : unwanted)
                std::fill(first.cuts.begin() + static_cast<std::ptrdiff_t>(span.start) + 1, first.cuts.begin() + static_cast<std::ptrdiff_t>(span.end),
                          Normalized::no_cut);
        }
        return between_tokens(first, size, begin, at, at_end, wanted, workspace, sink);
    }

    // As `read`, for a region of which `tail` remembers what was read before: only what is new is normalized and cut. `learns`: text[:stop) stays as it is
    // whatever follows, so `tail` may remember it. No cut after `last_cut` is told to the sink.
    template <class Sink>
    Progress grown(const Byte* text, std::size_t begin, Position& at, std::size_t last_cut, std::size_t stop, std::size_t limit, bool at_end,
                   Workspace& workspace, Sink& sink, OpenTail& tail, bool learns) const {
        ChainMemory& memory = tail.chain();
        if (!tail.is_normalized() && normalizer_) {
            std::size_t const from = std::clamp(tail.kept(), at.offset, stop);
            bool const is_start = from == at.offset;
            if (!normalizer_->keeps({text + from, stop - from}, is_start && begins_region(at.before), is_start && at.before == Before::nothing)) {
                tail.begin_normalized();
            } else {
                // Text that is appended later may change the last character: a mark may join it.
                if (!at_end && stop > from) do
                        --stop;
                    while (stop > from && UnicodeTable::continues(text[stop]));
                if (learns) tail.set_kept(stop);
            }
        }
        if (!tail.is_normalized()) {
            if (learns) tail.set_valid(stop);
            return plain(text, begin, at, stop, limit, at_end, sink, &memory, last_cut);
        }
        // The part that no later text can change is kept for the next time. The rest is normalized as the end of the text, and removed again below.
        // A token may begin after `learned` that what follows completes.
        std::size_t const certain = at_end ? std::clamp(tail.learned(), at.offset, stop) : stop;
        if (!at_end || !tail.has_normalized()) tail.normalize(*normalizer_, text, certain - unfinished_end({text + at.offset, certain - at.offset}), false);
        if (at_end) tail.normalize(*normalizer_, text, stop, true);
        std::size_t const index = tail.index_of(at.offset);
        Progress progress = Progress::ended;
        if (index != no_match) {
            Normalized const& made = tail.normalized();
            NormalizedSink<Sink> inner{sink, at, made, tail.origin(), begin, last_cut, !coder_.acts_at_start()};
            bool const all = chain_.run(made.text.data(), index, made.text.size(), at_end, inner, &memory);
            progress = inner.has_ended ? Progress::ended : all ? Progress::done : Progress::uncertain;
        }
        if (at_end) tail.keep_certain();
        return index != no_match ? progress : read(text, begin, at, stop, stop, limit, at_end, {}, workspace, sink, nullptr, false);
    }

    // As `grown`, where added tokens are looked for in the normalized text. The normalized region goes to the sink as one part, which a pipeline of its own
    // reads. Whether the region has settled is asked only now and then, because the answer takes reading all of it.
    template <class Sink>
    Progress grown_inside(const Byte* text, std::size_t begin, Position& at, std::size_t stop, std::size_t limit, bool at_end,
                          const AddedTokens::Wanted& wanted, Workspace& workspace, Sink& sink, OpenTail& tail) const {
        if constexpr (takes_parts<Sink>) {
            bool const is_whole = at.offset == tail.origin();
            if (is_whole && !tail.is_normalized()) tail.begin_normalized();
            // At the end of the text a token may begin that what follows completes: nothing is kept of what is normalized up to there.
            if (is_whole && !at_end) tail.normalize(*normalizer_, text, stop - unfinished_end({text + at.offset, stop - at.offset}), false);
            if (!at_end && !tail.is_worth_a_try(stop - at.offset)) return Progress::uncertain;
            if (at_end && is_whole) {
                tail.normalize(*normalizer_, text, stop, true);
                Normalized const& made = tail.normalized();
                // If the normalizer removes the first character of the text, what is left is not the start of the text.
                bool const is_later = at.before == Before::nothing && !made.text.empty() && tail.origin() + made.origin[0] != begin;
                Bytes const all{made.text.data(), made.text.size()};
                auto const after_first = std::upper_bound(made.origin.begin(), made.origin.begin() + static_cast<std::ptrdiff_t>(all.size), made.origin[0]);
                bool const begins =
                    at.before == Before::nothing && !is_later && begins_with_token(all, static_cast<std::size_t>(after_first - made.origin.begin()));
                if (!begins && all.size > 0) sink.part(before_tokens_inside(), all, is_later ? Before::token : at.before);
                tail.keep_certain();
                if (!begins) {
                    at = {stop, Before::region};
                    return sink.cut(at) ? Progress::done : Progress::ended;
                }
            }
        }
        return pieces(text, begin, at, stop, limit, at_end, wanted, workspace, sink);
    }

    // Reads on in a region from one safe split to the next.
    template <class Sink>
    Progress by_units(const SafeSplits& safe, const Byte* text, std::size_t begin, Position& at, std::size_t end, std::size_t limit, bool is_known,
                      Workspace& workspace, Sink& sink) const {
        std::array<std::size_t, 128> splits;
        SafeSplits::Search search(safe, text, at.offset, end, is_known);
        auto const moved_to = [&](std::size_t stop) {
            at.offset = stop;
            at.before = Before::region;
            return sink.cut(at);
        };
        // Reads text[at:stop), where nothing of the text before `stop` depends on what follows.
        auto const read = [&](std::size_t stop) {
            std::size_t const from = at.offset;
            bool const is_like_others = !acts_at_start_ || at.before == Before::region;
            bool const begins_text = counts_units<Sink> && at.before == Before::nothing && from == begin;
            if (stop - from > longest_unit || (!is_like_others && !begins_text)) {
                Progress const progress = pieces(text, begin, at, stop, limit, true, {}, workspace, sink);
                if (progress == Progress::ended || at.offset == stop) return progress != Progress::ended;
            } else {
                if constexpr (counts_units<Sink>) sink.unit(count_between(text, at, stop, limit, workspace));
                else sink.unit(text, from, stop, limit);
            }
            return moved_to(stop);
        };
        auto const expected_unit = [&](Bytes unit, std::size_t readable) {
            if constexpr (counts_units<Sink>) return workspace.unit_counts.expect(unit, readable);
            else return sink.expected_unit(unit, readable);
        };
        std::array<ExpectedUnit, splits.size()> expected;
        for (std::size_t count; (count = search.next(splits.data(), splits.size())) > 0;) {
            for (std::size_t index = 0, start = at.offset; index < count; start = splits[index++])
                expected[index] = expected_unit({text + start, splits[index] - start}, limit - start);
            for (std::size_t index = 0; index < count; ++index) {
                bool is_read = false;
                if (!acts_at_start_ || at.before == Before::region) [[likely]] {
                    if constexpr (counts_units<Sink>) {
                        unsigned const known = expected[index].is_short ? workspace.unit_counts.find(expected[index]) : 0;
                        is_read = known > 0;
                        if (is_read) [[likely]]
                            sink.unit(known);
                    } else {
                        std::size_t const known = sink.known_units(&expected[index], count - index);
                        is_read = known > 0;
                        if (is_read) [[likely]]
                            index += known - 1;
                    }
                }
                if (!(is_read ? moved_to(splits[index]) : read(splits[index]))) return Progress::ended;
            }
        }
        if (at.offset == end) return Progress::done;
        if (is_known) return read(end) ? Progress::done : Progress::ended;
        return end - at.offset <= thresholds::open_unit ? Progress::uncertain : pieces(text, begin, at, end, limit, false, {}, workspace, sink);
    }

    // The number of tokens of text[start:end), which is between two safe splits, or the text begins there.
    std::size_t count_unit(const Byte* text, Position start, std::size_t end, std::size_t limit, Workspace& workspace) const;

    // Makes the splits if they are worth it now; whether they are.
    bool seek_splits(std::size_t size) const;

    AddedTokens inner_;
    std::shared_ptr<const Normalizer> normalizer_, second_;
    bool looks_inside_;
    Chain chain_;
    PieceCoder coder_;
    bool acts_at_start_, leaves_out_;
    std::vector<AddedToken> tokens_inside_;
    mutable std::once_flag splits_once_;
    mutable std::unique_ptr<const SafeSplits> splits_;
    mutable std::atomic<bool> has_sought_splits_ = false;
    mutable std::atomic<std::size_t> read_before_splits_ = 0;  // bytes
    std::shared_ptr<const UnigramText> units_of_unigram_;
};

}  // namespace bpe
