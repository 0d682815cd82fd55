// A recursive-descent parser; groups and sets nest at most `deepest` times, so its own stack is bounded.
#pragma once

#include <string>

#include "bpe/regex/syntax.hpp"

namespace bpe::regex {

struct ParserFlags {
    bool ignore_case = false, dot_all = false, multiline = false, extended = false, nested_sets = false, ascii = false;
};

class Parser {
public:
    Parser(std::string_view source, Flavour flavour);
    NodePointer whole();

private:
    static constexpr unsigned deepest = 200;
    static constexpr char32_t none = 0xFFFFFFFF;  // beyond the end

    // --- the source (parser.cpp)
    char32_t peek(std::size_t ahead = 0) const { return place_ + ahead < codes_.size() ? codes_[place_ + ahead] : none; }
    bool at_end() const { return place_ >= codes_.size(); }
    bool take(char32_t code) { return peek() == code && (++place_, true); }
    bool take(const char* text);
    [[noreturn]] void wrong(const std::string& message) const;
    [[noreturn]] void unsupported(const std::string& reason) const;
    std::size_t offset() const { return offsets_[place_]; }

    // --- expressions (parser.cpp)
    NodePointer alternatives();
    NodePointer sequence();
    NodePointer quantified();
    bool quantifier(unsigned& least, unsigned& most);
    bool number(unsigned& value);
    NodePointer atom();
    NodePointer group();
    NodePointer flags_group();
    NodePointer look(bool looks_behind, bool negated);
    NodePointer dot() const;
    NodePointer line_start() const;
    NodePointer line_end() const;
    NodePointer end_or_last_newline() const;
    NodePointer word_boundary(bool negated) const;
    NodePointer literal(char32_t code) const;
    NodePointer of_set(CharacterSet set) const;
    void skip_ignored();
    void skip_to_group_end();

    // --- escapes and sets (set_parser.cpp)
    NodePointer escape();
    bool class_escape(char32_t letter, CharacterSet& set);
    char32_t character_escape(bool in_set);
    char32_t hexadecimal(unsigned least, unsigned most);
    CharacterSet property(bool negated);
    CharacterSet set_body();
    bool set_item(CharacterSet& set, char32_t& single);
    bool posix_class(CharacterSet& set);
    bool opens_nested_set() const;

    std::u32string codes_;
    std::vector<std::size_t> offsets_;  // bytes: where each code begins, and the end
    std::size_t place_ = 0;
    unsigned depth_ = 0;
    Flavour flavour_;
    ParserFlags flags_;
};

inline NodePointer make(Node::Kind kind) { return std::make_unique<Node>(kind); }

}  // namespace bpe::regex
