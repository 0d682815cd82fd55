// A piece of a merge model that grows: the last token of each prefix, or to the left the first token of each suffix.
//
//     text        a    b    a    c    b     b           tokens a b c ac bb ab acbb
//     last token  a    ab   a    ac   b     acbb        of the tokens that end here, the one that may follow the last token of the text before it
//     tokens      1    1    2    2    3     2
//
// The algorithm is that of token_table.hpp for a Dictionary, which has bytes, tokens in merge order and no unknown characters. Here ids and merges are in any
// order, text is characters, and characters without a token merge with nothing. The algorithm rests on two facts, which hold for every list of merges. Merging
// encodes the text before a boundary as it would by itself. And tokens are an encoding if each neighbouring pair is: until a merge crosses the boundary between
// two of them, each is made by itself, so only the two decide whether one ever does. Mistral's tokens of spaces all have one rank: then the left token is made
// first.
#include <algorithm>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>

#include "bpe/row_period.hpp"
#include "bpe/steps.hpp"
#include "bpe/token_ends.hpp"
#include "bpe/unicode.hpp"
#include "bpe/growing_side.hpp"
#include "merge_growth.hpp"

namespace bpe {

template <bool to_left>
class MergeModel::Growing final : public GrowingPiece {
public:
    Growing(const MergeModel& model, Growth& growth)
        : model_(model),
          growth_(growth),
          sided_(to_left ? growth.left : growth.right),
          may_be_whole_(model.options_.ignore_merges && !growth.drops),
          period_(model.longest_) {
        std::call_once(sided_.once, [&] { make_automaton(model_, sided_); });
        rows_.push_back({none, 0, TokenAutomaton::start});
    }

    void extend(Bytes more) override {
        std::size_t const before = text_.size();
        if (before + more.size >= std::numeric_limits<std::uint32_t>::max()) throw std::length_error("a pre-token of 4 GiB or more");
        if constexpr (to_left) std::reverse_copy(more.begin(), more.end(), std::back_inserter(text_));
        else text_.insert(text_.end(), more.begin(), more.end());
        try {
            advance(text_.size() - unfinished());
        } catch (...) {
            truncate(before);
            throw;
        }
    }

    void truncate(std::size_t size) override {
        text_.resize(size);
        if (rows_.size() > size + 1 - unfinished()) cut_rows(size + 1 - unfinished());
    }

    std::size_t size() const override { return text_.size(); }

    std::size_t count() override {
        if (text_.empty()) return 0;
        if (is_whole()) return 1;
        if (rows_.size() == text_.size() + 1) return rows_.back().count;
        AllRows const all(*this);
        return rows_.back().count;
    }

    std::size_t read(std::vector<std::uint32_t>& ids) override {
        if (to_left) return GrowingPiece::read(ids);
        if (text_.empty()) return 0;
        if (is_whole()) {
            ends_.clear();
            ids.push_back(model_.ids_[static_cast<std::size_t>(model_.find_token({text_.data(), text_.size()}))]);
            return 0;
        }
        AllRows const all(*this);
        std::size_t const same = ends_.walk(text_.size(), [this](std::size_t end) {
            std::uint32_t const token = rows_[end].token;
            if (token < none) return end - model_.text_of(token).size;
            do --end;
            while (rows_[end].token == inside);
            return end;
        });
        ends_.for_each_walked(same, [&](std::size_t start, std::size_t end) {
            // Of unknown characters in a row only the first may have a token.
            if (rows_[end].count == rows_[start].count) return;
            std::uint32_t const token = rows_[end].token;
            if (token == fallen)
                for (std::size_t place = start; place < end; ++place)
                    ids.push_back(model_.ids_[static_cast<std::size_t>(model_.options_.byte_fallback[text_[place]])]);
            else ids.push_back(model_.ids_[token == unknown ? model_.options_.unknown_id : token]);
        });
        return rows_[same].count;
    }
    void forget_read() override { ends_.clear(); }

    std::unique_ptr<GrowingPiece> another() const override { return std::make_unique<Growing>(model_, growth_); }

