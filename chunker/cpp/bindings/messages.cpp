// The messages of a conversation, kept as the values in them one after the other: of each dict its names and then its values, of each list its length and then
// its items (prompt/conversation/kept_messages.py has the same in Python).
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "given.hpp"
#include "parts.hpp"

namespace chunker::bindings {

namespace {

nb::object made(PyObject* object) {
    if (!object) throw nb::python_error();
    return nb::steal(object);
}

bool same_leaf(PyObject* one, PyObject* other) {
    if (one == other) return true;
    PyTypeObject* const type = Py_TYPE(one);
    if (type != Py_TYPE(other)) return false;
    if (type == &PyUnicode_Type) return PyUnicode_Compare(one, other) == 0;
    if (type == &PyFloat_Type) {
        double const number = PyFloat_AsDouble(one), other_number = PyFloat_AsDouble(other);
        return std::memcmp(&number, &other_number, sizeof number) == 0;  // 0.0 and -0.0 are written in two ways
    }
    return type == &PyLong_Type && PyObject_RichCompareBool(one, other, Py_EQ) == 1;
}

// A name is a plain value that can be hashed: 1 and True are equal, and written in two ways.
bool same_name(PyObject* one, PyObject* other) {
    if (one == other) return true;
    if (Py_TYPE(one) != &PyTuple_Type || Py_TYPE(other) != &PyTuple_Type) return same_leaf(one, other);
    Py_ssize_t const size = PyTuple_Size(one);
    if (size != PyTuple_Size(other)) return false;
    for (Py_ssize_t number = 0; number < size; ++number)
        if (!same_name(PyTuple_GetItem(one, number), PyTuple_GetItem(other, number))) return false;
    return true;
}

// One of the kept values, in eight bytes. The two lowest bits, which are 0 in an address, say what it is:
//
//     ....00   a value: its address
//     ....01   the start of a dict: the address of the tuple of its names
//     ....10   the start of a list: how many items it has
//     ....11   the start of a tuple: likewise
class Entry {
public:
    enum Kind : std::uintptr_t { leaf, dict, list, tuple };

    // Takes over the reference.
    Entry(Kind kind, nb::object object) : bits_(reinterpret_cast<std::uintptr_t>(object.release().ptr()) | kind) {}
    Entry(Kind kind, Py_ssize_t size) : bits_(static_cast<std::uintptr_t>(size) << 2 | kind) {}
    Entry(Entry const& other) : bits_(other.bits_) {
        if (holds()) Py_INCREF(object());
    }
    Entry(Entry&& other) noexcept : bits_(std::exchange(other.bits_, nothing)) {}
    Entry& operator=(Entry other) noexcept {
        std::swap(bits_, other.bits_);
        return *this;
    }
    ~Entry() {
        if (holds()) Py_DECREF(object());
    }

    Kind kind() const { return static_cast<Kind>(bits_ & 3); }
    bool is(PyObject* value) const { return bits_ == reinterpret_cast<std::uintptr_t>(value); }
    PyObject* object() const { return reinterpret_cast<PyObject*>(bits_ & ~std::uintptr_t{3}); }
    // How many values follow, each with those inside of it.
    Py_ssize_t size() const {
        if (kind() == leaf) return 0;
        return kind() == dict ? PyTuple_Size(object()) : static_cast<Py_ssize_t>(bits_ >> 2);
    }

private:
    static constexpr std::uintptr_t nothing = list;  // an empty list

    bool holds() const { return kind() == leaf || kind() == dict; }

    std::uintptr_t bits_;
};
static_assert(sizeof(Entry) == sizeof(void*));

// Messages that the processor is told to load before they are looked at.
constexpr std::size_t ahead = 6;
// Names of dicts that are looked for among those that are kept.
constexpr std::size_t most_recent = 16;

class KeptMessages {
public:
    std::size_t size() const { return count_; }

    nb::list dicts() const {
        nb::list made_dicts;
        for (std::size_t place = 0; place < entries_.size();) made_dicts.append(value_at(place));
        return made_dicts;
    }

