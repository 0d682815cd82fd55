// Made by scripts/build_constants.py from the Python modules named below, which say what the constants mean. Not to be edited.
#pragma once

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

// chunker.formats.markup.markdown_sketch
namespace markdown {
inline constexpr int section = 1100;
inline constexpr int block = 300;
inline constexpr int item_below = -1;
inline constexpr int kept_below = -2;
inline constexpr int deepest = 50;
}  // namespace markdown

// chunker.growing.limits
namespace cost {
inline constexpr double of_level = 0.1;
inline constexpr double of_broken_unit = 10.0;
inline constexpr double of_crumb = 10000.0;
inline constexpr double of_torn_head = 1000.0;
inline constexpr int deepest_level = 20;
inline constexpr int farther = 16;
}  // namespace cost

}  // namespace chunker
