// Messages of a conversation, kept in one list: names of a message, its values, names of the next, its values (prompt/conversation/kept_messages.py).
#include <algorithm>
#include <cstring>
#include <vector>

#include "parts.hpp"

namespace chunker::bindings {

namespace {

// The values of one message in the list.
struct Record {
    nb::handle names;
    Py_ssize_t begin, size;
};

// A copy of the list, as a tuple: comparing values runs Python code, which may change the list.
struct Kept {
    explicit Kept(nb::list list) : values(nb::steal(PyList_AsTuple(list.ptr()))) {
        if (!values.is_valid()) throw nb::python_error();
        Py_ssize_t const end = PyTuple_Size(values.ptr());
        for (Py_ssize_t place = 0; place < end;) {
            nb::handle const names = value(place);
            Py_ssize_t const size = PyTuple_Check(names.ptr()) ? PyTuple_Size(names.ptr()) : -1;
            if (size < 0 || size > end - place - 1) throw nb::value_error("values are a tuple of names, and as many values, again and again");
            records.push_back({names, place + 1, size});
            place += size + 1;
        }
    }
    PyObject* value(Py_ssize_t place) const { return PyTuple_GetItem(values.ptr(), place); }

    nb::object values;
    std::vector<Record> records;
};

bool same_values(PyObject* one, PyObject* other);

// Of one type, which no class of a caller can be, and with the same order of keys: what a template writes of both is the same.
bool same_dicts(PyObject* one, PyObject* other) {
    if (PyDict_Size(one) != PyDict_Size(other)) return false;
    Py_ssize_t place = 0, other_place = 0;
    PyObject *key = nullptr, *value = nullptr, *other_key = nullptr, *other_value = nullptr;
    while (PyDict_Next(one, &place, &key, &value) && PyDict_Next(other, &other_place, &other_key, &other_value))
        if (!same_values(key, other_key) || !same_values(value, other_value)) return false;
    return true;
}

bool same_values(PyObject* one, PyObject* other) {
    if (one == other) return true;
    PyTypeObject* const type = Py_TYPE(one);
    if (type != Py_TYPE(other)) return false;
    if (type == &PyUnicode_Type) return PyUnicode_GetLength(one) == PyUnicode_GetLength(other) && PyUnicode_Compare(one, other) == 0;
    if (type == &PyDict_Type) return same_dicts(one, other);
    if (type == &PyList_Type || type == &PyTuple_Type) {
        bool const is_list = type == &PyList_Type;
        Py_ssize_t const size = PySequence_Size(one);
        if (size != PySequence_Size(other)) return false;
        for (Py_ssize_t place = 0; place < size; ++place) {
            PyObject* const item = is_list ? PyList_GetItem(one, place) : PyTuple_GetItem(one, place);
            if (!same_values(item, is_list ? PyList_GetItem(other, place) : PyTuple_GetItem(other, place))) return false;
        }
        return true;
    }
    if (type == &PyFloat_Type) {
        double const number = PyFloat_AsDouble(one), other_number = PyFloat_AsDouble(other);
        return std::memcmp(&number, &other_number, sizeof number) == 0;  // 0.0 and -0.0 are written in two ways
    }
    return type == &PyLong_Type && PyObject_RichCompareBool(one, other, Py_EQ) == 1;
}

// Whether a message is surely the kept one. Keys without a value are not kept.
bool is_kept(nb::handle message, const Kept& kept, const Record& record) {
    if (Py_TYPE(message.ptr()) != &PyDict_Type) return false;
    Py_ssize_t place = 0, number = 0;
    PyObject *key = nullptr, *value = nullptr;
    while (PyDict_Next(message.ptr(), &place, &key, &value)) {
        if (value == Py_None) continue;
        if (number == record.size || !same_values(key, PyTuple_GetItem(record.names.ptr(), number)) || !same_values(value, kept.value(record.begin + number)))
            return false;
        ++number;
    }
    return number == record.size;
}

nb::object dict_of(const Kept& kept, const Record& record) {
    nb::object made = nb::steal(PyDict_New());
    if (!made.is_valid()) throw nb::python_error();
    for (Py_ssize_t number = 0; number < record.size; ++number)
        if (PyDict_SetItem(made.ptr(), PyTuple_GetItem(record.names.ptr(), number), kept.value(record.begin + number)) != 0) throw nb::python_error();
    return made;
}

nb::list dicts_of(nb::list values) {
    Kept const kept(values);
    nb::list made;
    for (Record const& record : kept.records) made.append(dict_of(kept, record));
    return made;
}

nb::object unchanged(nb::list values, nb::list messages, nb::callable plain) {
    Kept const kept(values);
    std::size_t const size = nb::len(messages), most = std::min(size, kept.records.size());
    auto const same = [&](std::size_t number, const Record& record) {
        nb::object const message = nb::borrow(PyList_GetItem(messages.ptr(), static_cast<Py_ssize_t>(number)));
        if (!message.is_valid()) throw nb::python_error();  // `plain` has taken some out
        return is_kept(message, kept, record) || is_kept(plain(message), kept, record);
    };
    std::size_t first = 0, last = 0;
    while (first < most && same(first, kept.records[first])) ++first;
    while (first + last < most && same(size - 1 - last, kept.records[kept.records.size() - 1 - last])) ++last;
    return nb::make_tuple(first, last);
}

}  // namespace

void define_messages(nb::module_& module) {
    module.def("dicts_of", &dicts_of, nb::arg("values"), nb::sig("def dicts_of(values: list[object]) -> list[dict[str, object]]"),
               "The messages that are kept in a list: see chunker.prompt.conversation.kept_messages.");
    module.def("unchanged", &unchanged, nb::arg("values"), nb::arg("messages"), nb::arg("plain"),
               nb::sig("def unchanged(values: list[object], messages: list[object], plain: collections.abc.Callable[[object], object]) -> tuple[int, int]"),
               "How many messages are those that are kept, at the start and after them at the end. `plain` makes of a message what would be kept of it.");
}

}  // namespace chunker::bindings