    // Puts others in the place of the messages from `first` up to `last`; these are returned.
    nb::list splice(std::size_t first, std::size_t last, nb::list messages) {
        if (first > last || last > count_) given::raise(PyExc_IndexError, "there are no messages %zu to %zu: there are %zu", first, last, count_);
        std::vector<Entry> made_entries;
        std::size_t const number = nb::len(messages);
        for (std::size_t place = 0; place < number; ++place) {
            nb::object const message = given::element(messages, place, "messages");
            if (Py_TYPE(message.ptr()) != &PyDict_Type) given::raise_type("a message", "a dict", message);
            keep(message, made_entries);
        }
        std::size_t const start = first == count_ ? entries_.size() : place_of(first);
        std::size_t const end = last == count_ ? entries_.size() : place_of(last, first, start);
        nb::list gone;
        for (std::size_t place = start; place < end;) gone.append(value_at(place));
        if (end > entries_.size()) given::raise(PyExc_IndexError, "messages were taken out while they were looked at");
        // Room for an eighth more, as a list of Python's has it.
        std::size_t const wanted = entries_.size() - (end - start) + made_entries.size();
        if (wanted > entries_.capacity()) entries_.reserve(wanted + wanted / 8);
        auto const from = entries_.begin() + static_cast<std::ptrdiff_t>(start);
        auto const to = entries_.begin() + static_cast<std::ptrdiff_t>(end);
        std::size_t const common = std::min(end - start, made_entries.size());
        auto const middle = made_entries.begin() + static_cast<std::ptrdiff_t>(common);
        std::swap_ranges(made_entries.begin(), middle, from);
        auto const kept_to = from + static_cast<std::ptrdiff_t>(common);
        std::vector<Entry> taken(std::make_move_iterator(kept_to), std::make_move_iterator(to));
        entries_.erase(kept_to, to);
        entries_.insert(entries_.begin() + static_cast<std::ptrdiff_t>(start + common), std::make_move_iterator(middle),
                        std::make_move_iterator(made_entries.end()));
        count_ += number - (last - first);
        return gone;  // the values are let go of now, when all is in its place
    }

    // How many messages are those that are kept, at the start and after them at the end.
    nb::object unchanged(nb::list messages, nb::callable plain) const {
        std::size_t const size = nb::len(messages), most = std::min(size, count_);
        Names names;
        auto const same = [&](std::size_t number, std::size_t& place) {
            nb::object const message = given::element(messages, number, "messages");
            std::size_t end = place;
            if (!is_kept_dict(message.ptr(), end, names, true)) {
                nb::object const as_kept = plain(message);
                names.clear();  // it may run any code
                end = place;
                if (!is_kept_dict(as_kept.ptr(), end, names, false)) return false;
            }
            place = end;
            return true;
        };
        std::size_t first = 0, last = 0;
        for (std::size_t place = 0; first < most && same(first, place); ++first) {
            if (first + ahead >= size) continue;
            if (PyObject* const coming = PyList_GetItem(messages.ptr(), static_cast<Py_ssize_t>(first + ahead))) __builtin_prefetch(coming);
            else PyErr_Clear();  // `plain` has taken some out
        }
        if (first < most) {
            std::vector<std::size_t> places;
            for (std::size_t place = 0; place < entries_.size(); skip(place)) places.push_back(place);
            while (first + last < most && same(size - 1 - last, places.at(places.size() - 1 - last))) ++last;
        }
        return nb::make_tuple(first, last);
    }

private:
    // The names of some dicts, in a place where they are read without a call: most messages have the same. Beside each name stands the one that was last found
    // equal to it: a document in JSON has one object for all keys of a name.
    class Names {
    public:
        struct Name {
            PyObject* kept;
            PyObject* equal;

            bool is(PyObject* key) {
                if (key == equal) return true;
                if (!same_name(key, kept)) return false;
                equal = key;
                return true;
            }
        };
        struct Known {
            PyObject* tuple = nullptr;
            std::vector<Name> names;
        };
        // Those of a tuple, good until `clear`; null if its place is another one's.
        Known* of(PyObject* tuple) {
            Known& known = known_[reinterpret_cast<std::uintptr_t>(tuple) / 16 % known_.size()];
            if (!known.tuple) {
                known.tuple = tuple;
                Py_ssize_t const size = PyTuple_Size(tuple);
                for (Py_ssize_t number = 0; number < size; ++number) {
                    PyObject* const name = PyTuple_GetItem(tuple, number);
                    known.names.push_back({name, name});
                }
            }
            return known.tuple == tuple ? &known : nullptr;
        }
        void clear() {
            for (Known& known : known_) known = {};
        }

