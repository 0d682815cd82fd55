#include "bpe/pipeline/open_tail.hpp"

#include <algorithm>

#include "bpe/steps.hpp"
#include "bpe/unicode.hpp"

namespace bpe {

namespace {

constexpr std::size_t most_pieces = 2;

}  // namespace

void OpenTail::restart() {
    now_ = {};
    now_.length = now_.learned = now_.kept = now_.normalized_to = origin_;
    for (AddedTokens::Searched& searched : now_.searched) searched = {origin_, origin_};
    normalized_.clear();
    runs_ = {};
    forget_pieces();
}

void OpenTail::forget_pieces() {
    chain_ = {};
    pieces_.clear();
}

void OpenTail::set_valid(std::size_t size) { chain_.set_valid(size); }

void OpenTail::begin_normalized() {
    now_.is_normalized = true;
    now_.normalized_to = origin_;
    now_.normalized_size = 0;
    normalized_.clear();
    forget_pieces();
}

void OpenTail::normalize(const Normalizer& normalizer, const Byte* text, std::size_t stop, bool at_end) {
    // Where nothing is left of the text so far, a region still begins.
    bool const anew = now_.normalized_to == origin_ || (now_.normalized_size == 0 && normalizer.acts_at_start());
    if (anew) {
        normalized_.clear();
    } else if (!normalized_.origin.empty()) {
        normalized_.open_end();
    }
    std::size_t const from = anew ? origin_ : now_.normalized_to;
    bool const at_start = anew && begins_region_, is_first = anew && begins_text_;
    std::size_t const to =
        normalizer.run_without(needless(normalizer, text, from, stop, at_start), text, from, stop, at_start, is_first, at_end, origin_, normalized_);
    if (at_end) return;
    now_.normalized_to = to;
    now_.normalized_size = normalized_.text.size();
    set_valid(now_.normalized_size);
}

NeedlessPart OpenTail::needless(const Normalizer& normalizer, const Byte* text, std::size_t from, std::size_t stop, bool at_start) {
    // Bytes that begin a character stand after the run, which then is not at the end.
    bool const is_cut = unfinished_end({text + from, stop - from}) > 0;
    stop -= unfinished_end({text + from, stop - from});
    if (stop == from) return {};
    UnicodeTable const& table = UnicodeTable::instance();
    char32_t const last = table.at(text, character_before(text, stop, from), stop).code;
    if (at_start) {
        NeedlessPart const part = middle(normalizer.settling_run(last, Side::left, true), runs_[2], text, from, stop);
        if (runs_[2].start == from) return part;
    }
    return middle(normalizer.settling_run(last, is_cut ? Side::left : Side::right, false), runs_[is_cut], text, from, stop);
}

// Of the run that ends at `stop`, which is kept in `known`.
NeedlessPart OpenTail::middle(const SettlingRun* run, Run& known, const Byte* text, std::size_t from, std::size_t stop) {
    if (run != known.of) known = {run, no_match, 0};
    if (!run) return {};
    UnicodeTable const& table = UnicodeTable::instance();
    // The end of the run that is always read.
    std::size_t kept_end = stop;
    std::size_t place = stop;
    for (std::size_t number = 0; place > from; ++number) {
        count_step();
        // From there on it is known.
        if (number >= run->enough && place <= known.end && place > known.start) {
            place = std::max(known.start, from);
            break;
        }
        std::size_t const before = character_before(text, place, from);
        if (!run->has(table.at(text, before, place).code)) break;
        place = before;
        if (number < run->enough) kept_end = place;
    }
    known = {run, place, stop};
    if (place > from && !run->settles_beside(table.at(text, character_before(text, place, from), place).code)) return {};
    std::size_t kept_start = place;
    for (std::size_t number = 0; number < run->enough && kept_start < kept_end; ++number) kept_start += table.at(text, kept_start, kept_end).size;
    return {kept_start, kept_end - kept_start};
}

void OpenTail::keep_certain() {
    normalized_.resize(now_.normalized_size);
    normalized_.end_at(now_.normalized_to - origin_);
}

std::size_t OpenTail::index_of(std::size_t offset) const {
    if (offset == origin_) return 0;
    auto const& places = normalized_.origin;
    auto const found = std::lower_bound(places.begin(), places.end(), offset - origin_);
    auto const index = static_cast<std::size_t>(found - places.begin());
    return found != places.end() && normalized_.cuts[index] == offset - origin_ ? index : no_match;
}

template <class Use>
bool OpenTail::with_table(std::size_t stage, const Byte* text, Bytes piece, const Make& make, Use&& use) {
    auto const start = static_cast<std::size_t>(piece.data - (now_.is_normalized ? normalized_.text.data() : text));
    auto found = std::find_if(pieces_.begin(), pieces_.end(), [&](Piece const& one) { return one.start == start && one.stage == stage; });
    if (found == pieces_.end()) {
        std::unique_ptr<GrowingPiece> table = make();
        if (!table) return false;
        // The one that was read longest ago: one from early on is read each time, and one at the end for a while.
        if (pieces_.size() == most_pieces) pieces_.pop_back();
        found = pieces_.insert(pieces_.end(), {start, stage, std::move(table)});
    }
    std::rotate(pieces_.begin(), found, found + 1);
    GrowingPiece& table = *pieces_.front().table;
    if (table.size() > piece.size) table.truncate(piece.size);
    std::size_t const most = std::max(chain_.valid, start) - start;
    if (table.size() < std::min(most, piece.size)) table.extend(piece.part(table.size(), std::min(most, piece.size)));
    if (table.size() < piece.size) table.extend(piece.part(table.size(), piece.size));
    struct Back {
        GrowingPiece& table;
        std::size_t most;
        ~Back() {
            if (table.size() > most) table.truncate(most);
        }
    } const back{table, most};
    use(pieces_.front());
    return true;
}

std::optional<std::size_t> OpenTail::count(std::size_t stage, const Byte* text, Bytes piece, const Make& make) {
    std::optional<std::size_t> found;
    with_table(stage, text, piece, make, [&](Piece& known) { found = known.table->count(); });
    return found;
}

bool OpenTail::read(std::size_t stage, const Byte* text, Bytes piece, const Make& make, FreshIds& ids) {
    return with_table(stage, text, piece, make, [&](Piece& known) { ids.add(*known.table, known.known); });
}

void OpenTail::note() {
    now_.stages = chain_.stages;
    now_.valid = chain_.valid;
    if (earlier_.empty() || now_.length >= earlier_.back().length + thresholds::kept_size) earlier_.push_back(now_);
}

void OpenTail::cut_back(std::size_t length) {
    is_closed_ = false;
    // The last character may be cut: what is left of it is no part of a run.
    std::size_t const whole = length - std::min<std::size_t>(length, 3);
    for (Run& run : runs_)
        if (run.of && run.end > length) run = {run.of, std::min(run.start, whole), whole};
    while (!earlier_.empty() && earlier_.back().length > length) earlier_.pop_back();
    if (earlier_.empty()) return restart();
    // The tables of normalized text cannot be used for another one.
    if (now_.is_normalized != earlier_.back().is_normalized) {
        normalized_.clear();
        forget_pieces();
    }
    now_ = earlier_.back();
    chain_.stages = now_.stages;
    chain_.valid = now_.valid;
    if (chain_.runs && chain_.runs->origin() > now_.valid) chain_.runs = nullptr;
    if (chain_.runs && chain_.runs->end() > now_.valid) chain_.runs->truncate(now_.valid);
    if (now_.is_normalized && !normalized_.origin.empty()) keep_certain();
    std::erase_if(pieces_, [&](Piece const& piece) { return piece.start >= now_.valid; });
    for (Piece& piece : pieces_)
        if (piece.table->size() > now_.valid - piece.start) piece.table->truncate(now_.valid - piece.start);
}

}  // namespace bpe
