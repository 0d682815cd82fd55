// A whole tokenizer: text -> added tokens and regions -> normalized text -> pieces -> tokens, from left to right, and exact at every step.
//
//     "Héllo <mask> world"
//      added tokens      Héllo_ | <mask> | _world        a region is what stands between two of them
//      normalizer        Héllo_ | <mask> | _world
//      chain             Héllo|_|<mask>|_world           pieces, by the pre-tokenizers
//      coder             17 9 | 3 | 50256 | 22           tokens
//
// One primitive carries every way in which a text is encoded: `scan` reads on from a *position* and tells where it can stop. A position is an offset and what
// is known of the text before it (nothing; a region is open; an added token ended here, and with it a region or not). At a cut the tokens before are those of
// the text up to there, and the tokens after it are those of the rest, read from that position. What is certain whatever follows is given first:
//
//     count a text        scan it to the end, add up
//     append              scan from the last certain cut: what is certain of it stays
//     prepend             scan from the new start until a cut where an earlier scan has been: from there on nothing has changed
//     price a slice       scan its start until a cut of the whole text, and from the last cut that its end cannot change
//
// This is the incremental encoding of GitHub's `bpe` crate at the level of pieces, with what real tokenizers do before the merges.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "bpe/pipeline/added_tokens.hpp"
#include "bpe/pipeline/chain.hpp"
#include "bpe/pipeline/normalizer.hpp"
#include "bpe/pipeline/open_head.hpp"
#include "bpe/pipeline/open_tail.hpp"
#include "bpe/pipeline/piece_coder.hpp"
#include "bpe/pipeline/piece_sinks.hpp"
#include "bpe/pipeline/safe_splits.hpp"
#include "bpe/pipeline/unigram_text.hpp"
#include "bpe/pipeline/unit_caches.hpp"
#include "bpe/shelf.hpp"
#include "bpe/thresholds.hpp"
#include "bpe/unicode.hpp"

namespace bpe {

class Pipeline {
public:
    // `normalizer` null: none. With one, tokens that are `normalized` are looked for in what it leaves, where `looks_inside`; `second` is a normalizer for the
    // regions between those.
    Pipeline(std::vector<AddedToken> added_tokens, std::shared_ptr<const Normalizer> normalizer, Chain chain, PieceCoder coder, bool looks_inside = false,
             std::shared_ptr<const Normalizer> second = nullptr)
        : tokens_(std::move(added_tokens)),
          outer_(tokens_, false),
          inner_(tokens_, true),
          normalizer_(std::move(normalizer)),
          second_(std::move(second)),
          looks_inside_(looks_inside && normalizer_),
          chain_(std::move(chain)),
          chain_of_marks_(chain_.without_touching()),
          coder_(std::move(coder)),
          acts_at_start_((normalizer_ && normalizer_->acts_at_start()) || coder_.acts_at_start()),
          // Not with a second normalizer: it may insert text after an added token, and the unit after a split does not know that a token ended there.
          splits_(second_ ? nullptr
                          : SafeSplits::make(normalizer_.get(), chain_, coder_.is_plain() ? &coder_.model() : nullptr,
                                             looks_inside_ ? tokens_inside() : std::vector<AddedToken>())),
          units_of_unigram_(looks_inside_ ? nullptr : UnigramText::make(coder_, chain_, normalizer_.get())),
          orders_marks_(!looks_inside_ && !units_of_unigram_ && normalizer_ && normalizer_->orders_marks() && !has_token_with_mark()),
          bytes_a_token_(most_bytes_a_token()) {
        if (!looks_inside_) return;
        for (std::uint32_t number = 0; number < tokens_.size(); ++number)
            if (tokens_[number].normalized) inside_.emplace(tokens_[number].id, number);
    }

    struct Workspace {
        PieceCoder::Workspace pieces;
        UnitCounts unit_counts;
        std::unique_ptr<UnitCounts> first_counts;  // of units that a text begins with, where that matters
        std::unique_ptr<UnitIds> unit_ids;         // made on the first request for ids
        Normalized normalized;
        Normalized first;  // of two normalizers
    };
    using Lease = Shelf<Workspace>::Lease;
    Lease lease() const { return Lease(shelf_); }

