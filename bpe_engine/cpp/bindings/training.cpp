// Training: texts are counted, then merges are learned. Both run without the interpreter's lock.
#include "bpe/training.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "bpe/counting.hpp"
#include "gil.hpp"
#include "given.hpp"
#include "text.hpp"

namespace bpe::bindings {

namespace {

Bytes view(nb::handle data) {
    char* bytes = nullptr;
    Py_ssize_t size = 0;
    if (PyBytes_AsStringAndSize(data.ptr(), &bytes, &size) != 0) throw nb::python_error();
    return {reinterpret_cast<const Byte*>(bytes), static_cast<std::size_t>(size)};
}

std::uint64_t number(nb::handle count) {
    std::uint64_t const value = PyLong_AsUnsignedLongLong(count.ptr());
    if (value == ~std::uint64_t{0} && PyErr_Occurred()) {
        if (!PyErr_ExceptionMatches(PyExc_OverflowError)) throw nb::python_error();
        PyErr_Clear();
        throw TrainingLimit("a count is from 0 to 2^63 - 1");
    }
    return value;
}

nb::list learn(Words words, std::size_t merges, std::uint64_t min_frequency, bool first, const nb::object& progress) {
    TrainingOptions const options{merges, min_frequency, first ? Ties::first : Ties::lowest};
    std::vector<Merge> found;
    {
        gil::Released const released;
        found = learn_merges(std::move(words), options, [&](std::size_t done) {
            gil::Held const held;
            if (PyErr_CheckSignals() != 0) throw nb::python_error();
            if (!progress.is_none()) progress(done);
        });
    }
    nb::list result;
    for (Merge const& merge : found) result.append(nb::make_tuple(merge.first, merge.second));
    return result;
}

class Counter {
public:
    Counter(std::optional<std::string> grammar, Py_ssize_t threads)
        : counter_(grammar ? known(*grammar) : nullptr,
                   std::min<std::size_t>(static_cast<std::size_t>(std::max<Py_ssize_t>(threads, 1)), std::max(1u, std::thread::hardware_concurrency()))) {}

    void add(nb::list texts) {
        InUse const in_use(*this);
        std::vector<Text> owned;
        std::vector<Bytes> all;
        owned.reserve(nb::len(texts));
        all.reserve(nb::len(texts));
        for (nb::handle text : texts) {
            owned.emplace_back(text);
            all.push_back(owned.back().bytes());
        }
        gil::Released const released;
        counter_.add(all);
    }

    std::size_t add_open(nb::bytes block) {
        InUse const in_use(*this);
        Bytes const bytes = view(block);
        gil::Released const released;
        return counter_.add_open(bytes);
    }

    void add_pretokens(nb::list pieces, nb::list counts) {
        InUse const in_use(*this);
        given::same_length(pieces, "pieces", counts, "counts");
        for (std::size_t index = 0; index < nb::len(pieces); ++index) {
            nb::object const piece = given::element(pieces, index, "pieces");
            counter_.add_pretoken(view(piece), number(given::element(counts, index, "counts")));
        }
    }

    nb::list learn(nb::bytes symbols, std::size_t merges, std::uint64_t min_frequency, bool first, nb::object progress) {
        Bytes const given = view(symbols);
        if (given.size != 256) throw nb::value_error("`symbols` has a number for each byte");
        std::array<Byte, 256> symbol_of;
        std::copy(given.begin(), given.end(), symbol_of.begin());
        std::optional<Words> words;
        {
            InUse const in_use(*this);
            gil::Released const released;
            words = words_of(counter_.result(), symbol_of, first);
            counter_.result() = PretokenCounts();
        }
        return bindings::learn(std::move(*words), merges, min_frequency, first, progress);
    }

    std::size_t size() {
        InUse const in_use(*this);
        return counter_.result().size();
    }
    std::size_t memory() {
        InUse const in_use(*this);
        return counter_.result().memory();
    }

private:
    // Keeps others away while the interpreter's lock is released. Raises RuntimeError where somebody is at work.
    class InUse {
    public:
        explicit InUse(Counter& counter) : counter_(counter) {
            if (counter.in_use_.exchange(true)) given::raise(PyExc_RuntimeError, "another thread is using this counter of pre-tokens");
        }
        ~InUse() { counter_.in_use_ = false; }
        InUse(const InUse&) = delete;
        InUse& operator=(const InUse&) = delete;

