// The beginnings of Markdown lines. Each function looks at one line, once.
#pragma once

#include <cstddef>
#include <string_view>

namespace chunker::markdown {

// The white space at the start of a line, tabs reaching to the next multiple of four.
struct Indent {
    std::size_t characters = 0;
    std::size_t columns = 0;
    bool tabs = false;
};
Indent indent_of(std::string_view line);

bool is_blank(std::string_view line);

// "## Heading" -> 2; 0 for any other line.
int heading_level(std::string_view line);

// "===" -> 1, "---" -> 2; 0 if it does not underline a heading.
int underline_level(std::string_view line);

// "* * *"
bool is_rule(std::string_view line);

// "````python" -> 4; 0 if no fence begins. And whether the line closes a fence of `length` marks.
std::size_t fence_length(std::string_view line);
bool closes_fence(std::string_view line, char mark, std::size_t length);

// "12) text" -> kind ')', length 3, number "12"; kind 0 if it is no item. `pad`: the spaces after it; `empty`: nothing else is.
struct ItemMark {
    char kind = 0;
    std::size_t length = 0;
    std::size_t pad = 0;
    bool empty = false;
    bool one = true;   // a bullet, or the number 1
    bool tab = false;  // after it
};
ItemMark item_mark(std::string_view line);

// The kinds of blocks that a line with a "<" begins.
enum class Html {
    none,
    comment,
    block,      // ends at a blank line, and ends a paragraph
    alone,      // a complete tag on a line of its own: ends at a blank line, but does not end a paragraph
    uncertain,  // begins what has an end of its own, or does not end with this line
};
Html html_of(std::string_view line);

// Whether a line has nothing but what the second line of a table has.
bool could_delimit(std::string_view line);
// Whether it is that of a table, and how many cells such a line has: "| a | b \| c |" -> 2. 0 where a backslash escapes the line end.
bool is_delimiter(std::string_view line);
std::size_t cells(std::string_view line);

// "[label]: address", and nothing else.
bool is_plain_definition(std::string_view line);
// Whether "[..." might be a link definition.
bool could_define(std::string_view line);

}  // namespace chunker::markdown
