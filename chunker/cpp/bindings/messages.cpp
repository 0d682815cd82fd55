// Messages of a conversation, kept in one list: of each dict its names and then its values, of each list its type and length and then its items
// (prompt/conversation/kept_messages.py).
#include <algorithm>
#include <cstring>
#include <vector>

#include "parts.hpp"

namespace chunker::bindings {

namespace {

// Reads the kept values one by one. Items are borrowed: no Python code runs between reading one and using it.
class Reader {
public:
    Reader(nb::list values, Py_ssize_t place) : values_(values.ptr()), size_(PyList_Size(values.ptr())), place_(place) {}

    bool at_end() const { return place_ >= size_; }
    Py_ssize_t place() const { return place_; }
    PyObject* next() {
        PyObject* const value = PyList_GetItem(values_, place_++);
        if (!value) refuse();
        return value;
    }
    // The names of a message.
    PyObject* message() {
        PyObject* const names = next();
        if (!is_head(names)) refuse();
        return names;
    }
    // Advances past a message.
    void skip() {
        for (Py_ssize_t left = size_of(message()); left > 0; --left) {
            PyObject* const value = next();
            if (is_head(value)) left += size_of(value);
        }
    }

    // Whether a container begins with this. It is made here: of no class of a caller.
    static bool is_head(PyObject* value) { return Py_TYPE(value) == &PyTuple_Type; }
    // Whether the values of a container, which begins like this, are those of a list or tuple: (list, 3), say. No name is a type.
    static PyObject* sequence_type(PyObject* head) {
        PyObject* const first = PyTuple_Size(head) == 2 ? PyTuple_GetItem(head, 0) : nullptr;
        return first && PyType_Check(first) ? first : nullptr;
    }
    static Py_ssize_t size_of(PyObject* head) {
        if (!sequence_type(head)) return PyTuple_Size(head);
        Py_ssize_t const size = PyLong_AsSsize_t(PyTuple_GetItem(head, 1));
        if (size < 0) refuse();
        return size;
    }

private:
    [[noreturn]] static void refuse() {
        PyErr_Clear();
        throw nb::value_error("values are a tuple of names, and as many values, again and again");
    }