    // Rows of a part are read anew until they are those of its own table, but for a difference of the counts; from there on all are. So only the last ones,
    // which later rows look at, are taken over.
    //
    //     this piece  ...a | part  b c b c b c ... b c | part  d d d ...
    //                        anew  ^ ^ ^ known     ^ ^         ^ ^
    std::size_t count_with(const std::vector<AddedPart>& parts) override {
        std::size_t const size = text_.size();
        std::size_t whole = size;
        for (AddedPart const& part : parts) whole += part.table ? part.table->size() : part.text.size;
        bool const may_be_one = may_be_whole_ && whole <= model_.longest_;
        struct Back {
            Growing& piece;
            std::size_t size;
            RowPeriod period;
            ~Back() {
                piece.truncate(size);
                piece.period_ = period;
            }
        } const back{*this, size, period_};
        for (AddedPart const& part : parts) {
            auto const* const table = static_cast<Growing const*>(part.table);
            if (!table) {
                extend(part.text);
            } else if (may_be_one) {
                std::vector<Byte> const text = as_read(to_left ? Side::left : Side::right, table->text_, 0, table->text_.size());
                extend({text.data(), text.size()});
            } else {
                follow(*table);
            }
        }
        return count();
    }

    std::size_t fewest() override {
        std::size_t const done = rows_.size() - 1;
        if (may_be_whole_ && done <= model_.longest_) return done > 0 ? 1 : 0;
        std::size_t least = rows_[done].count;
        for (std::size_t place = done - sided_.automaton->depth(rows_[done].state); place < done; ++place)
            if (rows_[place].token != inside) least = std::min<std::size_t>(least, rows_[place].count);
        return least;
    }

    // Calls `use` with a piece of `unit` repeated, after `head`, that all pieces of a model share: of at least `size` bytes unless its rows have a period, or
    // have none soon. Thread-safe.
    template <class Use>
    static void with_repeated(const MergeModel& model, Growth& growth, Bytes head, Bytes unit, std::size_t size, Use&& use) {
        Growth::Sided& sided = to_left ? growth.left : growth.right;
        std::string key(reinterpret_cast<const char*>(unit.data), unit.size);
        key.push_back(static_cast<char>(unit.size));
        key.append(reinterpret_cast<const char*>(head.data), head.size);
        std::lock_guard const lock(sided.mutex);
        auto found = sided.repeated.find(key);
        if (found == sided.repeated.end()) {
            if (sided.repeated.size() == most_repeated) sided.repeated.clear();
            auto made = std::make_unique<Growing>(model, growth);
            made->extend(head);
            found = sided.repeated.emplace(std::move(key), std::move(made)).first;
        }
        auto& piece = static_cast<Growing&>(*found->second);
        std::size_t const most = std::min(size + RowPeriod::longest_unit, head.size + patience * std::max(model.longest_, RowPeriod::longest_unit));
        if (piece.period_.bytes() == 0) {
            while (piece.text_.size() < most) piece.text_.push_back(unit[(piece.text_.size() - head.size) % unit.size]);
            piece.read_on(piece.text_.size() - piece.unfinished());
        }
        use(std::as_const(piece));
    }

    // The count of the first `size` bytes of a repetition without end, of which this piece is the beginning; none if no character ends there, or no period is
    // known.
    std::optional<std::size_t> count_repeated(std::size_t size) const {
        std::size_t more = 0;
        if (std::size_t const end = rows_.size() - 1, period = period_.bytes(); size > end) {
            if (period == 0) return std::nullopt;
            std::size_t const periods = (size - end + period - 1) / period;
            size -= periods * period;
            more = periods * period_.tokens();
        }
        return rows_[size].token == inside ? std::nullopt : std::optional(rows_[size].count + more);
    }

private:
    // In place of a token: no character ends here; a character that is none; the same, by tokens of its bytes; nothing.
    static constexpr std::uint32_t inside = 0xFFFFFFFF, unknown = 0xFFFFFFFE, fallen = 0xFFFFFFFD, none = 0xFFFFFFFC;

    struct Row {
        std::uint32_t token;  // at the growing side
        std::uint32_t count;  // inside of a character: of what is before it
        TokenAutomaton::State state;
    };

    static constexpr std::size_t most_repeated = 64;
    // How much of a repetition is read to find the period of its rows, as a multiple of the longest token; and a repetition that is worth looking for it, in
    // bytes.
    static constexpr std::size_t patience = 16, least_repeated = 32;

