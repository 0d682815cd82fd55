// Symbols of source code, and maps of repositories: names on lines, the value of definitions, the choice of lines.
#include <algorithm>
#include <string>

#include "chunker/constants.hpp"
#include "chunker/name_graph.hpp"
#include "chunker/source_names.hpp"
#include "chunker/tree_choice.hpp"
#include "formats.hpp"
#include "parts.hpp"
#include "source.hpp"

namespace chunker::bindings {

namespace {

std::vector<std::string> strings_of(nb::list values) {
    std::vector<std::string> made;
    for (nb::handle value : values) {
        made.emplace_back(Utf8(value).view());
        if (made.back().empty()) throw nb::value_error("a mark is not empty");
    }
    return made;
}

nb::object source_names(nb::object text, nb::list block_comments, nb::list line_comments, nb::list strings, std::size_t most) {
    HiddenMarks marks;
    auto const block = strings_of(block_comments);
    if (!block.empty() && block.size() != 2) throw nb::value_error("block comments have a begin and an end");
    if (!block.empty()) {
        marks.block_begin = block[0];
        marks.block_end = block[1];
    }
    marks.line_comments = strings_of(line_comments);
    marks.strings = strings_of(strings);
    auto const bytes = utf8_if_whole(text, "text");
    if (!bytes) return nb::none();
    std::string const code = without_comments_and_strings(bytes->view(), marks);
    nb::str const shown(code.data(), code.size());
    if (std::any_of(code.begin(), code.end(), [](char byte) { return static_cast<unsigned char>(byte) > 0x7F; })) return nb::make_tuple(shown, nb::none());
    nb::dict uses;
    for (auto const& name : names_by_line(code, most)) uses[nb::str(name.name.data(), name.name.size())] = to_list(name.lines);
    return nb::make_tuple(shown, uses);
}

// The numbers in an object of bytes, as array.array writes them; they are there as long as the object is.
template <class Number>
Column<Number> column_in(nb::handle value, const char* what) {
    char* data = nullptr;
    Py_ssize_t size = 0;
    if (!PyBytes_Check(value.ptr())) given::raise_type(what, "bytes", value);
    if (PyBytes_AsStringAndSize(value.ptr(), &data, &size) != 0) throw nb::python_error();
    if (static_cast<std::size_t>(size) % sizeof(Number) != 0) given::raise(PyExc_ValueError, "%s are numbers of eight bytes", what);
    return Column<Number>({data, static_cast<std::size_t>(size)});
}

template <class Number>
std::vector<Number> numbers_in(nb::handle value, const char* what) {
    auto const column = column_in<Number>(value, what);
    std::vector<Number> numbers(column.size());
    for (std::size_t place = 0; place < numbers.size(); ++place) numbers[place] = column[place];
    return numbers;
}

template <class Names>
void check_names(const Names& names, std::int64_t least, std::int64_t count) {
    for (std::size_t place = 0; place < names.size(); ++place)
        if (names[place] < least || names[place] >= count) throw nb::value_error("a name is below the number of names");
}

double real(nb::handle value, const char* what) {
    if (!PyFloat_Check(value.ptr()) && !PyLong_Check(value.ptr())) given::raise_type(what, "a number", value);
    double const found = PyFloat_AsDouble(value.ptr());
    if (found == -1.0 && PyErr_Occurred()) throw nb::python_error();
    return found;
}

nb::object values_of(nb::list files, std::size_t names, nb::list starts, nb::list focused) {
    given::same_length(files, "files", starts, "starts");
    if (names > std::size_t{1} << 24) throw nb::value_error("there are at most 2^24 names");
    auto const count = static_cast<std::int64_t>(names);
    std::vector<NamedFile> made;
    made.reserve(nb::len(files));
    for (std::size_t number = 0; number < nb::len(files); ++number) {
        nb::tuple const columns = as_tuple(given::element(files, number, "files"), 4, "a file");
        NamedFile const file{column_in<std::int64_t>(columns[0], "used"), column_in<double>(columns[1], "weights"),
                             column_in<std::int64_t>(columns[2], "defined"), column_in<double>(columns[3], "factors"),
                             real(given::element(starts, number, "starts"), "a start")};
        if (file.used.size() != file.weights.size() || file.defined.size() != file.factors.size()) throw nb::value_error("columns are of one length");
        check_names(file.used, 0, count);
        check_names(file.defined, -1, count);
        made.push_back(file);
    }
    auto const asked = from_list(focused);
    check_names(asked, 0, count);
    auto const values = definition_values(made, names, asked);
    return nb::bytes(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(double));
}

nb::object chosen(nb::bytes values, nb::bytes prices, nb::bytes sizes, nb::bytes marks, std::int64_t budget, double raised) {
    if (budget < 0 || budget > choosing::most_budget) throw nb::value_error("a budget is from 0 to 2^40");
    ChoiceTree tree{numbers_in<double>(values, "values"), numbers_in<std::int64_t>(prices, "prices"), numbers_in<std::int64_t>(sizes, "sizes"),
                    numbers_in<std::int64_t>(marks, "marks")};
    std::size_t const size = tree.values.size();
    if (tree.prices.size() != size || tree.ends.size() != size || tree.marks.size() != size) throw nb::value_error("columns are of one length");
    for (std::size_t node = 0; node < size; ++node)
        if (tree.prices[node] < 1 || tree.prices[node] > std::int64_t{1} << 32 || tree.marks[node] < -1 || tree.marks[node] > std::int64_t{1} << 32 ||
            !(tree.values[node] >= 0 && tree.values[node] < 1e300))
            throw nb::value_error("prices are from 1, values from 0");
    // Each node ends within the one around it.
    std::vector<std::int64_t> open;
    for (std::size_t node = 0; node < size; ++node) {
        auto const number = static_cast<std::int64_t>(node);
        while (!open.empty() && open.back() <= number) open.pop_back();
        std::int64_t const most = open.empty() ? static_cast<std::int64_t>(size) : open.back();
        if (tree.ends[node] < 1 || tree.ends[node] > most - number || (tree.marks[node] < 0) != open.empty())
            throw nb::value_error("nodes end within those around them, and the outermost alone have no mark");
        tree.ends[node] += number;
        open.push_back(tree.ends[node]);
    }
    TreeChoice const choice = choose(tree, budget, raised);
    return nb::make_tuple(to_list(choice.nodes), choice.value, choice.bound);
}

}  // namespace

void define_mapping(nb::module_& module) {
    module.def(
        "source_names", &source_names, nb::arg("text"), nb::arg("block_comments"), nb::arg("line_comments"), nb::arg("strings"), nb::arg("most"),
        nb::sig("def source_names(text: str, block_comments: list[str], line_comments: list[str], strings: list[str], most: int) -> tuple[str, dict[str, "
                "list[int]] | None] | None"),
        "Source code with spaces for comments and strings, and the lines on which each name stands, `most` at most; None for the lines if not all of the code "
        "is ASCII, and None for a text with halves of surrogate pairs.");
    module.def("definition_values", &values_of, nb::arg("files"), nb::arg("names"), nb::arg("starts"), nb::arg("focused"),
               nb::sig("def definition_values(files: list[tuple[bytes, bytes, bytes, bytes]], names: int, starts: list[float], focused: list[int]) "
                       "-> bytes"),
               "Numbers of eight bytes: for each file 0 and the value of each of its definitions, by who uses it. See chunker.mapping.ranks.");
    module.def("choose", &chosen, nb::arg("values"), nb::arg("prices"), nb::arg("sizes"), nb::arg("marks"), nb::arg("budget"), nb::arg("raised"),
               nb::sig("def choose(values: bytes, prices: bytes, sizes: bytes, marks: bytes, budget: int, raised: float) -> tuple[list[int], float, float]"),
               "The nodes of the largest value within a budget, that value, and a bound: see chunker.mapping.choosing.");
}

}  // namespace chunker::bindings
