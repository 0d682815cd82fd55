#include "bpe/regex/states.hpp"

namespace bpe::regex {

namespace {

constexpr State no_state = ~State{0};

}  // namespace

std::size_t States::Hash::operator()(const Key& key) const {
    std::uint64_t hash = 0x9E3779B97F4A7C15u;
    for (std::uint32_t const number : key) hash = (hash ^ number) * 0xD6E8FEB86659FD93u, hash ^= hash >> 32;
    return static_cast<std::size_t>(hash);
}

States::States(const Determinizer& determinizer, std::size_t class_count) : determinizer_(&determinizer), stride_(class_count + 1) { clear(); }

void States::clear() {
    numbers_.clear();
    keys_.clear();
    key_memory_ = 0;
    starts_.assign(2 * determinizer_->contexts(), no_state);
    auto const [found, is_new] = numbers_.try_emplace(Key(), dead_state);
    keys_.push_back(&found->first);
    table_.assign(stride_, dead_state);
}

State States::state(const Key& key) {
    auto const [found, is_new] = numbers_.try_emplace(key, static_cast<State>(keys_.size()));
    if (is_new) {
        keys_.push_back(&found->first);
        table_.resize(table_.size() + stride_, unknown_transition);
        key_memory_ += key.size() * sizeof(std::uint32_t) + 64;
    }
    return found->second;
}

State States::start(unsigned context, bool nonempty) {
    State& start = starts_[2 * context + (nonempty ? 1 : 0)];
    if (start == no_state) start = state(determinizer_->start(context, nonempty));
    return start;
}

Transition States::at(State from, std::size_t class_number) {
    Transition const known = table_[from * stride_ + class_number];
    if (known != unknown_transition) return known;
    Determinizer::Step const step = determinizer_->step(*keys_[from], class_number);
    State const to = step.key.empty() ? dead_state : state(step.key);
    return table_[from * stride_ + class_number] = to << 8 | step.match;
}

}  // namespace bpe::regex