    const std::vector<AddedToken>& added_tokens() const { return tokens_; }
    const PieceCoder& coder() const { return coder_; }
    // Null: none.
    const Normalizer* normalizer() const { return normalizer_.get(); }
    const Chain& chain() const { return chain_; }
    // The chain for runs of marks, where these stand in the order in which they came.
    const Chain& chain_of_marks() const { return chain_of_marks_; }
    // Whether a text from an offset on is one region: no added token is found in it.
    bool is_one_region(Bytes text, std::size_t from) const {
        return !looks_inside_ && !(outer_.finds({}) && outer_.find(text.data, 0, from, text.size, true, {}).is_found()) &&
               !(inner_.finds({}) && inner_.find(text.data, 0, from, text.size, true, {}).is_found());
    }
    // Whether marks that are put in order can wait in the order in which they came: nothing but the model and the normalizer asks for it.
    bool orders_marks() const { return orders_marks_; }
    // Whether a whole text is one piece: there are no stages, and no added tokens that are found unasked.
    bool cuts_nothing() const { return chain_.stages().empty() && coder_.is_plain() && !looks_inside_ && !outer_.finds({}) && !inner_.finds({}); }

    // Reads text[at.offset:limit), where the text begins at `begin`, and moves `at` to the last cut. Tells the sink of
    //
    //     piece(Bytes, readable, is_first, raw)   a piece; `raw` is its offset in the raw text, or where its first character comes from
    //     token(number, start, end)               an added token
    //     cut(Position)                           all before is complete; returns false to end the scan
    //     again()                                 pieces after the last cut come again
    //     expect(Bytes, readable)                 a piece that comes soon, if it has such a function
    //     part_of_region(units, part)   what `units` reads of a region, which a Unigram model gets as one piece: only a sink that has such a function
    //     unit(count)                             so many tokens, of a unit between safe splits: only a sink that has such a function, and then mostly in place
    //     of pieces
    //     unit(text, start, end, limit)           the same unit, for a sink that does not count; unit_expected(Bytes, readable) tells it of one that comes soon
    //
    // With `at_end` the text ends at `limit`, and is read up to there; else only what is certain whatever follows. `behind_token`: a token stands before
    // `begin`, so that no piece is the first. `tail`: what is known of the text from `at` on, and is added to where the text does not end.
    template <class Sink>
    void scan(const Byte* text, std::size_t begin, Position& at, std::size_t limit, bool at_end, const AddedTokens::Wanted& wanted, Workspace& workspace,
              Sink& sink, bool behind_token = false, OpenTail* tail = nullptr) const {
        std::size_t const first = behind_token ? no_match : begin;
        // An unfinished character may become any.
        if (!at_end) limit -= std::min(limit - at.offset, unfinished_end({text, limit}));
        bool const finds_outer = outer_.finds(wanted), finds_inner = !looks_inside_ && inner_.finds(wanted);
        AddedTokens::Match outer;
        bool looks = finds_outer;
        while (at.offset < limit) {
            if (looks) outer = outer_.find(text, begin, at.offset, limit, at_end, wanted, tail ? &tail->searched(0) : nullptr);
            looks = false;
            AddedTokens::Match match = outer;
            // The region ends where a token begins, or nothing of one can. It goes on at least up to `reach`, if what follows is no token.
            bool is_known = at_end || match.is_found();
            std::size_t end = match.is_found() ? match.start : finds_outer && !at_end ? match.certain : limit;
            std::size_t reach = tail && finds_outer && !is_known ? tail->searched(0).place : end;
            if (finds_inner && at.offset < end) {
                AddedTokens::Searched searched;
                if (tail) searched = {std::min(tail->searched(1).place, end), std::min(tail->searched(1).spaces, end)};
                AddedTokens::Match const inner = inner_.find(text, begin, at.offset, end, is_known, wanted, tail ? &searched : nullptr);
                if (inner.is_found()) {
                    match = inner;
                    end = inner.start;
                    is_known = true;
                } else if (!is_known) {
                    end = inner.certain;
                    reach = end;
                    if (tail) {
                        tail->searched(1) = searched;
                        reach = searched.place;
                    }
                }
            }
            if (is_known) reach = end;
            // A token that takes along white space which was read on.
            OpenTail* const known = tail && match.is_found() && end < tail->learned() ? nullptr : tail;
            if (known && !at_end && !is_known) known->set_learned(reach);
            // Tokens that are searched in the raw text do not depend on the text between them.
            bool const reads = !takes_tokens_alone<Sink> || looks_inside_;
            if (reads && at.offset < reach &&
                region(text, first, at, end, reach, limit, is_known, wanted, workspace, sink, known, !at_end && !is_known) != Progress::done)
                return;
            if (!match.is_found()) return;
            // Behind a token the text is another matter.
            if (tail && !at_end) tail->close();
            tail = nullptr;
            sink.token(match.number, match.start, match.end);
            looks = finds_outer && match.end >= outer.end;
            at = {match.end, Before::token};
            if (!sink.cut(at)) return;
        }
    }

