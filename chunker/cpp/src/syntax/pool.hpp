// Memory for one syntax tree, given back as a whole.
//
// A parser asks for some hundred bytes at a time, millions of times, gives most of them back at once, and in the end the tree is given back node
// by node. malloc is made for more than that: it takes a tenth of the time of a parse, and a walk over the whole tree to give it back. Here what is
// given back waits in a list of its size, and what is left goes with the pool. Some chunks of memory are kept for the next one: to ask the system for
// fresh ones costs as much as to fill them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace chunker::syntax {

class Pool {
public:
    Pool() = default;
    Pool(const Pool&) = delete;
    Pool& operator=(const Pool&) = delete;
    ~Pool();

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
    };

    std::array<Free*, largest / step + 1> free_{};
    std::byte* next_ = nullptr;
    std::byte* end_ = nullptr;
    std::vector<Chunk> chunks_;  // the first ones are small, for small texts
    Large ring_{&ring_, &ring_};
};

}  // namespace chunker::syntax
