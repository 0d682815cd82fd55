// Many texts in one call, on several threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <exception>
#include <system_error>
#include <thread>
#include <vector>

#include "text.hpp"

namespace bpe::bindings {

// Calls `work(index)` for each text, from at most so many threads. Throws the error of the first text that has one.
template <class Work>
void in_threads(const std::vector<Text>& texts, std::size_t threads, Work&& work) {
    // To start a thread takes as long as to count some ten kilobytes.
    constexpr std::size_t worth_a_thread = 1 << 14;
    std::size_t const count = texts.size();
    std::size_t bytes = 0;
    for (Text const& text : texts) bytes += text.bytes().size;
    threads = std::min({threads, count, bytes / worth_a_thread + 1});
    std::atomic<std::size_t> next{0};
    std::vector<std::exception_ptr> errors(count);
    auto const run = [&] {
        for (std::size_t index; (index = next.fetch_add(1)) < count;) {
            try {
                work(index);
            } catch (...) {
                errors[index] = std::current_exception();
            }
        }
    };
    std::vector<std::thread> others;
    others.reserve(threads);
    try {
        for (std::size_t thread = 1; thread < threads; ++thread) others.emplace_back(run);
    } catch (const std::system_error&) {
        // The system gives no more threads: those that are do it all.
    }
    run();
    for (std::thread& other : others) other.join();
    for (std::exception_ptr const& error : errors)
        if (error) std::rethrow_exception(error);
}

inline std::vector<Text> all_texts(nb::handle texts) {
    std::vector<Text> all;
    for (nb::handle text : nb::iter(texts)) all.emplace_back(text);
    return all;
}

inline std::size_t threads_of(Py_ssize_t number) {
    if (number < 1) {
        PyErr_Format(PyExc_ValueError, "num_threads must be at least 1, not %zd", number);
        throw nb::python_error();
    }
    // More than the processor has would only wait for each other.
    return std::min<std::size_t>(static_cast<std::size_t>(number), std::max(1u, std::thread::hardware_concurrency()));
}

// The methods of both kinds of engine that take many texts.
template <class Engine>
nb::list count_batch(const Engine& self, nb::handle texts, Py_ssize_t num_threads) {
    std::size_t const threads = threads_of(num_threads);
    std::vector<Text> const all = all_texts(texts);
    std::vector<std::size_t> counts(all.size());
    {
        gil::Released const released;
        in_threads(all, threads, [&](std::size_t index) { counts[index] = self.encoder()->count(all[index].bytes()); });
    }
    nb::list result;
    for (std::size_t const found : counts) result.append(found);
    return result;
}

template <class Engine>
nb::list encode_batch(const Engine& self, nb::handle texts, Py_ssize_t num_threads) {
    std::size_t const threads = threads_of(num_threads);
    std::vector<Text> const all = all_texts(texts);
    std::vector<std::vector<std::uint32_t>> ids(all.size());
    {
        gil::Released const released;
        in_threads(all, threads, [&](std::size_t index) { self.encoder()->encode(all[index].bytes(), ids[index]); });
    }
    nb::list result;
    for (auto const& found : ids) result.append(self.to_list(found));
    return result;
}

// Ids by the buffer protocol, as unsigned 32-bit integers.
nb::object memory_view(std::vector<std::uint32_t> ids);

}  // namespace bpe::bindings
