#include "unigram_slices.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "bpe/thresholds.hpp"
#include "bpe/unicode.hpp"

namespace bpe {

namespace {

// Bytes. A longer unit is read anew whatever it is: there is no other near it.
constexpr std::size_t longest_unit = 1 << 16;

}  // namespace

UnigramSlices::UnigramSlices(const UnigramModel& model, const Normalizer* normalizer, Bytes raw)
    : model_(model), normalizer_(normalizer), raw_(raw), shelf_([&model] { return std::make_unique<Workspace>(model); }) {
    normalize();
    find_units();
    normalized_.origin = {};
    normalized_.cuts = {};
    scores_.shrink_to_fit();
    units_.shrink_to_fit();
    find_blocks();
}

void UnigramSlices::normalize() {
    for (std::size_t from = 0, size = thresholds::slice_start; from < raw_.size;) {
        std::size_t const known = from, limit = std::min(raw_.size, from + size);
        bool const at_end = limit == raw_.size;
        std::size_t to = limit - (at_end ? 0 : unfinished_end({raw_.data + from, limit - from}));
        if (normalizer_) {
            // A text that becomes empty starts again.
            if (normalized_.text.empty()) {
                normalized_.clear();
                from = 0;
            } else {
                normalized_.open_end();
            }
            to = normalizer_->run(raw_.data, from, to, from == 0, from == 0, at_end, 0, normalized_);
        } else if (!at_end) {
            // What follows may change the last character.
            do --to;
            while (to > from && UnicodeTable::continues(raw_[to]));
        }
        if (at_end) return;
        // A text of which nothing is left is read again from its start: each time with twice as much.
        bool const is_empty = normalizer_ && normalized_.text.empty();
        bool const goes_on = to > known && !is_empty;
        if (goes_on) windows_.push_back({static_cast<std::uint32_t>(limit), static_cast<std::uint32_t>(to)});
        size = goes_on ? thresholds::slice_start : size * 2;
        from = is_empty ? std::max(known, to) : to;
    }
}

void UnigramSlices::find_units() {
    UnigramUnits units(model_);
    Bytes const all = text();
    TokenAutomaton::State state = TokenAutomaton::start;
    std::size_t unit = 0, unit_raw = 0;
    for (std::size_t start = 0, before = 0, end; start < all.size; start = end) {
        end = start + character_size(all.data + start, all.size - start);
        TokenAutomaton::State const next = units.next(state, all.part(start, end));
        bool const is_cut = start > 0 && (!normalizer_ || normalized_.is_cut(start));
        if (is_cut && units.parts(state, before, next, end - start)) {
            add_unit(units, unit_raw, unit, start);
            unit = start;
            unit_raw = normalizer_ ? normalized_.cuts[start] : start;
        }
        state = next;
        before = end - start;
    }
    add_unit(units, unit_raw, unit, all.size);
}

void UnigramSlices::add_unit(UnigramUnits& units, std::size_t raw, std::size_t start, std::size_t end) {
    UnigramUnit unit;
    unit.reach = std::numeric_limits<double>::infinity();
    auto const first = static_cast<std::uint32_t>(scores_.size());
    if (end - start <= longest_unit) {
        std::vector<double> scores;
        unit = units.read(text().part(start, end), scores);
        // Scores that are not floats cannot be stored.
        if (!units.is_float() &&
            std::any_of(scores.begin(), scores.end(), [](double score) { return static_cast<double>(static_cast<float>(score)) != score; }))
            unit.needs = 0;
        for (double const score : scores) scores_.push_back(static_cast<float>(score));
    }
    auto needs = static_cast<float>(unit.needs), reach = static_cast<float>(unit.reach);
    if (static_cast<double>(needs) > unit.needs) needs = std::nextafter(needs, 0.0f);
    if (static_cast<double>(reach) < unit.reach) reach = std::nextafter(reach, std::numeric_limits<float>::infinity());
    units_.push_back({static_cast<std::uint32_t>(raw), static_cast<std::uint32_t>(start), first, static_cast<std::uint32_t>(unit.count), needs, reach});
}

std::size_t UnigramSlices::unit_at(std::size_t raw) const {
    auto const found = std::lower_bound(units_.begin(), units_.end(), raw, [](Unit const& unit, std::size_t value) { return unit.raw < value; });
    return found != units_.end() && found->raw == raw ? static_cast<std::size_t>(found - units_.begin()) : units_.size();
}

Bytes UnigramSlices::normalized(std::size_t from, std::size_t limit, bool at_start, bool at_end, Normalized& made) const {
    if (!at_end) limit -= unfinished_end({raw_.data + from, limit - from});
    if (!normalizer_) return raw_.part(from, limit);
    made.clear();
    normalizer_->run(raw_.data, from, limit, at_start, at_start, at_end, from, made);
    return {made.text.data(), made.text.size()};
}

void UnigramSlices::find_blocks() {
    for (std::size_t level = 0; level < levels; ++level) {
        std::size_t const size = std::size_t{1} << block_bits * (level + 1);
        std::size_t const count = units_.size() / size;
        for (std::size_t block = 0; block < count; ++block) {
            double sum = 0, reach = 0;
            for (std::size_t number = block * size; number < (block + 1) * size; ++number) {
                reach = std::max(reach, std::abs(sum) + static_cast<double>(units_[number].reach));
                std::size_t const end = number + 1 < units_.size() ? units_[number + 1].first_score : scores_.size();
                for (std::size_t index = units_[number].first_score; index < end; ++index) sum += static_cast<double>(scores_[index]);
            }
            // Sums are rounded on the way, by less than this.
            reach += 0x1p-7 * static_cast<double>(unit_end((block + 1) * size - 1) - units_[block * size].start) + 1;
            levels_[level].reach.push_back(static_cast<float>(reach));
        }
        levels_[level].known = std::vector<std::atomic<std::uint64_t>>(count * paces);
    }
    // Nothing is remembered for a unit that is certain after these sums.
    for (std::size_t number = 0; number < units_.size(); ++number)
        if (units_[number].needs < 0x1p-8f && unit_end(number) - units_[number].start <= longest_unit) unsure_.push_back(static_cast<std::uint32_t>(number));
    of_unsure_.known = std::vector<std::atomic<std::uint64_t>>(unsure_.size() * paces);
}

template <class Read>
std::size_t UnigramSlices::remembered(Level& level, std::size_t number, double reach, double& sum, const UnigramUnits& units, Read&& read) const {
    unsigned const pace = units.pace(sum, reach), first = first_power * 2 + 1;
    if (pace < first || pace >= first + paces) return read();
    std::atomic<std::uint64_t>& known = level.known[number * paces + pace - first];
    if (std::uint64_t const found = known.load(std::memory_order_relaxed)) {
        sum += static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(found)));
        return found >> 32;
    }
    double const before = sum;
    std::size_t const total = read();
    if (units.is_float()) known.store(std::uint64_t{total} << 32 | std::bit_cast<std::uint32_t>(static_cast<float>(sum - before)), std::memory_order_relaxed);
    return total;
}

