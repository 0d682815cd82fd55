#include "unigram_units.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>

#include "bpe/left_growing_text.hpp"
#include "bpe/steps.hpp"
#include "bpe/thresholds.hpp"
#include "bpe/unicode.hpp"

namespace bpe {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

}  // namespace

bool UnigramUnits::parts(TokenAutomaton::State before, std::size_t size_before, TokenAutomaton::State after, std::size_t size_after) const {
    TokenAutomaton const& automaton = *model_.automaton_;
    if (automaton.depth(after) > size_after) return false;
    bool is_token = false;  // the character before
    for (Rank rank = automaton.longest(before); rank != no_rank; rank = automaton.token(rank).shorter) {
        count_step();
        if (rank == model_.unknown_rank_) return false;
        is_token = is_token || automaton.token(rank).size == size_before;
    }
    return is_token;
}

TokenAutomaton::State UnigramUnits::next(TokenAutomaton::State state, Bytes character) const {
    for (Byte const byte : character) state = model_.automaton_->next(state, byte);
    return state;
}

UnigramUnit UnigramUnits::read(Bytes text, std::vector<double>& scores, UnigramTokens* tokens) {
    TokenAutomaton const& automaton = *model_.automaton_;
    UnigramUnit unit;
    has_all_tokens_ = false;
    unit.size = text.size;
    unit.first_score = scores.size();
    ways_.assign(text.size + 1, {0, 0, 0, 0, no_rank, 0, aside, false});
    ways_[0].is_end = true;
    offers_.clear();
    bool has_all_tokens = true, has_unknown_token = false;
    TokenAutomaton::State state = TokenAutomaton::start;
    for (std::size_t start = 0, end; start < text.size; start = end) {
        end = start + character_size(text.data + start, text.size - start);
        for (std::size_t inside = start + 1; inside < end; ++inside) ways_[inside].last_offer = static_cast<std::uint32_t>(offers_.size());
        state = next(state, text.part(start, end));
        Way way{-infinity, 0, 0, 0, no_rank, 0, aside, true};
        auto const offer = [&](double score, std::size_t from, Rank rank) {
            count_step();
            double const sum = ways_[from].sum + score;
            unit.reach = std::max(unit.reach, std::abs(sum));
            offers_.push_back({score, static_cast<std::uint32_t>(from)});
            if (sum > way.sum) {
                way.sum = sum;
                way.score = score;
                way.from = static_cast<std::uint32_t>(from);
                way.last = rank;
            }
        };
        bool is_alone = true;
        for (Rank rank = automaton.longest(state); rank != no_rank; rank = automaton.token(rank).shorter) {
            TokenAutomaton::Token const& token = automaton.token(rank);
            std::size_t const from = end - token.size;
            if (from > start) break;
            if (!ways_[from].is_end) continue;
            has_unknown_token = has_unknown_token || rank == model_.unknown_rank_;
            offer(token.score, from, rank);
            is_alone = from != start;
            if (!is_alone) break;
        }
        if (is_alone) {
            offer(model_.unknown_score_, start, no_rank);
            has_all_tokens = false;
        }
        way.last_offer = static_cast<std::uint32_t>(offers_.size());
        ways_[end] = way;
    }
    for (std::size_t place = text.size; place > 0; place = ways_[place].from) scores.push_back(ways_[place].score);
    std::reverse(scores.begin() + static_cast<std::ptrdiff_t>(unit.first_score), scores.end());
    std::size_t const length = scores.size() - unit.first_score;
    std::size_t number = length;
    for (std::size_t place = text.size; place > 0; place = ways_[place].from) ways_[place].number = static_cast<std::uint32_t>(number--);
    ways_[0].number = 0;
    if (model_.is_float_) unit.reach += rounding * static_cast<double>(text.size);
    // A model without an unknown token refuses the text later, when it is counted.
    if (has_unknown_token || (!has_all_tokens && !model_.unknown_) || !(unit.reach < infinity)) return unit;
    for (int const power : {-8, -9, -10, -11, -13, -16, -22, -30, -40}) {
        if (!is_certain(text.size, std::ldexp(1.0, power))) continue;
        unit.needs = std::ldexp(1.0, power);
        break;
    }
    has_all_tokens_ = has_all_tokens;
    if (unit.needs <= 0) return unit;
    double sum = 0;
    unit.count = has_all_tokens ? length : read_after(text, sum, tokens);
    if (!tokens || !has_all_tokens) return unit;
    tokens->ids.resize(length);
    tokens->starts.resize(length);
    for (std::size_t place = text.size, index = length; place > 0; place = ways_[place].from) {
        tokens->ids[--index] = model_.ids_[ways_[place].last];
        tokens->starts[index] = ways_[place].from;
    }
    return unit;
}

