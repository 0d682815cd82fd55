// What reads a text rule by rule to find where its clusters, words and sentences end, and what two characters alone tell of that.
#pragma once

#include <cstddef>

#include "chunker/break_classes.hpp"
#include "chunker/segmentation.hpp"

namespace chunker {

using GCB = ClusterBreak;
using WB = WordBreak;
using SB = SentenceBreak;
using InCB = ConjunctBreak;

// Reads a text rule by rule. `at` is where it stands; what is after the end has the class of none.
class BreakReader {
public:
    explicit BreakReader(Characters text, std::size_t start = 0) : at(start), text_(text) {}

    bool is_done() const { return at >= text_.size(); }
    char32_t character(std::size_t place) const { return text_[place]; }
    const BreakClass& class_of(std::size_t place) const { return classes_[text_[place]]; }
    template <class Test>
    bool ahead(Test test) const {
        return at < text_.size() && test(classes_[text_[at]]);
    }
    template <class Test>
    bool skip(Test test) {
        std::size_t const start = at;
        while (ahead(test)) ++at;
        return at > start;
    }
    template <class Test>
    bool take(Test test) {
        if (!ahead(test)) return false;
        ++at;
        return true;
    }

    std::size_t at;

protected:
    Characters text_;
    const BreakClasses& classes_ = break_classes();
};

template <auto field, auto... values>
bool is_any_of(const BreakClass& found) {
    return ((found.*field == values) || ...);
}

template <GCB... values>
constexpr auto cluster = is_any_of<&BreakClass::cluster, values...>;

// Whether two characters alone prove that a grapheme cluster ends between them, and whether a word does, too. False does not prove the opposite.
class ClustersApart {
public:
    bool operator()(char32_t before, char32_t after) const {
        return classes_[before].tells(ends_cluster) && classes_[after].tells(begins_cluster) && !(before == '\r' && after == '\n');
    }

private:
    const BreakClasses& classes_ = break_classes();
};

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