    private:
        std::array<Known, 64> known_;
    };

    // An entry, if Python code has not taken it out meanwhile.
    Entry const& entry(std::size_t& place) const {
        if (place >= entries_.size()) given::raise(PyExc_IndexError, "messages were taken out while they were looked at");
        return entries_[place++];
    }

    void skip(std::size_t& place) const {
        for (Py_ssize_t left = 1; left > 0; --left) left += entry(place).size();
    }
    // The place where a message begins; `known` is an earlier one, which begins at `place`.
    std::size_t place_of(std::size_t number, std::size_t known = 0, std::size_t place = 0) const {
        for (; known < number; ++known) skip(place);
        return place;
    }

    nb::object value_at(std::size_t& place) const {
        Entry const& known = entry(place);
        if (known.kind() == Entry::leaf) return nb::borrow(known.object());
        if (known.kind() == Entry::dict) {
            nb::object const names = nb::borrow(known.object());
            nb::object const dict = made(PyDict_New());
            for (Py_ssize_t number = 0; number < PyTuple_Size(names.ptr()); ++number) {
                nb::object const value = value_at(place);
                if (PyDict_SetItem(dict.ptr(), PyTuple_GetItem(names.ptr(), number), value.ptr()) != 0) throw nb::python_error();
            }
            return dict;
        }
        bool const is_list = known.kind() == Entry::list;
        Py_ssize_t const size = known.size();
        nb::object const items = made(is_list ? PyList_New(size) : PyTuple_New(size));
        for (Py_ssize_t number = 0; number < size; ++number) {
            PyObject* const value = value_at(place).release().ptr();
            if ((is_list ? PyList_SetItem(items.ptr(), number, value) : PyTuple_SetItem(items.ptr(), number, value)) != 0) throw nb::python_error();
        }
        return items;
    }

    void keep(nb::handle value, std::vector<Entry>& entries) {
        PyTypeObject* const type = Py_TYPE(value.ptr());
        if (type == &PyDict_Type) {
            entries.emplace_back(Entry::dict, names_of(value));
            PyObject *key = nullptr, *item = nullptr;
            for (Py_ssize_t place = 0; PyDict_Next(value.ptr(), &place, &key, &item);) keep(item, entries);
        } else if (type == &PyList_Type || type == &PyTuple_Type) {
            bool const is_list = type == &PyList_Type;
            Py_ssize_t const size = PySequence_Size(value.ptr());
            entries.emplace_back(is_list ? Entry::list : Entry::tuple, size);
            for (Py_ssize_t number = 0; number < size; ++number)
                keep(is_list ? PyList_GetItem(value.ptr(), number) : PyTuple_GetItem(value.ptr(), number), entries);
        } else {
            entries.emplace_back(Entry::leaf, nb::borrow(value));
        }
    }

    // The names of a dict: one tuple for the dicts with the same, if they were met lately.
    nb::object names_of(nb::handle dict) {
        for (nb::object const& known : recent_)
            if (has_names(dict, known)) return known;
        nb::object const names = made(PyTuple_New(PyDict_Size(dict.ptr())));
        PyObject *key = nullptr, *item = nullptr;
        Py_ssize_t number = 0;
        for (Py_ssize_t place = 0; PyDict_Next(dict.ptr(), &place, &key, &item); ++number)
            if (PyTuple_SetItem(names.ptr(), number, Py_NewRef(key)) != 0) throw nb::python_error();
        if (recent_.size() < most_recent) {
            recent_.push_back(names);
        } else {
            recent_[next_recent_] = names;
            next_recent_ = (next_recent_ + 1) % most_recent;
        }
        return names;
    }
    static bool has_names(nb::handle dict, nb::handle names) {
        if (PyDict_Size(dict.ptr()) != PyTuple_Size(names.ptr())) return false;
        PyObject *key = nullptr, *item = nullptr;
        Py_ssize_t number = 0;
        for (Py_ssize_t place = 0; PyDict_Next(dict.ptr(), &place, &key, &item); ++number)
            if (!same_name(key, PyTuple_GetItem(names.ptr(), number))) return false;
        return true;
    }

