// YAML and TOML, which are read line by line: what chunker/formats/data/yaml_text.py and toml_text.py say, which are the specification.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "chunker/formats/columns.hpp"
#include "chunker/formats/member.hpp"

namespace chunker::formats {

struct YamlOutline {
    Columns columns;
    std::vector<Member> members;
};

YamlOutline read_yaml(Text text);

// The header of a table of TOML: where it begins with its comments, whether it is that of an element of an array, and where its name stands.
struct TableHeader {
    std::size_t start;
    bool of_array;
    std::size_t name_start, name_end;
};

struct TomlOutline {
    Columns columns;
    std::vector<Member> members;  // the keys
    std::vector<TableHeader> tables;
};

TomlOutline read_toml(Text text);

}  // namespace chunker::formats
