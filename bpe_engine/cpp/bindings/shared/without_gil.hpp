// Work that needs no Python, during which other threads of Python run.
#pragma once

#include <nanobind/nanobind.h>

#include <cstddef>

namespace without_gil {

// Bytes of text from which on it is worth it: to get the GIL back may take as long as reading some hundred, and where another thread holds it, far longer.
inline constexpr std::size_t worth_it = 1 << 14;

// Lets go of the GIL for the time of a scope, if `size` is worth it.
class Scope {
public:
    explicit Scope(std::size_t size) : state_(size >= worth_it ? PyEval_SaveThread() : nullptr) {}
    ~Scope() {
        if (state_) PyEval_RestoreThread(state_);
    }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

private:
    PyThreadState* state_;
};

}  // namespace without_gil