std::size_t UnigramSlices::count_unit(std::size_t number, double& sum, UnigramUnits& units) const {
    Unit const& unit = units_[number];
    auto const reach = static_cast<double>(unit.reach);
    if (!units.are_certain(sum, static_cast<double>(unit.needs), reach)) {
        auto const read = [&] { return units.read_after(text().part(unit.start, unit_end(number)), sum); };
        auto const found = std::lower_bound(unsure_.begin(), unsure_.end(), number);
        if (found == unsure_.end() || *found != number) return read();
        return remembered(of_unsure_, static_cast<std::size_t>(found - unsure_.begin()), reach, sum, units, read);
    }
    std::size_t const end = number + 1 < units_.size() ? units_[number + 1].first_score : scores_.size();
    if (units.is_float()) {
        auto exact = static_cast<float>(sum);
        for (std::size_t index = unit.first_score; index < end; ++index) exact += scores_[index];
        sum = static_cast<double>(exact);
    } else {
        for (std::size_t index = unit.first_score; index < end; ++index) sum += static_cast<double>(scores_[index]);
    }
    return unit.count;
}

std::size_t UnigramSlices::count_block(std::size_t level, std::size_t number, double& sum, UnigramUnits& units) const {
    if (level == 0) return count_unit(number, sum, units);
    Level& blocks = levels_[level - 1];
    return remembered(blocks, number, static_cast<double>(blocks.reach[number]), sum, units, [&] {
        std::size_t total = 0;
        for (std::size_t child = number << block_bits; child < (number + 1) << block_bits; ++child) total += count_block(level - 1, child, sum, units);
        return total;
    });
}