    static void make_automaton(const MergeModel& model, Growth::Sided& sided) {
        std::vector<Byte> reversed;
        if (to_left) {
            reversed = model.bytes_;
            for (std::size_t number = 0; number + 1 < model.offsets_.size(); ++number)
                std::reverse(reversed.begin() + model.offsets_[number], reversed.begin() + model.offsets_[number + 1]);
        }
        std::vector<Byte> const& bytes = to_left ? reversed : model.bytes_;
        std::vector<Bytes> tokens;
        for (std::uint32_t number = 0; number + 1 < model.offsets_.size(); ++number) {
            Bytes const text = model.text_of(number);
            if (text.size == 0 || model.find_token(text) != number) continue;
            tokens.push_back({bytes.data() + model.offsets_[number], text.size});
            sided.numbers.push_back(number);
        }
        sided.automaton = std::make_unique<const TokenAutomaton>(tokens, std::vector<double>(tokens.size()));
    }

    // Adds the text of another piece, with rows that stand for all of its rows.
    void follow(const Growing& other) {
        std::size_t const first = rows_.size() - 1, end = other.rows_.size() - 1;
        std::size_t alike = 0, place = 0;  // rows at the end that are alike
        std::uint32_t more = 0;            // of the count, modulo 2^32
        while (place < end) {
            std::size_t next = place + 1;
            while (next < end && other.rows_[next].token == inside) ++next;
            text_.insert(text_.end(), other.text_.begin() + static_cast<std::ptrdiff_t>(place), other.text_.begin() + static_cast<std::ptrdiff_t>(next));
            advance(text_.size());
            for (; place < next; ++place) {
                Row const &made = rows_[first + place + 1], &known = other.rows_[place + 1];
                std::uint32_t const difference = made.count - known.count;
                bool const is_alike = made.token == known.token && made.state == known.state;
                alike = !is_alike ? 0 : difference == more ? alike + 1 : 1;
                more = difference;
            }
            if (alike > sided_.automaton->depth(rows_.back().state)) break;
        }
        std::size_t const from = std::max(place, end - std::min<std::size_t>(end, sided_.automaton->depth(other.rows_[end].state) + std::size_t{1}));
        for (std::size_t index = from; index < end; ++index) {
            text_.push_back(other.text_[index]);
            rows_.push_back(other.rows_[index + 1]);
            rows_.back().count += more;
        }
        // Not of one text from here on.
        period_.begin_at(rows_.size() - 1);
    }

    void cut_rows(std::size_t size) {
        rows_.resize(size);
        ends_.truncate(size - 1);
        period_.truncate(size - 1);
    }

    // The rows of all bytes, for the time of a scope: an unfinished character is read as if nothing followed.
    class AllRows {
    public:
        explicit AllRows(Growing& piece) : piece_(piece), size_(piece.rows_.size()) {
            try {
                piece.advance(piece.text_.size());
            } catch (...) {
                piece.cut_rows(size_);
                throw;
            }
        }
        ~AllRows() {
            if (piece_.rows_.size() > size_) piece_.cut_rows(size_);
        }
        AllRows(const AllRows&) = delete;
        AllRows& operator=(const AllRows&) = delete;

    private:
        Growing& piece_;
        std::size_t size_;
    };

    // Whether the piece is a token that is not merged.
    bool is_whole() const {
        if (!may_be_whole_ || text_.size() > model_.longest_) return false;
        if constexpr (!to_left) return model_.find_token({text_.data(), text_.size()}) >= 0;
        std::vector<Byte> const forward(text_.rbegin(), text_.rend());
        return model_.find_token({forward.data(), forward.size()}) >= 0;
    }

    // Bytes at the growing side that may become part of a character.
    std::size_t unfinished() const { return model_.options_.by_characters ? unfinished_at(to_left ? Side::left : Side::right, text_) : 0; }

    // Rows up to `end`, where a character ends.
    void advance(std::size_t end) {
        if (rows_.size() > end) return;
        take_repeated(end);
        read_on(end);
    }

