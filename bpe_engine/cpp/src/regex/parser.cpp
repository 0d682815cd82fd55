#include "parser.hpp"

#include <cstring>

#include "bpe/unicode.hpp"

namespace bpe::regex {

namespace {

bool is_letter(char32_t code) { return (code >= 'a' && code <= 'z') || (code >= 'A' && code <= 'Z'); }
bool is_digit(char32_t code) { return code >= '0' && code <= '9'; }

NodePointer look_ahead_of(CharacterSet set, bool negated) {
    NodePointer node = make(Node::Kind::look_ahead);
    node->negated = negated;
    node->children.push_back(make(Node::Kind::set));
    node->children[0]->set = std::move(set);
    return node;
}

NodePointer any_of(NodePointer first, NodePointer second) {
    NodePointer node = make(Node::Kind::any_of);
    node->children.push_back(std::move(first));
    node->children.push_back(std::move(second));
    return node;
}

// The number of characters of every match of an expression; false if it varies or is not simple.
bool single_set(const Node& node, CharacterSet& set) {
    if (node.kind == Node::Kind::set) return set.add(node.set), true;
    if (node.kind == Node::Kind::sequence) return node.children.size() == 1 && single_set(*node.children[0], set);
    if (node.kind != Node::Kind::any_of) return false;
    for (NodePointer const& child : node.children)
        if (!single_set(*child, set)) return false;
    return !node.children.empty();
}

}  // namespace

Parser::Parser(std::string_view source, Flavour flavour) : flavour_(flavour) {
    flags_.nested_sets = flavour != Flavour::regex;
    flags_.multiline = flavour == Flavour::oniguruma;
    UnicodeTable const& table = UnicodeTable::instance();
    auto const* const bytes = reinterpret_cast<const Byte*>(source.data());
    for (std::size_t offset = 0; offset < source.size();) {
        Character const character = table.at(bytes, offset, source.size());
        if (character.code > 0x10FFFF) throw PatternSyntax("the pattern is not UTF-8", offset);
        codes_.push_back(character.code);
        offsets_.push_back(offset);
        offset += character.size;
    }
    offsets_.push_back(source.size());
}

void Parser::wrong(const std::string& message) const { throw PatternSyntax(message, offset()); }

void Parser::unsupported(const std::string& reason) const {
    throw UnsupportedPattern(reason + " (at byte offset " + std::to_string(offset()) + " of the pattern)");
}

bool Parser::take(const char* text) {
    std::size_t const size = std::strlen(text);
    for (std::size_t index = 0; index < size; ++index)
        if (peek(index) != static_cast<unsigned char>(text[index])) return false;
    place_ += size;
    return true;
}

NodePointer Parser::whole() {
    NodePointer node = alternatives();
    if (!at_end()) wrong("an unmatched closing parenthesis");
    return node;
}

void Parser::skip_ignored() {
    while (!at_end()) {
        if (peek() == '(' && peek(1) == '?' && peek(2) == '#') {
            skip_to_group_end();
        } else if (flags_.extended && (peek() == ' ' || (peek() >= 9 && peek() <= 13))) {
            ++place_;
        } else if (flags_.extended && peek() == '#') {
            while (!at_end() && peek() != '\n') ++place_;
        } else {
            return;
        }
    }
}

void Parser::skip_to_group_end() {
    while (!at_end() && peek() != ')') ++place_;
    if (!take(U')')) wrong("an unterminated comment");
}

NodePointer Parser::alternatives() {
    if (++depth_ > deepest) unsupported("groups nest too deeply");
    ParserFlags const outside = flags_;
    NodePointer first = sequence();
    if (peek() == '|') {
        NodePointer node = make(Node::Kind::any_of);
        node->children.push_back(std::move(first));
        while (take(U'|')) node->children.push_back(sequence());
        first = std::move(node);
    }
    flags_ = outside;
    --depth_;
    return first;
}

NodePointer Parser::sequence() {
    NodePointer node = make(Node::Kind::sequence);
    for (skip_ignored(); !at_end() && peek() != '|' && peek() != ')'; skip_ignored()) {
        NodePointer part = quantified();
        if (part) node->children.push_back(std::move(part));
    }
    if (node->children.size() == 1) return std::move(node->children[0]);
    return node;
}

bool Parser::number(unsigned& value) {
    if (!is_digit(peek())) return false;
    for (value = 0; is_digit(peek()); ++place_) {
        value = value * 10 + static_cast<unsigned>(peek() - '0');
        if (value > 100000) unsupported("a count of repetitions above 100000");
    }
    return true;
}

// {n} {n,} {,m} {n,m}; anything else in braces is literal.
bool Parser::quantifier(unsigned& least, unsigned& most) {
    if (take(U'*')) return least = 0, most = Node::unlimited, true;
    if (take(U'+')) return least = 1, most = Node::unlimited, true;
    if (take(U'?')) return least = 0, most = 1, true;
    if (peek() != '{') return false;
    std::size_t const start = place_++;
    least = 0;
    most = Node::unlimited;
    bool const has_least = number(least);
    if (take(U',')) {
        bool const has_most = number(most);
        if ((has_least || has_most) && take(U'}')) {
            if (has_most && most < least) wrong("a repetition whose minimum is above its maximum");
            return true;
        }
    } else if (has_least && take(U'}')) {
        most = least;
        return true;
    }
    place_ = start;
    return false;
}

NodePointer Parser::quantified() {
    NodePointer node = atom();
    for (unsigned times = 0;; ++times) {
        skip_ignored();
        unsigned least = 0, most = 0;
        bool const braces = peek() == '{';
        if (!quantifier(least, most)) return node;
        if (!node) wrong("nothing to repeat");
        if (times > 0 && flavour_ == Flavour::regex) wrong("a quantifier of a quantifier");
        if (times > 20) unsupported("quantifiers nest too deeply");
        NodePointer repeat = make(Node::Kind::repeat);
        repeat->least = least;
        repeat->most = most;
        if (take(U'?')) repeat->mode = Node::Mode::lazy;
        else if (!(braces && flavour_ == Flavour::oniguruma) && take(U'+'))  // there x{1,3}+ is (x{1,3})+
            repeat->mode = Node::Mode::possessive;
        repeat->children.push_back(std::move(node));
        node = std::move(repeat);
    }
}

NodePointer Parser::of_set(CharacterSet set) const {
    NodePointer node = make(Node::Kind::set);
    node->set = std::move(set);
    return node;
}

NodePointer Parser::literal(char32_t code) const {
    CharacterSet set{{code, code}};
    if (flags_.ignore_case) set.fold();
    return of_set(std::move(set));
}

NodePointer Parser::dot() const {
    CharacterSet set = CharacterSet::everything();
    if (!flags_.dot_all) set.subtract({{'\n', '\n'}});
    return of_set(std::move(set));
}

NodePointer Parser::line_start() const {
    NodePointer start = make(Node::Kind::text_start);
    if (!flags_.multiline) return start;
    NodePointer before = make(Node::Kind::look_behind);
    before->set = {{'\n', '\n'}};
    return any_of(std::move(start), std::move(before));
}

NodePointer Parser::end_or_last_newline() const {
    NodePointer ahead = make(Node::Kind::look_ahead);
    NodePointer last = make(Node::Kind::sequence);
    last->children.push_back(of_set({{'\n', '\n'}}));
    last->children.push_back(make(Node::Kind::text_end));
    ahead->children.push_back(std::move(last));
    return any_of(make(Node::Kind::text_end), std::move(ahead));
}

NodePointer Parser::line_end() const {
    if (flags_.multiline) return any_of(make(Node::Kind::text_end), look_ahead_of({{'\n', '\n'}}, false));
    return flavour_ == Flavour::regex ? end_or_last_newline() : make(Node::Kind::text_end);
}

NodePointer Parser::word_boundary(bool negated) const {
    NodePointer node = make(Node::Kind::word_boundary);
    node->negated = negated;
    node->set = word_characters();
    return node;
}

// Null for what matches nothing by itself, such as (?i).
NodePointer Parser::atom() {
    char32_t const code = peek();
    switch (code) {
    case '(': return group();
    case '[': {
        ++place_;
        return of_set(set_body());
    }
    case '\\': return escape();
    case '.': return ++place_, dot();
    case '^': return ++place_, line_start();
    case '$': return ++place_, line_end();
    case '*':
    case '+':
    case '?': wrong("nothing to repeat");
    default: return ++place_, literal(code);
    }
}

NodePointer Parser::look(bool looks_behind, bool negated) {
    NodePointer body = alternatives();
    if (!take(U')')) wrong("an unclosed group");
    NodePointer node = make(looks_behind ? Node::Kind::look_behind : Node::Kind::look_ahead);
    node->negated = negated;
    if (looks_behind) {
        if (!single_set(*body, node->set)) unsupported("a look-behind at anything but one character");
    } else {
        node->children.push_back(std::move(body));
    }
    return node;
}

NodePointer Parser::group() {
    ++place_;
    bool atomic = false;
    if (take("?")) {
        if (take("=")) return look(false, false);
        if (take("!")) return look(false, true);
        if (take("<=")) return look(true, false);
        if (take("<!")) return look(true, true);
        if (take(">")) {
            atomic = true;
        } else if (take(":")) {
        } else if (take("P=") || take("P>") || take("&")) {
            unsupported("a back-reference or a call of a group");
        } else if (peek() == '(') {
            unsupported("a condition");
        } else if (peek() == '|') {
            unsupported("a branch reset");
        } else if (peek() == 'R' || is_digit(peek())) {
            unsupported("recursion");
        } else if (peek() == '<' || (peek() == 'P' && peek(1) == '<') || peek() == '\'') {
            char32_t const close = peek() == '\'' ? U'\'' : U'>';
            place_ += peek() == 'P' ? 2 : 1;
            while (!at_end() && peek() != close) ++place_;
            if (!take(close)) wrong("an unterminated group name");
        } else {
            return flags_group();
        }
    } else if (take("*")) {
        unsupported("a verb");
    }
    NodePointer body = alternatives();
    if (!take(U')')) wrong("an unclosed group");
    // A quantifier of the group has to see one node, and not the last of several.
    if (!atomic) return body;
    NodePointer node = make(Node::Kind::atomic);
    node->children.push_back(std::move(body));
    return node;
}

NodePointer Parser::flags_group() {
    ParserFlags const before = flags_;
    bool on = true;
    for (;; ++place_) {
        char32_t const letter = peek();
        switch (letter) {
        case '-': on = false; continue;
        case 'i': flags_.ignore_case = on; continue;
        case 's': flags_.dot_all = on; continue;
        case 'x': flags_.extended = on; continue;
        case 'm': (flavour_ == Flavour::oniguruma ? flags_.dot_all : flags_.multiline) = on; continue;
        case 'a': flags_.ascii = on; continue;
        case 'u':
        case 'w':
        case 'f': continue;  // the default
        case 'V':
            if (flavour_ != Flavour::regex || (peek(1) != '0' && peek(1) != '1')) break;
            ++place_;
            flags_.nested_sets = peek() == '1';
            continue;
        default: break;
        }
        break;
    }
    if (take(U')')) return nullptr;  // up to the end of the group around it
    if (!take(U':')) {
        if (is_letter(peek())) unsupported("the flag " + std::string(1, static_cast<char>(peek())));
        wrong("an unknown kind of group");
    }
    NodePointer body = alternatives();
    if (!take(U')')) wrong("an unclosed group");
    flags_ = before;
    return body;
}

NodePointer parse(std::string_view source, Flavour flavour) { return Parser(source, flavour).whole(); }

}  // namespace bpe::regex
