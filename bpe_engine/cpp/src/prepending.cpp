#include "bpe/prepending.hpp"

#include <algorithm>

#include "bpe/thresholds.hpp"

namespace bpe {

namespace {

// The number of bytes at the start of `text` that may be the rest of a character that starts before it: 0 to 3.
std::size_t unfinished_start(Bytes text) {
    std::size_t count = 0;
    while (count < 3 && count < text.size && UnicodeTable::continues(text[count])) ++count;
    return count;
}

}  // namespace

PrependingEncoder::PrependingEncoder(std::shared_ptr<const Encoder> encoder)
    : encoder_(std::move(encoder)), pieces_(encoder_->dictionary(), TokenTable::Side::left) {}

void PrependingEncoder::prepend(Bytes more) {
    if (more.size == 0) return;
    State const before = state_;
    text_.prepend(more, state_.length);
    state_.length += more.size;
    totals_.resize(state_.length + 1, unknown);
    try {
        state_.count = total(more.size);
    } catch (...) {
        return_to(before);
        throw;
    }
}

std::size_t PrependingEncoder::total(std::size_t added) {
    std::size_t const left = state_.length;
    chain_.clear();
    std::size_t place = left;
    while (totals_[place] == unknown) {
        ends_.clear();
        first_ends(place, added + thresholds::short_piece, ends_);
        for (std::size_t const end : ends_) {
            chain_.push_back({place, end});
            place = end;
            if (totals_[end] != unknown) break;
        }
    }
    Encoder::Lease const lease(*encoder_);
    for (std::size_t index = chain_.size(); index-- > 0;) {
        Link const link = chain_[index];
        // It may grow, or has grown though another one is before it now.
        bool const is_open = link.start == left || (link.start > left - added && link.end < left - added);
        totals_[link.start] = totals_[link.end] + static_cast<std::uint32_t>(count_piece(link.start, link.end, is_open, *lease));
    }
    // The rest of a cut character may be a pre-token now, but not after its start is added, so it settles nothing.
    if (!chain_.empty() && unfinished_start(text()) == 0) {
        state_.settled = std::max(state_.settled, chain_[0].end);
        if (pieces_.any_open()) pieces_.settle(chain_[0].end);
    }
    return totals_[left];
}

void PrependingEncoder::first_ends(std::size_t place, std::size_t window, std::vector<std::size_t>& ends) {
    const Scanner* const scanner = encoder_->scanner();
    if (!scanner) {
        ends.push_back(0);
        return;
    }
    const Byte* const text = from(place).data;
    for (;; window *= 4) {
        std::size_t limit = std::min(place, window);
        if (limit < place) limit -= unfinished_end({text, limit});  // a cut character has another class
        bool met = false;                                           // an offset whose total is known: no need to read further
        for (std::size_t read = 0; read < limit && !met;) {
            Step const step = scanner->step(text, read, limit);
            std::size_t stop = read;
            if (step.ends == 0) {
                ends.push_back(place - (read + step.consumed()));
            } else {
                for (std::uint64_t bits = step.ends; bits; bits &= bits - 1) {
                    stop = read + static_cast<std::size_t>(std::countr_zero(bits)) + 1;
                    ends.push_back(place - stop);
                }
            }
            read += step.consumed();
            // Far enough, with some more pre-tokens so that those before are settled.
            met = ends.size() > 8 && totals_[ends[ends.size() - 6]] != unknown;
        }
        if (limit < place) ends.resize(ends.size() - std::min<std::size_t>(ends.size(), static_cast<std::size_t>(scanner->lookback)));
        if (!ends.empty()) return;
        if (window > thresholds::long_tail) {
            ends.push_back(indexed_end(place));
            return;
        }
    }
}

std::size_t PrependingEncoder::indexed_end(std::size_t place) {
    if (!index_) index_ = std::make_unique<RunIndex>(RunIndex::Side::left, 0);
    // Bytes that may still belong to a character before them are added for this answer only.
    std::size_t const finished = state_.length - unfinished_start(text());
    if (index_->end() < finished) index_->extend({from(finished).data, finished - index_->end()});
    std::size_t const indexed = index_->end();
    if (indexed < state_.length) index_->extend({text().data, state_.length - indexed});
    IndexedText const whole(*index_, text().data, state_.length, state_.length);
    std::size_t const end = encoder_->scanner()->indexed_end(whole, text().data, state_.length - place);
    index_->truncate(indexed);
    return state_.length - end;
}

std::size_t PrependingEncoder::count_piece(std::size_t start, std::size_t end, bool still_open, Workspace& workspace) {
    Bytes const piece{from(start).data, start - end};
    if ((still_open || pieces_.has_table(end)) && !pieces_.is_better_anew(end, piece.size)) return pieces_.count(end, piece);
    return encoder_->count_piece(piece, start, workspace);
}

std::size_t PrependingEncoder::fewest() {
    std::size_t const longest = encoder_->dictionary().longest();
    std::size_t const least = (state_.length + longest - 1) / longest;
    if (!encoder_->scanner()) return state_.length > thresholds::short_piece ? std::max(least, pieces_.fewest(0, text())) : least;
    // Every grammar splits between a letter or number and a character that is no letter, number, mark, Han or apostrophe, whatever text comes
    // before. So the chains of all longer texts pass this offset, and the chain of this text has passed it.
    UnicodeTable const& table = UnicodeTable::instance();
    Bytes const whole = text();
    std::size_t const stop = std::min(whole.size, thresholds::long_tail);
    bool after_word = false;
    for (std::size_t place = 0; place < stop;) {
        Character const character = table.at(whole.data, place, whole.size);
        bool const in_word = character.flags & (letter_class | number_class);
        if (after_word && !in_word && !(character.flags & (mark_class | han_class)) && character.code != '\'')
            return totals_[state_.length - place] == unknown ? least : std::max<std::size_t>(least, totals_[state_.length - place]);
        after_word = in_word;
        place += character.size;
    }
    return least;
}

void PrependingEncoder::return_to(const State& state) {
    state_ = state;
    totals_.resize(state.length + 1);
    pieces_.truncate(state.length, state.settled);
    if (index_) index_->truncate(state.length - unfinished_start(text()));
}

}  // namespace bpe
