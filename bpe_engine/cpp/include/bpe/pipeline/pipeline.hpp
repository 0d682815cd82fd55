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

#include <algorithm>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "bpe/pipeline/added_tokens.hpp"
#include "bpe/pipeline/open_head.hpp"
#include "bpe/pipeline/regions.hpp"
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
          regions_(tokens_, std::move(normalizer), std::move(chain), std::move(coder), looks_inside, std::move(second)),
          chain_of_marks_(regions_.chain().without_touching()),
          orders_marks_(!regions_.looks_inside() && !goes_on_with_sums() && regions_.normalizer() && regions_.normalizer()->orders_marks() &&
                        !has_token_with_mark()),
          bytes_a_token_(most_bytes_a_token()) {
        for (AddedToken const& token : tokens_) longest_token_ = std::max({longest_token_, token.text.size(), token.sought.size()});
        if (!regions_.looks_inside()) return;
        for (std::uint32_t number = 0; number < tokens_.size(); ++number)
            if (tokens_[number].normalized) inside_.emplace(tokens_[number].id, number);
    }

    using Workspace = Regions::Workspace;
    using Lease = Shelf<Workspace>::Lease;
    Lease lease() const { return Lease(shelf_); }

    const std::vector<AddedToken>& added_tokens() const { return tokens_; }
    const PieceCoder& coder() const { return regions_.coder(); }
    // Null: none.
    const Normalizer* normalizer() const { return regions_.normalizer(); }
    const Chain& chain() const { return regions_.chain(); }
    bool acts_at_start() const { return regions_.acts_at_start(); }
    // Whether a token may be found or not for the character before it.
    bool looks_back() const { return (outer_.finds({}) && outer_.looks_back()) || (regions_.inner().finds({}) && regions_.inner().looks_back()); }
    // The chain for runs of marks, where these stand in the order in which they came.
    const Chain& chain_of_marks() const { return chain_of_marks_; }
    // Whether an added token that is found, but not wanted, may hide another: hardly any file has such tokens, which are read without caches and memory.
    bool hides_tokens() const { return (outer_.finds({}) && outer_.hides()) || (regions_.inner().finds({}) && regions_.inner().hides()); }
    // Whether a text from an offset on is one region: no added token is found in it.
    bool is_one_region(Bytes text, std::size_t from) const {
        return !looks_inside() && !(outer_.finds({}) && outer_.find(text.data, 0, from, text.size, true, {}).is_found()) &&
               !(regions_.inner().finds({}) && regions_.inner().find(text.data, 0, from, text.size, true, {}).is_found());
    }
    // The places in a text that hold the text of an added token, special or not: start and end in bytes, in ascending order, without overlaps. A slice that
    // overlaps none of these places has no added token. Returns nothing if a token is only found as a whole word, because a slice may make it one.
    using Places = std::vector<std::pair<std::size_t, std::size_t>>;
    std::optional<Places> places_of_tokens(Bytes text) const;
    std::size_t longest_token() const { return longest_token_; }  // added, in bytes
    // The safe splits of texts without added tokens. `size`: bytes that are read now.
    const SafeSplits* splits(std::size_t size) const { return regions_.splits(size); }
    // The number of tokens of text[at.offset:end), which is between two safe splits, or the text begins or ends there.
    std::size_t count_between(const Byte* text, Position at, std::size_t end, std::size_t limit, Workspace& workspace) const {
        return regions_.count_between(text, at, end, limit, workspace);
    }
    // See Regions::is_alone.
    bool is_alone(const UnitIds& units) const { return regions_.is_alone(units); }
    // Whether marks that are put in order can wait in the order in which they came: nothing but the model and the normalizer asks for it.
    bool orders_marks() const { return orders_marks_; }
    // Whether a whole text is one piece: there are no stages, and no added tokens that are found unasked.
    bool cuts_nothing() const { return chain().stages().empty() && coder().is_plain() && !looks_inside() && !outer_.finds({}) && !regions_.inner().finds({}); }

    // Reads text[at.offset:limit), where the text begins at `begin`, and moves `at` to the last cut. Tells the sink of
    //
    //     piece(Bytes, readable, is_first, raw)   a piece; `raw` is its offset in the raw text, or where its first character comes from
    //     token(number, start, end)               an added token
    //     cut(Position)                           all before is complete; returns false to end the scan
    //     settle()                                all before is complete, but what follows depends on it, so it is no cut; a sink that keeps no cuts needs no
    //     such function. One that has `uncertain` as well drops with that what it got since the last cut
    //     again()                                 pieces after the last cut come again
    //     expect(Bytes, readable)                 a piece that comes soon, if it has such a function
    //     part_of_region(units, part)   what `units` reads of a region, which a Unigram model gets as one piece: only a sink that has such a function
    //     unit(count)                             so many tokens, of a unit between safe splits: only a sink that has such a function, and then mostly in place
    //     of pieces
    //     unit(text, start, end, limit)           the same unit, for a sink that does not count. Such a sink also has expected_unit(Bytes, readable), which
    //     makes the ExpectedUnit of a unit that comes soon, and known_units(units, number), which reads the first of these units, up to one that it does not
    //     know, and returns their number
    //
    // With `at_end` the text ends at `limit`, and is read up to there; else only what is certain whatever follows. `after_token`: a token stands before
    // `begin`, so that no piece is the first. `tail`: what is known of the text from `at` on, and is added to where the text does not end.
    template <class Sink>
    void scan(const Byte* text, std::size_t begin, Position& at, std::size_t limit, bool at_end, const AddedTokens::Wanted& wanted, Workspace& workspace,
              Sink& sink, bool after_token = false, OpenTail* tail = nullptr) const {
        std::size_t const first = after_token ? no_match : begin;
        // An unfinished character may become any.
        if (!at_end) limit -= std::min(limit - at.offset, unfinished_end({text, limit}));
        bool const finds_outer = outer_.finds(wanted), finds_inner = !looks_inside() && regions_.inner().finds(wanted);
        AddedTokens::Match outer;
        bool looks = finds_outer;
        bool const hides = (finds_outer && outer_.hides()) || (regions_.inner().finds(wanted) && regions_.inner().hides());
        UncutSink<Sink> uncut{sink};
        struct Back {  // to the last cut
            Position& at;
            const std::optional<Position>& last;
            ~Back() {
                if (last) at = *last;
            }
        } const back{at, uncut.last};
        if (hides) tail = nullptr;
        // The start of the region. A `single_word` token may stand right after it: the added token before it is no part of a word.
        bool const looks_back = finds_inner && regions_.inner().looks_back();
        std::size_t region = looks_back && at.before == Before::token && outer_.end_at(text, begin, at.offset) ? at.offset : begin;
        while (at.offset < limit) {
            if (looks) outer = outer_.find(text, begin, at.offset, limit, at_end, wanted, tail ? &tail->searched(0) : nullptr, hides ? &uncut.raw : nullptr);
            looks = false;
            AddedTokens::Match match = outer;
            // The region ends where a token begins, or nothing of one can. It goes on at least up to `reach`, if what follows is no token.
            bool is_known = at_end || match.is_found();
            std::size_t end = match.is_found() ? match.start : finds_outer && !at_end ? match.certain : limit;
            std::size_t reach = tail && finds_outer && !is_known ? tail->searched(0).place : end;
            if (finds_inner && at.offset < end) {
                AddedTokens::Searched searched;
                if (tail) searched = {std::min(tail->searched(1).place, end), std::min(tail->searched(1).spaces, end)};
                AddedTokens::Match const inner =
                    regions_.inner().find(text, region, at.offset, end, is_known, wanted, tail ? &searched : nullptr, hides ? &uncut.normalized : nullptr);
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
            bool const reads = !takes_tokens_alone<Sink> || looks_inside();
            auto const reads_all = [&](auto& to) {
                return regions_.read(text, first, at, end, reach, limit, is_known, wanted, workspace, to, known, !at_end && !is_known) ==
                       Regions::Progress::done;
            };
            if (reads && at.offset < reach && !(hides ? reads_all(uncut) : reads_all(sink))) return;
            if (!match.is_found()) return;
            // A token that is not wanted goes on there: what follows is no text of its own.
            bool const is_inside = hides && uncut.refuses(match.end);
            constexpr bool settles = requires { sink.settle(); };
            if constexpr (!settles || !requires { sink.uncertain(); })
                if (is_inside && !at_end) return;
            // After a token the text is another matter.
            if (tail && !at_end) tail->close();
            tail = nullptr;
            sink.token(match.number, match.start, match.end);
            looks = outer.is_found() && match.end >= outer.end;  // where none is found there is none up to the end
            if (match.start == outer.start) region = match.end;
            Position const before = std::exchange(at, {match.end, Before::token});
            if constexpr (settles) {
                if (is_inside) {
                    if (!uncut.last) uncut.last = before;
                    sink.settle();
                    continue;
                }
            }
            uncut.last.reset();
            if (!sink.cut(at)) return;
        }
    }

    // Reads to the end of a text that may go on later: `sink.uncertain()` is called after all that nothing can change, and `at` is the last cut before it.
    template <class Sink>
    void scan_to_end(const Byte* text, std::size_t begin, Position& at, std::size_t limit, Workspace& workspace, Sink& sink, bool after_token = false,
                     OpenTail* tail = nullptr) const {
        bool const is_simple = !regions_.splits(limit - at.offset) && !tail && !looks_inside() && chain().runs_to_end() && !outer_.finds({}) &&
                               !regions_.inner().finds({}) && unfinished_end({text + at.offset, limit - at.offset}) == 0;
        // With a normalizer what follows may change the last character: its class stays, and scanners look at no more.
        if (is_simple && (!normalizer() || (chain().stages()[0].scanner && normalizer()->keeps({text + at.offset, limit - at.offset}, begins_region(at.before),
                                                                                               at.before == Before::nothing)))) {
            RawSink<Sink> raw{sink, at, text, after_token ? no_match : begin, limit};
            chain().run_to_end(text, at.offset, limit, raw);
            return;
        }
        scan(text, begin, at, limit, false, {}, workspace, sink, after_token, tail);
        sink.uncertain();
        Position end = at;
        scan(text, begin, end, limit, true, {}, workspace, sink, after_token, tail && tail->covers(at.offset) ? tail : nullptr);
    }

    // Reads to a token that stands in a text as such, and that is looked for in normalized text: what is before it, text[at.offset:start), as it is in
    // text[at.offset:end), which ends with the token. So a normalizer that strips the end of a text leaves the white space before the token.
    template <class Sink>
    void scan_before(const Byte* text, Position& at, std::size_t start, std::size_t end, std::uint32_t number, Workspace& workspace, Sink& sink,
                     bool after_token) const {
        scan(text, 0, at, start, false, {}, workspace, sink, after_token);
        sink.again();
        if (outer_.finds({})) {
            std::size_t last = at.offset;
            for (AddedTokens::Match match; (match = outer_.find(text, 0, last, start, true, {})).is_found();) last = match.end;
            if (last > at.offset) scan(text, 0, at, last, true, {}, workspace, sink, after_token);
        }
        Normalized& made = regions_.second() ? workspace.first : workspace.normalized;
        made.clear();
        normalizer()->run(text, at.offset, end, begins_region(at.before), at.before == Before::nothing, true, at.offset, made);
        std::size_t const size = size_before(made, tokens_[number], start - at.offset);
        regions_.between_tokens(made, size, after_token ? no_match : 0, at, true, {}, workspace, sink);
    }

    // Reads on in a region of a whole text to which much was prepended, byte by byte or more, and up to a cut at which the sink ends the scan. `head` is of
    // this text, and `added` bytes of it are new, about. Returns false where this is no help.
    template <class Sink>
    bool scan_head(Bytes text, Position& at, std::size_t added, Sink& sink, OpenHead& head, bool after_token = false) const {
        if ((looks_inside() && coder().acts_at_start()) || hides_tokens()) return false;
        Position const from = at;
        std::size_t end = text.size;
        if (outer_.finds({})) end = head.first_token(outer_, 0, text.data, at.offset, end, text.size, added);
        if (regions_.inner().finds({}) && !looks_inside()) end = head.first_token(regions_.inner(), 1, text.data, at.offset, end, text.size, added);
        if (end - at.offset <= thresholds::long_tail) return false;
        bool const at_start = begins_region(at.before), is_first = at.before == Before::nothing;
        if (normalizer()) at.offset = head.after_dropped(*normalizer(), text.data, at.offset, end, text.size);
        if (at.offset == end) return true;
        NeedlessPart without{at.offset, 0};
        if (normalizer()) without = head.needless(*normalizer(), text.data, at.offset, end, text.size, at_start);
        if (without.start == at.offset) at.offset += std::exchange(without.size, 0);
        std::shared_ptr<const Pipeline> const strips_no_end = normalizer() && normalizer()->acts_at_start() ? rest(before_nonblank()) : nullptr;
        Normalizer const* const other = strips_no_end ? strips_no_end->normalizer() : nullptr;
        bool const keeps = head.begin(normalizer(), text.data, at.offset, end, text.size, at_start, is_first);
        if (looks_inside()) {
            if constexpr (takes_parts<Sink>) {
                if (!keeps) head.normalize(*normalizer(), other, text.data, at.offset, end, at_start, is_first, added, without);
                Bytes const inner = keeps ? text.part(at.offset, end) : head.normalized();
                (void)head.chain(inner.data, inner.size);
                // If the normalizer removes the first character of the text, what is left is not the start of the text.
                std::size_t const first = keeps || inner.size == 0 ? at.offset : end - head.distance(0);
                bool const is_later = at.before == Before::nothing && first != (after_token ? no_match : 0);
                std::size_t same = 0;  // bytes that come from the first character
                while (!keeps && same < inner.size && head.distance(same) == head.distance(0)) ++same;
                if (at.before == Before::nothing && !is_later && regions_.begins_with_token(inner, same)) {
                    at = from;
                    return false;
                }
                if (inner.size > 0) sink.part(before_tokens_inside(), inner, is_later ? Before::token : at.before);
                at = {end, Before::region};
                (void)sink.cut(at);
            }
        } else if (keeps) {
            RawSink<Sink> raw{sink, at, text.data, after_token ? no_match : 0, text.size};
            chain().run_from_left(text.data, at.offset, end, raw, head.chain(text.data, end));
        } else {
            head.normalize(*normalizer(), other, text.data, at.offset, end, at_start, is_first, added, without, orders_marks_ ? &chain() : nullptr);
            // The tables of marks are those of pieces that are not cut again.
            bool const has_parts = !coder().acts_at_start() && !head.has_marks(head.normalized());
            HeadSink<Sink> inner{sink, at, head, head.normalized(), after_token ? no_match : 0, end, has_parts};
            chain().run_from_left(inner.text.data, 0, inner.text.size, inner, head.chain(inner.text.data, inner.text.size));
        }
        return true;
    }

    // Reads text[start:end), which is between two safe splits, or the text begins there, by its pieces.
    template <class Sink>
    void scan_unit(const Byte* text, Position start, std::size_t end, std::size_t limit, Workspace& workspace, Sink& sink) const {
        regions_.unit(text, start, end, limit, workspace, sink);
    }

    // The number of tokens.
    std::size_t count(Bytes text, const AddedTokens::Wanted& wanted = {}) const;
    // Appends the ids.
    void encode(Bytes text, std::vector<std::uint32_t>& ids, const AddedTokens::Wanted& wanted = {}) const;
    // The ids, and for each the offset in bytes of the character that it comes from.
    void encode_with_offsets(Bytes text, std::vector<std::uint32_t>& ids, std::vector<std::uint32_t>& offsets, const AddedTokens::Wanted& wanted = {}) const;
    // The ids of the text after a cut.
    void encode_rest(Bytes text, Position from, bool after_token, std::vector<std::uint32_t>& ids) const;
    // The same up to a token that `scan_before` reads to. `text` ends with it, from `start` on.
    void encode_before(Bytes text, Position from, std::size_t start, std::uint32_t number, bool after_token, std::vector<std::uint32_t>& ids) const;
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
    std::unique_ptr<GrowingPiece> growing_before_nonblank(Before before) const;
    std::size_t stages() const { return chain().stages().size(); }
    std::size_t before_tokens_inside() const { return regions_.before_tokens_inside(); }
    bool looks_inside() const { return regions_.looks_inside(); }
    // Whether the tokens of a piece may depend on the text before it in its region: it continues a sum (Position).
    bool goes_on_with_sums() const { return regions_.units_of_unigram() != nullptr; }
    // The number of tokens, or nothing where it is above `limit`: reads little more than that many, and of a text that is too long for any tokens nothing.
    std::optional<std::size_t> count_up_to(Bytes text, std::size_t limit) const;

private:
    // How much of the normalized text of a region is before the token that ends it, which is written raw[start:).
    std::size_t size_before(const Normalized& made, const AddedToken& token, std::size_t start) const;

    // A pipeline for what the stages before `stage` leave, for a region before its tokens, or for texts that end with a non-blank character; null if that is
    // this one.
    std::shared_ptr<const Pipeline> rest(std::size_t stage) const;
    std::shared_ptr<const Pipeline> make_rest(std::size_t stage) const;
    std::size_t before_nonblank() const { return stages() + 2; }

    std::size_t most_bytes_a_token() const;
    bool has_token_with_mark() const;

    std::vector<AddedToken> tokens_;
    AddedTokens outer_;                                        // those that are looked for in the raw text
    std::unordered_map<std::uint32_t, std::uint32_t> inside_;  // id -> number, of tokens that are looked for in normalized text
    Regions regions_;
    Chain chain_of_marks_;
    bool orders_marks_;
    std::size_t bytes_a_token_;  // of a text, for each of its tokens at most; 0: that is not known
    std::size_t longest_token_ = 0;
    mutable std::mutex rests_mutex_;
    mutable std::vector<std::optional<std::shared_ptr<const Pipeline>>> rests_;  // what `growing` needs, made when it is asked for
    Shelf<Workspace> shelf_;
};

}  // namespace bpe