    // Reads to the end of a text that may go on later: `sink.uncertain()` is called after all that nothing can change, and `at` is the last cut before it.
    template <class Sink>
    void scan_to_end(const Byte* text, std::size_t begin, Position& at, std::size_t limit, Workspace& workspace, Sink& sink, bool behind_token = false,
                     OpenTail* tail = nullptr) const {
        bool const is_simple = !splits_ && !tail && !looks_inside_ && chain_.runs_to_end() && !outer_.finds({}) && !inner_.finds({}) &&
                               unfinished_end({text + at.offset, limit - at.offset}) == 0;
        // With a normalizer what follows may change the last character: its class stays, and scanners look at no more.
        if (is_simple && (!normalizer_ || (chain_.stages()[0].scanner && normalizer_->keeps({text + at.offset, limit - at.offset}, begins_region(at.before),
                                                                                            at.before == Before::nothing)))) {
            RawSink<Sink> raw{sink, at, text, behind_token ? no_match : begin, limit};
            chain_.run_to_end(text, at.offset, limit, raw);
            return;
        }
        scan(text, begin, at, limit, false, {}, workspace, sink, behind_token, tail);
        sink.uncertain();
        Position end = at;
        scan(text, begin, end, limit, true, {}, workspace, sink, behind_token, tail && tail->covers(at.offset) ? tail : nullptr);
    }

    // Reads to a token that stands in a text as such, and that is looked for in normalized text: what is before it, text[at.offset:start), as it is in
    // text[at.offset:end), which ends with the token. So a normalizer that strips the end of a text leaves the white space before the token.
    template <class Sink>
    void scan_before(const Byte* text, Position& at, std::size_t start, std::size_t end, std::uint32_t number, Workspace& workspace, Sink& sink,
                     bool behind_token) const {
        scan(text, 0, at, start, false, {}, workspace, sink, behind_token);
        sink.again();
        if (outer_.finds({})) {
            std::size_t last = at.offset;
            for (AddedTokens::Match match; (match = outer_.find(text, 0, last, start, true, {})).is_found();) last = match.end;
            if (last > at.offset) scan(text, 0, at, last, true, {}, workspace, sink, behind_token);
        }
        Normalized& made = second_ ? workspace.first : workspace.normalized;
        made.clear();
        normalizer_->run(text, at.offset, end, begins_region(at.before), at.before == Before::nothing, true, at.offset, made);
        std::size_t const size = size_before(made, tokens_[number], start - at.offset);
        between_tokens(made, size, behind_token ? no_match : 0, at, true, {}, workspace, sink);
    }

