#include "unigram_words.hpp"

#include <algorithm>
#include <string>

#include "bpe/unicode.hpp"
#include "bpe/utf8.hpp"

namespace bpe {

UnigramWords::UnigramWords(const UnigramModel& model, const Normalizer* normalizer) : normalizer_(normalizer) {
    auto const image_of = [&](char32_t code) { return normalizer ? normalizer->image(code) : Normalizer::Image{true, code, code, false, false}; };
    for (char32_t code = 0; code < 128; ++code) {
        Normalizer::Image const image = image_of(code);
        bool const is_white = (UnicodeTable::instance().flags_of(code) & space_class) != 0;
        is_known_[code] = image.is_known;
        parts_before_space_[code] = image.is_known && !image.is_lonely && !is_white;
    }
    Normalizer::Image const space = image_of(' ');
    auto const parts = [&] {
        auto const texts = normalizer->inseparable();
        bool const has_space = std::any_of(texts.begin(), texts.end(), [](std::string const& text) { return text.find(' ') != std::string::npos; });
        return normalizer->parts_known() && !has_space;
    };
    if ((normalizer && !parts()) || !space.is_known || !space.begins_alike || space.first != space.last) return;
    put_utf8(space_, space.first);
    UnigramUnits const units(model);
    after_space_ = units.next(TokenAutomaton::start, {space_.data(), space_.size()});
    // A run of unknown characters ends before a space that is a token.
    if (!units.reaches(after_space_, space_.size() - 1)) space_.clear();
}

void UnigramWords::find(Bytes unit, bool is_open, UnigramUnits& units, std::vector<std::size_t>& cuts) {
    if (space_.empty()) return;
    auto const is_ascii = [&](std::size_t place, const std::array<bool, 128>& wanted) { return unit[place] < 128 && wanted[unit[place]]; };
    State state = TokenAutomaton::start;
    std::size_t first = 0;
    for (std::size_t place = 1;; ++place) {
        bool const at_end = place + 1 >= unit.size;
        if (!at_end && !(unit[place] == ' ' && is_ascii(place - 1, parts_before_space_) && is_ascii(place + 1, is_known_))) continue;
        if (at_end && is_open) return;
        if (at_end) place = unit.size;
        Bytes const word = unit.part(first, place);
        Reading found;
        if (word.size <= PieceKey::longest) found = recall(short_, PieceKey::of(word.data, word.size, unit.size - first), word, state, units);
        else if (word.size <= MediumKey::longest) found = recall(medium_, MediumKey::of(word.data, word.size, unit.size - first), word, state, units);
        else found = read(word, state, units);
        if (first > 0 && !found.is_joined) cuts.push_back(first);
        if (at_end) return;
        state = found.after;
        first = place;
    }
}

template <class Cache, class Word>
UnigramWords::Reading UnigramWords::recall(Cache& cache, const Word& key, Bytes word, State state, UnigramUnits& units) {
    Key<Word> const with_state{key, state};
    std::uint64_t const hash = with_state.hash();
    auto const* slot = cache.set(hash);
    std::uint64_t known = slot->count(with_state);
    if (known == 0) known = (++slot)->count(with_state);
    if (known == 0) {
        cache.bring_back(with_state, hash);
        slot = cache.set(hash);
        known = slot->count(with_state);
    }
    if (known != 0) return {known == 1, slot->after};
    Reading const found = read(word, state, units);
    auto& made = cache.make(hash);
    made.set(key, found.is_joined ? 1 : 2);
    made.before = state;
    made.after = found.after;
    return found;
}

// `state` is that after the space with which the word begins, and the one that is found is that after the next; for the first word it is the start.
UnigramWords::Reading UnigramWords::read(Bytes word, State state, UnigramUnits& units) {
    Bytes text = word;
    if (normalizer_) {
        made_.clear();
        normalizer_->run(word.data, 0, word.size, false, false, true, 0, made_);
        text = {made_.text.data(), made_.text.size()};
    }
    bool const is_first = state == TokenAutomaton::start;
    std::size_t place = is_first ? 0 : space_.size();
    bool is_joined = !is_first && units.reaches(state, place);
    auto const go = [&](Byte byte) {
        state = units.next(state, {&byte, 1});
        is_joined = is_joined || units.reaches(state, ++place);
    };
    for (std::size_t index = place; index < text.size; ++index) go(text[index]);
    for (Byte const byte : space_) go(byte);
    return {is_joined || units.may_reach(state, place), state};
}

}  // namespace bpe
