// An array that starts as zeros and takes memory only where it is written, for large caches. Huge pages (MADV_HUGEPAGE) were tried and are not
// faster: the processor's caches miss, not its address translation.
#pragma once

#include <cstdlib>
#include <memory>
#include <new>

#include "bpe/types.hpp"

namespace bpe {

template <class T>
class ZeroedArray {
public:
    explicit ZeroedArray(std::size_t size) : memory_(std::calloc(size + 1, sizeof(T))) {
        if (!memory_) throw std::bad_alloc();
        auto const address = reinterpret_cast<std::uintptr_t>(memory_.get());
        first_ = reinterpret_cast<T*>((address + alignof(T) - 1) / alignof(T) * alignof(T));
    }

    T& operator[](std::size_t index) { return first_[index]; }
    const T& operator[](std::size_t index) const { return first_[index]; }

private:
    struct Free {
        void operator()(void* memory) const { std::free(memory); }
    };
    std::unique_ptr<void, Free> memory_;
    T* first_;
};

}  // namespace bpe
