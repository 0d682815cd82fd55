// The parts of the module, one a file.
#pragma once

#include <nanobind/nanobind.h>

namespace chunker::bindings {

namespace nb = nanobind;

void define_chunks(nb::module_& module);
void define_columns(nb::module_& module);
void define_data_formats(nb::module_& module);
void define_data_runs(nb::module_& module);
void define_growing(nb::module_& module);
void define_guessing(nb::module_& module);
void define_mapping(nb::module_& module);
void define_markdown(nb::module_& module);
void define_markup_formats(nb::module_& module);
void define_messages(nb::module_& module);
void define_optimizing(nb::module_& module);
void define_outlines(nb::module_& module);
void define_separators(nb::module_& module);
void define_spans(nb::module_& module);
void define_syntax(nb::module_& module);

}  // namespace chunker::bindings
