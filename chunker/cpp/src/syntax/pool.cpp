#include "pool.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <new>

#include "runtime.h"

namespace chunker::syntax {

namespace {

thread_local Pool* used = nullptr;

constexpr std::size_t first_chunk = std::size_t{1} << 14;  // bytes; each is twice as big as the one before ...
constexpr std::size_t full_chunk = 7;                      // ... up to this one and all after it, of 1 MB
constexpr std::size_t most_kept = 8;

// Full chunks that no pool uses. The lock is only tried: in a forked process, the thread that holds it may no longer exist.
class Kept {
public:
    using Chunk = std::unique_ptr<std::byte[]>;

    Chunk take() {
        std::unique_lock const lock(mutex_, std::try_to_lock);
        return lock && count_ > 0 ? std::move(chunks_[--count_]) : nullptr;
    }

    void give(Chunk chunk) {
        std::unique_lock const lock(mutex_, std::try_to_lock);
        if (lock && count_ < most_kept) chunks_[count_++] = std::move(chunk);
    }

private:
    std::mutex mutex_;
    std::array<Chunk, most_kept> chunks_;
    std::size_t count_ = 0;
};

// Never destroyed: a reading may outlive whatever ends before it.
Kept& kept() {
    static Kept& chunks = *new Kept;
    return chunks;
}

// The header before a block: its origin, and its size with the header.
struct Head {
    std::uint64_t size;  // of a block of a pool; 0 for one of malloc, 1 for a large one of a pool
};
constexpr std::uint64_t plain = 0, large = 1;

Head* head_of(void* block) { return static_cast<Head*>(block) - 1; }

void* block_after(Head* head, std::uint64_t size) {
    head->size = size;
    return head + 1;
}

}  // namespace

// The allocation functions of the runtime. No exception may pass through its frames.
struct Allocator {
    static void* allocate(std::size_t wanted) noexcept {
        if (!used) return block_after(static_cast<Head*>(checked(std::malloc(wanted + sizeof(Head)), wanted)), plain);
        std::size_t const size = (wanted + sizeof(Head) + Pool::step - 1) / Pool::step * Pool::step;
        if (wanted > Pool::largest || size > Pool::largest) return allocate_large(*used, wanted);
        Pool& pool = *used;
        if (Pool::Free* const known = pool.free_[size / Pool::step]) {
            pool.free_[size / Pool::step] = known->next;
            return known;
        }
        if (static_cast<std::size_t>(pool.end_ - pool.next_) < size) add_chunk(pool);
        void* const block = block_after(reinterpret_cast<Head*>(pool.next_), size);
        pool.next_ += size;
        return block;
    }

    static void* allocate_zeros(std::size_t count, std::size_t each) noexcept {
        if (each > 0 && count > SIZE_MAX / each) no_memory(SIZE_MAX);
        void* const block = allocate(count * each);
        return std::memset(block, 0, count * each);
    }

    static void* resize(void* block, std::size_t wanted) noexcept {
        if (!block) return allocate(wanted);
        Head* const head = head_of(block);
        if (head->size == plain) return block_after(static_cast<Head*>(checked(std::realloc(head, wanted + sizeof(Head)), wanted)), plain);
        if (head->size == large) {
            auto* const one = large_of(block);
            ask(*one->pool, wanted - std::min(wanted, one->size));
            Pool::Large* const place = leave_ring(one);
            void* const memory = std::realloc(one, wanted + large_head);
            if (!memory) enter_ring(place, one, one->size);
            return enter_ring(place, checked(memory, wanted), wanted);
        }
        std::size_t const kept = static_cast<std::size_t>(head->size) - sizeof(Head);
        if (wanted <= kept) return block;
        void* const moved = allocate(wanted);
        std::memcpy(moved, block, kept);
        release(block);
        return moved;
    }

    static void release(void* block) noexcept {
        if (!block) return;
        Head* const head = head_of(block);
        if (head->size == plain) {
            std::free(head);
        } else if (head->size == large) {
            Pool::Large* const one = large_of(block);
            leave_ring(one);
            std::free(one);
        } else if (used) {
            // The first bytes of a block that is free tell which is the next.
            used->free_[head->size / Pool::step] = new (block) Pool::Free{used->free_[head->size / Pool::step]};
        }
    }

private:
    static constexpr std::size_t large_head = sizeof(Pool::Large) + sizeof(Head);

