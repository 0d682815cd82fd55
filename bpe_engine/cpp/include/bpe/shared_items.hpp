// A vector that is copied in constant time: a copy has the memory of its original, and its own length.
//
//     block      H e l l o ,   w o r l d
//     original   ├─────────┤                 the first that goes on does so in the block
//     copy       ├─────────────────────┤     the other then takes a block of its own
//
// Nothing that another can see is written. Copies may be used in different threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <memory>
#include <type_traits>
#include <utility>

namespace bpe {

template <class Item>
class SharedItems {
    static_assert(std::is_trivially_copyable_v<Item>);

public:
    SharedItems() = default;
    // Moving is copying: one that was moved from is as it was.
    SharedItems(const SharedItems&) = default;
    SharedItems& operator=(const SharedItems&) = default;
    ~SharedItems() = default;

    std::size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }
    const Item* data() const { return block_ ? block_->items.get() : nullptr; }
    const Item* begin() const { return data(); }
    const Item* end() const { return data() + size_; }
    const Item& operator[](std::size_t index) const { return block_->items[index]; }
    const Item& back() const { return (*this)[size_ - 1]; }
    std::size_t capacity() const { return block_ ? block_->capacity : 0; }

    // `items` are of another vector. Amortized time proportional to `count`, but for the first time after which another has gone on in the same block.
    void append(const Item* items, std::size_t count) {
        if (count == 0) return;
        if (!claims(count)) move_to_own(count);
        std::copy_n(items, count, block_->items.get() + size_);
        size_ += count;
    }
    void push_back(const Item& item) { append(&item, 1); }
    void truncate(std::size_t size) { size_ = std::min(size_, size); }

private:
    // The capacity for `size` items. A vector by itself doubles its capacity, so that up to half of a conversation's memory would be unused. Short ones, which
    // are copied within the processor's cache, get one thirty-second more, the shortest a quarter; long ones get an eighth, so that growing copies each byte
    // eight times (copying thirty-two times took a seventh of the time of appending).
    static std::size_t roomy(std::size_t size) {
        constexpr std::size_t least = 16, long_bytes = 65536;
        std::size_t const part = size * sizeof(Item) < long_bytes ? 32 : 8;
        return size + std::max(size / part, std::min(size / 4, least));
    }

    struct Block {
        explicit Block(std::size_t room) : items(std::make_unique_for_overwrite<Item[]>(room)), capacity(room) {}
        std::unique_ptr<Item[]> items;
        std::size_t capacity;
        std::atomic<std::size_t> used{0};  // by the longest that has this block
    };

    // Whether the next `count` items of the block are this one's to write.
    bool claims(std::size_t count) {
        if (count > capacity() - size_) return false;
        if (block_.use_count() == 1) {
            std::atomic_thread_fence(std::memory_order_acquire);  // the last other one, perhaps in another thread, has read what it read
            block_->used.store(size_ + count, std::memory_order_relaxed);
            return true;
        }
        std::size_t expected = size_;
        return block_->used.compare_exchange_strong(expected, size_ + count);
    }

    void move_to_own(std::size_t count) {
        std::size_t const size = size_ + count;
        auto made = std::make_shared<Block>(roomy(size));
        std::copy(begin(), end(), made->items.get());
        made->used.store(size, std::memory_order_relaxed);
        block_ = std::move(made);
    }

    std::shared_ptr<Block> block_;  // null: empty
    std::size_t size_ = 0;
};

}  // namespace bpe
