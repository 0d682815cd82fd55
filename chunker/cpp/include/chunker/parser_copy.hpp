// The copy of a text that parsers read: one byte a character, \n for each line end.
#pragma once

#include <string>
#include <string_view>

namespace chunker {

// Whether UTF-8 is its own copy.
bool is_parser_copy(std::string_view utf8);

// Every character beyond ASCII, and those controls that parsers take for space at times, become \x02; \r\n becomes " \n", \r alone \n.
//
//     "é?\r\na\rb"  ->  "\x02? \na\nb"
std::string parser_copy(std::string_view utf8);

}  // namespace chunker
