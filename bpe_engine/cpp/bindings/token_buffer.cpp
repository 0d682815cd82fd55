#include "batches.hpp"

namespace bpe::bindings {

namespace {

// Owns ids and shows them by the buffer protocol, as unsigned 32-bit integers.
struct TokenBuffer {
    std::vector<std::uint32_t> ids;
};

int get_buffer(PyObject* self, Py_buffer* view, int flags) {
    if (flags & PyBUF_WRITABLE) {
        PyErr_SetString(PyExc_BufferError, "token ids are read-only");
        return -1;
    }
    if (!nb::inst_ready(self)) {
        PyErr_SetString(PyExc_BufferError, "there are no token ids: only encode_to_buffer makes a TokenBuffer");
        return -1;
    }
    auto& ids = nb::inst_ptr<TokenBuffer>(self)->ids;
    static std::uint32_t nothing = 0;
    static Py_ssize_t stride = 4;
    auto* const shape = new Py_ssize_t(static_cast<Py_ssize_t>(ids.size()));
    view->buf = ids.empty() ? &nothing : ids.data();
    view->obj = self;
    Py_INCREF(self);
    view->len = *shape * 4;
    view->itemsize = 4;
    view->readonly = 1;
    view->ndim = 1;
    view->format = const_cast<char*>("I");
    view->shape = shape;
    view->strides = &stride;
    view->suboffsets = nullptr;
    view->internal = shape;
    return 0;
}

void release_buffer(PyObject*, Py_buffer* view) { delete static_cast<Py_ssize_t*>(view->internal); }

PyType_Slot buffer_slots[] = {
    {Py_bf_getbuffer, reinterpret_cast<void*>(get_buffer)},
    {Py_bf_releasebuffer, reinterpret_cast<void*>(release_buffer)},
    {0, nullptr},
};

}  // namespace

nb::object memory_view(std::vector<std::uint32_t> ids) {
    nb::object const buffer = nb::cast(TokenBuffer{std::move(ids)});
    PyObject* const view = PyMemoryView_FromObject(buffer.ptr());
    if (!view) throw nb::python_error();
    return nb::steal(view);
}

void define_token_buffer(nb::module_& module) {
    nb::class_<TokenBuffer>(module, "TokenBuffer", nb::type_slots(buffer_slots), "Token ids, by the buffer protocol.");
}

}  // namespace bpe::bindings
