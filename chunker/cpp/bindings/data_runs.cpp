// Whether a text has embedded data: what chunker/files/shortening.py asks first.
#include <array>
#include <cstddef>
#include <string_view>

#include "parts.hpp"
#include "source.hpp"

namespace chunker::bindings {

namespace {

constexpr std::array<bool, 256> data_bytes = [] {
    std::array<bool, 256> table{};
    for (char const byte : std::string_view("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/_-"))
        table[static_cast<unsigned char>(byte)] = true;
    return table;
}();

// Each span of `least` bytes is read from its end, and the next one begins after the first byte that is none of data: of prose most bytes are not read.
bool has_run(std::string_view text, std::size_t least) {
    for (std::size_t start = 0; text.size() - start >= least;) {
        std::size_t back = least;
        while (back > 0 && data_bytes[static_cast<unsigned char>(text[start + back - 1])]) --back;
        if (back == 0) return true;
        start += back;
    }
    return false;
}

bool has_data_run(nb::str text, std::size_t least) {
    auto const bytes = utf8_if_whole(text);
    return !bytes || has_run(bytes->view(), least);
}

}  // namespace

void define_data_runs(nb::module_& module) {
    module.def("has_data_run", &has_data_run, nb::arg("text"), nb::arg("least"), nb::sig("def has_data_run(text: str, least: int) -> bool"),
               "Whether at least so many characters of base64 follow each other; True, too, for a text with halves of surrogate pairs.");
}

}  // namespace chunker::bindings
