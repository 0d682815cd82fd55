// YAML and TOML, which are read line by line: what chunker/formats/data/yaml_text.py and toml_text.py say, which are the specification.
#pragma once

#include "chunker/formats/data_outline.hpp"

namespace chunker::formats {

DataOutline read_yaml(Text text);
DataOutline read_toml(Text text);

}  // namespace chunker::formats
