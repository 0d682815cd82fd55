// bpe_engine._core: the one place where the core meets Python.
#include <cstdio>
#include <exception>

#include "bpe/training.hpp"
#include "text.hpp"

namespace nb = nanobind;

NB_MODULE(_core, module) {
    module.doc() = "The compiled core of bpe_engine.";
    nb::register_exception_translator([](const std::exception_ptr& raised, void*) {
        try {
            std::rethrow_exception(raised);
        } catch (const bpe::EncodingError& error) {
            char message[96];
            std::snprintf(message, sizeof message, "byte 0x%02x at byte offset %zu is in no token of the vocabulary", error.byte, error.offset);
            nb::object const type = nb::module_::import_("bpe_engine.errors").attr("EncodingError");
            PyErr_SetString(type.ptr(), message);
        } catch (const bpe::TrainingLimit& error) {
            nb::object const type = nb::module_::import_("bpe_engine.errors").attr("TrainingError");
            PyErr_SetString(type.ptr(), error.what());
        }
    });
    bpe::bindings::define_engine(module);
    bpe::bindings::define_growing(module);
    bpe::bindings::define_interval(module);
    bpe::bindings::define_algorithms(module);
    bpe::bindings::define_training(module);
}
