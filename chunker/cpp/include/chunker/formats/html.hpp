// HTML: what chunker/formats/markup/html_reader.py and html_tags.py say, which are the specification.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "chunker/formats/markup.hpp"

namespace chunker::formats {

// An element that means something for blocks: chunker/formats/markup/html_tags.py says what.
struct Element {
    std::string name;
    std::string label;  // of a boundary before it
    bool is_block = false, is_void = false, is_raw = false, is_table_part = false, is_barrier = false, ends_section = false;
    bool is_kept_whole = false;      // what has its label
    bool is_in_headings = false;     // it does not end a heading without an end tag
    std::vector<std::string> ended;  // names of the open elements that it ends

    int heading_level() const { return name.size() == 2 && name[0] == 'h' && name[1] >= '1' && name[1] <= '6' ? name[1] - '0' : 0; }
};

// All of them, by their numbers. Others are part of the text.
class Elements {
public:
    static constexpr std::size_t unknown = static_cast<std::size_t>(-1);

    explicit Elements(std::vector<Element> elements);

    // The number of an element, by its name in lower case.
    std::size_t number_of(std::string_view name) const;
    // The same of one that must be there; throws std::invalid_argument if it is not.
    std::size_t needed(std::string_view name) const;
    const Element& operator[](std::size_t number) const { return elements_[number]; }
    std::size_t size() const { return elements_.size(); }
    // Whether `one` ends `other` where that is open.
    bool ends(std::size_t one, std::size_t other) const { return ended_[one * elements_.size() + other]; }

private:
    std::vector<Element> elements_;
    std::unordered_map<std::string_view, std::size_t> numbers_;
    std::vector<bool> ended_;
};

// The states of a reader at the offsets where reading can resume: chunker/formats/markup/html_restarts.py. Numbers of elements and
// sections; `none` for no number.
struct HtmlStates {
    struct Place {
        std::size_t offset, element, section;
    };
    // `start` to `end`: of a table with a header, up to the row after it; `closing` are the tags that close what is open there.
    struct OpenElement {
        std::size_t parent;
        std::string name;
        std::size_t start = 0, end = 0;
        std::string closing = {};
    };
    // `start` to `end`: of the title. `depth`: the elements around the heading, of those that end sections.
    struct OpenSection {
        std::size_t parent, depth;
        int level;
        std::size_t start = 0, end = 0;
    };

    std::vector<Place> places;
    std::vector<OpenElement> elements;
    std::vector<OpenSection> sections;
};

// `code_inside`: of scripts and style sheets; their tag tells the language.
MarkupOutline read_html(Text text, const Elements& elements, const CodeInside& code_inside);
HtmlStates html_states(Text text, const Elements& elements);

}  // namespace chunker::formats