    // If the whole text up to `end`, or nearly so, is one long repetition, takes its rows from the shared piece.
    void take_repeated(std::size_t end) {
        if (period_.bytes() != 0) return;
        std::size_t const done = rows_.size() - 1;
        for (std::size_t unit = 1; unit <= RowPeriod::longest_unit; ++unit) {
            if (!period_.is_whole(unit)) continue;
            std::size_t same = done;
            while (same < end && (same < unit || text_[same] == text_[same - unit])) ++same;
            if (same < least_repeated) continue;
            with_repeated(model_, growth_, {}, {text_.data(), unit}, same, [&](const Growing& shared) {
                std::size_t stop = std::min(same, shared.rows_.size() - 1);
                // What follows may make one character of the last bytes.
                if (stop < end) stop -= 3;
                for (std::size_t place = done; place < stop; ++place) push(shared.rows_[place + 1]);
                while (rows_.back().token == inside) cut_rows(rows_.size() - 1);
            });
            return;
        }
    }

    void read_on(std::size_t end) {
        std::size_t const done = rows_.size() - 1;
        if (done >= end) return;
        if (!model_.options_.by_characters) {
            for (std::size_t place = done; place < end; ++place) add(1, model_.byte_tokens_[text_[place]] >= 0, {});
            return;
        }
        std::vector<Byte> forward;
        if (to_left) forward.assign(text_.rend() - static_cast<std::ptrdiff_t>(end), text_.rend() - static_cast<std::ptrdiff_t>(done));
        Bytes const text = to_left ? Bytes{forward.data(), forward.size()} : Bytes{text_.data() + done, end - done};
        UnicodeTable const& table = UnicodeTable::instance();
        auto const add_at = [&](std::size_t place, Character character) {
            std::uint32_t const code = character.code <= 0x10FFFF ? static_cast<std::uint32_t>(character.code) : 0x110000u + text[place];
            add(character.size, model_.is_known(code), text.part(place, place + character.size));
        };
        if constexpr (to_left) {
            std::vector<std::size_t> starts;
            for (std::size_t place = 0; place < text.size; place += table.at(text.data, place, text.size).size) starts.push_back(place);
            for (auto start = starts.rbegin(); start != starts.rend(); ++start) add_at(*start, table.at(text.data, *start, text.size));
        } else {
            for (std::size_t place = 0; place < text.size;) {
                Character const character = table.at(text.data, place, text.size);
                add_at(place, character);
                place += character.size;
            }
        }
    }

    // The row of the next character; `written` is it where it may be unknown.
    void add(std::size_t size, bool is_known, Bytes written) {
        std::size_t const start = rows_.size() - 1, end = start + size;
        if (repeats(size)) {
            for (std::size_t place = start; place < end; ++place) {
                Row row = rows_[place + 1 - period_.bytes()];
                row.count += static_cast<std::uint32_t>(period_.tokens());
                push(row);
            }
            return;
        }
        TokenAutomaton const& automaton = *sided_.automaton;
        Row const before = rows_[start];
        Row made{inside, before.count, before.state};
        for (std::size_t place = start; place < end; ++place) {
            made.state = automaton.next(made.state, text_[place]);
            if (place + 1 < end) push(made);
        }
        if (!is_known) {
            add_unknown(made, before, written);
        } else {
            for (Rank rank = automaton.longest(made.state); rank != no_rank; rank = automaton.token(rank).shorter) {
                count_step();
                std::size_t const length = automaton.token(rank).size;
                if (length > end) continue;
                Row const& at = rows_[end - length];
                std::uint32_t const number = sided_.numbers[rank];
                if (at.token == inside || !reachable(number) || (at.token < none && !may_meet(at.token, number))) continue;
                made.token = number;
                made.count = at.count + 1;
                break;
            }
            if (made.token == inside) throw std::logic_error("a prefix without a last token");
        }
        push(made);
    }

    // Whether the next `size` bytes, which are one character, have the rows of one period before.
    bool repeats(std::size_t size) {
        std::size_t const start = rows_.size() - 1, period = period_.bytes();
        if (period == 0) return false;
        for (std::size_t place = start; place < start + size; ++place) {
            if (text_[place] != text_[place - period]) return false;
            // The same bytes are not one character where others follow.
            if ((rows_[place + 1 - period].token == inside) != (place + 1 < start + size)) {
                period_.begin_at(start);
                return false;
            }
        }
        return true;
    }