    PyObject* values_;
    Py_ssize_t size_, place_;
};

nb::object made(PyObject* object) {
    if (!object) throw nb::python_error();
    return nb::steal(object);
}

nb::object value_of(Reader& kept);

nb::object dict_of(Reader& kept, PyObject* names) {
    nb::object const dict = made(PyDict_New());
    for (Py_ssize_t number = 0; number < PyTuple_Size(names); ++number) {
        nb::object const value = value_of(kept);
        if (PyDict_SetItem(dict.ptr(), PyTuple_GetItem(names, number), value.ptr()) != 0) throw nb::python_error();
    }
    return dict;
}

nb::object value_of(Reader& kept) {
    PyObject* const value = kept.next();
    if (!Reader::is_head(value)) return nb::borrow(value);
    PyObject* const type = Reader::sequence_type(value);
    if (!type) return dict_of(kept, value);
    nb::list items;
    for (Py_ssize_t left = Reader::size_of(value); left > 0; --left) items.append(value_of(kept));
    return type == reinterpret_cast<PyObject*>(&PyTuple_Type) ? nb::object(nb::tuple(items)) : nb::object(items);
}

bool same_leaf(PyObject* one, PyObject* other) {
    if (one == other) return true;
    PyTypeObject* const type = Py_TYPE(one);
    if (type != Py_TYPE(other)) return false;
    if (type == &PyUnicode_Type) return PyUnicode_GetLength(one) == PyUnicode_GetLength(other) && PyUnicode_Compare(one, other) == 0;
    if (type == &PyFloat_Type) {
        double const number = PyFloat_AsDouble(one), other_number = PyFloat_AsDouble(other);
        return std::memcmp(&number, &other_number, sizeof number) == 0;  // 0.0 and -0.0 are written in two ways
    }
    return type == &PyLong_Type && PyObject_RichCompareBool(one, other, Py_EQ) == 1;
}

bool same_name(PyObject* one, PyObject* other) {
    if (one == other) return true;
    if (Py_TYPE(one) != &PyTuple_Type || Py_TYPE(other) != &PyTuple_Type) return same_leaf(one, other);
    Py_ssize_t const size = PyTuple_Size(one);
    if (size != PyTuple_Size(other)) return false;
    for (Py_ssize_t number = 0; number < size; ++number)
        if (!same_name(PyTuple_GetItem(one, number), PyTuple_GetItem(other, number))) return false;
    return true;
}

bool is_kept(PyObject* value, Reader& kept);

// Of one type, which no class of a caller can be, and with the same order of names: what a template writes of both is the same. Names without a value are not
// kept where `drops_none`.
bool is_kept_dict(PyObject* dict, Reader& kept, PyObject* names, bool drops_none) {
    if (Py_TYPE(dict) != &PyDict_Type) return false;
    Py_ssize_t const size = PyTuple_Size(names);
    Py_ssize_t place = 0, number = 0;
    PyObject *key = nullptr, *value = nullptr;
    while (PyDict_Next(dict, &place, &key, &value)) {
        if (drops_none && value == Py_None) continue;
        if (number == size || !same_name(key, PyTuple_GetItem(names, number++)) || !is_kept(value, kept)) return false;
    }
    return number == size;
}

// Messages that the processor is told to load before they are looked at.
constexpr std::size_t ahead = 6;

bool is_kept(PyObject* value, Reader& kept) {
    PyObject* const known = kept.next();
    if (known == value) return true;  // the marker before a list or dict, which no value of a caller equals
    if (!Reader::is_head(known)) return same_leaf(value, known);
    PyObject* const type = Reader::sequence_type(known);
    if (!type) return is_kept_dict(value, kept, known, false);
    Py_ssize_t const size = Reader::size_of(known);
    if (reinterpret_cast<PyObject*>(Py_TYPE(value)) != type || PySequence_Size(value) != size) return false;
    bool const is_list = PyList_Check(value);
    for (Py_ssize_t number = 0; number < size; ++number)
        if (!is_kept(is_list ? PyList_GetItem(value, number) : PyTuple_GetItem(value, number), kept)) return false;
    return true;
}

nb::list dicts_of(nb::list values) {
    Reader kept(values, 0);
    nb::list dicts;
    while (!kept.at_end()) dicts.append(dict_of(kept, kept.message()));
    return dicts;
}

std::vector<Py_ssize_t> places_of(nb::list values) {
    std::vector<Py_ssize_t> places;
    for (Reader kept(values, 0); !kept.at_end(); kept.skip()) places.push_back(kept.place());
    return places;
}

Py_ssize_t place_of(nb::list values, std::size_t number) {
    Reader kept(values, 0);
    for (; number > 0; --number) kept.skip();
    return kept.place();
}

nb::object unchanged(nb::list values, std::size_t count, nb::list messages, nb::callable plain) {
    std::size_t const size = nb::len(messages), most = std::min(size, count);
    // Where the kept message ends that a message surely is; -1: it is none.
    auto const end_of = [&](PyObject* message, Py_ssize_t place) {
        Reader kept(values, place);
        return is_kept_dict(message, kept, kept.message(), true) ? kept.place() : -1;
    };
    auto const same = [&](std::size_t number, Py_ssize_t place) {
        PyObject* const message = PyList_GetItem(messages.ptr(), static_cast<Py_ssize_t>(number));
        if (!message) throw nb::python_error();  // `plain` has taken some out
        Py_ssize_t const end = end_of(message, place);
        if (end >= 0) return end;
        nb::object const as_kept = plain(nb::borrow(message));
        if (place >= PyList_Size(values.ptr())) throw nb::index_error("messages were taken out while they were looked at");
        return end_of(as_kept.ptr(), place);
    };
    std::size_t first = 0, last = 0;
    for (Py_ssize_t place = 0, end = 0; first < most && (end = same(first, place)) >= 0; ++first) {
        place = end;
        if (first + ahead < size) __builtin_prefetch(PyList_GetItem(messages.ptr(), static_cast<Py_ssize_t>(first + ahead)));
    }
    if (first < most) {
        std::vector<Py_ssize_t> const places = places_of(values);
        if (places.size() != count) throw nb::index_error("messages were taken out while they were looked at");
        while (first + last < most && same(size - 1 - last, places[count - 1 - last]) >= 0) ++last;
    }
    return nb::make_tuple(first, last);
}

}  // namespace

void define_messages(nb::module_& module) {
    module.def("dicts_of", &dicts_of, nb::arg("values"), nb::sig("def dicts_of(values: list[object]) -> list[dict[str, object]]"),
               "The messages that are kept in a list: see chunker.prompt.conversation.kept_messages.");
    module.def("place_of", &place_of, nb::arg("values"), nb::arg("number"), nb::sig("def place_of(values: list[object], number: int) -> int"),
               "The place at which a message begins in the list.");
    module.def(
        "unchanged", &unchanged, nb::arg("values"), nb::arg("count"), nb::arg("messages"), nb::arg("plain"),
        nb::sig(
            "def unchanged(values: list[object], count: int, messages: list[object], plain: collections.abc.Callable[[object], object]) -> tuple[int, int]"),
        "How many messages are those that are kept, at the start and after them at the end. `plain` makes of a message what would be kept of it.");
}

}  // namespace chunker::bindings
