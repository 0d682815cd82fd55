#include "foresight.hpp"

#include <algorithm>

#include "bpe/thresholds.hpp"
#include "decoding.hpp"

namespace bpe::regex {

using thresholds::foresight_block;

std::size_t Foresight::Hash::operator()(const Bits& bits) const {
    std::uint64_t hash = 0x9E3779B97F4A7C15u;
    for (std::uint64_t const word : bits) hash = (hash ^ word) * 0xD6E8FEB86659FD93u, hash ^= hash >> 32;
    return static_cast<std::size_t>(hash);
}

Foresight::Foresight(const Program& program, const Byte* text, std::size_t start, std::size_t from, std::size_t limit, bool open)
    : program_(program), text_(text), start_(start), limit_(limit) {
    size_ = program.is_eager() ? program.state_count() : program.code_.instructions.size();
    for (std::size_t place = from; place < limit; place += foresight_block) block_starts_.push_back(place);
    // Blocks begin with a character; `from` does.
    for (std::size_t& place : block_starts_)
        for (std::size_t back = 1; back <= 3 && back <= place - from && UnicodeTable::continues(text[place]); ++back) {
            if (UnicodeTable::continues(text[place - back])) continue;
            std::size_t const size = decode(program.classes_, text, place - back, limit).size;
            if (size > back) place += size - back;
            break;
        }
    block_starts_.push_back(limit);
    ends_.resize(block_starts_.size());
    ends_.back() = at_limit(open);
    for (std::size_t block = block_starts_.size() - 1; block-- > 0;) read_block(block, false);
}

// ends_[b + 1] is the set where block b ends.
Foresight::Bits Foresight::at_limit(bool open) const {
    Bits bits((size_ + 63) / 64);
    if (open) {
        for (std::size_t index = program_.is_eager() ? 1 : 0; index < size_; ++index) set(bits, index);
        return bits;
    }
    std::size_t const end = program_.classes_.count();
    std::size_t const context = program_.determinizer_.context_of(program_.class_before(text_, start_, limit_));
    Bits const nothing((size_ + 63) / 64);
    return made_before(nothing, end, static_cast<unsigned>(context));
}

void Foresight::forget() {
    known_.clear();
    moves_.clear();
    sets_.clear();
}

Foresight::Number Foresight::number_of(Bits bits) {
    auto const [found, is_new] = known_.try_emplace(std::move(bits), static_cast<Number>(sets_.size()));
    if (is_new) sets_.push_back(&found->first);
    return found->second;
}

Foresight::Bits Foresight::made_before(const Bits& after, std::size_t class_number, unsigned context) const {
    Bits bits((size_ + 63) / 64);
    if (program_.is_eager()) {
        for (State state = 1; state < size_; ++state) {
            Transition const transition = program_.table_[state * program_.stride_ + class_number];
            if (match_of(transition) != 0 || (state_of(transition) != dead_state && has(after, state_of(transition)))) set(bits, state);
        }
        return bits;
    }
    // Backwards from the instructions that read this character or match, over those that read nothing.
    Code const& code = program_.code_;
    std::vector<Index> open;
    auto const add = [&](Index index) {
        if (has(bits, index)) return;
        set(bits, index);
        open.push_back(index);
    };
    for (Index index = 0; index < size_; ++index) {
        Instruction const& instruction = code.instructions[index];
        if (instruction.kind == Instruction::Kind::match) add(index);
        if (instruction.kind == Instruction::Kind::character && class_number < program_.classes_.count() && has(after, instruction.next) &&
            program_.classes_.members(instruction.argument).contains(class_number))
            add(index);
    }
    while (!open.empty()) {
        Index const index = open.back();
        open.pop_back();
        for (Index const from : program_.determinizer_.silent_before(index)) {
            Instruction const& instruction = code.instructions[from];
            if (instruction.kind != Instruction::Kind::condition || program_.determinizer_.holds(instruction.argument, context, class_number)) add(from);
        }
    }
    return bits;
}

Foresight::Number Foresight::before(Number after, std::size_t class_number, unsigned context) {
    std::uint64_t const move = static_cast<std::uint64_t>(after) << 32 | class_number << 16 | context;
    auto const found = moves_.find(move);
    if (found != moves_.end()) return found->second;
    Number const made = number_of(made_before(*sets_[after], class_number, context));
    moves_.emplace(move, made);
    return made;
}

void Foresight::read_block(std::size_t block, bool keep) {
    std::size_t const first = block_starts_[block], end = block_starts_[block + 1];
    if (sets_.size() * (size_ / 8 + 64) > (std::size_t{8} << 20) || moves_.size() > 200000) forget();
    Number number = number_of(ends_[block + 1]);
    if (keep) {
        numbers_.assign(end - first + 1, 0);
        numbers_[end - first] = number;
        block_ = block;
    }
    Classes const& classes = program_.classes_;
    for (std::size_t place = end; place > first;) {
        std::size_t const begin = character_before(classes, text_, first, place);
        ClassNumber const class_number = decode(classes, text_, begin, limit_).number;
        // States of the table of all states know the character before; instructions do not.
        unsigned const context = program_.is_eager() ? 0 : program_.determinizer_.context_of(program_.class_before(text_, start_, begin));
        number = before(number, class_number, context);
        place = begin;
        if (keep) numbers_[place - first] = number;
        ++steps_;
    }
    if (!keep) ends_[block] = *sets_[number];
}

const Foresight::Bits& Foresight::at(std::size_t place) {
    if (block_ == ~std::size_t{0} || place < block_starts_[block_] || place > block_starts_[block_ + 1]) {
        auto const after = std::upper_bound(block_starts_.begin(), block_starts_.end(), place);
        std::size_t const block = static_cast<std::size_t>(after - block_starts_.begin()) - 1;
        if (block + 1 == block_starts_.size()) return ends_.back();
        read_block(block, true);
    }
    return *sets_[numbers_[place - block_starts_[block_]]];
}

bool Foresight::reaches(std::size_t place, State state) { return state != dead_state && has(at(place), state); }

bool Foresight::reaches(std::size_t place, const Key& key) {
    Bits const& bits = at(place);
    return std::any_of(key.begin() + (key.empty() ? 0 : 1), key.end(), [&](std::uint32_t index) { return has(bits, index); });
}

}  // namespace bpe::regex