// Another way leaves the best one somewhere, and comes back to it, where it must be worse for certain: by more than the tokens of both in between can be
// rounded. For each place the most that such a way can have there, less the rounding of those tokens of the best way that stand before it leaves that.
bool UnigramUnits::is_certain(std::size_t size, double rounding_of_each) {
    std::size_t first = 0;
    for (std::size_t place = 1; place <= size; ++place) {
        Way& way = ways_[place];
        std::size_t const last = way.last_offer;
        bool const is_best = way.number != aside;
        double const here = way.sum - rounding_of_each * (is_best ? way.number : 0);
        way.most = -infinity;
        for (; first < last; ++first) {
            Offer const& offer = offers_[first];
            if (is_best && offer.from == way.from) continue;  // no two tokens are equal
            Way const& before = ways_[offer.from];
            way.most = std::max(way.most, before.most + offer.score + rounding_of_each);
        }
        if (is_best) {
            if (way.most >= here) return false;
            way.most = here;
        }
    }
    return true;
}

// All ways that have another number of tokens than the best one must be worse by more than the tokens of both can be rounded.
void UnigramUnits::find_needs_of_count(UnigramUnit& unit) {
    unit.needs_of_count = unit.needs;
    // Unknown characters side by side are not as many tokens.
    if (!has_all_tokens_ || unit.needs >= 0x1p-8) return;
    std::size_t const size = unit.size;
    std::size_t first = 0;
    std::vector<std::size_t> counts(size + 1);  // of the best way to each place
    ways_[0].most = -infinity;
    for (std::size_t place = 1; place <= size; ++place) {
        Way& way = ways_[place];
        way.most = -infinity;
        counts[place] = counts[way.from] + 1;
        for (std::size_t const last = way.last_offer; first < last; ++first) {
            Offer const& offer = offers_[first];
            Way const& before = ways_[offer.from];
            way.most = std::max(way.most, (counts[offer.from] + 1 == counts[place] ? before.most : before.sum) + offer.score);
        }
    }
    double const each = (ways_[size].sum - ways_[size].most) / (2 * static_cast<double>(size) + 2);
    unit.count = counts[size];
    unit.needs_of_count = !(each > 0x1p-40) ? 0 : each > 0x1p-8 ? 0x1p-8 : std::exp2(std::floor(std::log2(each)));
}

std::size_t UnigramUnits::count(const UnigramUnit& unit, Bytes text, const double* scores, std::size_t number, double& sum) {
    if (are_certain(sum, unit.needs, unit.reach)) {
        sum = sum_after(sum, scores, number);
        return unit.count;
    }
    return read_after(text, sum);
}

std::size_t UnigramUnits::read_after(Bytes text, double& sum, UnigramTokens* tokens) {
    if (tokens) {
        tokens->ids.clear();
        tokens->starts.clear();
    }
    if (text.size == 0) return 0;
    rows_.reset(model_, sum);
    auto const read = [&](std::size_t end) {
        if (tokens) rows_.read(text.data, end, tokens->ids, &tokens->starts);
    };
    rows_.add_all(text, read);
    read(text.size);
    sum = rows_.score(text.size);
    std::size_t const found = rows_.count(text.size);
    rows_.shrink(thresholds::scored_rows * 4);
    if (tokens) std::exclusive_scan(tokens->starts.begin(), tokens->starts.end(), tokens->starts.begin(), 0u);  // they were lengths
    return found;
}

unsigned UnigramUnits::pace(double sum, double reach) const {
    auto const bits = std::bit_cast<std::uint64_t>(sum);
    int const power = static_cast<int>(bits >> 52) - 0x800 - 1023;  // 2^power <= -sum
    // A token is rounded by less than 2^-8 up to there: so much more a text may reach.
    constexpr int most_power = 30;
    if (power < 0 || power > most_power) return 0;
    double const most = model_.is_float_ ? reach : reach + 1, low = static_cast<double>(std::uint64_t{1} << power);
    if (-sum - most < low || -sum + most >= 2 * low || (model_.is_float_ && most - sum > most_sum)) return 0;
    bool const is_odd = bits >> (model_.is_float_ ? 52 - 23 : 0) & 1;
    return static_cast<unsigned>(power) * 2 + is_odd + 1;
}

