// The capsule of include/bpe/encoders_interface.hpp, of either kind of engine.
#pragma once

#include "engine.hpp"
#include "pipeline.hpp"

namespace bpe::bindings {

// The capsule keeps `self`, whose engine is given.
nb::object interface_of(nb::handle self, const Engine& engine);
nb::object interface_of(nb::handle self, const PipelineEngine& engine);

// The method of the bound class.
template <class Owner>
nb::object interface(nb::handle_t<Owner> self) {
    if (!nb::inst_ready(self)) throw nb::type_error("the engine was never initialized");
    return interface_of(self, *nb::inst_ptr<Owner>(self));
}

}  // namespace bpe::bindings
