#include "bpe/appending.hpp"

#include <utility>

#include "bpe/thresholds.hpp"

namespace bpe {

namespace {

constexpr std::size_t not_counted = static_cast<std::size_t>(-1);

}  // namespace

AppendingEncoder::AppendingEncoder(std::shared_ptr<const Encoder> encoder)
    : encoder_(std::move(encoder)), pieces_(encoder_->dictionary(), TokenTable::Side::right) {}

void AppendingEncoder::append(Bytes more) {
    if (more.size == 0) return;
    State const before = state_;
    text_.append(more.data, more.size);
    try {
        update(before.length);
    } catch (...) {
        return_to(before);
        throw;
    }
}

void AppendingEncoder::append_token(std::uint32_t id, Bytes text) {
    std::size_t const start = text_.size();
    text_.append(text.data, text.size);
    std::size_t const end = text_.size();
    try {
        tokens_.push({start, end, id});
    } catch (...) {
        text_.truncate(start);
        throw;
    }
    // The open pre-token ends here, as at the end of a text, so its count is known.
    state_.length = state_.settled_end = state_.first_open_end = end;
    state_.settled_count = ++state_.count;
    state_.tokens = tokens_.size();
    if (pieces_.any_open()) pieces_.settle(end);
}

void AppendingEncoder::encode_from(const State& state, FreshIds& fresh) {
    if (state.tokens == tokens_.size() && state.settled_end == state_.settled_end && read_open(fresh)) return;
    std::vector<std::uint32_t>& ids = fresh.ids;
    std::size_t place = state.settled_end;
    for (std::size_t number = state.tokens; number < tokens_.size(); ++number) {
        encoder_->encode(text().part(place, tokens_[number].start), ids);
        ids.push_back(tokens_[number].id);
        place = tokens_[number].end;
    }
    encoder_->encode(text().part(place, text_.size()), ids);
}

bool AppendingEncoder::read_open(FreshIds& ids) {
    if (!pieces_.any_open()) return false;
    std::vector<std::size_t> ends;
    {
        struct Back {
            State& state;
            State kept;
            ~Back() { state = kept; }
        } const back{state_, state_};
        read_tail(state_.length, state_.length, false, [&ends](std::size_t end) { ends.push_back(end); });
    }
    Encoder::Lease const lease(*encoder_);
    std::size_t start = state_.settled_end;
    for (std::size_t const end : ends) {
        std::size_t const from = std::exchange(start, end);
        Bytes const text = this->text().part(from, end);
        if (pieces_.has_table(from) && pieces_.read(from, text, ids, [this](Rank rank) { return encoder_->id(rank); })) continue;
        for (Rank const rank : encoder_->encode_piece(text, *lease)) ids.ids.push_back(encoder_->id(rank));
    }
    return true;
}

void AppendingEncoder::copy(const AppendingEncoder& other) {
    text_ = other.text_;
    tokens_ = other.tokens_;
    state_ = other.state_;
}

std::size_t AppendingEncoder::unfinished() const { return unfinished_end(text().part(tokens_.end_of(tokens_.size()), text_.size())); }

void AppendingEncoder::update(std::size_t old_length) {
    state_.length = text_.size();
    std::size_t const finished = encoder_->scanner() ? text_.size() - unfinished() : text_.size();
    // Each byte of an unfinished character is one character until it is complete: these bytes are counted, and settle nothing.
    auto const nobody = [](std::size_t) {};
    if (finished > state_.settled_end) read_tail(old_length, finished, true, nobody);
    if (finished < text_.size()) read_tail(old_length, text_.size(), false, nobody);
}

template <class OnEnd>
void AppendingEncoder::read_tail(std::size_t old_length, std::size_t limit, bool settle, OnEnd&& on_end) {
    Encoder::Lease const lease(*encoder_);
    const Byte* const text = text_.data();
    const Scanner* const scanner = encoder_->scanner();
    std::size_t const lookback = scanner ? static_cast<std::size_t>(scanner->lookback) : 1;
    std::array<Piece, 2> held{};  // the last pre-tokens, which are open
    std::size_t holding = 0;
    std::size_t settled_end = state_.settled_end, settled_count = state_.settled_count;
    bool const was_short = old_length - std::min(old_length, settled_end) <= thresholds::long_tail && !pieces_.any_open();
    auto const take = [&](std::size_t start, std::size_t end) {
        // A short piece is counted in the same way, settled or open. A long piece that was there before this append may be counted again after a
        // rollback: it keeps or gets a table.
        std::size_t const count =
            end - start <= thresholds::short_piece ? encoder_->count_piece({text + start, end - start}, text_.size() - start, *lease) : not_counted;
        if (holding == lookback) {
            Piece const& oldest = held[0];
            if (oldest.count != not_counted) [[likely]] {
                settled_count += oldest.count;
            } else {
                bool const kept = old_length > oldest.start && old_length - oldest.start >= thresholds::kept_size;
                settled_count += count_piece(oldest.start, oldest.end, kept, *lease);
            }
            settled_end = oldest.end;
            held[0] = held[1];
            --holding;
        }
        held[holding++] = {start, end, count};
        on_end(end);
    };
    if (!scanner) {
        if (limit > settled_end) take(settled_end, limit);
    } else {
        std::size_t place = settled_end;
        if (!was_short && old_length > place && old_length - place > thresholds::long_tail) {
            RunIndex& index = index_from(place);
            std::size_t const indexed = index.end();
            if (indexed < limit) index.extend({text + indexed, limit - indexed});
            while (old_length > place && old_length - place > thresholds::long_tail) {
                std::size_t const end = scanner->indexed_end(IndexedText(index, text, limit), text, place);
                take(place, end);
                place = end;
            }
            if (!settle) index.truncate(indexed);
        }
        for_each_pretoken(*scanner, text, place, limit, take);
    }
    std::size_t count = settled_count;
    for (std::size_t index = 0; index < holding; ++index) {
        Piece const& piece = held[index];
        count += piece.count != not_counted ? piece.count : count_piece(piece.start, piece.end, true, *lease);
    }
    state_.count = count;
    state_.first_open_end = holding ? held[0].end : settled_end;
    if (settle && settled_end > state_.settled_end) {
        state_.settled_end = settled_end;
        state_.settled_count = settled_count;
        if (pieces_.any_open()) pieces_.settle(settled_end);
    } else if (!settle) {
        state_.first_open_end = state_.settled_end;  // nothing is known of it
    }
}

std::size_t AppendingEncoder::count_piece(std::size_t start, std::size_t end, bool still_open, Workspace& workspace) {
    Bytes const piece = text().part(start, end);
    if ((still_open || pieces_.has_table(start)) && !pieces_.is_better_anew(start, piece.size)) return pieces_.count(start, piece);
    return encoder_->count_piece(piece, text_.size() - start, workspace);
}

RunIndex& AppendingEncoder::index_from(std::size_t place) {
    while (!indexes_.empty() && indexes_.back().origin() > place) indexes_.pop_back();
    if (indexes_.empty() || indexes_.back().end() < place) indexes_.emplace_back(RunIndex::Side::right, place);
    return indexes_.back();
}

std::size_t AppendingEncoder::fewest() {
    // A lower bound: no token has more bytes than the longest.
    std::size_t const longest = encoder_->dictionary().longest();
    std::size_t const start = state_.settled_end, end = state_.first_open_end;
    std::size_t const least = state_.settled_count + (state_.length - start + longest - 1) / longest;
    if (end - start <= thresholds::short_piece || pieces_.has_no_table(start, end - start)) return least;
    if (encoder_->scanner()) {
        // White space, for example, may still be cut in two; most other open pre-tokens can only grow.
        std::size_t const last = character_before(text_.data(), end, start);
        if (encoder_->scanner()->gives_back(UnicodeTable::instance().at(text_.data(), last, end))) return least;
    }
    return std::max(least, state_.settled_count + pieces_.fewest(start, text().part(start, end)));
}

void AppendingEncoder::return_to(const State& state) {
    text_.truncate(state.length);
    tokens_.truncate(state.tokens);
    state_ = state;
    pieces_.truncate(state.length, state.settled_end);
    while (!indexes_.empty() && indexes_.back().origin() >= state.length) indexes_.pop_back();
    if (!indexes_.empty()) indexes_.back().truncate(state.length - unfinished());
}

std::size_t AppendingEncoder::memory() const {
    std::size_t total = text_.capacity();
    for (RunIndex const& index : indexes_) total += index.memory();
    return total;
}

}  // namespace bpe
