// The reader of a text by the rules of Unicode Standard Annex 29, for segmentation.cpp and sentences.cpp.
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

}  // namespace chunker
