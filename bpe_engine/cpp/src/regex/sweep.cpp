#include "bpe/regex/sweep.hpp"

#include <algorithm>

#include "bpe/steps.hpp"
#include "bpe/thresholds.hpp"
#include "decoding.hpp"
#include "foresight.hpp"

namespace bpe::regex {

using thresholds::first_patience, thresholds::patience;

// The outcome of an attempt to match at one offset.
struct Sweep::Attempt {
    std::size_t end = no_match;
    std::size_t certain_end = no_match;  // the end of the best match before text that may still change
    bool settled = false;
    std::size_t reach = 0;
};

struct Sweep::Eager {
    const Program& program;
    State start(unsigned context, bool nonempty) const { return program.starts_[2 * context + (nonempty ? 1 : 0)]; }
    Transition at(State& state, std::size_t class_number) const { return program.table_[state * program.stride_ + class_number]; }
    bool reaches(Foresight& foresight, std::size_t place, State state) const { return foresight.reaches(place, state); }
};

struct Sweep::Lazy {
    States& states;
    std::size_t most_memory;
    State start(unsigned context, bool nonempty) const { return states.start(context, nonempty); }
    Transition at(State& state, std::size_t class_number) const {
        Transition const known = states.known(state, class_number);
        if (known != unknown_transition) return known;
        if (states.memory() > most_memory) {
            Key const key = states.key(state);
            states.clear();
            state = states.state(key);
        }
        return states.at(state, class_number);
    }
    bool reaches(Foresight& foresight, std::size_t place, State state) const { return foresight.reaches(place, states.key(state)); }
};

Sweep::Sweep(const Program& program, Cache& cache, const Byte* text, std::size_t start, std::size_t from, std::size_t limit, bool at_end,
             Resumption* resumption, Recollection* recollection)
    : program_(program), cache_(cache), text_(text), start_(start), from_(from), limit_(limit), at_end_(at_end), open_(!at_end), begun_(from) {
    finished_ = limit - unfinished_end({text + from, limit - from});
    certain_ = at_end ? limit : finished_;
    resumption_ = program.is_eager() && program.determinizer_.contexts() == 1 ? resumption : nullptr;
    recollection_ = program.is_eager() && program.determinizer_.contexts() == 1 && !program.matches_empty_ && at_end ? recollection : nullptr;
    if (resumption_) finished_ = std::min(finished_, resumption_->valid);
}

Sweep::~Sweep() = default;

std::size_t Sweep::steps() const { return read_ + earlier_steps_ + (foresight_ ? foresight_->steps() : 0); }

void Sweep::look_ahead_of(std::size_t place) {
    if (foresight_) earlier_steps_ += foresight_->steps();
    foresight_ = std::make_unique<Foresight>(program_, text_, start_, place, open_ ? certain_ : limit_, open_);
}

template <class Table>
Sweep::Attempt Sweep::attempt(Table& table, std::size_t from, bool nonempty) {
    Classes const& classes = program_.classes_;
    ClassNumber const* const ascii = classes.ascii();
    State state = table.start(program_.determinizer_.context_of(program_.class_before(text_, start_, from)), nonempty);
    Attempt made;
    std::size_t place = from;
    std::size_t times_seen = 0;
    auto const seen = [&](unsigned match) {
        if (match == 0) return;
        ++times_seen;
        made.end = place;
        for (; match > 1; --match) made.end = character_before(classes, text_, from, made.end);
    };
    std::size_t const certain = open_ ? certain_ : limit_;
    Foresight* const foresight = foresight_.get();
    made.reach = from;
    Resumption* const resumption = foresight || nonempty ? nullptr : resumption_;
    if (Resumption::Try const* const known = resumption ? resumption->find(from) : nullptr; known && known->place <= certain) {
        place = known->place;
        state = known->state;
        made.end = known->end;
    }
    std::size_t const begun = place;
    bool const resumes = resumption && finished_ <= certain && finished_ >= place && finished_ - from >= Resumption::least;
    // Whether what follows may still matter.
    auto const read_to = [&](std::size_t stop) {
        while (place < stop) {
            count_step();
            // No better match can follow. Knowing that took reading up to the limit.
            if (foresight && !table.reaches(*foresight, place, state)) {
                made.reach = limit_;
                made.settled = true;
                made.certain_end = made.end;
                read_ += place - begun + 1;
                return false;
            }
            Byte const byte = text_[place];
            Transition transition;
            std::size_t size = 1;
            if (byte < 0x80) {
                transition = table.at(state, ascii[byte]);
                made.reach = place + 1;
            } else {
                Decoded const character = decode_beyond_ascii(classes, text_ + place, limit_ - place);
                size = character.size;
                made.reach = character.valid ? place + size : std::min(limit_, place + 4);
                transition = table.at(state, character.number);
            }
            seen(match_of(transition));
            state = state_of(transition);
            place += size;
            if (state == dead_state) {
                made.settled = true;
                made.certain_end = made.end;
                read_ += place - begun;
                return false;
            }
        }
        return true;
    };
    if (resumes) {
        if (!read_to(finished_)) return made;
        resumption->put({from, place, made.end, state});
    }
    struct Passed {
        std::size_t distance;
        State state;
        std::size_t times_seen;
    };
    std::vector<Passed> passed;
    auto const remember = [&] {
        for (Passed const& one : passed) {
            std::size_t const end = times_seen > one.times_seen ? limit_ - made.end : Recollection::none;
            recollection_->put(one.distance, one.state, {Recollection::none, end});
        }
    };
    if (recollection_ && !foresight && !nonempty) {
        for (std::size_t stop; (stop = Recollection::next_slot(place, limit_)) < certain;) {
            if (!read_to(stop)) {
                remember();
                return made;
            }
            if (place >= certain) break;
            if (Recollection::Outcome const* const known = recollection_->find(limit_ - place, state)) {
                if (known->end != Recollection::none) {
                    made.end = limit_ - known->end;
                    ++times_seen;
                }
                remember();
                read_ += place - begun;
                made.reach = limit_;
                made.settled = true;
                made.certain_end = made.end;
                return made;
            }
            passed.push_back({limit_ - place, state, times_seen});
        }
    }
    if (!read_to(certain)) {
        remember();
        return made;
    }
    read_ += place - begun + 1;
    made.certain_end = made.end;
    made.reach = limit_;
    for (; place < limit_; ++place) {
        Transition const transition = table.at(state, classes.invalid());
        seen(match_of(transition));
        state = state_of(transition);
        if (state == dead_state) return made;
    }
    seen(match_of(table.at(state, classes.count())));
    remember();
    return made;
}

template <class Table>
bool Sweep::worth_starting(Table& table, std::size_t place, bool nonempty) {
    if (!foresight_ || place >= (open_ ? certain_ : limit_)) return true;
    ++read_;
    return table.reaches(*foresight_, place, table.start(program_.determinizer_.context_of(program_.class_before(text_, start_, place)), nonempty));
}

template <class Table>
Match Sweep::next_in(Table& table) {
    Match found;
    found.open_from = open_ || at_end_ ? no_match : from_;
    found.reach = from_;
    for (std::size_t place = from_; place <= limit_; place += place < limit_ ? decode(program_.classes_, text_, place, limit_).size : 1) {
        // Skip offsets at which no match begins, if they need no report.
        for (std::size_t const stop = open_ ? certain_ : limit_; place < stop && !program_.begins_[text_[place]];) ++place;
        bool const nonempty = nonempty_ && place == from_;
        if (!foresight_ && read_ > patience * (place - begun_) + first_patience) look_ahead_of(place);
        if (!worth_starting(table, place, nonempty)) continue;
        Attempt const made = attempt(table, place, nonempty);
        found.reach = std::max(found.reach, made.reach);
        if (!at_end_ && !made.settled && found.open_from == no_match) {
            found.open_from = place;
            found.start_settled = made.certain_end != no_match;
        }
        // From here on as if the text ended, which the pass over an open text did not know.
        if (found.open_from != no_match && open_) {
            open_ = false;
            if (foresight_) {
                look_ahead_of(place);
                if (!worth_starting(table, place, nonempty)) continue;
            }
        }
        if (made.end != no_match) {
            found.start = place;
            found.end = made.end;
            found.settled = found.open_from == no_match;
            found.start_settled = found.settled || (found.start_settled && place == found.open_from);
            if (found.settled) found.open_from = found.end;
            from_ = found.end;
            nonempty_ = found.start == found.end;
            return found;
        }
    }
    found.start_settled = false;
    found.settled = at_end_;
    found.reach = limit_;
    if (found.open_from == no_match) found.open_from = certain_;
    from_ = limit_ + 1;
    return found;
}

Match Sweep::next_recollected() {
    Eager table{program_};
    Match found;
    found.settled = true;
    found.reach = limit_;
    std::vector<std::size_t> passed;
    std::size_t place = from_;
    for (std::size_t boundary = place; place < limit_;) {
        if (place >= boundary) {
            if (Recollection::Outcome const* const known = recollection_->find(limit_ - place, Recollection::searching)) {
                if (known->end != Recollection::none) {
                    found.start = limit_ - known->start;
                    found.end = limit_ - known->end;
                }
                break;
            }
            passed.push_back(limit_ - place);
            boundary = Recollection::next_slot(place, limit_);
        }
        count_step();
        if (program_.begins_[text_[place]]) {
            Attempt const made = attempt(table, place, false);
            if (made.end != no_match) {
                found.start = place;
                found.end = made.end;
                break;
            }
        }
        place += decode(program_.classes_, text_, place, limit_).size;
    }
    bool const is_found = found.start != no_match;
    for (std::size_t const distance : passed) {
        if (is_found) recollection_->put(distance, Recollection::searching, {limit_ - found.start, limit_ - found.end});
        else recollection_->put(distance, Recollection::searching, {Recollection::none, Recollection::none});
    }
    found.start_settled = is_found;
    found.open_from = is_found ? found.end : limit_;
    from_ = is_found ? found.end : limit_ + 1;
    return found;
}

Match Sweep::next() {
    if (from_ > limit_) {
        Match none;
        none.settled = at_end_;
        none.reach = none.open_from = limit_;
        return none;
    }
    if (recollection_) return next_recollected();
    if (program_.is_eager()) {
        Eager table{program_};
        return next_in(table);
    }
    Lazy table{cache_.states(), program_.cache_size_};
    return next_in(table);
}

std::size_t Sweep::match_at_offset(bool& settled, std::size_t& reach) {
    Attempt made;
    if (program_.is_eager()) {
        Eager table{program_};
        made = attempt(table, from_, nonempty_);
    } else {
        Lazy table{cache_.states(), program_.cache_size_};
        made = attempt(table, from_, nonempty_);
    }
    settled = at_end_ || made.settled;
    reach = made.reach;
    return made.end;
}

// A transition of the joined table: where it leads, as the offset of a row, and what it means.
//
//     seen   a match ended before this character
//     over   it is the last: the next one begins with this character, and this is the state after it
//     rare   anything else
std::size_t Sweep::ends(std::size_t* ends, std::size_t capacity) {
    std::vector<std::uint32_t> const& table = program_.joined_;
    if (table.empty() || from_ >= limit_ || nonempty_ || !(at_end_ || open_) || foresight_ || recollection_ || (resumption_ && resumption_->find(from_)))
        return 0;
    std::uint32_t const* const rows = table.data();
    Classes const& classes = program_.classes_;
    ClassNumber const* const ascii = classes.ascii();
    std::size_t const certain = open_ ? certain_ : limit_;
    std::size_t count = 0, place = from_, begin = from_, last = from_;
    std::uint32_t row = program_.joined_start_;
    for (;;) {
        std::size_t const stop = std::min(certain, place + (capacity - count));
        std::uint32_t entry = 0;
        std::size_t size = 1;
        while (place < stop) {
            Byte const byte = text_[place];
            ClassNumber number;
            if (byte < 0x80) [[likely]] {
                number = ascii[byte];
                size = 1;
            } else {
                Decoded const character = decode_beyond_ascii(classes, text_ + place, limit_ - place);
                number = character.number;
                size = character.size;
            }
            entry = rows[row + number];
            if (entry & Program::rare) [[unlikely]]
                break;
            ends[count] = place;
            count += entry >> 1 & 1;
            last = entry & Program::seen ? place : last;
            row = entry >> 3;
            place += size;
        }
        begin = count > 0 ? ends[count - 1] : from_;
        bool const is_rare = place < stop;
        // The match was over earlier: read again from there.
        if (is_rare && last > begin && entry == (Program::rare | Program::over)) {
            if (count == capacity) break;
            read_ += place - last;
            ends[count++] = last;
            place = last;
            row = program_.joined_start_;
            if (count < capacity && read_ <= patience * (place - begun_) + first_patience) continue;
            break;
        }
        if (is_rare || stop == certain || count == capacity) break;
    }
    if (count > 0) from_ = ends[count - 1];
    return count;
}

}  // namespace bpe::regex