    // The runtime cannot report that memory is exhausted: like it, we end the process, unless the parser can be left.
    [[noreturn]] static void no_memory(std::size_t size) {
        if (used && used->limit_) {
            used->limit_->is_exhausted_ = true;
            used->limit_->leave_(used->limit_->parser_);
        }
        std::fprintf(stderr, "no memory for a syntax tree: %zu bytes\n", size);
        std::abort();
    }

    static void* checked(void* memory, std::size_t size) {
        if (!memory) no_memory(size);
        return memory;
    }

    // Whether the pool may hold so many bytes more.
    static void ask(Pool& pool, std::size_t more) {
        if (!pool.limit_) return;
        std::size_t const room = pool.limit_->bytes_ - std::min(pool.limit_->bytes_, pool.held_);
        if (more > room) pool.limit_->leave_(pool.limit_->parser_);
    }

    static void add_chunk(Pool& pool) {
        std::size_t const number = std::min(pool.chunks_.size(), full_chunk - 1);
        std::size_t const size = first_chunk << number;
        ask(pool, size);
        pool.next_ = new_chunk(pool, size, number + 1 == full_chunk);
        if (!pool.next_) no_memory(size);
        pool.end_ = pool.next_ + size;
        pool.held_ += size;
    }

    static std::byte* new_chunk(Pool& pool, std::size_t size, bool is_full) {
        try {
            Pool::Chunk chunk = is_full ? kept().take() : nullptr;
            pool.chunks_.push_back(chunk ? std::move(chunk) : Pool::Chunk(new std::byte[size]));
            return pool.chunks_.back().get();
        } catch (const std::bad_alloc&) {
            return nullptr;
        }
    }

    static void* allocate_large(Pool& pool, std::size_t wanted) {
        if (wanted > SIZE_MAX - large_head) no_memory(wanted);
        ask(pool, wanted);
        return enter_ring(&pool.ring_, checked(std::malloc(wanted + large_head), wanted), wanted);
    }

    static Pool::Large* large_of(void* block) { return reinterpret_cast<Pool::Large*>(static_cast<std::byte*>(block) - large_head); }

    // After `place`.
    static void* enter_ring(Pool::Large* place, void* memory, std::size_t size) {
        auto* const one = new (memory) Pool::Large{place, place->next, place->pool, size};
        place->next->before = one;
        place->next = one;
        one->pool->held_ += size;
        return block_after(reinterpret_cast<Head*>(one + 1), large);
    }

    // The one before it.
    static Pool::Large* leave_ring(Pool::Large* one) {
        one->pool->held_ -= one->size;
        one->before->next = one->next;
        one->next->before = one->before;
        return one->before;
    }
};

Pool::~Pool() {
    for (Large* one = ring_.next; one != &ring_;) {
        Large* const next = one->next;
        std::free(one);
        one = next;
    }
    for (std::size_t number = full_chunk - 1; number < chunks_.size(); ++number) kept().give(std::move(chunks_[number]));
}

Pool::Limit::Limit(Pool& pool, std::size_t bytes, void (*leave)(TSParser*), TSParser* parser) : pool_(pool), bytes_(bytes), leave_(leave), parser_(parser) {
    pool.limit_ = this;
}

Pool::Use::Use(Pool& pool) : before_(used) { used = &pool; }

Pool::Use::~Use() { used = before_; }

}  // namespace chunker::syntax

void* chunker_allocate(std::size_t size) { return chunker::syntax::Allocator::allocate(size); }

void* chunker_allocate_zeros(std::size_t count, std::size_t size) { return chunker::syntax::Allocator::allocate_zeros(count, size); }

void* chunker_resize(void* block, std::size_t size) { return chunker::syntax::Allocator::resize(block, size); }

void chunker_release(void* block) { chunker::syntax::Allocator::release(block); }