    // Reads on in a region of a whole text to which much was prepended, byte by byte or more, and up to a cut at which the sink ends the scan. `head` is of
    // this text, and `added` bytes of it are new, about. Returns false where this is no help.
    template <class Sink>
    bool scan_head(Bytes text, Position& at, std::size_t added, Sink& sink, OpenHead& head, bool behind_token = false) const {
        if (looks_inside_ && coder_.acts_at_start()) return false;
        std::size_t end = text.size;
        if (outer_.finds({})) end = head.first_token(outer_, 0, text.data, at.offset, end, text.size, added);
        if (inner_.finds({}) && !looks_inside_) end = head.first_token(inner_, 1, text.data, at.offset, end, text.size, added);
        if (end - at.offset <= thresholds::long_tail) return false;
        bool const at_start = begins_region(at.before), is_first = at.before == Before::nothing;
        if (normalizer_) at.offset = head.behind_dropped(*normalizer_, text.data, at.offset, end, text.size);
        if (at.offset == end) return true;
        NeedlessPart without{at.offset, 0};
        if (normalizer_) without = head.needless(*normalizer_, text.data, at.offset, end, text.size, at_start);
        if (without.start == at.offset) at.offset += std::exchange(without.size, 0);
        std::shared_ptr<const Pipeline> const strips_no_end = normalizer_ && normalizer_->acts_at_start() ? rest(before_ink()) : nullptr;
        Normalizer const* const other = strips_no_end ? strips_no_end->normalizer() : nullptr;
        bool const keeps = head.begin(normalizer_.get(), text.data, at.offset, end, text.size, at_start, is_first);
        if (looks_inside_) {
            if constexpr (takes_parts<Sink>) {
                if (!keeps) head.normalize(*normalizer_, other, text.data, at.offset, end, at_start, is_first, added, without);
                Bytes const inner = keeps ? text.part(at.offset, end) : head.normalized();
                (void)head.chain(inner.data, inner.size);
                if (inner.size > 0) sink.part(before_tokens_inside(), inner, at.before);
                at = {end, Before::region};
                (void)sink.cut(at);
            }
        } else if (keeps) {
            RawSink<Sink> raw{sink, at, text.data, behind_token ? no_match : 0, text.size};
            chain_.run_from_left(text.data, at.offset, end, raw, head.chain(text.data, end));
        } else {
            head.normalize(*normalizer_, other, text.data, at.offset, end, at_start, is_first, added, without, orders_marks_ ? &chain_ : nullptr);
            // The tables of marks are those of pieces that are not cut again.
            bool const has_parts = !coder_.acts_at_start() && !head.has_marks(head.normalized());
            HeadSink<Sink> inner{sink, at, head, head.normalized(), behind_token ? no_match : 0, end, has_parts};
            chain_.run_from_left(inner.text.data, 0, inner.text.size, inner, head.chain(inner.text.data, inner.text.size));
        }
        return true;
    }

    // Reads text[start:end), which is between two safe splits, or the text begins there, by its pieces.
    template <class Sink>
    void scan_unit(const Byte* text, Position start, std::size_t end, std::size_t limit, Workspace& workspace, Sink& sink) const {
        pieces(text, start.before == Before::nothing ? start.offset : no_match, start, end, limit, true, {}, workspace, sink);
    }

    // The number of tokens.
    std::size_t count(Bytes text, const AddedTokens::Wanted& wanted = {}) const;
    // Appends the ids.
    void encode(Bytes text, std::vector<std::uint32_t>& ids, const AddedTokens::Wanted& wanted = {}) const;
    // The ids, and for each the offset in bytes of the character that it comes from.
    void encode_with_offsets(Bytes text, std::vector<std::uint32_t>& ids, std::vector<std::uint32_t>& offsets, const AddedTokens::Wanted& wanted = {}) const;
    // The ids of the text after a cut.
    void encode_rest(Bytes text, Position from, bool behind_token, std::vector<std::uint32_t>& ids) const;
    // The same up to a token that `scan_before` reads to. `text` ends with it, from `start` on.
    void encode_before(Bytes text, Position from, std::size_t start, std::uint32_t number, bool behind_token, std::vector<std::uint32_t>& ids) const;
    // The number of the token with this id, if it is looked for in normalized text.
    std::optional<std::uint32_t> number_inside(std::uint32_t id) const;
    struct Written {
        std::uint32_t number;
        std::size_t start, end;  // with the white space that it takes along, in bytes
    };
    // The special tokens that are found in a text, of those that are wanted. Reads nothing else, unless tokens are looked for in normalized text.
    std::vector<Written> find_special(Bytes text, const AddedTokens::Wanted& wanted) const;
    // The numbers of the added tokens that are written in a text, wanted or not.
    void find_added(Bytes text, std::vector<std::uint32_t>& numbers) const;
    // The pieces that the model gets, and the added tokens.
    void split(Bytes text, std::vector<std::string>& pieces) const;
    // Safe splits near the start of a text, and of every text that ends with it; none where an added token may reach over them.
    std::vector<std::size_t> safe_splits(Bytes text, std::size_t limit) const;
    // An empty piece that grows, of those that the stages before `stage` leave, or of a region that is normalized and still has tokens in it; null where it is
    // as good to encode it anew. `sum`: the scores before a piece of a Unigram model. The pipeline outlives it.
    std::unique_ptr<GrowingPiece> growing(std::size_t stage, Side side, Before before, double sum = 0) const;
    // A text that grows to the right, and ends with bytes that begin a character, which a normalizer does not strip; null where that is no help.
    std::unique_ptr<GrowingPiece> growing_before_ink(Before before) const;
    std::size_t stages() const { return chain_.stages().size(); }
    std::size_t before_tokens_inside() const { return stages() + 1; }
    bool looks_inside() const { return looks_inside_; }
    // Whether the tokens of a piece may depend on the text before it in its region: it continues a sum (Position).
    bool goes_on_with_sums() const { return units_of_unigram_ != nullptr; }
    // The number of tokens, or nothing where it is above `limit`: reads little more than that many, and of a text that is too long for any tokens nothing.
    std::optional<std::size_t> count_up_to(Bytes text, std::size_t limit) const;

private:
    enum class Progress : std::uint8_t { done, uncertain, ended };
    // The number of tokens of text[start:end), which is between two safe splits, or the text begins there.
    std::size_t count_unit(const Byte* text, Position start, std::size_t end, std::size_t limit, Workspace& workspace) const;

