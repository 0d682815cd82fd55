#include "bpe/regex/boundaries.hpp"

namespace bpe::regex {

namespace {

constexpr std::size_t most_work = 20'000'000;  // looks into the table

}  // namespace

Boundaries::Boundaries(const Program& program) {
    if (!program.is_eager() || program.matches_empty() || program.looks_behind() || program.determinizer_.contexts() > 1) return;
    std::size_t const end = program.classes_.count(), stride = program.stride_, states = program.table_.size() / stride;
    if (states * end * end > most_work) return;
    State const start = program.starts_[0];
    count_ = end;
    facts_.assign((end + 1) * end, uncrossed | ends | resumes | meets | begins);
    auto const at = [&](State state, std::size_t number) { return program.table_[state * stride + number]; };
    std::vector<bool> always_begins(end);
    for (std::size_t right = 0; right < end; ++right) {
        State const state = state_of(at(start, right));
        bool is_match = state != dead_state;
        for (std::size_t next = 0; next <= end && is_match; ++next) is_match = match_of(at(state, next)) == 1;
        always_begins[right] = is_match;
    }
    for (std::size_t left = 0; left < end; ++left) {
        std::vector<bool> is_after(states);
        for (State state = 1; state < states; ++state) is_after[state_of(at(state, left))] = true;
        bool const is_covered = state_of(at(start, left)) != dead_state;
        for (std::size_t right = 0; right < end; ++right) {
            bool is_uncrossed = true, is_end = is_covered, is_resumed = true, is_meeting = is_covered;
            Transition const anew = at(start, right);
            for (State state = 1; state < states; ++state) {
                if (!is_after[state]) continue;
                Transition const next = at(state, right), last = at(state, end);
                bool const is_over = state_of(next) == dead_state && match_of(next) == match_of(last);
                bool const is_match = match_of(next) == 1 && match_of(last) == 1;
                is_uncrossed = is_uncrossed && is_over;
                is_end = is_end && is_over && is_match;
                bool const is_made_of_two = is_match && state_of(next) != dead_state && state_of(next) == state_of(anew);
                is_resumed = is_resumed && (is_over || is_made_of_two);
                is_meeting = is_meeting && ((is_over && is_match) || is_made_of_two);
            }
            std::uint8_t const facts = static_cast<std::uint8_t>((is_uncrossed ? uncrossed : 0) | (is_end ? ends : 0) | (is_resumed ? resumes : 0) |
                                                                 (is_meeting ? meets : 0) | (is_uncrossed && always_begins[right] ? begins : 0));
            facts_[left * end + right] = facts;
            facts_[end * end + right] &= facts;
        }
    }
}

}  // namespace bpe::regex
