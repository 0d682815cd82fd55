// The lock of the interpreter (GIL), let go for work that needs no Python, and taken back.
//
// At the end of the interpreter, before Python 3.14, a daemon thread that takes the lock is ended. With glibc this unwinds
// the stack like an exception, which would run destructors that touch objects of Python, and abort the process in functions that throw nothing. Such
// a thread waits for the end of the process instead, as all do from Python 3.14 on; so nobody takes the lock who holds one of C++.
#pragma once

#include <nanobind/nanobind.h>

#include <cstddef>

#if defined(__GLIBC__) && defined(__GLIBCXX__)
#define BPE_ENDS_BY_UNWINDING
#include <cxxabi.h>
#include <unistd.h>
#endif

namespace gil {

template <class Take>
auto take(Take take) noexcept {
#ifdef BPE_ENDS_BY_UNWINDING
    try {
        return take();
    } catch (abi::__forced_unwind&) {
        for (;;) pause();
    }
#else
    return take();
#endif
}

// Bytes of text from which on it is worth it to let go: to take the lock back may take as long as reading some hundred, and where another thread
// holds it, far longer.
inline constexpr std::size_t worth_it = 1 << 14;

// Lets go for the time of a scope, if `size` is worth it.
class Released {
public:
    explicit Released(std::size_t size = worth_it) : state_(size >= worth_it ? PyEval_SaveThread() : nullptr) {}
    ~Released() {
        if (state_) take([this] { PyEval_RestoreThread(state_); });
    }
    Released(const Released&) = delete;
    Released& operator=(const Released&) = delete;

private:
    PyThreadState* state_;
};

// Holds the lock for the time of a scope, whether it was let go before or not.
class Held {
public:
    Held() noexcept : state_(take(PyGILState_Ensure)) {}
    ~Held() { PyGILState_Release(state_); }
    Held(const Held&) = delete;
    Held& operator=(const Held&) = delete;

private:
    PyGILState_STATE state_;
};

}  // namespace gil
