#include "unigram_rows.hpp"

#include <algorithm>
#include <cmath>

#include "bpe/steps.hpp"

namespace bpe {

void UnigramRows::add(const Byte* text, std::size_t start, std::size_t end) {
    TokenAutomaton const& automaton = model_->automaton_;
    TokenAutomaton::State state = automaton.next(row(start).state, text[start]);
    for (std::size_t place = start + 1; place < end; ++place) {
        row(place) = {0, 0, 0, inside, state};
        state = automaton.next(state, text[place]);
    }
    bool const is_float = model_->is_float_;
    while (!resets_.empty() && resets_.back().place > start) resets_.pop_back();
    Row& made = row(end);
    made.state = state;
    made.last = beginning;
    double best = 0;
    std::size_t part = start;   // where the last token of the best way begins
    std::size_t frame = start;  // of what place `best` is a sum
    // By ascending `from`. A later one must be better, not as good: the order and the comparisons are those of both libraries.
    auto const offer = [&](Rank last, double score, std::size_t from) {
        count_step();
        double sum = score + row(from).score;
        if (is_float) {
            sum = static_cast<float>(sum);
            best = after_resets(best, frame, from);
            frame = from;
        }
        if (made.last != beginning && !(sum > best)) return;
        best = sum;
        part = from;
        made.last = last;
    };
    bool is_alone = true;  // no token is the last character by itself
    for (Rank rank = automaton.longest(state); rank != no_rank && is_alone;) {
        UnigramModel::Token const& token = model_->tokens_[rank];
        if (token.size < end - start) break;  // begins inside the character, as all that follow
        if (row(end - token.size).last != inside) offer(rank, token.score, end - token.size);
        is_alone = token.size != end - start;
        rank = token.shorter;
    }
    if (is_alone) {
        offer(unknown, model_->unknown_score_, start);
        if (made.last == unknown && !model_->unknown_) throw NoUnknownTokenError(text[start], start);
    }
    if (is_float && std::abs(best) > reset_above) {
        resets_.push_back({end, static_cast<float>(best)});
        best = 0;
    }
    made.score = best;
    if (made.last == unknown || made.last == model_->unknown_rank_)
        add_to_run(text, part, end);
    else
        made.count = row(part).count + 1;
}

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
    Rank rank = model_->automaton_.longest(row.state);
    while (rank != no_rank && model_->tokens_[rank].size > end - row.run) {
        count_step();
        rank = model_->tokens_[rank].shorter;
    }
    return rank != no_rank && model_->tokens_[rank].size == end - row.run ? rank : no_rank;
}

std::size_t UnigramRows::fewest(std::size_t end) const {
    // What goes on beyond `end` parts the text at one of the rows back to where a token may begin that reaches beyond it.
    std::size_t least = count(end);
    for (std::size_t place = end - model_->automaton_.depth(row(end).state); place <= end; ++place) {
        count_step();
        Row const& at = row(place);
        if (at.last == inside) continue;
        std::size_t bound = at.count;
        if (is_unknown(at)) {
            // The run may go on. It stays what its bytes are unless a byte without a token comes, or all of it becomes a token.
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
        Row const& at = row(end);
        if (!is_unknown(at)) {
            put(model_->ids_[at.last], model_->tokens_[at.last].size);
            end -= model_->tokens_[at.last].size;
            continue;
        }
        Rank const token = token_of_run(at, end);
        if (token != no_rank)
            put(model_->ids_[token], end - at.run);
        else if (at.last == broken)
            put(*model_->unknown_, end - at.run);
        else
            for (std::size_t place = end; place-- > at.run;) put(*model_->bytes_[text[place]], 1);
        end = at.run;
    }
}

void UnigramRows::forget(std::size_t start, std::size_t end) {
    std::copy(rows_.begin() + static_cast<std::ptrdiff_t>(start - first_), rows_.begin() + static_cast<std::ptrdiff_t>(end - first_) + 1, rows_.begin());
    first_ = start;
    std::erase_if(resets_, [&](const Reset& reset) { return reset.place <= start; });
}

}  // namespace bpe
