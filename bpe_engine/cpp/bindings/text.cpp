#include "text.hpp"

namespace bpe::bindings {

Text::Text(nb::handle text) {
    if (PyUnicode_Check(text.ptr())) {
        is_str_ = true;
        Py_ssize_t size = 0;
        // CPython keeps the UTF-8 of a str inside it: nothing is encoded twice, and ASCII not at all. To write it here, sixteen characters at once, into a
        // buffer that is lent to one text after the other, was tried: counts of new texts were a fifth to a third faster in English, where the memory of
        // CPython is new each time, and a seventh slower in German; and it needs more than the stable ABI.
        if (const char* const data = PyUnicode_AsUTF8AndSize(text.ptr(), &size)) {
            owner_ = nb::borrow(text);
            bytes_ = {reinterpret_cast<const Byte*>(data), static_cast<std::size_t>(size)};
            return;
        }
        PyErr_Clear();
        had_surrogates_ = true;
        nb::object const received = nb::module_::import_("bpe_engine.text.input");
        owner_ = received.attr("to_bytes")(received.attr("received")(text));
    } else if (PyBytes_Check(text.ptr())) {
        owner_ = nb::borrow(text);
    } else if (PyByteArray_Check(text.ptr()) || PyMemoryView_Check(text.ptr())) {
        // Somebody could write into these while they are read.
        owner_ = nb::steal(PyBytes_FromObject(text.ptr()));
        if (!owner_.is_valid()) throw nb::python_error();
    } else {
        nb::object const type = nb::borrow(nb::handle(reinterpret_cast<PyObject*>(Py_TYPE(text.ptr()))));
        PyErr_Format(PyExc_TypeError, "text must be str or bytes, not %U", nb::object(type.attr("__name__")).ptr());
        throw nb::python_error();
    }
    char* data = nullptr;
    Py_ssize_t size = 0;
    if (PyBytes_AsStringAndSize(owner_.ptr(), &data, &size) != 0) throw nb::python_error();
    bytes_ = {reinterpret_cast<const Byte*>(data), static_cast<std::size_t>(size)};
}

}  // namespace bpe::bindings
