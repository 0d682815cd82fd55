// The compiled module chunker._native: what the chunkers do once for each line or block of a text.
#include <nanobind/nanobind.h>

#include "native_sketch.hpp"
#include "parts.hpp"

NB_MODULE(_native, module) {
    module.doc() = "What the chunkers do once for each line or block of a text, compiled.";
    nanobind::class_<chunker::bindings::NativeSketch>(module, "NativeSketch", "The boundaries of a text, which growers read without Python.");
    chunker::bindings::define_chunks(module);
    chunker::bindings::define_columns(module);
    chunker::bindings::define_data_formats(module);
    chunker::bindings::define_data_runs(module);
    chunker::bindings::define_growing(module);
    chunker::bindings::define_guessing(module);
    chunker::bindings::define_mapping(module);
    chunker::bindings::define_markdown(module);
    chunker::bindings::define_markup_formats(module);
    chunker::bindings::define_messages(module);
    chunker::bindings::define_optimizing(module);
    chunker::bindings::define_outlines(module);
    chunker::bindings::define_separators(module);
    chunker::bindings::define_spans(module);
    chunker::bindings::define_syntax(module);
}
