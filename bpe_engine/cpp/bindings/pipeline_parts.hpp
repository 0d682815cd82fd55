// Parts of a pipeline as Python hands them on, and their arguments.
#pragma once

#include <memory>

#include "bpe/pipeline/chain.hpp"
#include "bpe/pipeline/normalizer.hpp"
#include "given.hpp"
#include "text.hpp"

namespace bpe::bindings {

// nb::cast, with a message: its own std::bad_cast would reach Python without one.
template <class Wanted>
Wanted checked(nb::handle value) {
    Wanted found;
    if (!nb::try_cast(value, found)) given::raise_type("an argument", "of another type or out of range", value);
    return found;
}

// Objects of the core that Python only hands on.
template <class Held>
struct Shared {
    std::shared_ptr<const Held> held;
};

using SharedMatcher = Shared<Matcher>;
using SharedNormalizer = Shared<Normalizer>;

inline Bytes bytes_of(nb::handle token) {
    if (!PyBytes_Check(token.ptr())) throw nb::type_error("a token is bytes");
    return {reinterpret_cast<const Byte*>(PyBytes_AsString(token.ptr())), static_cast<std::size_t>(PyBytes_Size(token.ptr()))};
}

// Each defines classes of the module, the ones that later ones need first.
void define_merge_model(nb::module_& module);
void define_normalizers(nb::module_& module);

}  // namespace bpe::bindings
