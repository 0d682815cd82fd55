// Made by scripts/build_constants.py from the Python modules named below, which say what the constants mean. Not to be edited.
#pragma once

#include <cstdint>

namespace chunker {

// chunker.formats.code.walking and chunker.formats.outline.Strength
namespace strength {
inline constexpr int character = 0;
inline constexpr int grapheme = 10;
inline constexpr int word = 20;
inline constexpr int sentence = 30;
inline constexpr int line = 40;
inline constexpr int paragraph = 50;
inline constexpr int structure = 100;
inline constexpr int document = 1000000;
enum Rank : int { wrapped, commented, trailing, first, part, group, definition, ranks };
inline constexpr int max_depth = 250;
}  // namespace strength

// chunker.formats.text.plain_text
namespace plain_text {
inline constexpr int most_blank = 8;
}  // namespace plain_text

// chunker.formats.refining
namespace refining {
inline constexpr int window = 16384;
inline constexpr int look_ahead = 1024;
inline constexpr int branches = 32;
inline constexpr int least_step = 8;
inline constexpr int few = 8;
}  // namespace refining

// chunker.formats.code.walking
namespace walking {
inline constexpr int most_wrappers = 8;
inline constexpr int comment_depth = 3;
}  // namespace walking

// chunker.formats.code.parsing
namespace parsing {
inline constexpr int bytes_per_progress = 10;
inline constexpr int min_progress = 500;
inline constexpr double seconds = 2.0;
inline constexpr double seconds_per_byte = 5e-06;
inline constexpr int longest_run = 48;
}  // namespace parsing

// chunker.formats.code.naming
namespace naming {
inline constexpr int longest = 100;
inline constexpr int most_bytes = 800;
inline constexpr int deepest = 32;
}  // namespace naming

// chunker.formats.markup.markdown_sketch
namespace markdown {
inline constexpr int section = 1100;
inline constexpr int block = 300;
inline constexpr int depth_step = 3;
inline constexpr int item_below = -1;
inline constexpr int kept_below = -2;
inline constexpr int deepest = 50;
}  // namespace markdown

// chunker.formats.markup.markdown
namespace markdown_headings {
inline constexpr int deepest_level = 6;
}  // namespace markdown_headings

// chunker.formats.nesting
namespace nesting {
enum Rank : int { commented, first, member, ranks };
inline constexpr int max_depth = 250;
inline constexpr int max_named = 50;
inline constexpr int long_member = 64;
}  // namespace nesting

// chunker.formats.data.notebook
namespace notebook {
inline constexpr int cells = 2;
inline constexpr int members = 3;
inline constexpr int lines = 4;
inline constexpr int heading_lines = 8;
inline constexpr int root_above = 30;
}  // namespace notebook

// chunker.formats.columns
namespace columns {
inline constexpr int soft_line = 25;
}  // namespace columns

// chunker.formats.embedded
namespace embedded {
inline constexpr int long_code = 1000;
}  // namespace embedded

// chunker.formats.markup.html_reader
namespace html {
inline constexpr int section = 1100;
inline constexpr int block = 800;
inline constexpr int depth_step = 3;
inline constexpr int deepest = 230;
inline constexpr int kept_below = -2;
inline constexpr int short_comment = 300;
}  // namespace html

// chunker.formats.markup.html_restarts
namespace html_restarts {
inline constexpr int longest = 4000;
}  // namespace html_restarts

// chunker.formats.markup.latex
namespace latex {
inline constexpr int section = 1100;
inline constexpr int block = 800;
inline constexpr int depth_step = 3;
inline constexpr int deepest = 200;
inline constexpr int kept_below = -2;
inline constexpr int item_above = 2;
}  // namespace latex

// chunker.formats.markup.latex_commands
namespace latex_commands {
inline constexpr int longest_argument = 400;
inline constexpr int longest_name = 80;
inline constexpr int most_arguments = 9;
}  // namespace latex_commands

// chunker.formats.data.toml_text
namespace toml {
inline constexpr int tables = 200;
inline constexpr int deepest = 90;
inline constexpr int group = 106;
inline constexpr int keys = 105;
inline constexpr int first = 104;
inline constexpr int commented = 103;
inline constexpr int element = 102;
inline constexpr int first_element = 101;
}  // namespace toml

// chunker.growing.limits
namespace growing {
inline constexpr int look_ahead = 4;
inline constexpr int longest_token = 128;
}  // namespace growing

// chunker.growing.limits
namespace cost {
inline constexpr double of_level = 0.1;
inline constexpr double of_broken_unit = 10.0;
inline constexpr double of_undersized = 10000.0;
inline constexpr double of_torn_head = 1000.0;
inline constexpr int deepest_level = 20;
inline constexpr int farther = 16;
inline constexpr int steps_of_chunk = 64;
inline constexpr int characters_of_atom = 4;
}  // namespace cost

// chunker.mapping.ranks
namespace ranking {
inline constexpr double damping = 0.85;
inline constexpr int common = 5;
inline constexpr double common_share = 0.2;
inline constexpr int most_definers = 40;
inline constexpr double own_share = 0.1;
inline constexpr double focused = 10.0;
inline constexpr double unused = 0.1;
inline constexpr double step_ratio = 1.2;
inline constexpr int steps = 24;
inline constexpr double settled = 0.002;
}  // namespace ranking

// chunker.mapping.choosing
namespace choosing {
inline constexpr double windows[] = {0.001, 0.004, 0.016, 0.064, 0.256, 1.0};
inline constexpr double near_enough = 0.995;
inline constexpr std::int64_t most_budget = 1099511627776;
inline constexpr int most_states = 300;
inline constexpr int steps = 60;
}  // namespace choosing

}  // namespace chunker