    void push(const Row& row) {
        rows_.push_back(row);
        period_.add({text_.data(), rows_.size() - 1}, [this](std::size_t number, std::size_t period) -> std::optional<std::size_t> {
            Row const &here = rows_[number + 1], &there = rows_[number + 1 - period];
            return here.token == there.token ? std::optional<std::size_t>(here.count - there.count) : std::nullopt;
        });
    }

    void add_unknown(Row& made, const Row& before, Bytes written) {
        Options const& options = model_.options_;
        if (model_.falls_back(written)) {
            made.token = fallen;
            made.count = before.count + static_cast<std::uint32_t>(written.size);
        } else if (options.unknown == Unknown::token) {
            made.token = unknown;
            made.count = before.count + (options.fuse_unknown && before.token == unknown ? 0 : 1);
        } else {
            // Throws the right error.
            std::vector<Byte> forward(text_);
            if (to_left) std::reverse(forward.begin(), forward.end());
            (void)model_.count({forward.data(), forward.size()});
            throw EncodingError(written.size > 0 ? written[0] : text_[rows_.size() - 1], rows_.size() - 1);
        }
    }

    bool reachable(std::uint32_t token) const { return growth_.derivation(model_, token) != Growth::unreachable; }

    bool may_meet(std::uint32_t inner, std::uint32_t added) { return to_left ? growth_.meet(model_, added, inner) : growth_.meet(model_, inner, added); }

    const MergeModel& model_;
    Growth& growth_;
    Growth::Sided& sided_;
    bool may_be_whole_;       // a token that is not merged
    std::vector<Byte> text_;  // in the order in which it came
    std::vector<Row> rows_;   // one more than bytes that are done
    TokenEnds ends_;          // of the tokens that were read last
    RowPeriod period_;        // of the rows at the end
};

const std::shared_ptr<MergeModel::Growth>& MergeModel::growth() const {
    std::call_once(growth_once_, [&] {
        growth_ = make_growth();
        has_growth_.store(true, std::memory_order_relaxed);
    });
    return growth_;
}

std::unique_ptr<GrowingPiece> MergeModel::growing(Side side) const {
    if (!tells_joins()) return growing_marked(side);
    if (!growth()->is_possible) return nullptr;
    std::unique_ptr<GrowingPiece> made;
    if (side == Side::left) made = std::make_unique<Growing<true>>(*this, *growth_);
    else made = std::make_unique<Growing<false>>(*this, *growth_);
    return growth_->drops ? without_dropped(std::move(made), side) : std::move(made);
}

std::optional<std::size_t> MergeModel::count_repetition(Bytes piece) const {
    // Making the tables of growth takes as long as merging so many bytes.
    constexpr std::size_t worth_growth = 1 << 14, least = 64;
    if (piece.size < least) return std::nullopt;
    // A normalizer may put a prefix before the first character of a text.
    std::size_t head = 0, unit = RowPeriod::longest_unit + 1;
    for (std::size_t const start : {std::size_t{0}, character_size(piece.data, piece.size)}) {
        head = start;
        unit = 1;
        while (unit <= RowPeriod::longest_unit && std::memcmp(piece.data + head, piece.data + head + unit, piece.size - head - unit) != 0) ++unit;
        if (unit <= RowPeriod::longest_unit) break;
    }
    if (unit > RowPeriod::longest_unit) return std::nullopt;
    for (std::size_t place = 0, size = 1; place < head + unit; place += size) {
        std::uint32_t const code = options_.by_characters ? code_at_start(piece.part(place, place < head ? head : head + unit), size) : piece[place];
        if (!is_known(code)) return std::nullopt;
    }
    if (!has_growth_.load(std::memory_order_relaxed) && repeated_.fetch_add(piece.size, std::memory_order_relaxed) + piece.size < worth_growth)
        return std::nullopt;
    if (!growth()->is_possible) return std::nullopt;
    std::optional<std::size_t> count;
    Growing<false>::with_repeated(*this, *growth_, piece.part(0, head), piece.part(head, head + unit), piece.size,
                                  [&](const Growing<false>& shared) { count = shared.count_repeated(piece.size); });
    return count;
}

}  // namespace bpe
