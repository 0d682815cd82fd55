// Names of properties -> sets of characters, from the tables of Unicode 16.
#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <string>

#include "bpe/regex/character_set.hpp"

namespace bpe::regex {

namespace {

enum Category : std::uint8_t {
    category_Lu,
    category_Ll,
    category_Lt,
    category_Lm,
    category_Lo,
    category_Mn,
    category_Mc,
    category_Me,
    category_Nd,
    category_Nl,
    category_No,
    category_Pc,
    category_Pd,
    category_Ps,
    category_Pe,
    category_Pi,
    category_Pf,
    category_Po,
    category_Sm,
    category_Sc,
    category_Sk,
    category_So,
    category_Zs,
    category_Zl,
    category_Zp,
    category_Cc,
    category_Cf,
    category_Cs,
    category_Co,
    category_Cn,
};

struct CategoryName {
    std::string_view code, name;  // as find_property() compares: small letters alone
    std::uint32_t categories;     // a bit each
};

struct CategoryRange {
    char32_t first;
    Category category;
};

struct ScriptRange {
    char32_t first;
    std::uint8_t script;
};

struct ScriptName {
    const char *code, *name;
};

#include "unicode_16.inc"

constexpr std::uint32_t bits(Category first, Category last) { return (2u << last) - (1u << first); }

constexpr CategoryName category_names[] = {
    {"l", "letter", bits(category_Lu, category_Lo)},
    {"m", "mark", bits(category_Mn, category_Me)},
    {"n", "number", bits(category_Nd, category_No)},
    {"p", "punctuation", bits(category_Pc, category_Po)},
    {"s", "symbol", bits(category_Sm, category_So)},
    {"z", "separator", bits(category_Zs, category_Zp)},
    {"c", "other", bits(category_Cc, category_Cn)},
    {"lc", "casedletter", bits(category_Lu, category_Lt)},
    {"l&", "", bits(category_Lu, category_Lt)},
    {"lu", "uppercaseletter", 1u << category_Lu},
    {"ll", "lowercaseletter", 1u << category_Ll},
    {"lt", "titlecaseletter", 1u << category_Lt},
    {"lm", "modifierletter", 1u << category_Lm},
    {"lo", "otherletter", 1u << category_Lo},
    {"mn", "nonspacingmark", 1u << category_Mn},
    {"mc", "spacingmark", 1u << category_Mc},
    {"me", "enclosingmark", 1u << category_Me},
    {"nd", "decimalnumber", 1u << category_Nd},
    {"nl", "letternumber", 1u << category_Nl},
    {"no", "othernumber", 1u << category_No},
    {"pc", "connectorpunctuation", 1u << category_Pc},
    {"pd", "dashpunctuation", 1u << category_Pd},
    {"ps", "openpunctuation", 1u << category_Ps},
    {"pe", "closepunctuation", 1u << category_Pe},
    {"pi", "initialpunctuation", 1u << category_Pi},
    {"pf", "finalpunctuation", 1u << category_Pf},
    {"po", "otherpunctuation", 1u << category_Po},
    {"sm", "mathsymbol", 1u << category_Sm},
    {"sc", "currencysymbol", 1u << category_Sc},
    {"sk", "modifiersymbol", 1u << category_Sk},
    {"so", "othersymbol", 1u << category_So},
    {"zs", "spaceseparator", 1u << category_Zs},
    {"zl", "lineseparator", 1u << category_Zl},
    {"zp", "paragraphseparator", 1u << category_Zp},
    {"cc", "control", 1u << category_Cc},
    {"cf", "format", 1u << category_Cf},
    {"cs", "surrogate", 1u << category_Cs},
    {"co", "privateuse", 1u << category_Co},
    {"cn", "unassigned", 1u << category_Cn},
};

template <class Ranges, class Chosen>
CharacterSet chosen_ranges(const Ranges& ranges, Chosen&& chosen) {
    CharacterSet set;
    for (std::size_t index = 0; index < std::size(ranges); ++index)
        if (chosen(ranges[index])) set.add(ranges[index].first, index + 1 < std::size(ranges) ? ranges[index + 1].first - 1 : 0x10FFFF);
    return set;
}

CharacterSet of_categories(std::uint32_t wanted) {
    return chosen_ranges(category_ranges, [wanted](const CategoryRange& range) { return (wanted >> range.category & 1) != 0; });
}

template <std::size_t size>
CharacterSet from_switches(const char32_t (&switches)[size]) {
    static_assert(size % 2 == 0);
    CharacterSet set;
    for (std::size_t index = 0; index < size; index += 2) set.add(switches[index], switches[index + 1] - 1);
    return set;
}

std::string comparable(std::string_view name) {
    std::string made;
    for (char const letter : name) {
        if (letter == ' ' || letter == '_' || letter == '-') continue;
        made.push_back(letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter + 32) : letter);
    }
    return made;
}

bool find_category(std::string_view name, CharacterSet& set) {
    for (CategoryName const& category : category_names)
        if (name == category.code || (!category.name.empty() && name == category.name)) return set = of_categories(category.categories), true;
    return false;
}

bool find_script(std::string_view name, CharacterSet& set) {
    for (std::size_t index = 0; index < std::size(script_names); ++index)
        if (name == comparable(script_names[index].code) || name == comparable(script_names[index].name)) {
            set = chosen_ranges(script_ranges, [index](const ScriptRange& range) { return range.script == index; });
            return true;
        }
    return false;
}

bool find_binary(std::string_view name, CharacterSet& set) {
    if (name == "any") set = {{0, 0x10FFFF}};
    else if (name == "assigned") set = of_categories(bits(category_Lu, category_Co));
    else if (name == "ascii") set = {{0, 127}};
    else if (name == "alphabetic" || name == "alpha") set = from_switches(alphabetic_switches);
    else if (name == "lowercase" || name == "lower") set = from_switches(lowercase_switches);
    else if (name == "uppercase" || name == "upper") set = from_switches(uppercase_switches);
    else if (name == "whitespace" || name == "wspace" || name == "space") set = white_space();
    else return false;
    return true;
}

}  // namespace

