// Notebooks: the cells of a JSON text, as chunker/formats/data/notebook.py has them, which is the specification.
#pragma once

#include "chunker/formats/data_outline.hpp"

namespace chunker::formats {

// Find the cells among the members of a text, of which `outline` has those of any length; its columns begin with the start of the text. What is inside
// of cells gets its strength there.
void read_cells(Text text, DataOutline& outline);

}  // namespace chunker::formats
