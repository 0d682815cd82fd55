#include "bpe/regex/program.hpp"

#include <algorithm>

#include "bpe/unicode.hpp"

namespace bpe::regex {

namespace {

constexpr std::size_t most_entries = std::size_t{1} << 20;  // of the table of all states
constexpr std::size_t most_work = 20'000'000;               // to make it, in instructions

// Where the character before `offset` begins; `start` < `offset`.
std::size_t character_before(const Byte* text, std::size_t start, std::size_t offset) {
    if (text[offset - 1] < 0x80) return offset - 1;
    UnicodeTable const& table = UnicodeTable::instance();
    for (std::size_t size = 2; size <= 4 && offset - start >= size; ++size) {
        Byte const lead = text[offset - size];
        if (UnicodeTable::continues(lead)) continue;
        return table.at(text, offset - size, offset).size == size ? offset - size : offset - 1;
    }
    return offset - 1;
}

}  // namespace

// How trying to match at one place went.
struct Program::Attempt {
    std::size_t end = no_match;
    std::size_t certain_end = no_match;  // of the matches that were seen before what may still change
    bool settled = false;
    std::size_t reach = 0;
};

struct Program::Eager {
    const Program& program;
    State start(unsigned context, bool nonempty) const { return program.starts_[2 * context + (nonempty ? 1 : 0)]; }
    Transition at(State& state, std::size_t class_number) const { return program.table_[state * program.stride_ + class_number]; }
};

struct Program::Lazy {
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
};

Cache::Cache(const Program& program) : states_(program.determinizer_, program.classes_.count()) {}

std::shared_ptr<const Program> Program::compile(std::string_view source, Options options) {
    NodePointer const tree = parse(source, options.flavour);
    return std::shared_ptr<const Program>(new Program(assemble(*tree), options));
}

Program::Program(Code code, Options options)
    : code_(std::move(code)), classes_(code_.sets), determinizer_(code_, classes_), stride_(classes_.count() + 1), cache_size_(options.cache_size) {
    make_states(options);
}

void Program::make_states(const Options& options) {
    States states(determinizer_, classes_.count());
    for (unsigned context = 0; context < determinizer_.contexts(); ++context)
        for (bool const nonempty : {false, true}) starts_.push_back(states.start(context, nonempty));
    matches_empty_ = false;
    for (State state = 1; state < states.size(); ++state) {
        if (states.size() > options.most_states || states.table().size() > most_entries || determinizer_.work() > most_work) {
            if (code_.has_bodies) throw UnsupportedPattern("the look-ahead or the atomic groups of the pattern need more than " + std::to_string(options.most_states) + " states");
            matches_empty_ = true;  // not known
            starts_.clear();
            return;
        }
        for (std::size_t number = 0; number < stride_; ++number) states.at(state, number);
    }
    table_ = states.table();
    for (State const start : starts_)
        for (std::size_t number = 0; number < stride_; ++number) matches_empty_ = matches_empty_ || match_of(table_[start * stride_ + number]) != 0;
    drop_hopeless(table_);
}

// A state from which no match can be reached is as good as dead, and found out at once.
void Program::drop_hopeless(std::vector<Transition>& table) const {
    std::size_t const count = table.size() / stride_;
    std::vector<std::vector<State>> from(count);
    std::vector<State> open;
    std::vector<bool> hopeful(count);
    for (State state = 1; state < count; ++state)
        for (std::size_t number = 0; number < stride_; ++number) {
            Transition const transition = table[state * stride_ + number];
            if (match_of(transition) != 0 && !hopeful[state]) {
                hopeful[state] = true;
                open.push_back(state);
            }
            if (state_of(transition) != dead_state && (from[state_of(transition)].empty() || from[state_of(transition)].back() != state)) from[state_of(transition)].push_back(state);
        }
    while (!open.empty()) {
        State const state = open.back();
        open.pop_back();
        for (State const before : from[state])
            if (!hopeful[before]) {
                hopeful[before] = true;
                open.push_back(before);
            }
    }
    for (Transition& transition : table)
        if (!hopeful[state_of(transition)]) transition = match_of(transition);
}

std::size_t Program::class_before(const Byte* text, std::size_t start, std::size_t from) const {
    if (from == start) return classes_.count();
    if (determinizer_.contexts() == 1) return 0;
    char32_t const code = UnicodeTable::instance().at(text, character_before(text, start, from), from).code;
    return code > 0x10FFFF ? classes_.invalid() : classes_.of(code);
}

// `certain` is where what may still change begins: the limit, less the beginning of a character that is not whole.
template <class Table>
Program::Attempt Program::attempt(Table& table, const Byte* text, std::size_t start, std::size_t from, std::size_t limit, std::size_t certain, bool nonempty) const {
    UnicodeTable const& unicode = UnicodeTable::instance();
    ClassNumber const* const ascii = classes_.ascii();
    State state = table.start(determinizer_.context_of(class_before(text, start, from)), nonempty);
    Attempt made;
    std::size_t place = from;
    auto const seen = [&](unsigned match) {
        if (match == 0) return;
        made.end = place;
        for (; match > 1; --match) made.end = character_before(text, from, made.end);
    };
    while (place < certain) {
        Byte const byte = text[place];
        Transition transition;
        std::size_t size = 1;
        if (byte < 0x80) {
            transition = table.at(state, ascii[byte]);
            made.reach = place + 1;
        } else {
            Character const character = unicode.beyond_ascii(text + place, limit - place);
            bool const valid = character.code <= 0x10FFFF;
            size = character.size;
            made.reach = valid ? place + size : std::min(limit, place + 4);
            transition = table.at(state, valid ? classes_.of(character.code) : classes_.invalid());
        }
        seen(match_of(transition));
        state = state_of(transition);
        place += size;
        if (state == dead_state) {
            made.settled = true;
            made.certain_end = made.end;
            return made;
        }
    }
    made.certain_end = made.end;
    made.reach = limit;
    for (; place < limit; ++place) {
        Transition const transition = table.at(state, classes_.invalid());
        seen(match_of(transition));
        state = state_of(transition);
        if (state == dead_state) return made;
    }
    seen(match_of(table.at(state, classes_.count())));
    return made;
}

template <class Table>
Found Program::find_in(Table& table, const Byte* text, std::size_t start, std::size_t from, std::size_t limit, bool at_end, bool nonempty) const {
    std::size_t const certain = at_end ? limit : limit - unfinished_end({text + from, limit - from});
    UnicodeTable const& unicode = UnicodeTable::instance();
    Found found;
    found.open_from = no_match;
    found.reach = from;
    for (std::size_t place = from; place <= limit; place += place < limit ? unicode.at(text, place, limit).size : 1) {
        Attempt const made = attempt(table, text, start, place, limit, certain, nonempty && place == from);
        found.reach = std::max(found.reach, made.reach);
        bool const settled = at_end || made.settled;
        if (!settled && found.open_from == no_match) {
            found.open_from = place;
            found.start_settled = made.certain_end != no_match;
        }
        if (made.end != no_match) {
            found.start = place;
            found.end = made.end;
            found.settled = found.open_from == no_match;
            found.start_settled = found.settled || (found.start_settled && place == found.open_from);
            if (found.settled) found.open_from = found.end;
            return found;
        }
    }
    found.start_settled = false;
    found.settled = at_end;
    found.reach = limit;
    if (found.open_from == no_match) found.open_from = limit;
    return found;
}

Found Program::find(const Byte* text, std::size_t start, std::size_t from, std::size_t limit, bool at_end, Cache& cache, bool nonempty) const {
    if (is_eager()) {
        Eager table{*this};
        return find_in(table, text, start, from, limit, at_end, nonempty);
    }
    Lazy table{cache.states_, cache_size_};
    return find_in(table, text, start, from, limit, at_end, nonempty);
}

std::size_t Program::match_at(const Byte* text, std::size_t start, std::size_t from, std::size_t limit, bool at_end, Cache& cache, bool& settled, std::size_t& reach, bool nonempty) const {
    std::size_t const certain = at_end ? limit : limit - unfinished_end({text + from, limit - from});
    Attempt made;
    if (is_eager()) {
        Eager table{*this};
        made = attempt(table, text, start, from, limit, certain, nonempty);
    } else {
        Lazy table{cache.states_, cache_size_};
        made = attempt(table, text, start, from, limit, certain, nonempty);
    }
    settled = at_end || made.settled;
    reach = made.reach;
    return made.end;
}

}  // namespace bpe::regex
