// Of outlines: where their units end.
#include "chunker/enclosing.hpp"
#include "integers.hpp"
#include "parts.hpp"

namespace chunker::bindings {

void define_outlines(nb::module_& module) {
    module.def(
        "enclosing_ends",
        [](Integers offsets, Integers strengths, std::int64_t end) -> Integers {
            if (nb::len(offsets) != nb::len(strengths)) throw nb::value_error("as many strengths as offsets");
            return Integers(to_list(enclosing_ends(from_list(offsets), from_list(strengths), end)));
        },
        nb::arg("offsets"), nb::arg("strengths"), nb::arg("end"),
        "For each boundary the offset of the next stronger one, `end` where there is none. Linear.");
}

}  // namespace chunker::bindings
