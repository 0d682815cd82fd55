// The blocks of Markdown, line by line, where they are certain.
//
//     - one           opens a list and an item; a paragraph is open
//       goes on       is inside the item: the paragraph goes on
//     lazy            is not, but goes on as well
//                     ends the paragraph
//       - two         opens a list inside the item
//     [^1]: note      uncertain: all since "- one" is taken back, and told by whoever can be sure
//
// The rules are those of CommonMark's appendix on parsing: each line first goes on with the open quotes and items, then may begin blocks, and
// what is left is text. What depends on more than that (footnotes, most tables and definitions, tabs inside of lists, HTML with an end of its
// own, what has no end) is left to a parser.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "chunker/markdown_lines.hpp"
#include "chunker/markdown_sketch.hpp"

namespace chunker::markdown {

class Blocks {
public:
    // Lives no longer than `sketch`.
    explicit Blocks(Sketch& sketch) : sketch_(sketch), copy_(sketch.copy()), checkpoint_(sketch.mark()) {}

    // Tells the sketch about the blocks from `start` on, which is the start of a line and of a block, up to where one begins that is not
    // certain: its offset, which is the size of the copy if there is none. Linear, if the next call begins after what was uncertain.
    std::size_t read(std::size_t start);

private:
    enum class Kind : unsigned char { quote, list, item };
    struct Container {
        Kind kind;
        char mark = 0;           // of the items of a list
        std::size_t column = 0;  // where the content of an item begins, relative to that of the container around it
        bool empty = false;      // an item in which there is nothing yet
    };
    enum class Leaf : unsigned char { none, paragraph, fence, indented, comment, html };
    // The outcome of a rule for a line, or for a part of it.
    enum class Step : unsigned char { done, next, text, uncertain };

    void begin_line();
    Step match_containers();
    Step continue_leaf();
    Step begin_blocks();
    Step begin_block(std::string_view rest, std::size_t columns);
    Step begin_quote();
    Step begin_item(const ItemMark& mark, std::size_t columns);
    Step begin_html(std::string_view rest);
    Step blank();
    Step text(std::string_view rest);

    // Blocks of more than one line at the margin (markdown_margin.cpp). Step::text: there is none.
    Step begin_at_margin();
    Step table();
    Step math();
    Step definitions();
    bool blank_before() const;
    bool blank_or_end(std::size_t at) const;
    std::size_t end_of_line(std::size_t at) const;

    void begin_leaf(Leaf leaf);
    void end_leaf();
    void close_unmatched(char item_mark = 0);
    void close_to(std::size_t depth);
    void check_point(std::size_t at);
    std::size_t give_back();

    Sketch& sketch_;
    std::string_view copy_;
    std::vector<Container> open_;
    Leaf leaf_ = Leaf::none;
    std::size_t leaf_start_ = 0;  // its first line
    std::size_t leaf_end_ = 0;    // after its last line so far
    bool has_bar_ = false;        // the last line of the paragraph, which then may be the header of a table
    char fence_mark_ = 0;
    std::size_t fence_length_ = 0;

    std::size_t start_ = 0;    // of the line
    std::size_t end_ = 0;      // without its line feed
    std::size_t next_ = 0;     // the next line
    std::size_t at_ = 0;       // the offset up to which the line is read
    std::size_t matched_ = 0;  // the number of open containers that continue in this line
    bool fresh_ = false;       // it has opened others since

    Sketch::Mark checkpoint_;
    std::size_t checkpoint_at_ = 0;  // nothing is open there
};

}  // namespace chunker::markdown
