#include "bpe/regex/program.hpp"

#include <algorithm>

#include "bpe/regex/sweep.hpp"
#include "decoding.hpp"

namespace bpe::regex {

namespace {

constexpr std::size_t most_entries = std::size_t{1} << 20;  // of the table of all states
constexpr std::size_t most_work = 6'000'000;                // to make it, in instructions

}  // namespace

States& Cache::states() {
    if (!states_) states_ = std::make_unique<States>(program_.determinizer_, program_.classes_.count());
    return *states_;
}

std::shared_ptr<const Program> Program::compile(std::string_view source, Options options) {
    NodePointer const tree = parse(source, options.flavour);
    return std::shared_ptr<const Program>(new Program(assemble(*tree), options));
}

Program::Program(Code code, Options options)
    : code_(std::move(code)), classes_(code_.sets), determinizer_(code_, classes_), stride_(classes_.count() + 1), cache_size_(options.cache_size) {
    begins_.fill(true);
    make_states(options);
}

void Program::make_states(const Options& options) {
    States states(determinizer_, classes_.count());
    for (unsigned context = 0; context < determinizer_.contexts(); ++context)
        for (bool const nonempty : {false, true}) starts_.push_back(states.start(context, nonempty));
    matches_empty_ = false;
    for (State state = 1; state < states.size(); ++state) {
        if (states.size() > options.most_states || states.table().size() > most_entries || determinizer_.work() > most_work) {
            if (code_.has_bodies)
                throw UnsupportedPattern("the look-ahead or the atomic groups of the pattern need more than " + std::to_string(options.most_states) +
                                         " states");
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
    if (determinizer_.contexts() == 1 && !matches_empty_)
        begins_ = classes_.first_bytes([&](std::size_t number) { return table_[starts_[0] * stride_ + number] != dead_state; });
    join();
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
            if (state_of(transition) != dead_state && (from[state_of(transition)].empty() || from[state_of(transition)].back() != state))
                from[state_of(transition)].push_back(state);
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

// The table for matches that stand one after the other: where a match is over, the transition already is that of the next.
void Program::join() {
    if (determinizer_.contexts() > 1 || matches_empty_ || table_.size() >= std::size_t{1} << 28) return;
    State const start = starts_[0];
    joined_start_ = static_cast<std::uint32_t>(start * stride_);
    joined_.resize(table_.size(), rare);
    auto const row = [this](Transition transition) { return static_cast<std::uint32_t>(state_of(transition) * stride_) << 3; };
    for (std::size_t index = 0; index < table_.size(); ++index) {
        Transition const transition = table_[index];
        if (match_of(transition) > 1) continue;
        if (state_of(transition) != dead_state) {
            joined_[index] = row(transition) | (match_of(transition) != 0 ? seen : 0u);
        } else if (match_of(transition) == 0) {
            joined_[index] = rare | over;
        } else {
            Transition const following = table_[start * stride_ + index % stride_];
            if (state_of(following) != dead_state) joined_[index] = row(following) | seen | over;
        }
    }
}

std::size_t Program::class_before(const Byte* text, std::size_t start, std::size_t from) const {
    if (from == start) return classes_.count();
    if (determinizer_.contexts() == 1) return 0;
    return decode(classes_, text, character_before(classes_, text, start, from), from).number;
}

Match Program::find(const Byte* text, std::size_t start, std::size_t from, std::size_t limit, bool at_end, Cache& cache, bool nonempty) const {
    Sweep sweep(*this, cache, text, start, from, limit, at_end);
    sweep.set_nonempty(nonempty);
    return sweep.next();
}

std::size_t Program::match_at(const Byte* text, std::size_t start, std::size_t from, std::size_t limit, bool at_end, Cache& cache, bool& settled,
                              std::size_t& reach, bool nonempty) const {
    Sweep sweep(*this, cache, text, start, from, limit, at_end);
    sweep.set_nonempty(nonempty);
    return sweep.match_at_offset(settled, reach);
}

}  // namespace bpe::regex