CharacterSet white_space() {
    return {{9, 13},          {0x20, 0x20},     {0x85, 0x85},     {0xA0, 0xA0},     {0x1680, 0x1680},
            {0x2000, 0x200A}, {0x2028, 0x2029}, {0x202F, 0x202F}, {0x205F, 0x205F}, {0x3000, 0x3000}};
}

CharacterSet decimal_digits() { return of_categories(1u << category_Nd); }

CharacterSet word_characters() {
    CharacterSet set = from_switches(alphabetic_switches);
    set.add(of_categories(bits(category_Mn, category_Me) | 1u << category_Nd | 1u << category_Pc));
    set.add(0x200C, 0x200D);
    return set;
}

bool find_property(std::string_view name, CharacterSet& set) {
    std::size_t const equals = name.find_first_of("=:");
    if (equals != std::string_view::npos) {
        std::string const key = comparable(name.substr(0, equals)), value = comparable(name.substr(equals + 1));
        if (key == "script" || key == "sc") return find_script(value, set);
        if (key == "generalcategory" || key == "gc" || key == "category") return find_category(value, set);
        return false;
    }
    std::string key = comparable(name);
    if (find_category(key, set) || find_binary(key, set) || find_script(key, set)) return true;
    return key.starts_with("is") && (find_category(key.substr(2), set) || find_binary(key.substr(2), set) || find_script(key.substr(2), set));
}

bool find_posix_class(std::string_view name, bool ascii, CharacterSet& set) {
    constexpr std::uint32_t symbols = bits(category_Sm, category_So);
    if (name == "alpha" || name == "lower" || name == "upper" || name == "ascii") {
        find_binary(name, set);
    } else if (name == "digit") {
        // In every flavour, whatever its \d is.
        set = decimal_digits();
    } else if (name == "alnum") {
        set = from_switches(alphabetic_switches);
        set.add(decimal_digits());
    } else if (name == "space") {
        set = white_space();
    } else if (name == "blank") {
        set = of_categories(1u << category_Zs);
        set.add('\t', '\t');
    } else if (name == "cntrl") {
        set = of_categories(1u << category_Cc);
    } else if (name == "graph") {
        set = of_categories(bits(category_Lu, category_So) | 1u << category_Cf | 1u << category_Co);
    } else if (name == "print") {
        set = of_categories(bits(category_Lu, category_Zs) | 1u << category_Cf | 1u << category_Co);
    } else if (name == "punct") {
        set = of_categories(bits(category_Pc, category_Po) | symbols);
        set.subtract(from_switches(alphabetic_switches));
    } else if (name == "xdigit") {
        set = {{'0', '9'}, {'A', 'F'}, {'a', 'f'}};
    } else if (name == "word") {
        set = word_characters();
    } else {
        return false;
    }
    if (ascii) set.intersect({{0, 127}});
    return true;
}

void CharacterSet::fold() {
    CharacterSet more;
    for (std::size_t start = 0; start < std::size(fold_groups);) {
        std::size_t end = start;
        bool any = false;
        for (; fold_groups[end] != 0; ++end) any = any || contains(fold_groups[end]);
        for (std::size_t index = start; any && index < end; ++index) more.add(fold_groups[index], fold_groups[index]);
        start = end + 1;
    }
    add(more);
}

}  // namespace bpe::regex
