// Memory for one syntax tree, given back as a whole.
//
// A parser asks for some hundred bytes at a time, millions of times, gives most of them back at once, and in the end the tree is given back node
// by node. malloc is made for more than that: it takes a tenth of the time of a parse, and a walk over the whole tree to give it back. Here what is
// given back waits in a list of its size, and what is left goes with the pool. Some chunks of memory are kept for the next one: to ask the system for
// fresh ones costs as much as to fill them.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <vector>

struct TSParser;

namespace chunker::syntax {

class Pool {
public:
    Pool() = default;
    Pool(const Pool&) = delete;
    Pool& operator=(const Pool&) = delete;
    ~Pool();

    // In its life, a pool that would hold more bytes, or has no memory, calls `leave`, which does not return.
    class Limit {
    public:
        Limit(Pool& pool, std::size_t bytes, void (*leave)(TSParser*), TSParser* parser);
        Limit(const Limit&) = delete;
        Limit& operator=(const Limit&) = delete;
        ~Limit() { pool_.limit_ = nullptr; }

        // Whether there was no memory.
        bool is_exhausted() const { return is_exhausted_; }

    private:
        friend struct Allocator;
        Pool& pool_;
        std::size_t bytes_;
        void (*leave_)(TSParser*);
        TSParser* parser_;
        bool is_exhausted_ = false;
    };

    // In its life, what tree-sitter asks for in this thread comes from the pool. What is asked for outside of any comes from malloc.
    class Use {
    public:
        explicit Use(Pool& pool);
        Use(const Use&) = delete;
        Use& operator=(const Use&) = delete;
        ~Use();

    private:
        Pool* before_;
    };

private:
    friend struct Allocator;

    static constexpr std::size_t step = 16, largest = 1024;  // bytes, what is before a block included

    struct Free {
        Free* next;
    };
    using Chunk = std::unique_ptr<std::byte[]>;
    // Larger ones come from malloc, and are in a ring.
    struct Large {
        Large *before, *next;
        Pool* pool;
        std::size_t size;
    };

    std::array<Free*, largest / step + 1> free_{};
    std::byte* next_ = nullptr;
    std::byte* end_ = nullptr;
    std::vector<Chunk> chunks_;  // the first ones are small, for small texts
    Large ring_{&ring_, &ring_, this, 0};
    std::size_t held_ = 0;  // bytes, of all that came from elsewhere
    Limit* limit_ = nullptr;
};

}  // namespace chunker::syntax
