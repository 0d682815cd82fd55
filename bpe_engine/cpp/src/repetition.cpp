#include "bpe/repetition.hpp"

#include <algorithm>

#include "bpe/thresholds.hpp"

namespace bpe {

namespace {

// Bytes. In a shorter repetition a slice is read.
constexpr std::size_t repetition = 4 * thresholds::stride;
// Bytes of a repetition that are read to find where its rows come again, in times of the longest token.
constexpr std::size_t patience = 16;

}  // namespace

RepeatedTable::RepeatedTable(const Dictionary& dictionary, Bytes unit) : table_(dictionary, TokenTable::Side::right) {
    std::size_t const longest = std::max<std::size_t>(dictionary.longest(), unit.size);
    std::vector<Byte> text;
    for (std::size_t times = 4; times <= patience; times *= 2) {
        text.clear();
        while (text.size() < times * longest) text.insert(text.end(), unit.begin(), unit.end());
        table_.extend({text.data() + table_.size() % unit.size, text.size() - table_.size()});
        for (period_ = unit.size; period_ + longest + 1 < table_.size(); period_ += unit.size)
            if (finds_period(longest)) return;
    }
    period_ = 0;
}

bool RepeatedTable::finds_period(std::size_t longest) {
    std::size_t const end = table_.size();
    tokens_ = table_.count(end) - table_.count(end - period_);
    for (std::size_t size = end; size > end - longest; --size)
        if (table_.last(size) != table_.last(size - period_) || table_.count(size) - table_.count(size - period_) != tokens_) return false;
    return true;
}

std::optional<RepeatedTable::Reduced> RepeatedTable::reduce(std::size_t length) const {
    if (length <= table_.size()) return Reduced{length, 0};
    if (period_ == 0) return std::nullopt;
    std::size_t const times = (length - table_.size() + period_ - 1) / period_;
    return Reduced{length - times * period_, times * tokens_};
}

Repetitions::Repetitions(Bytes data) : data_(data) {
    for (std::size_t unit = 1; unit <= longest_unit; ++unit) {
        auto& spans = spans_[unit - 1];
        for (std::size_t start = 0; start + unit < data.size;) {
            std::size_t end = start + unit;
            while (end < data.size && data[end] == data[end - unit]) ++end;
            if (end - start >= repetition) {
                auto const of_less = at(start);
                if (!of_less || of_less->end < end) spans.emplace_back(start, end);
            }
            start = end - unit + 1;
        }
    }
}

std::optional<Repetitions::Found> Repetitions::at(std::size_t place) const {
    for (std::size_t unit = 1; unit <= longest_unit; ++unit) {
        auto const& spans = spans_[unit - 1];
        auto const behind = std::upper_bound(spans.begin(), spans.end(), place, [](std::size_t value, auto const& span) { return value < span.first; });
        if (behind == spans.begin()) continue;
        std::size_t const end = std::prev(behind)->second;
        if (place + repetition <= end) return Found{end, unit};
    }
    return std::nullopt;
}

const RepeatedTable& Repetitions::table(const Dictionary& dictionary, std::size_t place, std::size_t unit) const {
    std::string key(reinterpret_cast<const char*>(data_.data + place), unit);
    std::lock_guard const lock(mutex_);
    auto& found = tables_[std::move(key)];
    if (!found) found = std::make_unique<const RepeatedTable>(dictionary, data_.part(place, place + unit));
    return *found;
}

}  // namespace bpe
