#include "unigram_rows.hpp"

#include <algorithm>
#include <cmath>

#include "bpe/steps.hpp"

namespace bpe {

void UnigramRows::walk(Bytes text, std::size_t end) {
    TokenAutomaton const& automaton = *model_->automaton_;
    TokenAutomaton::State state = row(walked_).state;
    for (; walked_ < end; ++walked_) {
        state = automaton.next(state, text[walked_]);
        row(walked_ + 1).state = state;
        Rank const longest = automaton.longest(state);
        if (longest != no_rank) prefetch(&automaton.token(longest));
    }
}

template <bool is_float>
void UnigramRows::add_as(Bytes text, std::size_t start, std::size_t end) {
    if (walked_ < end) walk(text, std::min(start + ahead, text.size));
    for (std::size_t place = start + 1; place < end; ++place) row(place).last = inside;
    while (is_float && !resets_.empty() && resets_.back().place > start) resets_.pop_back();
    Row& made = row(end);
    Rank last = beginning;
    double best = 0;
    std::size_t part = start;   // the start of the last token of the best split
    std::size_t frame = start;  // the offset whose sum `best` is
    // By ascending `from`. A later token must be better, not only equal: the order and the comparisons are those of both libraries.
    auto const offer = [&](Rank token, double score, std::size_t from) {
        count_step();
        double sum = score + row(from).score;
        if (is_float) {
            sum = static_cast<float>(sum);
            best = after_resets(best, frame, from);
            frame = from;
        }
        // Without a branch, because it would be unpredictable.
        bool const is_better = (last == beginning) | (sum > best);
        best = is_better ? sum : best;
        part = is_better ? from : part;
        last = is_better ? token : last;
    };
    TokenAutomaton const& automaton = *model_->automaton_;
    bool is_alone = true;  // no token is the last character by itself
    for (Rank rank = automaton.longest(made.state); rank != no_rank;) {
        TokenAutomaton::Token const& token = automaton.token(rank);
        std::size_t const from = end - token.size;
        if (from >= start) {  // no later one starts at the start of a character
            is_alone = from != start;
            if (!is_alone) offer(rank, token.score, from);
            break;
        }
        if (row(from).last != inside) offer(rank, token.score, from);
        rank = token.shorter;
    }
    if (is_alone) {
        offer(unknown, model_->unknown_score_, start);
        if (last == unknown && !model_->unknown_) throw NoUnknownTokenError(text[start], start);
    }
    if (is_float && std::abs(best) > reset_above) {
        resets_.push_back({end, static_cast<float>(best)});
        best = 0;
    }
    made.score = best;
    made.last = last;
    if (last == unknown || last == model_->unknown_rank_) add_to_run(text.data, part, end);
    else made.count = row(part).count + 1;
}

template void UnigramRows::add_as<false>(Bytes, std::size_t, std::size_t);
template void UnigramRows::add_as<true>(Bytes, std::size_t, std::size_t);

double UnigramRows::after_resets(double sum, std::size_t from, std::size_t to) const {
    if (resets_.empty() || resets_.back().place <= from) return sum;
    auto const first = std::upper_bound(resets_.begin(), resets_.end(), from, [](std::size_t place, const Reset& reset) { return place < reset.place; });
    for (auto reset = first; reset != resets_.end() && reset->place <= to; ++reset) sum = static_cast<float>(sum - reset->sum);
    return sum;
}

void UnigramRows::add_to_run(const Byte* text, std::size_t from, std::size_t end) {
    Row const& before = row(from);
    Row& made = row(end);
    made.run = is_unknown(before) ? before.run : static_cast<std::uint32_t>(from);
    bool const is_broken = before.last == broken || !model_->has_any_byte_ ||
                           (!model_->has_all_bytes_ && std::any_of(text + from, text + end, [&](Byte byte) { return !model_->bytes_[byte]; }));
    made.last = is_broken ? broken : unknown;
    bool const is_one = is_broken || token_of_run(made, end) != no_rank;
    made.count = row(made.run).count + (is_one ? 1 : static_cast<std::uint32_t>(end) - made.run);
}

Rank UnigramRows::token_of_run(const Row& row, std::size_t end) const {
    if (model_->is_float_) return no_rank;
    Rank rank = model_->automaton_->longest(row.state);
    while (rank != no_rank && model_->automaton_->token(rank).size > end - row.run) {
        count_step();
        rank = model_->automaton_->token(rank).shorter;
    }
    return rank != no_rank && model_->automaton_->token(rank).size == end - row.run ? rank : no_rank;
}

std::size_t UnigramRows::fewest(std::size_t end) const {
    // Any continuation after `end` splits the text at one of these rows: back to the first at which a token that continues after `end` may start.
    std::size_t least = count(end);
    for (std::size_t place = end - model_->automaton_->depth(row(end).state); place <= end; ++place) {
        count_step();
        Row const& at = row(place);
        if (at.last == inside) continue;
        std::size_t bound = at.count;
        if (is_unknown(at)) {
            // The run may continue. It stays byte tokens unless a byte without a token comes, or the whole run becomes a token.
            std::size_t const size = place - at.run;
            bool const as_bytes = model_->has_all_bytes_ && (model_->is_float_ || size > model_->longest_);
            bound = row(at.run).count + (as_bytes ? size : 1);
        }
        least = std::min(least, bound);
    }
    return least;
}

void UnigramRows::read(const Byte* text, std::size_t end, std::vector<std::uint32_t>& ids, std::vector<std::uint32_t>* lengths) const {
    std::size_t const added = row(end).count - row(first_).count;
    std::size_t index = ids.size() + added;
    ids.resize(index);
    std::size_t length_index = 0;
    if (lengths) {
        length_index = lengths->size() + added;
        lengths->resize(length_index);
    }
    auto const put = [&](std::uint32_t id, std::size_t size) {
        ids[--index] = id;
        if (lengths) (*lengths)[--length_index] = static_cast<std::uint32_t>(size);
    };
    while (end > first_) {
        std::size_t const start = start_of_last(end);
        if (run_of_bytes(end))
            for (std::size_t place = end; place-- > start;) put(*model_->bytes_[text[place]], 1);
        else put(last_id(end), end - start);
        end = start;
    }
}

std::uint32_t UnigramRows::last_id(std::size_t end) const {
    Row const& at = row(end);
    if (!is_unknown(at)) return model_->ids_[at.last];
    Rank const token = token_of_run(at, end);
    return token != no_rank ? model_->ids_[token] : *model_->unknown_;
}

void UnigramRows::forget(std::size_t start) {
    std::copy(rows_.begin() + static_cast<std::ptrdiff_t>(start - first_), rows_.begin() + static_cast<std::ptrdiff_t>(walked_ - first_) + 1, rows_.begin());
    first_ = start;
    std::erase_if(resets_, [&](const Reset& reset) { return reset.place <= start; });
}

}  // namespace bpe
