#include "chunker/grower.hpp"

#include <algorithm>
#include <functional>
#include <tuple>
#include <utility>

#include "chunker/constants.hpp"

namespace chunker {

namespace {

// Tokens over a limit with which a text is over it whatever follows: one that goes on may have less, but not by so much.
constexpr std::size_t far_over = 128;
// A text of at most so many bytes for each token of the budget is likely to fit, whatever it is written in.
constexpr std::size_t bytes_of_token = 3;
// Units of a chunk, for which there is room from the start.
constexpr std::size_t usual_units = 24;
// Instead of a number of tokens that was not needed yet.
constexpr std::size_t unmeasured = std::numeric_limits<std::size_t>::max();

}  // namespace

Grower::Grower(const Text& text, OutlineRows rows, const Limits& limits, Counter& counter, Surroundings& surroundings)
    : text_(text),
      limits_(limits),
      counter_(counter),
      surroundings_(surroundings),
      units_(text, std::move(rows), surroundings),
      overlap_(units_, counter, limits_) {}

void Grower::resume(Places ahead, std::size_t overlapping) {
    units_.put_back(ahead);
    overlapping_ = overlapping;
}

std::optional<Piece> Grower::next(std::size_t horizon) {
    reach_ = 0;
    if (auto const only = whole_text()) return only;
    while (!units_.empty()) {
        if (units_.offset() > horizon) return std::nullopt;
        Draft draft = fill();
        std::size_t cut;
        if (!choose_cut(draft, cut)) continue;
        std::size_t const tokens = size(draft, cut);
        units_.put_back(draft.places, cut);
        Place const& first = draft.places[0];
        Piece const piece{first.offset, units_.offset(), draft.context, tokens, first.label};
        overlapping_ = 0;
        if (!units_.empty() && limits_.overlap > 0) repeat_end_of(std::move(draft.places));
        return piece;
    }
    return std::nullopt;
}

// --- growing

std::optional<Piece> Grower::whole_text() {
    if (units_.empty() || units_.offset() > 0 || limits_.desired || text_.place(text_.size()) > limits_.most * bytes_of_token) return std::nullopt;
    Context const context = this->context();
    auto const tokens = counter_.count_up_to(context, 0, text_.size(), limits_.most);
    if (!tokens) return std::nullopt;
    see(text_.size());
    Piece const piece{0, text_.size(), context, *tokens, units_.next().label};
    Places all;
    units_.take(units_.size(), all);
    return piece;
}

Grower::Draft Grower::fill() {
    Draft draft = begin(context());
    while (true) {
        extend(draft);
        if (draft.complete) return draft;
        if (draft.places.size() < draft.fresh) {
            // Not even the overlap fits after its context. It is not cut finer, because repeated text would count as new.
            shorten_overlap(draft);
            continue;
        }
        bool const enough = gain(draft, draft.places.size()) >= draft.least;
        if (units_.next_is_closed()) {
            if (enough && stays_whole(draft)) return draft;
            if (units_.open_next()) continue;
        }
        if (enough && units_.next_is_of_outline()) return draft;
        Place const next = units_.next(), after = units_.after_next();
        if (Places const several = units_.several(next, after); !several.empty()) units_.split_next(several);
        else if (enough || !make_room(draft, after)) return draft;
    }
}

Context Grower::context() { return surroundings_.context_at(units_.offset_of(overlapping_), units_.offset()); }

Grower::Draft Grower::begin(Context context) {
    std::size_t const count = counter_.begin(context);
    Draft draft{least_gain(), context, count, overlapping_, {}, {}};
    draft.places.reserve(usual_units);
    draft.sizes.reserve(usual_units);
    draft.sizes.push_back(count);
    return draft;
}

std::int64_t Grower::least_gain() const {
    std::size_t const room = overlapping_ ? limits_.most - limits_.overlap : limits_.most;
    return std::max<std::int64_t>(static_cast<std::int64_t>(std::min(limits_.least, room)), 1);
}

// Most of the units ahead that will surely fit, in one step; not where a chunk may end among them.
void Grower::leap(Draft& draft) {
    std::size_t const most = limits_.desired.value_or(limits_.most), before = draft.sizes.back();
    if (before + leap_spares >= most) return;
    std::size_t const start = units_.offset(), done = draft.places.size();
    std::size_t const number = units_.number_up_to(counter_.reach(start, most - before - leap_spares));
    if (number < 3) return;
    std::size_t const last = done + number - 1;
    // The repeated tokens before a unit of the overlap are never needed.
    bool const repeats = draft.fresh > done && draft.fresh < last;
    std::size_t const from = repeats ? units_.offset_of(draft.fresh - done) : start;
    counter_.keep();
    std::size_t const base = repeats ? counter_.append(start, from) : 0;
    std::size_t const count = counter_.append(from, units_.offset_of(number - 1));
    if (count >= most) return counter_.go_back();
    draft.sizes.resize(last, unmeasured);
    if (repeats) draft.sizes[draft.fresh] = base;
    draft.sizes.push_back(count);
    units_.take(number - 1, draft.places);
}

void Grower::extend(Draft& draft) {
    leap(draft);
    std::size_t fitting = draft.places.size();
    counter_.keep();
    while (!units_.empty()) {
        std::size_t const start = units_.offset(), end = units_.end(), before = draft.sizes.back();
        see(end);
        // A format that breaks the law of outlines may have a boundary twice.
        std::size_t count = start == end ? before : append_fitting(start, end, limits_.most + look_ahead);
        bool const is_new = draft.places.size() >= draft.fresh;
        if (limits_.desired && is_new && count + look_ahead >= *limits_.desired && before <= limits_.most && units_.next_is_closed()) {
            // A chunk of the desired size may end inside.
            counter_.go_back();
            if (units_.open_next()) continue;
            count = append_fitting(start, end, limits_.most + look_ahead);
        }
        units_.take(1, draft.places);
        draft.sizes.push_back(count);
        if (count > limits_.most + look_ahead) break;
        if (count > limits_.most) continue;
        fitting = draft.places.size();
        counter_.keep();
    }
    if (fitting < draft.places.size()) counter_.go_back();
    units_.put_back(draft.places, fitting);
    draft.sizes.resize(fitting + 1);
    if (draft.sizes.size() > draft.fresh) draft.base = draft.sizes[draft.fresh];
    draft.complete = units_.empty();
    if (draft.complete) see(text_.size());
}

std::size_t Grower::append_fitting(std::size_t start, std::size_t end, std::size_t limit) {
    std::size_t const look = limits_.look();
    std::size_t count = 0;
    for (std::size_t at = start; at < end; at += look) {
        count = counter_.append(at, std::min(end, at + look));
        if (count > limit) break;
    }
    return count;
}

bool Grower::stays_whole(Draft& draft) {
    std::size_t const start = units_.offset(), end = units_.end();
    if (!fits_alone(start, end) || tears_head(draft, draft.places.size(), units_.next())) return false;
    std::size_t const text_end = end_before_blank_lines(start, end);
    if (text_end == end) return true;
    counter_.keep();
    std::size_t const count = append_fitting(start, text_end, limits_.most);
    counter_.go_back();
    return count > limits_.most;
}

bool Grower::make_room(Draft& draft, const Place& after) {
    std::size_t const start = units_.offset(), end = units_.end();
    if (overlapping_ && counter_.count_up_to(draft.context, start, end, limits_.most)) {
        shorten_overlap(draft);
        return true;
    }
    if (Places const parts = units_.finer(units_.next(), after);
        !parts.empty() && (parts[0].strength >= strength::grapheme || !counter_.count_up_to(0, start, end, limits_.most))) {
        units_.split_next(parts);
        return true;
    }
    if (gain(draft, draft.places.size())) return false;
    // No unit was taken, or only units that add no token: "\n\n" after a context that ends with a line end.
    if (overlapping_) {
        shorten_overlap(draft);
        return true;
    }
    if (draft.context) {
        units_.put_back(draft.places);
        draft = begin(0);
        return true;
    }
    if (!draft.places.empty()) return false;
    throw TooSmall{start, end, counter_.count(0, start, end)};
}

// --- sizes

std::size_t Grower::size(Draft& draft, std::size_t cut) {
    std::size_t& size = draft.sizes[cut];
    if (size == unmeasured) {
        counter_.begin(draft.context);
        size = counter_.append(draft.places[0].offset, draft.places[cut].offset);
    }
    return size;
}

void Grower::measure_all(Draft& draft) {
    if (std::find(draft.sizes.begin(), draft.sizes.end(), unmeasured) == draft.sizes.end()) return;
    counter_.begin(draft.context);
    std::size_t start = draft.places[0].offset;
    for (std::size_t cut = 1; cut < draft.sizes.size(); ++cut) {
        if (draft.sizes[cut] != unmeasured) continue;
        draft.sizes[cut] = counter_.append(start, draft.places[cut].offset);
        start = draft.places[cut].offset;
    }
}

// --- cutting

bool Grower::choose_cut(Draft& draft, std::size_t& cut) {
    if (draft.complete) {
        cut = best_cut(draft, units_.end_of_text());
        return true;
    }
    leave_blank_lines(draft);
    Place const after = units_.next();
    cut = best_cut(draft, after);
    cut = whole_units(draft, after, cut);
    if (!is_undersized(place(draft, cut, after).offset)) return true;
    if (units_.any_closed(draft.places[draft.fresh].offset)) {
        units_.put_back(draft.places, draft.fresh);
        units_.open_all();
        units_.put_back(draft.places);
        return false;
    }
    std::size_t const whole = counter_.count(draft.context, draft.places[0].offset, text_.size());
    cut = balanced_tail(draft, after, cut, whole);
    return true;
}

bool Grower::tears_head(Draft& draft, std::size_t cut, const Place& after) {
    Place const& here = place(draft, cut, after);
    std::size_t const end = units_.head_end(here.offset);
    if (end == 0) return false;
    std::size_t const start = last_stronger(draft.places, here.strength, draft.fresh, cut);
    if (start == cut || !fits_alone(draft.places[start].offset, end)) return false;
    return here.strength <= strength::paragraph || !fits_alone(here.offset, here.enclosing_end);
}

std::size_t Grower::best_cut(Draft& draft, const Place& after) {
    std::size_t const last = draft.places.size();
    if (!limits_.desired) return last;
    bool in_sentence = draft.complete || after.strength < strength::sentence;
    for (std::size_t cut = draft.fresh + 1; in_sentence && cut < last; ++cut) in_sentence = draft.places[cut].strength < strength::sentence;
    if (in_sentence) return last;
    std::size_t const desired = *limits_.desired;
    std::optional<std::size_t> best;
    for (std::size_t cut = draft.fresh + 1; cut <= last; ++cut) {
        std::size_t const size = draft.sizes[cut];
        if (size == unmeasured || size < desired || size > limits_.most) continue;
        if (draft.complete && draft.sizes[last] < size + std::max<std::size_t>(desired / 2, 1)) continue;
        if (best && place(draft, cut, after).strength <= place(draft, *best, after).strength) continue;
        if (!tears_head(draft, cut, after)) best = cut;
    }
    return best.value_or(last);
}

std::size_t Grower::whole_units(Draft& draft, const Place& after, std::size_t cut) {
    Place here = place(draft, cut, after);
    std::size_t best = cut;
    bool torn = true;
    bool passes = false;  // no cut is made here, but perhaps farther to the left
    while (true) {
        bool const tears = !passes && tears_head(draft, cut, after);
        if (!passes && (torn || !tears)) {
            best = cut;
            torn = tears;
        }
        std::size_t const start = last_stronger(draft.places, here.strength, draft.fresh, cut);
        if (start == cut || start <= draft.fresh) return best;
        if (gain(draft, start) < draft.least || size(draft, start) > limits_.most) return best;
        Place const around = draft.places[start];
        passes = !tears && !fits_alone(around.offset, here.enclosing_end);
        // The definition begins with its head, and may fit although the rest of it does not, which has a longer context.
        if (passes && units_.head_end(around.offset) == 0) return best;
        cut = start;
        here = around;
    }
}

std::size_t Grower::balanced_tail(Draft& draft, const Place& after, std::size_t cut, std::size_t whole) {
    measure_all(draft);
    auto const& sizes = draft.sizes;
    auto const smaller_side = [&](std::size_t index) {
        auto const rest = static_cast<std::int64_t>(whole) - static_cast<std::int64_t>(sizes[index]);
        return std::min({gain(draft, index), rest, draft.least});
    };
    using Better = std::tuple<std::int64_t, std::int64_t, std::size_t>;
    std::vector<Better> better;
    std::int64_t const here = smaller_side(cut);
    for (std::size_t index = draft.fresh + 1; index <= draft.places.size(); ++index) {
        if (smaller_side(index) > here && sizes[index] <= limits_.most && whole + draft.base <= limits_.most + sizes[index])
            better.emplace_back(smaller_side(index), place(draft, index, after).strength, index);
    }
    std::sort(better.begin(), better.end(), std::greater<>());
    std::size_t const cut_offset = place(draft, cut, after).offset;
    for (auto const& [side, strength, index] : better) {
        Place const& there = place(draft, index, after);
        std::size_t const start = last_stronger(draft.places, there.strength, draft.fresh, index);
        // A unit that `cut` breaks, too, is broken in any case.
        bool const breaks = start != index && there.enclosing_end <= cut_offset && fits_alone(draft.places[start].offset, there.enclosing_end);
        if (!breaks && !tears_head(draft, index, after)) return index;
    }
    return cut;
}

void Grower::leave_blank_lines(Draft& draft) {
    if (!units_.next_completes_unit()) return;
    Place const next = units_.next();
    std::size_t const unit_end = units_.end(), number = draft.places.size();
    if (last_stronger(draft.places, next.strength, draft.fresh, number) == number) return;
    std::size_t const end = end_before_blank_lines(next.offset, unit_end);
    if (end == unit_end) return;
    std::size_t const count = append_fitting(next.offset, end, limits_.most);
    if (count > limits_.most) return;
    units_.move_next_end(end);
    units_.take(1, draft.places);
    draft.sizes.push_back(count);
}

std::size_t Grower::end_before_blank_lines(std::size_t start, std::size_t end) const {
    std::size_t const found = text_.line_feed(text_.stripped(start, end), end);
    return found == end ? end : found + 1;
}

bool Grower::fits_alone(std::size_t start, std::size_t end) {
    std::size_t const limit = limits_.most - limits_.overlap;
    bool const is_long = end > start && end - start > limit * longest_token;
    if (!is_long && counter_.count_up_to(surroundings_.context_at(start, start), start, end_before_blank_lines(start, end), limit)) {
        see(end);
        return true;
    }
    see_too_much(start, end, limit);
    return false;
}

bool Grower::is_undersized(std::size_t start) {
    if (limits_.least == 0) return false;
    bool const is_long = text_.size() - start > limits_.least * longest_token;
    if (!is_long && counter_.count_up_to(0, start, text_.size(), limits_.least - 1)) {
        see(text_.size());
        return true;
    }
    see_too_much(start, text_.size(), limits_.least);
    return false;
}

void Grower::see_too_much(std::size_t start, std::size_t end, std::size_t limit) {
    if (!follows_ || end <= reach_) return;
    // An estimate: a little more first, and then much more.
    for (std::size_t const spare : {far_over / 8, far_over}) {
        std::size_t const enough = counter_.reach(start, limit + far_over + spare);
        if (enough >= end) break;
        if (counter_.count(0, start, enough) >= limit + far_over) return see(enough);
    }
    see(std::min(end, start + limit * longest_token + 1));
}

// --- overlap

void Grower::repeat_end_of(Places places) {
    Places repeated = overlap_.repeated(std::move(places), units_.next());
    overlapping_ = repeated.size();
    units_.put_back(repeated);
}

void Grower::shorten_overlap(Draft& draft) {
    units_.put_back(draft.places);
    Places repeated;
    units_.take(overlapping_, repeated);
    units_.open_all_taken(repeated);
    overlapping_ = overlap_.shortened(repeated, units_.offset()).size();
    units_.put_back(repeated, repeated.size() - overlapping_);
    draft = begin(context());
}

}  // namespace chunker
