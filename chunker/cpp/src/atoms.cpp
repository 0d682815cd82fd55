#include "chunker/atoms.hpp"

#include <algorithm>
#include <utility>

#include "chunker/enclosing.hpp"
#include "chunker/refining.hpp"

namespace chunker {

// `row`: of the outline; no_outline_row inside of what is one unit there.
struct Atoms::Unit {
    std::size_t start, end;
    std::int64_t strength;
    std::size_t label, row;
};

Atoms::Atoms(const Text& text, const OutlineRows& rows, const Limits& limits, Counter& counter, Prices& prices, Surroundings& surroundings)
    : text_(text), rows_(rows), limits_(limits), counter_(counter), prices_(prices), surroundings_(surroundings), stronger_(stronger_before(rows.strengths)) {
    find_tops();
}

void Atoms::find_tops() {
    if (rows_.heads.empty()) return;
    std::unordered_map<std::size_t, std::pair<std::size_t, bool>>
        fits;  // the row of the top -> the end of the head, and whether it fits: many rows are in one head
    for (std::size_t row = 0; row < stronger_.size(); ++row) {
        auto const offset = static_cast<std::size_t>(rows_.offsets[row]);
        std::size_t const end = end_of_head(rows_.heads, offset);
        if (end == 0) continue;
        auto const top = static_cast<std::size_t>(rows_.offsets[stronger_[row]]);
        auto const [known, is_new] = fits.try_emplace(stronger_[row], end, false);
        if (is_new || known->second.first != end) known->second = {end, !is_over(top, end, limits_.most)};
        if (known->second.second) tops_[offset] = top;
    }
}

std::size_t Atoms::top_of(std::size_t offset) const {
    if (tops_.empty()) return offset;
    auto const found = tops_.find(offset);
    return found == tops_.end() ? offset : found->second;
}

std::size_t Atoms::atomic_size(std::size_t start) {
    if (start == last_start_) return last_size_;
    last_start_ = start;
    std::size_t const taken = limits_.overlap + limits_.least + context_size(surroundings_.context_at(start, start));
    return last_size_ = limits_.most > taken ? limits_.most - taken : 1;
}

std::vector<Atom> Atoms::find() {
    // For each row, the last row that no stronger one separates from it, and for that row the one before: their strengths never fall.
    std::size_t const size = rows_.strengths.size();
    std::vector<std::size_t> last_inside(size, no_outline_row), previous(size, no_outline_row);
    for (std::size_t row = 1; row < size; ++row) previous[row] = std::exchange(last_inside[stronger_[row]], row);
    auto const offset = [this](std::size_t row) { return static_cast<std::size_t>(rows_.offsets[row]); };
    std::vector<Atom> atoms;
    std::vector<Unit> stack{{offset(0), text_.size(), rows_.strengths[0], 0, 0}};
    while (!stack.empty()) {
        Unit unit = stack.back();
        stack.pop_back();
        bool const has_rows = unit.row != no_outline_row && last_inside[unit.row] != no_outline_row;
        // A chunk that begins at the top of a head may have to end before this unit does, if not with its first line.
        std::size_t const begin = has_rows ? top_of(unit.start) : unit.start;
        std::size_t room = atomic_size(begin);
        if (unit.strength < strength::grapheme) room = std::max<std::size_t>(room / std::size_t{cost::characters_of_atom}, 1);
        if (!is_over(begin, unit.end, room)) {
            atoms.push_back({unit.start, unit.end, unit.strength, unit.label});
        } else if (has_rows) {
            std::size_t& row = last_inside[unit.row];
            std::int64_t const strength = rows_.strengths[row];
            for (; row != no_outline_row && rows_.strengths[row] == strength; row = previous[row]) {
                stack.push_back({offset(row), unit.end, strength, row, row});
                unit.end = offset(row);
            }
            stack.push_back(unit);
        } else {
            std::size_t const before = stack.size();
            add_finer(unit, stack);
            if (stack.size() == before) atoms.push_back({unit.start, unit.end, unit.strength, unit.label});
        }
    }
    return atoms;
}

// Puts the parts of a unit that has no row inside on the stack; none where it is better left whole.
void Atoms::add_finer(const Unit& unit, std::vector<Unit>& stack) {
    Refined finer = refine(text_, unit.start, unit.end, rows_.finest);
    if (finer.offsets.empty()) return;
    if (finer.strength() < strength::grapheme) {
        bool const is_whole = unit.strength >= strength::grapheme;
        if (is_whole && !is_over(unit.start, unit.end, limits_.most)) return;
        // All cuts inside a grapheme cluster are equally good: by halving, their number depends on the budget, not on the length of the cluster.
        finer.offsets = {finer.offsets[finer.offsets.size() / 2]};
    }
    std::size_t end = unit.end;
    for (std::size_t index = finer.offsets.size(); index-- > 0;) {
        std::size_t const start = finer.offsets[index];
        stack.push_back({start, end, finer.strength(), rows_.strengths.size() + static_cast<std::size_t>(finer.level), no_outline_row});
        end = start;
    }
    stack.push_back({unit.start, end, unit.strength, unit.label, no_outline_row});
}

}  // namespace chunker
