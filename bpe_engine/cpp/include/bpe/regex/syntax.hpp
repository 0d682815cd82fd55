// The source of a regular expression -> a tree.
//
//     "'s|\\p{L}+(?!\\d)"   ->   Any of( Sequence( Set('), Set(s) ), Sequence( Repeat 1.. ( Set(L) ), Look ahead not( Set(Nd) ) ) )
//
// Everything that matches one character is a Set, in which ignored case is already folded. Flags, groups and group names leave no nodes.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "bpe/regex/character_set.hpp"
#include "bpe/regex/errors.hpp"

namespace bpe::regex {

// The dialect of an expression, for syntax whose meaning differs.
enum class Flavour {
    regex,      // the package `regex` of Python: nested sets only after (?V1); `$` also before a last newline
    fancy,      // fancy-regex, of tiktoken: nested sets; `$` only at the end; [[:alpha:]] is ASCII
    oniguruma,  // of Hugging Face tokenizers: nested sets; `^` and `$` at every line; (?m) lets `.` match newlines
};

struct Node;
using NodePointer = std::unique_ptr<Node>;

struct Node {
    enum class Kind {
        sequence,     // children one after the other; none: the empty match
        any_of,       // the first child that leads to a match
        set,          // one character
        repeat,       // children[0], at least `least` and at most `most` times
        atomic,       // children[0], whose first match is the only one
        look_ahead,   // children[0] matches the following text; `negated`: it does not
        look_behind,  // a character of `set` comes before; `negated`: none does, also at the start of the text
        text_start,   // of the region
        text_end,
        word_boundary,  // between a character of `set` and any other; `negated`: elsewhere
    };
    enum class Mode { greedy, lazy, possessive };
    static constexpr unsigned unlimited = ~0u;

    Kind kind = Kind::sequence;
    Mode mode = Mode::greedy;
    bool negated = false;
    unsigned least = 0, most = 0;
    CharacterSet set;
    std::vector<NodePointer> children;

    Node() = default;
    explicit Node(Kind made) : kind(made) {}
};

// Throws PatternSyntax and UnsupportedPattern.
NodePointer parse(std::string_view source, Flavour flavour);

}  // namespace bpe::regex