std::size_t UnigramSlices::count_units(std::size_t first, std::size_t last, double& sum, UnigramUnits& units) const {
    std::size_t total = 0;
    while (first < last) {
        std::size_t level = 0;
        while (level < levels && (first & ((std::size_t{1} << block_bits * (level + 1)) - 1)) == 0 &&
               first + (std::size_t{1} << block_bits * (level + 1)) <= last)
            ++level;
        total += count_block(level, first >> block_bits * level, sum, units);
        first += std::size_t{1} << block_bits * level;
    }
    return total;
}

std::size_t UnigramSlices::count(std::size_t start, std::size_t end) const {
    if (start == end) return 0;
    Shelf<Workspace>::Lease const workspace(shelf_);
    UnigramUnits& units = workspace->units;
    // The last unit that begins before what the end of the slice may change.
    auto const window = std::upper_bound(windows_.begin(), windows_.end(), end, [](std::size_t value, Window const& one) { return value < one.limit; });
    std::size_t const certain = window == windows_.begin() ? 0 : std::prev(window)->certain;
    auto const after = std::lower_bound(units_.begin(), units_.end(), certain, [](Unit const& unit, std::size_t value) { return unit.raw < value; });
    auto const last = static_cast<std::size_t>(after - units_.begin());  // one after it

    double sum = 0;
    std::size_t total = 0, first = 0;
    if (start > 0) {
        // The first unit that begins in the slice as well.
        first = units_.size();
        for (std::size_t size = thresholds::slice_start; first == units_.size(); size *= 4) {
            std::size_t const limit = std::min(end, start + size);
            Bytes const own = normalized(start, limit, true, limit == end, workspace->made);
            TokenAutomaton::State state = TokenAutomaton::start;
            std::size_t met = own.size;
            for (std::size_t place = 0, before = 0, next_place; place < own.size; place = next_place) {
                next_place = place + character_size(own.data + place, own.size - place);
                TokenAutomaton::State const next = units.next(state, own.part(place, next_place));
                bool const is_cut = !normalizer_ || workspace->made.is_cut(place);
                std::size_t const raw = !is_cut ? certain : start + (normalizer_ ? workspace->made.cuts[place] : place);
                if (place > 0 && raw < certain && units.parts(state, before, next, next_place - place)) {
                    first = unit_at(raw);
                    if (first < units_.size()) {
                        met = place;
                        break;
                    }
                }
                state = next;
                before = next_place - place;
            }
            if (first < units_.size() || limit == end) {
                total = units.read_after(own.part(0, met), sum);
                if (first == units_.size()) return total;
            }
        }
    }
    if (last > first + 1) {
        total += count_units(first, last - 1, sum, units);
        first = last - 1;
    }
    bool const at_start = units_[first].raw == 0;
    return total + units.read_after(normalized(units_[first].raw, end, at_start, true, workspace->made), sum);
}

std::size_t UnigramSlices::memory() const {
    std::size_t total = 0;
    for (Level const& level : levels_) total += level.reach.capacity() * sizeof(float) + level.known.capacity() * sizeof(std::uint64_t);
    total += of_unsure_.known.capacity() * sizeof(std::uint64_t) + unsure_.capacity() * sizeof(std::uint32_t);
    return total + normalized_.text.capacity() + windows_.capacity() * sizeof(Window) + units_.capacity() * sizeof(Unit) + scores_.capacity() * sizeof(float);
}

}  // namespace bpe
