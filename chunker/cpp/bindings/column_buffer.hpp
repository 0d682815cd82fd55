// The memory of a column, which Python reads by the buffer protocol: nothing is copied.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <utility>

namespace chunker::bindings {

namespace nb = nanobind;

class ColumnBuffer {
public:
    // Takes a vector or a string over; much more room than it needs is given back, since a table may be kept for long.
    template <class Values>
    explicit ColumnBuffer(Values values) {
        if (values.capacity() - values.size() > values.size() / 4) values.shrink_to_fit();
        auto owned = std::make_shared<Values>(std::move(values));
        data_ = owned->empty() ? static_cast<const void*>("") : owned->data();  // Arrow takes no null pointer
        size_ = static_cast<Py_ssize_t>(owned->size() * sizeof(*owned->data()));
        owner_ = std::move(owned);
    }

    static int get(PyObject* self, Py_buffer* view, int flags) {
        if (!nb::inst_ready(self)) {
            PyErr_SetString(PyExc_BufferError, "there is no column: only ChunkColumns.take makes a ColumnBuffer");
            return -1;
        }
        auto const& buffer = *nb::inst_ptr<ColumnBuffer>(self);
        return PyBuffer_FillInfo(view, self, const_cast<void*>(buffer.data_), buffer.size_, 1, flags);
    }

private:
    std::shared_ptr<const void> owner_;
    const void* data_;
    Py_ssize_t size_;
};

}  // namespace chunker::bindings
