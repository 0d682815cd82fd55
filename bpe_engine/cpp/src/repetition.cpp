#include "bpe/repetition.hpp"

#include <algorithm>

#include "bpe/thresholds.hpp"

namespace bpe {

namespace {

// Bytes. In a shorter repetition a slice is read byte by byte.
constexpr std::size_t repetition = 4 * thresholds::stride;
// How much of a repetition is read to find the period of its rows, as a multiple of the longest token.
constexpr std::size_t patience = 16;

}  // namespace

RepeatedTable::RepeatedTable(const Dictionary& dictionary, Bytes unit) : table_(dictionary, TokenTable::Side::right) {
    std::size_t const longest = std::max<std::size_t>(dictionary.longest(), RowPeriod::longest_unit);
    std::vector<Byte> text;
    for (std::size_t times = 4; times <= patience && table_.period().bytes() == 0; times *= 2) {
        text.clear();
        while (text.size() < times * longest) text.insert(text.end(), unit.begin(), unit.end());
        table_.extend({text.data() + table_.size(), text.size() - table_.size()});
    }
}

std::optional<RepeatedTable::Reduced> RepeatedTable::reduce(std::size_t length) const {
    if (length <= table_.size()) return Reduced{length, 0};
    std::size_t const period = table_.period().bytes();
    if (period == 0) return std::nullopt;
    std::size_t const times = (length - table_.size() + period - 1) / period;
    return Reduced{length - times * period, times * table_.period().tokens()};
}

void RepeatedRows::copy(Bytes unit, std::size_t start, std::size_t end, std::vector<TokenTable::Row>& rows) {
    std::lock_guard const lock(mutex_);
    std::string key(reinterpret_cast<const char*>(unit.data), unit.size);
    auto found = tables_.find(key);
    if (found == tables_.end()) {
        if (tables_.size() == most_units) tables_.clear();
        found = tables_.emplace(std::move(key), TokenTable(dictionary_, side_)).first;
    }
    TokenTable& table = found->second;
    std::size_t const most = std::min(end, patience * std::max(dictionary_.longest(), RowPeriod::longest_unit));
    while (table.size() < most && table.period().bytes() == 0) {
        Byte const next = unit[table.size() % unit.size];
        table.extend_alone({&next, 1});
    }
    if (std::size_t const last = std::min(end, table.size()); start < last) {
        auto const there = table.rows(start, last);
        rows.assign(there.begin(), there.end());
    }
}

RepeatedRows& Dictionary::repeated(bool mirrored) const {
    Repeated& repeated = mirrored ? repeated_to_left_ : repeated_to_right_;
    std::call_once(repeated.once, [&] { repeated.rows = std::make_shared<RepeatedRows>(*this, mirrored ? TokenTable::Side::left : TokenTable::Side::right); });
    return *repeated.rows;
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

std::optional<Repetitions::Extent> Repetitions::at(std::size_t place) const {
    for (std::size_t unit = 1; unit <= longest_unit; ++unit) {
        auto const& spans = spans_[unit - 1];
        auto const after = std::upper_bound(spans.begin(), spans.end(), place, [](std::size_t value, auto const& span) { return value < span.first; });
        if (after == spans.begin()) continue;
        std::size_t const end = std::prev(after)->second;
        if (place + repetition <= end) return Extent{end, unit};
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