    // Of one type, which no class of a caller can be, and with the same order of names: what a template writes of both is the same. Names without a value are
    // not kept where `drops_none`. Runs no Python code. Tried: 32 messages side by side, level by level, with dicts and lists loaded ahead. As fast in a cold
    // cache, and slower by a third in a warm one: the calls of PyDict_Next are most of the time, not the memory.
    bool is_kept_dict(PyObject* dict, std::size_t& place, Names& names, bool drops_none) const {
        Entry const& head = entry(place);
        if (head.kind() != Entry::dict) given::raise(PyExc_IndexError, "messages were taken out while they were looked at");
        if (Py_TYPE(dict) != &PyDict_Type) return false;
        PyObject* const tuple = head.object();
        Names::Known* const known = names.of(tuple);
        Py_ssize_t const wanted = known ? static_cast<Py_ssize_t>(known->names.size()) : PyTuple_Size(tuple), size = PyDict_Size(dict);
        if (drops_none ? size < wanted : size != wanted) return false;
        PyObject *key = nullptr, *value = nullptr;
        Py_ssize_t position = 0, found = 0;
        for (Py_ssize_t number = 0; number < size && PyDict_Next(dict, &position, &key, &value); ++number) {
            if (drops_none && value == Py_None) continue;
            if (found == wanted) return false;
            bool const has_name = known ? known->names[static_cast<std::size_t>(found)].is(key) : same_name(key, PyTuple_GetItem(tuple, found));
            if (!has_name || !is_kept(value, place, names)) return false;
            ++found;
        }
        return found == wanted;
    }
    bool is_kept(PyObject* value, std::size_t& place, Names& names) const {
        Entry const& known = entry(place);
        if (known.is(value)) return true;
        if (known.kind() == Entry::leaf) return same_leaf(value, known.object());
        if (known.kind() == Entry::dict) return is_kept_dict(value, --place, names, false);
        bool const is_list = known.kind() == Entry::list;
        Py_ssize_t const size = known.size();
        if (Py_TYPE(value) != (is_list ? &PyList_Type : &PyTuple_Type) || (is_list ? PyList_Size(value) : PyTuple_Size(value)) != size) return false;
        for (Py_ssize_t number = 0; number < size; ++number)
            if (!is_kept(is_list ? PyList_GetItem(value, number) : PyTuple_GetItem(value, number), place, names)) return false;
        return true;
    }

    std::vector<Entry> entries_;
    std::size_t count_ = 0;
    std::vector<nb::object> recent_;  // names, of which the oldest is at `next_recent_` when they are as many as there may be
    std::size_t next_recent_ = 0;
};

}  // namespace

void define_messages(nb::module_& module) {
    nb::class_<KeptMessages>(module, "KeptMessages", "The plain messages of a conversation: see chunker.prompt.conversation.kept_messages.")
        .def(nb::init<>())
        .def("__len__", &KeptMessages::size, nb::lock_self())
        .def(
            "copy", [](KeptMessages const& messages) { return messages; }, nb::lock_self(), "Another one, to be changed by itself.")
        .def("dicts", &KeptMessages::dicts, nb::lock_self(), nb::sig("def dicts(self) -> list[dict[str, object]]"), "The messages, each a dict of its own.")
        .def("splice", &KeptMessages::splice, nb::lock_self(), nb::arg("first"), nb::arg("last"), nb::arg("messages"),
             nb::sig("def splice(self, first: int, last: int, messages: list[dict[str, object]]) -> list[dict[str, object]]"),
             "Put others in the place of the messages from `first` up to `last`, and return these.")
        .def("unchanged", &KeptMessages::unchanged, nb::lock_self(), nb::arg("messages"), nb::arg("plain"),
             nb::sig("def unchanged(self, messages: list[object], plain: collections.abc.Callable[[object], object]) -> tuple[int, int]"),
             "How many messages are those that are kept, at the start and after them at the end. `plain` makes of a message what would be kept of it.");
}

}  // namespace chunker::bindings
