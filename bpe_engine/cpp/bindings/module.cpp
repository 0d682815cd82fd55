// bpe_engine._core: the one place where the core meets Python.
#include <cstdio>
#include <exception>
#include <string>

#include "bpe/pipeline/steps.hpp"
#include "bpe/regex/errors.hpp"
#include "bpe/training.hpp"
#include "text.hpp"

namespace nb = nanobind;

NB_MODULE(_core, module) {
    module.doc() = "The compiled core of bpe_engine.";
    // Objects that are still alive when the interpreter has ended are told on standard error by nanobind, as a fault of the bindings. They need
    // not be ours: a daemon thread keeps what stands in its frames, and so does an extension module that never lets go of a function or a class of
    // the program; gc.freeze() keeps what is in cycles. Nobody can free them any more, and the process is over. The tests turn the reports on,
    // and no object is left by this package itself: references.hpp shows the collector what is held, bpe_engine/at_exit.py empties the caches.
    nb::set_leak_warnings(false);
    module.def(
        "report_leaks", [](bool wanted) { nb::set_leak_warnings(wanted); }, nb::arg("wanted"),
        "Whether native objects that outlive the interpreter are listed on standard error, those of chunker._native as well: for tests.");
    nb::register_exception_translator([](const std::exception_ptr& raised, void*) {
        try {
            std::rethrow_exception(raised);
        } catch (const bpe::NoUnknownTokenError& error) {
            char message[128];
            std::snprintf(message, sizeof message, "what begins with byte 0x%02x at byte offset %zu is not a token, and the vocabulary has no unknown token",
                          error.byte, error.offset);
            nb::object const type = nb::module_::import_("bpe_engine.errors").attr("EncodingError");
            PyErr_SetString(type.ptr(), message);
        } catch (const bpe::UnknownCharacter& error) {
            nb::object const character = nb::steal(PyUnicode_FromOrdinal(error.code > 0x10FFFF ? 0xDC00 + error.byte : static_cast<int>(error.code)));
            nb::object const type = nb::module_::import_("bpe_engine.errors").attr("EncodingError");
            PyErr_Format(type.ptr(), "%R at character %zu is not a token of the vocabulary", character.ptr(), error.index);
        } catch (const bpe::EncodingError& error) {
            char message[96];
            std::snprintf(message, sizeof message, "byte 0x%02x at byte offset %zu is not part of any token of the vocabulary", error.byte, error.offset);
            nb::object const type = nb::module_::import_("bpe_engine.errors").attr("EncodingError");
            PyErr_SetString(type.ptr(), message);
        } catch (const bpe::GrowthError& error) {
            nb::object const type = nb::module_::import_("bpe_engine.errors").attr("EncodingError");
            PyErr_Format(type.ptr(), "the normalizers make more than %zu characters of %zu", error.most, error.size);
        } catch (const bpe::TrainingLimit& error) {
            nb::object const type = nb::module_::import_("bpe_engine.errors").attr("TrainingError");
            PyErr_SetString(type.ptr(), error.what());
        } catch (const bpe::regex::PatternSyntax& error) {
            nb::object const type = nb::module_::import_("bpe_engine.errors").attr("PatternError");
            PyErr_SetString(type.ptr(), (std::string("the pattern at byte offset ") + std::to_string(error.offset) + ": " + error.what()).c_str());
        } catch (const bpe::regex::UnsupportedPattern& error) {
            nb::object const type = nb::module_::import_("bpe_engine.errors").attr("UnsupportedPatternError");
            PyErr_SetString(type.ptr(), error.what());
        }
    });
    bpe::bindings::define_token_buffer(module);
    bpe::bindings::define_token_set(module);
    bpe::bindings::define_engine(module);
    bpe::bindings::define_models(module);
    bpe::bindings::define_files(module);
    bpe::bindings::define_pipeline(module);
    bpe::bindings::define_growing(module);
    bpe::bindings::define_interval(module);
    bpe::bindings::define_algorithms(module);
    bpe::bindings::define_regex(module);
    bpe::bindings::define_special_tokens(module);
    bpe::bindings::define_training(module);
}
