#include "chunker/optimizer.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "chunker/constants.hpp"
#include "chunker/enclosing.hpp"

namespace chunker {

namespace {

std::vector<std::int64_t> strengths_of(const std::vector<Atom>& atoms) {
    std::vector<std::int64_t> strengths;
    strengths.reserve(atoms.size());
    for (Atom const& atom : atoms) strengths.push_back(atom.strength);
    return strengths;
}

}  // namespace

std::vector<Piece> Optimizer::pieces() {
    find_candidates();
    price_cuts();
    std::size_t const size = atoms_.size();
    std::size_t const reach = (prices_.recounts() ? 2 : 1) * limits_.most + std::size_t{cost::farther};
    ways_.assign(size + 1, {std::numeric_limits<double>::infinity(), 0, {}, 0});
    ways_[0].cost = 0;
    std::size_t last = 0;
    for (std::size_t first = 0; first < size; ++first) {
        while (last < size && sums_[last + 1].rough <= sums_[first].rough + reach) ++last;
        go_on_from(first, std::max(first + 1, last));
    }
    std::vector<Piece> pieces;
    for (std::size_t stop = size; stop > 0; stop = ways_[stop].from) {
        Way const& way = ways_[stop];
        pieces.push_back({way.start.offset, atoms_[stop - 1].end, way.start.context, way.size, way.start.label});
    }
    std::reverse(pieces.begin(), pieces.end());
    return pieces;
}

// --- candidates

void Optimizer::find_candidates() {
    std::vector<Atom> const atoms = find();
    std::vector<Sum> const sums = sums_of(atoms);
    std::vector<std::size_t> kept{0};
    std::size_t const step = std::max<std::size_t>(limits_.most / std::size_t{cost::steps_of_chunk}, 1);
    for (std::size_t first = 1, stop; first < atoms.size(); first = stop) {
        std::size_t strongest = first;
        for (stop = first + 1; stop < atoms.size() && sums[stop].rough / step == sums[first].rough / step; ++stop)
            if (atoms[stop].strength > atoms[strongest].strength) strongest = stop;
        kept.push_back(first);
        if (strongest > first) kept.push_back(strongest);
        if (stop - 1 > strongest) kept.push_back(stop - 1);
    }
    kept.push_back(atoms.size());
    std::vector<std::pair<std::size_t, std::size_t>> parts;
    for (std::size_t index = 0; index + 1 < kept.size(); ++index) {
        parts.assign(1, {kept[index], kept[index + 1]});
        while (!parts.empty()) {
            auto const [first, stop] = parts.back();
            parts.pop_back();
            Atom atom = atoms[first];
            atom.end = atoms[stop - 1].end;
            if (stop - first > 1 && prices_.count(atom.start, atom.end) > atomic_size(atom.start)) {
                std::size_t const middle = (first + stop) / 2;
                parts.emplace_back(middle, stop);
                parts.emplace_back(first, middle);
                continue;
            }
            atoms_.push_back(atom);
            sums_.push_back(sums[first]);
        }
    }
    sums_.push_back(sums.back());
}

std::vector<Optimizer::Sum> Optimizer::sums_of(const std::vector<Atom>& atoms) {
    std::vector<Sum> sums;
    sums.reserve(atoms.size() + 1);
    sums.push_back({0, 0, 0});
    if (!prices_.recounts() && !prices_.are_quick()) counter_.begin(0);
    for (Atom const& atom : atoms) {
        std::size_t const place = text_.place(atom.end);
        if (prices_.recounts()) {
            std::size_t const sum = sums.back().exact + prices_.count(atom.start, atom.end);
            sums.push_back({sum, sum, place});
        } else {
            std::size_t const count = prices_.are_quick() ? prices_.count(0, atom.end) : counter_.append(atom.start, atom.end);
            sums.push_back({std::max(sums.back().rough, count), count, place});
        }
    }
    return sums;
}

// --- costs

void Optimizer::price_cuts() {
    std::size_t const size = atoms_.size();
    std::vector<std::int64_t> const strengths = strengths_of(atoms_);
    std::vector<std::size_t> const lefts = stronger_before(strengths), rights = stronger_after(strengths);
    costs_.assign(size + 1, 0.0);
    // Of each cut how many units are around it, and how many of them, from the innermost on, fit into a chunk. Of the units that begin at each atom the last
    // one that was asked for: those inside of one that follows are met first.
    struct Known {
        std::size_t depth = 0, broken = 0;
        std::size_t right = no_outline_row;
        bool is_over = false;
    };
    std::vector<Known> known;
    known.resize(size);
    std::vector<std::size_t> waiting;
    for (std::size_t cut = 1; cut < size; ++cut) {
        // A cut is inside the unit around it, which a stronger one parts from its own surroundings.
        for (std::size_t index = cut; known[index].depth == 0;) {
            std::size_t const left = lefts[index], right = rights[index];
            std::size_t around = right;
            if (right == size || (left > 0 && strengths[left] < strengths[right])) around = left;
            if (around != 0 && known[around].depth == 0) {
                waiting.push_back(index);
                index = around;
                continue;
            }
            std::size_t const start = atoms_[left].start, end = right < size ? atoms_[right].start : text_.size();
            if (known[left].right != right) {
                known[left].right = right;
                known[left].is_over = is_over(start, end, limits_.most);
            }
            known[index].depth = known[around].depth + 1;
            known[index].broken = known[left].is_over ? 0 : known[around].broken + 1;
            Atom const& following = atoms_[index];
            bool const tears = is_in_head(following.start) && (following.strength <= strength::paragraph || is_over(following.start, end, limits_.most));
            double cost = static_cast<double>(tears) * cost::of_torn_head;
            cost += cost::of_level * static_cast<double>(std::min<std::size_t>(known[index].depth, cost::deepest_level)) +
                    cost::of_broken_unit * static_cast<double>(known[index].broken);
            costs_[index] = cost;
            if (waiting.empty()) break;
            index = waiting.back();
            waiting.pop_back();
        }
    }
}

double Optimizer::cost_of_chunk(std::size_t size, std::size_t repeated) const {
    auto const signed_of = [](std::size_t number) { return static_cast<std::int64_t>(number); };
    std::int64_t const most = signed_of(limits_.most), target = signed_of(limits_.desired.value_or(limits_.most));
    std::int64_t const own = signed_of(size) - signed_of(repeated), least = std::min(signed_of(limits_.least), most - signed_of(repeated));
    double const emptiness = static_cast<double>(target - signed_of(size)) / static_cast<double>(target);
    return emptiness * emptiness + (own < least ? cost::of_undersized * (2 - static_cast<double>(own) / static_cast<double>(target)) : 0.0);
}

// --- the cheapest way

void Optimizer::go_on_from(std::size_t first, std::size_t last) {
    std::size_t size = 0;
    Start const start = start_of(first, size);
    std::size_t const repeated = context_size(start.context) + (start.offset < atoms_[first].start ? prices_.count(start.offset, atoms_[first].start) : 0);
    double const known = ways_[first].cost;
    for (std::size_t stop = first + 1; size <= limits_.most + look_ahead; size = size_at(stop)) {
        // No chunk costs less than nothing.
        if (size <= limits_.most && known + costs_[stop] < ways_[stop].cost) {
            double const cost = known + cost_of_chunk(size, repeated) + costs_[stop];
            if (cost < ways_[stop].cost) ways_[stop] = {cost, first, start, size};
        }
        if (++stop > last) break;
    }
}

Optimizer::Start Optimizer::start_of(std::size_t first, std::size_t& size) {
    Atom const& atom = atoms_[first];
    // From what is wished for to what is least: with overlap, without, without context.
    if (first > 0 && units_) {
        Overlap const overlap(*units_, counter_, limits_);
        Places repeated = overlap.repeated(places_before(first), {atom.start, atom.strength, atom.label, atom.end, no_outline_row});
        while (!repeated.empty()) {
            std::size_t const offset = repeated.front().offset;
            Start const start{offset, surroundings_.context_at(atom.start, offset), repeated.front().label};
            if (fits(start, first, size)) return start;
            repeated = overlap.shortened(repeated, atom.start);
        }
    }
    Start const start{atom.start, surroundings_.context_at(atom.start, atom.start), atom.label};
    if (fits(start, first, size)) return start;
    Start const bare{atom.start, 0, atom.label};
    if (start.context != 0 && fits(bare, first, size)) return bare;
    throw TooSmall{atom.start, atom.end, counter_.count(0, atom.start, atom.end)};
}

bool Optimizer::fits(const Start& start, std::size_t first, std::size_t& size) {
    begin(start);
    size = size_at(first + 1);
    return size <= limits_.most;
}

// --- sizes

void Optimizer::begin(const Start& start) {
    agreed_.reset();
    if (auto const agreement = prices_.agreement(start.context, start.offset)) {
        agreed_ = agreement->from;
        shift_ = agreement->shift;
    }
    counter_.begin(start.context);
    appended_ = start.offset;
}

std::size_t Optimizer::size_at(std::size_t stop) {
    Sum const& sum = sums_[stop];
    if (agreed_ && sum.place >= *agreed_) return static_cast<std::size_t>(static_cast<std::ptrdiff_t>(sum.exact) + shift_);
    return counter_.append(std::exchange(appended_, atoms_[stop - 1].end), atoms_[stop - 1].end);
}

// The places in the atoms of the chunk that ends where atom `first` begins, as far back as an overlap may reach: where they begin, and what the outline has
// inside them.
Places Optimizer::places_before(std::size_t first) {
    Places places;
    std::size_t begin = ways_[first].from;
    if (prices_.are_quick()) {
        std::size_t const most = limits_.overlap + look_ahead;
        std::size_t index = first - 1;
        // Sums are not counts, but close to them.
        while (index > begin && (sums_[first].exact <= sums_[index].exact + most || prices_.count(atoms_[index].start, atoms_[first].start) <= most)) --index;
        begin = index;
    }
    auto row = static_cast<std::size_t>(std::lower_bound(rows_.offsets.begin(), rows_.offsets.end(), static_cast<std::int64_t>(atoms_[begin].start)) -
                                        rows_.offsets.begin());
    for (std::size_t index = begin; index < first; ++index) {
        Atom const& atom = atoms_[index];
        if (row == rows_.strengths.size() || static_cast<std::size_t>(rows_.offsets[row]) > atom.start)
            places.push_back({atom.start, atom.strength, atom.label, atom.end, no_outline_row});
        for (; row < rows_.strengths.size() && static_cast<std::size_t>(rows_.offsets[row]) < atom.end; ++row)
            places.push_back({static_cast<std::size_t>(rows_.offsets[row]), rows_.strengths[row], row, atom.end, row});
    }
    return places;
}

}  // namespace chunker
