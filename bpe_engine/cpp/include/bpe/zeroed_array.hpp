// An array that starts as zeros and takes memory only where it is written, for large caches. Huge pages (MADV_HUGEPAGE) were tried and are not
// faster: the processor's caches miss, not its address translation.
#pragma once

#include <cstdlib>
#include <memory>
#include <new>
#include <type_traits>

#if defined(__linux__) && !defined(__SANITIZE_ADDRESS__)
#define BPE_MAPS_PAGES 1
#include <sys/mman.h>
#endif

#include "bpe/types.hpp"

namespace bpe {

template <class T>
class ZeroedArray {
public:
    explicit ZeroedArray(std::size_t size) : memory_(taken((size + 1) * sizeof(T)), Free{(size + 1) * sizeof(T)}) {
        if (!memory_) throw std::bad_alloc();
        auto const address = reinterpret_cast<std::uintptr_t>(memory_.get());
        first_ = reinterpret_cast<T*>((address + alignof(T) - 1) / alignof(T) * alignof(T));
    }

    T& operator[](std::size_t index) { return first_[index]; }
    const T& operator[](std::size_t index) const { return first_[index]; }

private:
    static_assert(std::is_trivially_destructible_v<T>);

    // glibc's calloc reuses memory once a process has freed blocks as large as this, and then writes all of it: the caches of a tokenizer whose file was read
    // just before cost milliseconds.
#ifdef BPE_MAPS_PAGES
    static void* taken(std::size_t bytes) {
        void* const pages = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        return pages == MAP_FAILED ? nullptr : pages;
    }
    static void free(void* memory, std::size_t bytes) { munmap(memory, bytes); }
#else
    static void* taken(std::size_t bytes) { return std::calloc(bytes, 1); }
    static void free(void* memory, std::size_t) { std::free(memory); }
#endif

    struct Free {
        std::size_t bytes;
        void operator()(void* memory) const { ZeroedArray::free(memory, bytes); }
    };
    std::unique_ptr<void, Free> memory_;
    T* first_;
};

}  // namespace bpe
