// The references that native objects hold, shown to the garbage collector: without that a cycle through one of them is never freed.
//
//     tokenizer.__dict__ ──> encoder ──> tokenizer          `tokenizer.encoder = tokenizer.appending_encoder()`
//
// A bound class has `held()`, an array of the objects that it holds, of which some may be null. As a rule it got them when it was made and never
// others, as a tuple does: then every cycle goes through a dict, a list or a cell as well, the collector breaks it there, and no method ever
// meets an object whose references are gone. A class for which that does not hold clears them itself.
#pragma once

#include <nanobind/nanobind.h>

namespace references {

namespace nb = nanobind;

template <class Bound>
int traverse(PyObject* self, visitproc visit, void* arg) {
    Py_VISIT(Py_TYPE(self));
    if (!nb::inst_ready(self)) return 0;  // its constructor failed, or has not ended
    for (PyObject* const held : nb::inst_ptr<Bound>(self)->held()) Py_VISIT(held);
    return 0;
}

// For nb::type_slots.
template <class Bound>
inline PyType_Slot shown[] = {
    {Py_tp_traverse, reinterpret_cast<void*>(traverse<Bound>)},
    {0, nullptr},
};

}  // namespace references
