#include "text_parts.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

#include "bpe/unicode.hpp"
#include "bpe/utf8.hpp"
#include "given.hpp"

namespace bpe::bindings {

Target::Target(nb::handle parts) {
    std::size_t const count = nb::len(parts);
    for (std::size_t number = 0; number < count; ++number) {
        nb::handle const part = parts[number];
        nb::object text = part[0];
        Text const received(text);
        bool const is_last = number + 1 == count;
        std::optional<Text> finished;
        if (received.had_surrogates() && is_last) {
            nb::object const cut = nb::module_::import_("bpe_engine.text.input").attr("cut_unfinished_end")(text);
            finished.emplace(cut[0]);
            nb::object const rest = cut[1];
            if (nb::len(rest) > 0) unfinished = rest;
        }
        if (count == 1) {
            whole.emplace(finished ? std::move(*finished) : Text(text));
            return;
        }
        Bytes const bytes = finished ? finished->bytes() : received.bytes();
        joined.insert(joined.end(), bytes.begin(), bytes.end());
        if (nb::handle(part[1]).is_none()) continue;
        Text const written(part[2]);
        std::size_t const start = joined.size();
        joined.insert(joined.end(), written.bytes().begin(), written.bytes().end());
        tokens.push_back({start, joined.size(), static_cast<std::uint32_t>(given::number(part[1], "an id", 0, std::numeric_limits<std::uint32_t>::max()))});
    }
}

bool continues(Bytes text, std::size_t place) { return place < text.size && UnicodeTable::continues(text[place]); }

// Sums of a byte are added up many at a time.
std::size_t characters_in(Bytes text) {
    constexpr std::size_t block = 255;
    std::size_t characters = 0;
    for (std::size_t start = 0; start < text.size; start += block) {
        std::uint8_t sum = 0;
        std::size_t const end = std::min(text.size, start + block);
        for (std::size_t place = start; place < end; ++place) sum = static_cast<std::uint8_t>(sum + !UnicodeTable::continues(text.data[place]));
        characters += sum;
    }
    return characters;
}

std::size_t common_prefix(Bytes one, Bytes other) {
    constexpr std::size_t block = 4096;
    std::size_t const most = std::min(one.size, other.size);
    std::size_t place = 0;
    while (most - place >= block && std::memcmp(one.data + place, other.data + place, block) == 0) place += block;
    return static_cast<std::size_t>(std::mismatch(one.data + place, one.data + most, other.data + place).first - one.data);
}

Encoded::Encoded(nb::str text) : owner_(nb::steal(PyUnicode_AsEncodedString(text.ptr(), "utf-8", "surrogatepass"))) {
    char* data = nullptr;
    Py_ssize_t size = 0;
    if (!owner_.is_valid() || PyBytes_AsStringAndSize(owner_.ptr(), &data, &size) != 0) throw nb::python_error();
    bytes_ = {reinterpret_cast<const Byte*>(data), static_cast<std::size_t>(size)};
}

Ascii::Ascii(nb::str text) {
    // Not that of a class of its own.
    if (nb::handle(reinterpret_cast<PyObject*>(&PyUnicode_Type)).attr("isascii")(text).is(nb::handle(Py_False))) return;
    data = reinterpret_cast<const Byte*>(PyUnicode_AsUTF8AndSize(text.ptr(), nullptr));
    if (!data) throw nb::python_error();
}

std::vector<std::size_t> offsets_in(nb::handle cuts, std::size_t length) {
    if (!PySequence_Check(cuts.ptr())) given::raise_type("cuts", "a sequence of offsets", cuts);
    std::vector<std::size_t> places;
    for (nb::handle cut : nb::iter(cuts)) places.push_back(static_cast<std::size_t>(given::nearest(cut, "a cut")));  // too large where it is negative
    bool const ascending = std::is_sorted(places.begin(), places.end());
    if (places.size() > 1 && (!ascending || places.back() > length)) {
        PyErr_Format(PyExc_IndexError, "cuts must be ascending offsets into a text of %zu characters", length);
        throw nb::python_error();
    }
    return places;
}

}  // namespace bpe::bindings
