#include "bpe/pipeline/open_head.hpp"

#include <algorithm>
#include <utility>

#include "bpe/steps.hpp"
#include "bpe/unicode.hpp"
#include "bpe/utf8.hpp"

namespace bpe {

void OpenHead::forget() {
    chain_ = {};
    pieces_.clear();
    text_ = {};
    distances_ = {};
    cuts_ = {};
    kept_ = none;
    marks_ = nullptr;
    orders_marks_ = false;
}

std::size_t OpenHead::first_token(const AddedTokens& tokens, std::size_t kind, const Byte* text, std::size_t from, std::size_t limit, std::size_t length,
                                  std::size_t added) {
    std::vector<Searched>& earlier = searched_[kind];
    if (searched_limit_[kind] != length - limit) earlier.clear();
    searched_limit_[kind] = length - limit;
    std::size_t found = none;
    for (std::size_t window = added + thresholds::look_ahead;; window *= 4) {
        std::size_t const stop = std::min(limit, from + window);
        AddedTokens::Searched searched{from, from};
        AddedTokens::Match const match = tokens.find(text, 0, from, stop, stop == limit, {}, &searched);
        if (match.is_found()) {
            found = length - match.start;
            break;
        }
        if (stop == limit) break;
        // None begins before `searched.place`, so it is that of an earlier search; one that begins where that search began may depend on the text
        // before.
        if (earlier.empty() || length - earlier.back().from > searched.place) continue;
        Searched const& known = earlier.back();
        if (known.start != none && (length - known.start < searched.place || known.start == known.from)) continue;
        found = known.start;
        break;
    }
    if (earlier.empty() || earlier.back().from < length - from) earlier.push_back({length - from, found});
    return found == none ? limit : length - found;
}

std::size_t OpenHead::after_dropped(const Normalizer& normalizer, const Byte* text, std::size_t from, std::size_t end, std::size_t length) {
    UnicodeTable const& table = UnicodeTable::instance();
    std::size_t place = from;
    while (place < end) {
        Dropped const* const known = dropped_at(length - place);
        if (known && length - known->to <= end) {
            place = length - known->to;
            break;
        }
        Character const character = table.at(text, place, end);
        if (!normalizer.drops(character.code)) break;
        place += character.size;
    }
    if (place > from) {
        Dropped const made{length - from, length - place};
        auto const first = std::upper_bound(dropped_.begin(), dropped_.end(), made.to, [](std::size_t to, Dropped const& one) { return to < one.from; });
        auto last = first;
        while (last != dropped_.end() && last->to < made.from) ++last;
        if (last - first == 1) {
            // Mostly one that is known has grown.
            *first = {std::max(first->from, made.from), std::min(first->to, made.to)};
        } else {
            dropped_.insert(dropped_.erase(first, last), made);
        }
    }
    return place;
}

const OpenHead::Dropped* OpenHead::dropped_at(std::size_t distance) const {
    auto const run = std::lower_bound(dropped_.begin(), dropped_.end(), distance, [](Dropped const& one, std::size_t other) { return one.from < other; });
    return run != dropped_.end() && run->to < distance ? &*run : nullptr;
}

NeedlessPart OpenHead::needless(const Normalizer& normalizer, const Byte* text, std::size_t from, std::size_t end, std::size_t length, bool at_start) {
    // Bytes that end a character stand before the run, which then is not at the start.
    std::size_t first = from;
    while (first < end && first < from + 3 && UnicodeTable::continues(text[first])) ++first;
    if (first == end) return {from, 0};
    UnicodeTable const& table = UnicodeTable::instance();
    bool const starts = at_start && first == from;
    char32_t const code = table.at(text, first, end).code;
    NeedlessPart const part = middle(normalizer.settling_run(code, Side::left, starts), runs_[starts], text, from, first, end, length);
    if (part.size > 0) return part;
    NeedlessPart const at_end = middle(normalizer.settling_run(code, Side::right, false), runs_[2], text, from, first, end, length);
    return length - runs_[2].second.to == end ? at_end : NeedlessPart{from, 0};
}

// Of the run that begins at `first`, which is kept in `kept`.
NeedlessPart OpenHead::middle(const SettlingRun* run, KeptRun& kept, const Byte* text, std::size_t from, std::size_t first, std::size_t end,
                              std::size_t length) {
    auto& [of, known] = kept;
    if (of != run) known = {};
    of = run;
    if (!run) return {from, 0};
    UnicodeTable const& table = UnicodeTable::instance();
    std::size_t place = first;
    while (place < end) {
        count_step();
        // Up to its end it is known.
        if (length - place <= known.from && length - place > known.to && length - known.to <= end) {
            place = length - known.to;
            break;
        }
        Character const character = table.at(text, place, end);
        if (!run->has(character.code)) break;
        place += character.size;
    }
    // A run is asked again from where it begins to matter; its start stays known.
    known = {known.to == length - place ? std::max(known.from, length - first) : length - first, length - place};
    if (place < end && !run->settles_beside(table.at(text, place, end).code)) return {from, 0};
    for (std::size_t number = 0; number < run->enough && place > first; ++number) place = character_before(text, place, first);
    std::size_t start = first;
    if (first > from)
        for (std::size_t number = 0; number < run->enough && start < place; ++number) start += table.at(text, start, place).size;
    return {start, place - start};
}

bool OpenHead::begin(const Normalizer* normalizer, const Byte* text, std::size_t from, std::size_t end, std::size_t length, bool at_start, bool is_first) {
    if (end_ != length - end) {
        forget();
        end_ = length - end;
        is_normalized_ = false;
    }
    bool keeps = !normalizer;
    if (normalizer && !(is_normalized_ && text_.size() > 0)) {
        // At least the first character, which may be changed because the region begins there.
        std::size_t const first = from + character_size(text + from, end - from);
        std::size_t const known = kept_ == none ? end : std::max(first, length - kept_);
        keeps = normalizer->keeps({text + from, known - from}, at_start, is_first);
        if (keeps) kept_ = kept_ == none ? length - from : std::max(kept_, length - from);
    }
    if (keeps == is_normalized_) {
        forget();
        is_normalized_ = !keeps;
    }
    return keeps;
}

std::size_t OpenHead::index_of(std::size_t distance) const {
    auto const* const first = distances_.data();
    auto const* const last = first + distances_.size();
    auto const* const found = std::lower_bound(first, last, distance, [](std::size_t one, std::size_t other) { return one > other; });
    return found != last && cuts_.data()[found - first] == distance ? static_cast<std::size_t>(found - first) : none;
}

void OpenHead::normalize(const Normalizer& normalizer, const Normalizer* before_nonblank, const Byte* text, std::size_t from, std::size_t end, bool at_start,
                         bool is_first, std::size_t added, const NeedlessPart& without, const Chain* chain) {
    if (marks_) {
        drop_cut_mark();
        std::size_t const known = distances_.data()[0];
        if (end - from >= known && put_marks(normalizer, *chain, {text + from, end - from - known})) return;
        drop_marks();
    }
    Normalized made;
    if (distances_.size() == 0 && !dropped_.empty() && dropped_.front().to == end_) {
        // All that was there is dropped.
        std::uint32_t const distance = 0;
        distances_.put_first(&distance, 1);
        cuts_.put_first(&distance, 1);
    }
    std::size_t join = 0, joined = text_.size();  // indices in `made`, and in what is there
    for (std::size_t window = added + thresholds::look_ahead;; window *= 4) {
        // Far enough after it for a character that is cut.
        bool const reaches_after = from + window > without.start + 3;
        std::size_t stop = std::min(end, from + window + (reaches_after ? without.size : 0));
        if (stop < end) stop -= std::min(stop - from, unfinished_end({text + from, stop - from}));
        if (distances_.size() == 0) stop = end;
        made.clear();
        Normalizer const& of_window = stop < end && before_nonblank ? *before_nonblank : normalizer;
        of_window.run_without(stop >= without.start + without.size ? without : NeedlessPart{}, text, from, stop, at_start, is_first, stop == end, from, made);
        if (stop == end) {
            join = made.text.size() + 1;
            joined = distances_.size();
            break;
        }
        // At the start of a region the normalizer acts: the normalized text known from a scan that was inside the region may differ there.
        for (join = at_start && normalizer.acts_at_start() ? 1 : 0; join < made.cuts.size(); ++join) {
            if (!made.is_cut(join)) continue;
            std::size_t const distance = end - from - made.cuts[join];
            // Nothing is left of what stands between there and the first character that is known.
            Dropped const* const dropped = dropped_at(end_ + distance);
            joined = index_of(dropped ? dropped->to - end_ : distance);
            // Something is left of what follows: the end that is stripped is there.
            if (joined != none && (!before_nonblank || joined < text_.size())) break;
        }
        if (join < made.cuts.size()) break;
    }
    std::size_t const bytes = std::min(join, made.text.size());
    truncate_chain(text_.size() >= joined ? text_.size() - joined : 0);
    text_.drop_first(std::min(joined, text_.size()));
    distances_.drop_first(joined);
    cuts_.drop_first(joined);
    std::vector<std::uint32_t> distances(join), cuts(join, Normalized::no_cut);
    for (std::size_t index = 0; index < join; ++index) {
        distances[index] = static_cast<std::uint32_t>(end - from - made.origin[index]);
        if (made.is_cut(index)) cuts[index] = static_cast<std::uint32_t>(end - from - made.cuts[index]);
    }
    text_.put_first(made.text.data(), bytes);
    distances_.put_first(distances.data(), join);
    cuts_.put_first(cuts.data(), join);
    if (chain && !orders_marks_ && !(at_start && normalizer.acts_at_start())) find_marks(normalizer, *chain, {text + from, end - from});
}

namespace {

std::vector<Byte> written(const std::u32string& marks) {
    std::vector<Byte> made;
    for (char32_t const mark : marks) put_utf8(made, mark);
    return made;
}

}  // namespace

void OpenHead::find_marks(const Normalizer& normalizer, const Chain& chain, Bytes raw) {
    UnicodeTable const& table = UnicodeTable::instance();
    std::size_t size = 0;
    for (std::size_t next = 0; next < raw.size;) {
        count_step();
        Character const mark = table.at(raw.data, next, raw.size);
        std::vector<Byte> const made = written(normalizer.marks(mark.code));
        if (made.empty()) break;
        size += made.size();
        next += mark.size;
    }
    Bytes const all = text_.bytes();
    if (size <= thresholds::short_piece || size > all.size) return;
    auto made = std::make_unique<Marks>();
    made->rest = all.size - size;
    made->first_size = all.size;
    made->like = table.at(all.data, 0, all.size).code;
    std::vector<std::size_t> starts;
    std::uint8_t last = 0;
    for (std::size_t place = 0; place < all.size;) {
        count_step();
        Character const mark = table.at(all.data, place, all.size);
        std::uint8_t const order = normalizer.order(mark.code);
        if (order == 0 && place == size) break;
        // Another character, and be it one that comes to marks, may be among them.
        if (order < last || order == 0 || place >= size || !chain.treats_alike(mark.code, made->like)) return;
        last = order;
        starts.push_back(place);
        place += mark.size;
    }
    marks_ = std::move(made);
    normalizer_ = &normalizer;
    for (auto start = starts.rbegin(); start != starts.rend(); ++start) {
        Character const mark = table.at(all.data, *start, all.size);
        take_mark(normalizer.order(mark.code), all.part(*start, *start + mark.size));
    }
}

void OpenHead::take_mark(std::uint8_t order, Bytes mark) {
    auto found =
        std::lower_bound(marks_->parts.begin(), marks_->parts.end(), order, [](Marks::Part const& one, std::uint8_t value) { return one.order < value; });
    if (found == marks_->parts.end() || found->order != order)
        found = marks_->parts.insert(found, {order, {}, marks_->has_piece ? marks_->piece.table->another() : nullptr});
    found->text.put_first(mark.data, mark.size);
}

bool OpenHead::put_marks(const Normalizer& normalizer, const Chain& chain, Bytes more) {
    UnicodeTable const& table = UnicodeTable::instance();
    std::vector<std::pair<std::size_t, std::u32string>> all;  // where each begins, and what becomes of it
    // The end of a mark, mostly, which may be all that is there of it.
    std::size_t cut_size = 0;
    while (cut_size < std::min<std::size_t>(3, more.size) && UnicodeTable::continues(more[cut_size])) ++cut_size;
    for (std::size_t place = cut_size; place < more.size;) {
        count_step();
        Character const mark = table.at(more.data, place, more.size);
        std::u32string marks = normalizer.marks(mark.code);
        if (marks.empty() || !std::all_of(marks.begin(), marks.end(), [&](char32_t one) { return chain.treats_alike(one, marks_->like); })) return false;
        all.emplace_back(place, std::move(marks));
        place += mark.size;
    }
    std::size_t const first = distances_.data()[0] + more.size;
    for (auto raw = all.rbegin(); raw != all.rend(); ++raw) {
        std::array<std::uint32_t, 4> distances;
        distances.fill(static_cast<std::uint32_t>(first - raw->first));
        std::array<std::uint32_t, 4> cuts;
        cuts.fill(Normalized::no_cut);
        for (auto code = raw->second.rbegin(); code != raw->second.rend(); ++code) {
            std::vector<Byte> const mark = written({*code});
            take_mark(normalizer.order(*code), {mark.data(), mark.size()});
            text_.put_first(mark.data(), mark.size());
            distances_.put_first(distances.data(), mark.size());
            cuts_.put_first(cuts.data(), mark.size());
        }
    }
    marks_->cut_size = cut_size;
    for (std::size_t place = cut_size; place-- > 0;) {
        auto const distance = static_cast<std::uint32_t>(first - place);
        text_.put_first(more.data + place, 1);
        distances_.put_first(&distance, 1);
        cuts_.put_first(&Normalized::no_cut, 1);
    }
    return true;
}

void OpenHead::drop_cut_mark() {
    std::size_t const size = std::exchange(marks_->cut_size, 0);
    if (size == 0) return;
    text_.drop_first(size);
    distances_.drop_first(size);
    cuts_.drop_first(size);
    truncate_chain(text_.size());
}

void OpenHead::drop_first_mark() {
    Character const mark = UnicodeTable::instance().at(text_.data(), 0, text_.size());
    std::uint8_t const order = normalizer_->order(mark.code);
    auto const found =
        std::lower_bound(marks_->parts.begin(), marks_->parts.end(), order, [](Marks::Part const& one, std::uint8_t value) { return one.order < value; });
    found->text.drop_first(mark.size);
    if (found->table && found->table->size() > found->text.size()) found->table->truncate(found->text.size());
    text_.drop_first(mark.size);
    distances_.drop_first(mark.size);
    cuts_.drop_first(mark.size);
}

void OpenHead::drop_marks() {
    std::size_t const size = text_.size() - marks_->rest;
    if (marks_->rest == 0) return forget();
    text_.drop_first(size);
    distances_.drop_first(size);
    cuts_.drop_first(size);
    marks_ = nullptr;
    truncate_chain(text_.size());
}

void OpenHead::order_marks() {
    if (marks_) drop_marks();
    orders_marks_ = true;
}

std::optional<std::size_t> OpenHead::count_marks(std::size_t stage, Bytes piece, Before before, const std::function<std::unique_ptr<GrowingPiece>()>& make) {
    Marks& marks = *marks_;
    auto const start = static_cast<std::size_t>(piece.data - text_.data());
    std::size_t const size = text_.size() - marks.rest - start;
    if (start > marks.cut_size || piece.size < size) return std::nullopt;
    auto const end = static_cast<std::size_t>(cut_end_ - (piece.data + piece.size));
    if (!marks.has_piece || marks.piece.end != end || marks.piece.stage != stage || marks.piece.before != before) {
        marks.has_piece = false;
        std::unique_ptr<GrowingPiece> table = make();
        if (!table) return std::nullopt;
        table->extend(piece.part(size, piece.size));
        for (Marks::Part& part : marks.parts) part.table = table->another();
        marks.piece = {end, stage, before, std::move(table)};
        marks.has_piece = true;
    }
    // Those of the highest class are next to the text after them.
    std::vector<AddedPart> parts;
    for (auto part = marks.parts.rbegin(); part != marks.parts.rend(); ++part) {
        Bytes const written = part->text.bytes();
        if (part->table) part->table->extend(written.part(0, written.size - part->table->size()));
        parts.push_back(part->table ? AddedPart{{}, part->table.get()} : AddedPart{written});
    }
    if (start < marks.cut_size) parts.push_back({piece.part(0, marks.cut_size - start)});
    return marks.piece.table->count_with(parts);
}

std::optional<std::size_t> OpenHead::count(std::size_t stage, Bytes piece, Before before, const std::function<std::unique_ptr<GrowingPiece>()>& make) {
    if (has_marks(piece)) return count_marks(stage, piece, before, make);
    auto const end = static_cast<std::size_t>(cut_end_ - (piece.data + piece.size));
    auto found = std::find_if(pieces_.begin(), pieces_.end(), [&](Piece const& one) { return one.end == end && one.stage == stage && one.before == before; });
    if (found == pieces_.end()) {
        std::unique_ptr<GrowingPiece> table = make();
        if (!table) return std::nullopt;
        // The one that was read longest ago.
        if (pieces_.size() == most_pieces) pieces_.pop_back();
        found = pieces_.insert(pieces_.end(), {end, stage, before, std::move(table)});
    }
    std::rotate(pieces_.begin(), found, found + 1);
    GrowingPiece& table = *pieces_.front().table;
    if (table.size() > piece.size) table.truncate(piece.size);
    if (table.size() < piece.size) table.extend(piece.part(0, piece.size - table.size()));
    return table.count();
}

void OpenHead::truncate_chain(std::size_t distance) {
    chain_.truncate(distance);
    std::erase_if(pieces_, [&](Piece const& piece) { return piece.end >= distance; });
    for (Piece& piece : pieces_)
        if (piece.table->size() > distance - piece.end) piece.table->truncate(distance - piece.end);
}

void OpenHead::truncate(std::size_t length) {
    for (auto& earlier : searched_)
        while (!earlier.empty() && earlier.back().from > length) earlier.pop_back();
    // The first character may be cut: what is left of it is no part of a run.
    std::size_t const whole = length - std::min<std::size_t>(length, 3);
    auto const cut = [&](Run& run) {
        if (run.from > length) run = {whole, std::min(run.to, whole)};
    };
    for (auto& [of, run] : runs_) cut(run);
    while (!dropped_.empty() && dropped_.back().to >= whole) dropped_.pop_back();
    if (!dropped_.empty()) cut(dropped_.back());
    if (end_ == none) return;
    if (end_ >= length) {
        forget();
        end_ = none;
        return;
    }
    std::size_t const left = length - end_;
    if (kept_ != none && kept_ > length) kept_ = length;
    if (!is_normalized_) return truncate_chain(left);
    if (marks_) {
        drop_cut_mark();
        while (text_.size() > marks_->first_size && distances_.data()[0] > left) drop_first_mark();
        if (distances_.data()[0] <= left) return truncate_chain(text_.size());
        drop_marks();
        if (distances_.size() == 0) return;
    }
    // From the first cut on, what there is was made of what is left.
    std::size_t first = 0;
    while (first < distances_.size() && cuts_.data()[first] > left) ++first;
    if (first + 1 >= distances_.size()) return forget();
    truncate_chain(text_.size() - first);
    text_.drop_first(first);
    distances_.drop_first(first);
    cuts_.drop_first(first);
}

}  // namespace bpe