    private:
        Counter& counter_;
    };

    static const Scanner* known(const std::string& grammar) {
        const Scanner* const scanner = scanner_named(grammar);
        if (!scanner) given::raise(PyExc_ValueError, "the core knows no grammar of the name %.80R", nb::cast(grammar).ptr());
        return scanner;
    }

    PretokenCounter counter_;
    std::atomic<bool> in_use_ = false;
};

// Tables have a row for each: this many take some 200 MB.
constexpr Symbol most_symbols = 1u << 24;

// `words`: each the numbers of its symbols as unsigned 32-bit integers.
nb::list learn_words(nb::list words, nb::list counts, Symbol symbols, std::size_t merges, std::uint64_t min_frequency, bool first, nb::object progress) {
    if (symbols > most_symbols) given::raise(PyExc_ValueError, "`symbols` must be at most %u, not %u", most_symbols, symbols);
    given::same_length(words, "words", counts, "counts");
    Words all(symbols);
    std::vector<Symbol> word;
    for (std::size_t index = 0; index < nb::len(words); ++index) {
        nb::object const given_word = given::element(words, index, "words");
        Bytes const bytes = view(given_word);
        if (bytes.size % sizeof(Symbol) != 0) throw nb::value_error("a word is an array of unsigned 32-bit integers");
        word.resize(bytes.size / sizeof(Symbol));
        if (!word.empty()) std::memcpy(word.data(), bytes.data, word.size() * sizeof(Symbol));
        if (std::any_of(word.begin(), word.end(), [&](Symbol symbol) { return symbol >= symbols; })) throw nb::value_error("a symbol is out of range");
        all.add(word.begin(), word.end(), number(given::element(counts, index, "counts")));
    }
    return learn(std::move(all), merges, min_frequency, first, progress);
}

}  // namespace

void define_training(nb::module_& module) {
    nb::class_<Counter>(module, "PretokenCounter", "Counts the pre-tokens of texts, and learns merges from them. One thread may use it at a time.")
        .def(nb::init<std::optional<std::string>, Py_ssize_t>(), nb::arg("grammar").none(), nb::arg("threads"),
             nb::sig("def __init__(self, grammar: str | None, threads: int) -> None"))
        .def("add", &Counter::add, nb::arg("texts"), nb::sig("def add(self, texts: list[str | bytes]) -> None"), "Count whole texts.")
        .def("add_open", &Counter::add_open, nb::arg("block"),
             "Count the next block of a text that goes on. Returns how many bytes of it are done with; the rest belongs before the next block.")
        .def("add_pretokens", &Counter::add_pretokens, nb::arg("pieces"), nb::arg("counts"),
             nb::sig("def add_pretokens(self, pieces: list[bytes], counts: list[int]) -> None"), "Count pre-tokens that somebody else has found.")
        .def("learn", &Counter::learn, nb::arg("symbols"), nb::arg("merges"), nb::arg("min_frequency"), nb::arg("first"), nb::arg("progress").none(),
             nb::sig("def learn(self, symbols: bytes, merges: int, min_frequency: int, first: bool, "
                     "progress: collections.abc.Callable[[int], object] | None) -> list[tuple[int, int]]"),
             "The merges, as pairs of numbers: `symbols[byte]` is that of a byte, 256 + n that of the n-th merge. Leaves the counter empty.")
        .def("__len__", &Counter::size, "How many distinct pre-tokens were counted.")
        .def_prop_ro("memory", &Counter::memory, "Bytes of memory that the counts take.");

    module.def("learn_merges", &learn_words, nb::arg("words"), nb::arg("counts"), nb::arg("symbols"), nb::arg("merges"), nb::arg("min_frequency"),
               nb::arg("first"), nb::arg("progress").none(),
               nb::sig("def learn_merges(words: list[bytes], counts: list[int], symbols: int, merges: int, min_frequency: int, first: bool, "
                       "progress: collections.abc.Callable[[int], object] | None) -> list[tuple[int, int]]"),
               "The merges of words of symbols below `symbols`, each word an array of unsigned 32-bit integers.");
}

}  // namespace bpe::bindings
