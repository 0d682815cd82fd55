// Escapes and sets.
#include <algorithm>

#include "bpe/unicode.hpp"
#include "parser.hpp"

namespace bpe::regex {

namespace {

bool is_digit(char32_t code) { return code >= '0' && code <= '9'; }

int digit_value(char32_t code) {
    if (is_digit(code)) return static_cast<int>(code - '0');
    if (code >= 'a' && code <= 'f') return static_cast<int>(code - 'a') + 10;
    if (code >= 'A' && code <= 'F') return static_cast<int>(code - 'A') + 10;
    return -1;
}

}  // namespace

char32_t Parser::hexadecimal(unsigned least, unsigned most) {
    char32_t value = 0;
    unsigned count = 0;
    for (; count < most && peek() != none && digit_value(peek()) >= 0; ++count, ++place_) value = value * 16 + static_cast<char32_t>(digit_value(peek()));
    if (count < least) wrong("too few hexadecimal digits");
    if (value > 0x10FFFF) wrong("a code point beyond U+10FFFF");
    return value;
}

// Reads an escape, after its backslash, that means a single character, and returns the character. `none`, with nothing read, for any other escape.
char32_t Parser::character_escape(bool in_set) {
    char32_t const letter = peek();
    ++place_;
    switch (letter) {
    case 'n': return '\n';
    case 'r': return '\r';
    case 't': return '\t';
    case 'f': return '\f';
    case 'v': return '\v';
    case 'a': return 7;
    case 'e': return 27;
    case 'x':
    case 'u':
    case 'U':
        if (take(U'{')) {
            char32_t const code = hexadecimal(1, 8);
            if (!take(U'}')) wrong("an unterminated code point");
            return code;
        }
        return letter == 'x' ? hexadecimal(2, 2) : letter == 'u' ? hexadecimal(4, 4) : hexadecimal(8, 8);
    case '0': {
        char32_t value = 0;
        for (int count = 0; count < 2 && peek() >= '0' && peek() <= '7'; ++count, ++place_) value = value * 8 + (peek() - '0');
        return value;
    }
    case 'b':
        if (in_set) return 8;
        break;
    default:
        if (letter != none && !(letter < 128 && (is_digit(letter) || (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z')))) return letter;
    }
    --place_;
    return none;
}

CharacterSet Parser::property(bool negated) {
    std::string name;
    if (take(U'{')) {
        while (!at_end() && peek() != '}') {
            if (peek() > 127) wrong("a property name that is not ASCII");
            name.push_back(static_cast<char>(peek()));
            ++place_;
        }
        if (!take(U'}')) wrong("an unterminated property name");
    } else {
        if (at_end() || peek() > 127) wrong("a property without a name");
        name.push_back(static_cast<char>(peek()));
        ++place_;
    }
    if (name.starts_with("^")) {
        negated = !negated;
        name.erase(0, 1);
    }
    CharacterSet set;
    if (!find_property(name, set) && !find_posix_class(name, false, set)) unsupported("the property " + name);
    if (negated) set.negate();
    return set;
}

// \s and its kind, and \p{..}; after the backslash.
bool Parser::class_escape(char32_t letter, CharacterSet& set) {
    switch (letter) {
    case 's':
    case 'S': set = white_space(); break;
    case 'd':
    case 'D': set = decimal_digits(); break;
    case 'w':
    case 'W': set = word_characters(); break;
    case 'h':
    case 'H':
        if (flavour_ == Flavour::regex) find_posix_class("blank", false, set);
        else find_posix_class("xdigit", true, set);
        break;
    case 'p': ++place_, set = property(false); return true;
    case 'P': ++place_, set = property(true); return true;
    default: return false;
    }
    ++place_;
    if (flags_.ascii) set.intersect({{0, 127}});
    if (letter < 'a') set.negate();
    return true;
}

NodePointer Parser::escape() {
    ++place_;
    if (at_end()) wrong("a backslash at the end");
    char32_t const letter = peek();
    CharacterSet set;
    if (class_escape(letter, set)) {
        if (flags_.ignore_case && (letter == 'p' || letter == 'P')) set.fold();
        return of_set(std::move(set));
    }
    switch (letter) {
    case 'A': return ++place_, make(Node::Kind::text_start);
    case 'z': return ++place_, make(Node::Kind::text_end);
    case 'Z': ++place_; return flavour_ == Flavour::regex ? make(Node::Kind::text_end) : end_or_last_newline();
    case 'b': return ++place_, word_boundary(false);
    case 'B': return ++place_, word_boundary(true);
    case 'N': {
        if (peek(1) == '{') unsupported("characters by name");
        ++place_;
        CharacterSet all = CharacterSet::everything();
        all.subtract({{'\n', '\n'}});
        return of_set(std::move(all));
    }
    case 'R': {
        // \r\n, or one of the ends of a line; which of them is chosen is never reconsidered.
        ++place_;
        NodePointer both = make(Node::Kind::sequence), either = make(Node::Kind::any_of), node = make(Node::Kind::atomic);
        both->children.push_back(of_set({{'\r', '\r'}}));
        both->children.push_back(of_set({{'\n', '\n'}}));
        either->children.push_back(std::move(both));
        either->children.push_back(of_set({{10, 13}, {0x85, 0x85}, {0x2028, 0x2029}}));
        node->children.push_back(std::move(either));
        return node;
    }
    case 'X': unsupported("\\X");
    case 'K': unsupported("\\K");
    case 'G': unsupported("\\G");
    case 'k':
    case 'g': unsupported("a back-reference");
    default: break;
    }
    if (is_digit(letter) && letter != '0') unsupported("a back-reference");
    char32_t const code = character_escape(false);
    if (code == none) wrong("an unknown escape");
    return literal(code);
}

bool Parser::posix_class(CharacterSet& set) {
    std::size_t const start = place_;
    if (!take("[:")) return false;
    bool const negated = take(U'^');
    std::string name;
    for (; peek() >= 'a' && peek() <= 'z'; ++place_) name.push_back(static_cast<char>(peek()));
    if (take(":]") && find_posix_class(name, flavour_ == Flavour::fancy || flags_.ascii, set)) {
        if (negated) set.negate();
        return true;
    }
    place_ = start;
    return false;
}

bool Parser::opens_nested_set() const { return flags_.nested_sets && peek() == '['; }

// One item of a set: true where it is a set of its own, false where it is the character `single`.
bool Parser::set_item(CharacterSet& set, char32_t& single) {
    if (peek() == '[' && posix_class(set)) return true;
    if (opens_nested_set()) {
        ++place_;
        set = set_body();
        return true;
    }
    if (peek() == '\\') {
        ++place_;
        if (at_end()) wrong("a backslash at the end");
        if (class_escape(peek(), set)) return true;
        single = character_escape(true);
        if (single == none) wrong("an unknown escape in a set");
        return false;
    }
    single = peek();
    ++place_;
    return false;
}

// After the opening bracket. Operators bind more loosely than the items beside each other, and are applied from left to right.
CharacterSet Parser::set_body() {
    if (++depth_ > deepest) unsupported("sets nest too deeply");
    bool const negated = take(U'^');
    enum { unite, intersect, subtract, differ } operation = unite;
    CharacterSet result, part;
    auto const apply = [&] {
        if (operation == unite) result.add(part);
        if (operation == intersect) result.intersect(part);
        if (operation == subtract) result.subtract(part);
        if (operation == differ) {
            CharacterSet common = result;
            common.intersect(part);
            result.add(part);
            result.subtract(common);
        }
        part = CharacterSet();
    };
    for (bool first = true;; first = false) {
        if (at_end()) wrong("an unclosed set");
        if (peek() == ']' && !first) break;
        if (flags_.extended && flavour_ == Flavour::fancy && peek() == ' ') {
            ++place_;
            continue;
        }
        if (flags_.nested_sets && !first) {
            bool const more = flavour_ != Flavour::oniguruma;
            auto const found = take("&&") ? 1 : more && take("--") ? 2 : more && take("~~") ? 3 : more && flavour_ == Flavour::regex && take("||") ? 4 : 0;
            if (found) {
                apply();
                operation = found == 1 ? intersect : found == 2 ? subtract : found == 3 ? differ : unite;
                continue;
            }
        }
        CharacterSet set;
        char32_t low = 0, high = 0;
        if (set_item(set, low)) {
            part.add(set);
            continue;
        }
        bool const is_range = peek() == '-' && peek(1) != ']' && peek(1) != none && !(flags_.nested_sets && (peek(1) == '-' || peek(1) == '['));
        if (!is_range) {
            part.add(low, low);
            continue;
        }
        ++place_;
        if (set_item(set, high)) {
            // [a-\d]: the hyphen is itself.
            part.add(low, low);
            part.add('-', '-');
            part.add(set);
            continue;
        }
        if (high < low) wrong("a range in descending order");
        part.add(low, high);
    }
    ++place_;
    apply();
    if (flags_.ignore_case) result.fold();
    if (negated) result.negate();
    --depth_;
    return result;
}

}  // namespace bpe::regex
