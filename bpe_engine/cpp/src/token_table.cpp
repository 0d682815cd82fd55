#include "bpe/token_table.hpp"

#include "bpe/repetition.hpp"
#include "bpe/steps.hpp"

namespace bpe {

void TokenTable::extend(Bytes text) {
    dictionary_->check_bytes(text);
    make_room(text.size);
    std::size_t const taken = take_repeated(text);
    extend_alone(side_ == Side::left ? text.part(0, text.size - taken) : text.part(taken, text.size));
}

void TokenTable::extend_alone(Bytes text) {
    dictionary_->check_bytes(text);
    make_room(text.size);
    std::vector<Rank> found;
    for (std::size_t index = 0; index < text.size; ++index) {
        count_step();
        Byte const byte = coming(text, index);
        if (period_.continues({data_.data(), data_.size()}, byte)) {
            Row const before = rows_[rows_.size() - period_.bytes()];
            add(byte, {before.last, static_cast<std::uint32_t>(before.count + period_.tokens())});
        } else {
            data_.push_back(byte);
            Row const row = find_row(found);
            data_.pop_back();
            add(byte, row);
        }
    }
}

// Grow by doubling, also if many small texts are added.
void TokenTable::make_room(std::size_t more) {
    if (data_.capacity() >= data_.size() + more) return;
    std::size_t const wanted = std::max(data_.size() + more, data_.size() * 2);
    data_.reserve(wanted);
    rows_.reserve(wanted);
}

// If the whole text with the start of `text` is one long repetition whose rows are shared, adds these bytes of `text`. Returns their number.
std::size_t TokenTable::take_repeated(Bytes text) {
    if (period_.bytes() != 0) return 0;
    for (std::size_t unit = 1; unit <= RowPeriod::longest_unit; ++unit) {
        if (!period_.is_whole(unit)) continue;
        auto const at = [&](std::size_t place) { return place < size() ? data_[place] : coming(text, place - size()); };
        std::size_t end = size();
        while (end < size() + text.size && (end < unit || at(end) == at(end - unit))) ++end;
        if (end < RepeatedRows::least || end < unit) continue;
        Byte repeated[RowPeriod::longest_unit];
        for (std::size_t place = 0; place < unit; ++place) repeated[place] = at(place);
        std::vector<Row> rows;
        dictionary_->repeated(side_ == Side::left).copy({repeated, unit}, size(), end, rows);
        for (Row const& row : rows) add(repeated[size() % unit], row);
        return rows.size();
    }
    return 0;
}

void TokenTable::add(Byte byte, Row row) {
    data_.push_back(byte);
    rows_.push_back(row);
    period_.add({data_.data(), data_.size()}, [this](std::size_t number, std::size_t period) -> std::optional<std::size_t> {
        Row const &here = rows_[number], &before = rows_[number - period];
        return here.last == before.last ? std::optional<std::size_t>(here.count - before.count) : std::nullopt;
    });
}

// The row of the newest byte. `found` is room for the tokens that reach from there backwards, shortest first.
TokenTable::Row TokenTable::find_row(std::vector<Rank>& found) {
    Dictionary const& dictionary = *dictionary_;
    bool const mirrored = side_ == Side::left;
    PairMemory& pairs = dictionary.pairs();
    const Trie& trie = mirrored ? dictionary.starting() : dictionary.ending();
    found.clear();
    Trie::Node node = trie.root_node();
    for (std::size_t place = data_.size(); place-- > 0;) {
        node = trie.child(node, data_[place]);
        if (node == 0) break;
        if (Trie::rank(node) != no_rank) found.push_back(Trie::rank(node));
    }
    for (std::size_t candidate = found.size(); candidate-- > 0;) {
        Rank const token = found[candidate];
        std::size_t const start = data_.size() - dictionary.length(token);
        bool const fits = start == 0 || (mirrored ? compatible(dictionary, token, rows_[start - 1].last, pairs)
                                                  : compatible(dictionary, rows_[start - 1].last, token, pairs));
        if (fits) return {token, static_cast<std::uint32_t>(count(start) + 1)};
    }
    return {no_rank, 0};
}

}  // namespace bpe
