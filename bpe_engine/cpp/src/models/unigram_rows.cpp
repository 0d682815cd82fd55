#include "unigram_rows.hpp"

#include <algorithm>

namespace bpe {

void UnigramRows::add(const Byte* text, std::size_t start, std::size_t end) {
    TokenAutomaton const& automaton = model_->automaton_;
    TokenAutomaton::State state = automaton.next(row(start).state, text[start]);
    for (std::size_t place = start + 1; place < end; ++place) {
        row(place) = {0, 0, 0, inside, state};
        state = automaton.next(state, text[place]);
    }
    bool const is_float = model_->is_float_;
    Row& made = row(end);
    made.state = state;
    made.last = beginning;
    // Longest first, so by ascending start. A later one must be better, not as good: the order and the comparisons are those of both libraries.
    double best = 0;
    std::size_t size = 0;
    bool is_alone = true;  // no token is the last character by itself
    for (Rank rank = automaton.longest(state); rank != no_rank;) {
        UnigramModel::Token const& token = model_->tokens_[rank];
        if (token.size < end - start) break;  // begins inside the character, as all that follow
        Row const& from = row(end - token.size);
        // sentencepiece compares the sum before it rounds with a sum that is rounded.
        double const sum = token.score + from.score;
        if ((made.last == beginning || sum > best) && from.last != inside) {
            best = is_float ? static_cast<float>(sum) : sum;
            made.last = rank;
            size = token.size;
        }
        if (token.size == end - start) {
            is_alone = false;
            break;
        }
        rank = token.shorter;
    }
    if (is_alone) {
        double sum = model_->unknown_score_ + row(start).score;
        if (is_float) sum = static_cast<float>(sum);
        if (made.last == beginning || sum > best) {
            if (!model_->unknown_) throw NoUnknownTokenError(text[start], start);
            made.score = sum;
            add_to_run(text, start, end);
            return;
        }
    }
    made.score = best;
    if (made.last == model_->unknown_rank_)
        add_to_run(text, end - size, end);
    else
        made.count = row(end - size).count + 1;
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
    while (rank != no_rank && model_->tokens_[rank].size > end - row.run) rank = model_->tokens_[rank].shorter;
    return rank != no_rank && model_->tokens_[rank].size == end - row.run ? rank : no_rank;
}

std::size_t UnigramRows::fewest(std::size_t end) const {
    // What goes on beyond `end` parts the text at one of the rows back to where a token may begin that reaches beyond it.
    std::size_t least = count(end);
    for (std::size_t place = end - model_->automaton_.depth(row(end).state); place <= end; ++place) {
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
}

}  // namespace bpe