namespace {

class GrowingUnigramToTheLeft final : public GrowingPiece {
public:
    explicit GrowingUnigramToTheLeft(const UnigramModel& model) : units_(model) {}

    void extend(Bytes more) override {
        if (size_ + more.size >= std::numeric_limits<std::uint32_t>::max()) throw std::length_error("a pre-token of 4 GiB or more");
        text_.prepend(more, size_);
        size_ += more.size;
    }

    void truncate(std::size_t size) override {
        size_ = size;
        while (covered() > size_) pop();
    }

    std::size_t size() const override { return size_; }

    std::size_t count() override {
        cover();
        // Between ways of equally many tokens rounding may decide as it likes.
        if (!list_.empty() && units_.are_certain(0, list_.back().all.needs_of_count, list_.back().all.reach)) return list_.back().all.count;
        double sum = 0;
        std::size_t total = 0;
        for (std::size_t number = list_.size(); number-- > 0;) {
            UnigramUnit const& unit = list_[number];
            if (units_.are_certain(sum, unit.all.needs, unit.all.reach)) return total + unit.all.count;
            std::size_t const end = number + 1 < list_.size() ? list_[number + 1].first_score : scores_.size();
            total += units_.count(unit, text().part(size_ - unit.all.size, size_ - unit.all.size + unit.size), scores_.data() + unit.first_score,
                                  end - unit.first_score, sum);
            total -= tokens_at_join(unit);
        }
        return total;
    }

    std::size_t fewest() override { return 0; }

private:
    Bytes text() const { return text_.last(size_); }
    std::size_t covered() const { return list_.empty() ? 0 : list_.back().all.size; }

    std::size_t tokens_at_join(const UnigramUnit& unit) const { return unit.goes_on ? units_.tokens_at_join() : 0; }

    void pop() {
        scores_.resize(list_.back().first_score);
        list_.pop_back();
    }

    // Reads what is in no unit, up to where a unit begins that stays one.
    void cover() {
        if (covered() == size_) return;
        Bytes const all = text();
        struct Place {
            std::size_t start;
            bool goes_on;  // a run of unknown characters, from what stands before it
        };
        std::vector<Place> places{{0, false}};
        bool goes_on = false;
        TokenAutomaton::State state = TokenAutomaton::start;
        for (std::size_t start = 0, before = 0;;) {
            // A unit that a token reaches into is no unit any more.
            while (covered() > size_ - start) pop();
            if (start == size_) break;
            std::size_t const end = start + character_size(all.data + start, size_ - start);
            TokenAutomaton::State const next = units_.next(state, all.part(start, end));
            goes_on = start > 0 && units_.parts_unknown(state, next);
            if (goes_on || (start > 0 && units_.parts(state, before, next, end - start))) {
                if (covered() == size_ - start) break;
                if (!goes_on || start - places.back().start >= least_of_run) places.push_back({start, goes_on});
            }
            state = next;
            before = end - start;
            start = end;
        }
        places.push_back({size_ - covered(), goes_on && covered() > 0});
        for (std::size_t number = places.size() - 1; number-- > 0;) {
            UnigramUnit unit = units_.read(all.part(places[number].start, places[number + 1].start), scores_);
            units_.find_needs_of_count(unit);
            unit.goes_on = places[number + 1].goes_on;
            push(unit);
        }
    }

    void push(UnigramUnit unit) {
        unit.all = {unit.size, unit.count, unit.needs, unit.needs_of_count, unit.reach};
        if (!list_.empty()) {
            auto const& right = list_.back().all;
            unit.all = {unit.size + right.size, unit.count + right.count - tokens_at_join(unit), std::min(unit.needs, right.needs),
                        std::min(unit.needs_of_count, right.needs_of_count), unit.reach + right.reach};
        }
        list_.push_back(unit);
    }

    // Bytes. Units of a run of unknown characters are no shorter, but for those that a prepend ends.
    static constexpr std::size_t least_of_run = 32;

    UnigramUnits units_;
    LeftGrowingText text_;
    std::size_t size_ = 0;
    std::vector<UnigramUnit> list_;  // from right to left
    std::vector<double> scores_;     // of the tokens of each, from left to right
};

}  // namespace

std::unique_ptr<GrowingPiece> growing_to_the_left(const UnigramModel& model) { return std::make_unique<GrowingUnigramToTheLeft>(model); }

}  // namespace bpe
