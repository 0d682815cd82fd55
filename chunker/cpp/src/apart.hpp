// Boundaries that two neighbouring characters prove, whatever is around them. Most can be found so, without the rules of break_reader.hpp.
#pragma once

#include "chunker/break_classes.hpp"

namespace chunker {

// Whether a grapheme cluster surely ends between two characters. False does not prove the opposite.
class ClustersApart {
public:
    bool operator()(char32_t before, char32_t after) const {
        return classes_[before].tells(ends_cluster) && classes_[after].tells(begins_cluster) && !(before == '\r' && after == '\n');
    }

private:
    const BreakClasses& classes_ = break_classes();
};

// Whether a word surely ends there, and with it a cluster. False does not prove the opposite.
class WordsApart {
public:
    bool operator()(char32_t before, char32_t after) const {
        BreakClass const& first = classes_[before];
        if (!first.tells(ends_word)) return false;
        BreakClass const& second = classes_[after];
        return second.tells(begins_word) && !(first.unspaced && second.unspaced) && !(before == '\r' && after == '\n');
    }

private:
    const BreakClasses& classes_ = break_classes();
};

}  // namespace chunker
