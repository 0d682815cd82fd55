// The text that is cut, parts of it for Python, and the contexts of its chunks.
#pragma once

#include <nanobind/nanobind.h>

#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "chunker/counter.hpp"
#include "given.hpp"
#include "source.hpp"

namespace chunker::bindings {

// Products of two of these and of a length of a text do not overflow.
inline constexpr std::size_t most_limit = std::size_t{1} << 40;

inline nb::object part_of(nb::handle text, std::size_t start, std::size_t end) {
    nb::object part = nb::steal(PyUnicode_Substring(text.ptr(), static_cast<Py_ssize_t>(start), static_cast<Py_ssize_t>(end)));
    if (!part.is_valid()) throw nb::python_error();
    return part;
}

// The contexts that were met, by numbers; 0 is that of none. Those that are not made in Python become a str when they are asked for.
class Contexts {
public:
    Contexts() { known_.push_back({{}, {}, 0}); }

    Context number_of(nb::object context) {
        if (!PyUnicode_Check(context.ptr())) given::raise_type("a context", "a str", context);
        if (auto const known = numbers_.find(context.ptr()); known != numbers_.end()) return known->second;
        if (PyUnicode_GetLength(context.ptr()) == 0) return 0;
        // Halves of surrogate pairs as tokenizers read them.
        nb::object const whole = utf8_if_whole(context) ? context : context.attr("encode")("utf-16", "surrogatepass").attr("decode")("utf-16", "replace");
        numbers_.emplace(context.ptr(), known_.size());
        return put(std::string(Utf8(whole).view()), std::move(context));
    }
    // Needs no GIL.
    Context number_of(std::string context) { return context.empty() ? 0 : put(std::move(context), {}); }
    nb::handle string(Context context) {
        auto& [bytes, string, size] = known_[context];
        if (!string.is_valid()) string = nb::str(bytes.data(), bytes.size());
        return string;
    }
    std::string_view bytes(Context context) const { return known_[context].bytes; }
    // Its tokens, which `count` says the first time that they are asked for.
    template <class Count>
    std::size_t size(Context context, Count count) {
        if (known_[context].size == unknown) {
            std::size_t const counted = count();
            known_[context].size = counted;
        }
        return known_[context].size;
    }

private:
    Context put(std::string bytes, nb::object context) {
        known_.push_back({std::move(bytes), std::move(context), unknown});
        return known_.size() - 1;
    }

    static constexpr std::size_t unknown = std::numeric_limits<std::size_t>::max();
    struct Known {
        std::string bytes;
        nb::object string;  // so no other object gets its address
        std::size_t size;
    };
    std::vector<Known> known_;
    std::unordered_map<PyObject*, Context> numbers_;
};

}  // namespace chunker::bindings