    static constexpr std::size_t longest_unit = std::min(UnitCounts::longest, UnitIds::longest);  // bytes, of those that are remembered

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
            for (std::size_t place = 0; place < size; ++place) first.is_cut[place] = first.is_cut[place] && !inner_.looks_back(first.text[place]);
            first.is_cut[size] = first.is_cut[size] && at_end;
        }
        return between_tokens(first, size, begin, at, at_end, wanted, workspace, sink);
    }

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
                    second_->run(first.text.data(), place, end, starts, is_first && starts && base + first.origin[place] == begin, ended, 0, made);
                    for (std::size_t index = 0; index < made.origin.size(); ++index) {
                        made.is_cut[index] = made.is_cut[index] && first.is_cut[made.origin[index]];
                        made.origin[index] = first.origin[made.origin[index]];
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
            if (second_ || !first.is_cut[place]) continue;
            at = {base + first.origin[place], Before::region};
            if (!sink.cut(at)) return Progress::ended;
        }
        return at_end ? Progress::done : Progress::uncertain;
    }

    // How much of the normalized text of a region is before the token that ends it, which is written raw[start:).
    std::size_t size_before(const Normalized& made, const AddedToken& token, std::size_t start) const;

    // As `region`, for a region of which `tail` remembers what was read before: only what is new is normalized and cut. `learns`: text[:stop) stays as it is
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
                // What follows may change the last character.
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
        // What is certain stays, what would be the end is taken back.
        if (!at_end || !tail.has_normalized()) tail.normalize(*normalizer_, text, stop - unfinished_end({text + at.offset, stop - at.offset}), false);
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
        return index != no_match ? progress : region(text, begin, at, stop, stop, limit, at_end, {}, workspace, sink, nullptr, false);
    }

    // As `grown`, where added tokens are looked for in the normalized text. The normalized region goes to the sink as one part, which a pipeline of its own
    // reads. Whether the region has settled is asked only now and then, because the answer takes reading all of it.
    template <class Sink>
    Progress grown_inside(const Byte* text, std::size_t begin, Position& at, std::size_t stop, std::size_t limit, bool at_end,
                          const AddedTokens::Wanted& wanted, Workspace& workspace, Sink& sink, OpenTail& tail) const {
        if constexpr (takes_parts<Sink>) {
            if (!at_end && !tail.is_worth_a_try(stop - at.offset)) return Progress::uncertain;
            if (at_end && at.offset == tail.origin()) {
                if (!tail.is_normalized()) tail.begin_normalized();
                tail.normalize(*normalizer_, text, stop - unfinished_end({text + at.offset, stop - at.offset}), false);
                tail.normalize(*normalizer_, text, stop, true);
                Normalized const& made = tail.normalized();
                if (!made.text.empty()) sink.part(before_tokens_inside(), Bytes{made.text.data(), made.text.size()}, at.before);
                tail.keep_certain();
                at = {stop, Before::region};
                return sink.cut(at) ? Progress::done : Progress::ended;
            }
        }
        return pieces(text, begin, at, stop, limit, at_end, wanted, workspace, sink);
    }

    // A pipeline for what the stages before `stage` leave, for a region before its tokens, or for texts that end with ink; null if that is this one.
    std::shared_ptr<const Pipeline> rest(std::size_t stage) const;
    std::shared_ptr<const Pipeline> make_rest(std::size_t stage) const;
    std::size_t before_ink() const { return stages() + 2; }

    std::vector<AddedToken> tokens_inside() const;
    std::size_t most_bytes_a_token() const;
    bool has_token_with_mark() const;

    // Reads on in a region from one safe split to the next.
    template <class Sink>
    Progress by_units(const Byte* text, std::size_t begin, Position& at, std::size_t end, std::size_t limit, bool is_known, Workspace& workspace,
                      Sink& sink) const {
        std::array<std::size_t, 256> splits;
        SafeSplits::Search search(*splits_, text, at.offset, end, is_known);
        // Reads text[at:stop), where nothing of the text before `stop` depends on what follows.
        auto const read = [&](std::size_t stop) {
            std::size_t const from = at.offset;
            bool const is_like_others = !acts_at_start_ || at.before == Before::region;
            if (counts_units<Sink> && !is_like_others && at.before == Before::nothing && from == begin && stop - from <= longest_unit) {
                // Slices begin with ever the same words.
                if constexpr (counts_units<Sink>) {
                    if (!workspace.first_counts) workspace.first_counts = std::make_unique<UnitCounts>();
                    sink.unit(
                        workspace.first_counts->count({text + from, stop - from}, limit - from, [&] { return count_unit(text, at, stop, limit, workspace); }));
                }
            } else if (stop - from > longest_unit || !is_like_others) {
                Progress const progress = pieces(text, begin, at, stop, limit, true, {}, workspace, sink);
                if (progress == Progress::ended || at.offset == stop) return progress != Progress::ended;
            } else {
                if constexpr (counts_units<Sink>) {
                    sink.unit(workspace.unit_counts.count({text + from, stop - from}, limit - from,
                                                          [&] { return count_unit(text, {from, Before::region}, stop, limit, workspace); }));
                } else {
                    sink.unit(text, from, stop, limit);
                }
            }
            at.offset = stop;
            at.before = Before::region;
            return sink.cut(at);
        };
        for (std::size_t count; (count = search.next(splits.data(), splits.size())) > 0;) {
            constexpr std::size_t ahead = 4;
            for (std::size_t index = 0; index < count; ++index) {
                if (index + ahead < count) {
                    std::size_t const start = splits[index + ahead - 1];
                    Bytes const unit{text + start, splits[index + ahead] - start};
                    if constexpr (counts_units<Sink>) workspace.unit_counts.expect(unit, limit - start);
                    else sink.unit_expected(unit, limit - start);
                }
                if (!read(splits[index])) return Progress::ended;
            }
        }
        if (at.offset == end) return Progress::done;
        if (is_known) return read(end) ? Progress::done : Progress::ended;
        return end - at.offset <= thresholds::open_unit ? Progress::uncertain : pieces(text, begin, at, end, limit, false, {}, workspace, sink);
    }

    // Reads on in a region, which ends at `end` if that is known, and else goes on at least up to `reach`, unless a token takes along what stands after `end`.
    template <class Sink>
    Progress region(const Byte* text, std::size_t begin, Position& at, std::size_t end, std::size_t reach, std::size_t limit, bool is_known,
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
            if (splits_ && (!looks_inside_ || wanted.empty())) return by_units(text, begin, at, end, limit, is_known, workspace, sink);
        return pieces(text, begin, at, end, limit, is_known, wanted, workspace, sink);
    }

    // The same piece by piece.
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
            // What follows may change the last character.
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
            // Where nothing was certain more is looked at.
            size = at.offset == from ? size * 2 : thresholds::read_window;
        }
    }

    std::vector<AddedToken> tokens_;
    AddedTokens outer_, inner_;
    std::unordered_map<std::uint32_t, std::uint32_t> inside_;  // id -> number, of tokens that are looked for in normalized text
    std::shared_ptr<const Normalizer> normalizer_, second_;
    bool looks_inside_;
    Chain chain_, chain_of_marks_;
    PieceCoder coder_;
    bool acts_at_start_;
    std::unique_ptr<const SafeSplits> splits_;             // null: none are known
    std::shared_ptr<const UnigramText> units_of_unigram_;  // null: pieces are read one by one
    bool orders_marks_;
    std::size_t bytes_a_token_;  // of a text, for each of its tokens at most; 0: that is not known
    mutable std::mutex rests_mutex_;
    mutable std::vector<std::optional<std::shared_ptr<const Pipeline>>> rests_;  // what `growing` needs, made when it is asked for
    Shelf<Workspace> shelf_;
};

}  // namespace bpe
