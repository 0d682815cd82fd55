// The queue of pairs to merge: the pair of the highest count is next; among several such, the pair of the lowest key.
//
//     heap     counts from `listed_counts` on: few pairs, each often changed
//     lists    one for each lower count: most pairs wait here untouched, and cost only the four bytes that link them
//     open     the pairs of the current list, as a heap by key
//
// Counts fall and keys rise while a pair waits. A pair that comes to the front is checked, and moved to where it belongs now.
#pragma once

#include <algorithm>
#include <vector>

#include "bpe/thresholds.hpp"
#include "pair_table.hpp"

namespace bpe {

// `KeyOf`: Pair& -> key at present; may drop outdated places of the pair.
template <class KeyOf>
class PairQueue {
public:
    // Pairs of a count below `lowest`, which is at least 1, are erased from the table when they come to the front.
    PairQueue(PairTable& pairs, std::uint64_t lowest, KeyOf key_of)
        : pairs_(pairs), lowest_(lowest), key_of_(std::move(key_of)), lists_(thresholds::listed_counts, no_pair) {}

    // Add a pair whose count is not above that of the last pair taken.
    void push(PairIndex index) {
        Pair& pair = pairs_[index];
        if (pair.count < lowest_) return pairs_.erase(index);
        if (pair.count >= lists_.size()) return push_into(heap_, index);
        if (pair.count == level_) return push_into(open_, index);
        pair.next = lists_[pair.count];
        lists_[pair.count] = index;
    }

    // Takes the next pair from the queue; no_pair if there is none.
    PairIndex pop() {
        while (!heap_.empty())
            if (PairIndex const found = pop_from(heap_); found != no_pair) return found;
        for (;;) {
            while (!open_.empty())
                if (PairIndex const found = pop_from(open_); found != no_pair) return found;
            do {
                if (level_ <= 1) return no_pair;
                --level_;
            } while (lists_[level_] == no_pair);
            PairIndex index = std::exchange(lists_[level_], no_pair);
            while (index != no_pair) {
                Pair& pair = pairs_[index];
                PairIndex const next = pair.next;
                if (pair.count == level_) open_.push_back({pair.count, key_of_(pair), index});
                else push(index);
                index = next;
            }
            std::make_heap(open_.begin(), open_.end(), later);
        }
    }

private:
    struct Entry {
        std::uint64_t count, key;
        PairIndex pair;
    };

    static bool later(const Entry& one, const Entry& other) { return one.count != other.count ? one.count < other.count : one.key > other.key; }

    void push_into(std::vector<Entry>& heap, PairIndex index) {
        heap.push_back({pairs_[index].count, key_of_(pairs_[index]), index});
        std::push_heap(heap.begin(), heap.end(), later);
    }

    // The first pair of a heap, if its count and key have not changed since it was added.
    PairIndex pop_from(std::vector<Entry>& heap) {
        std::pop_heap(heap.begin(), heap.end(), later);
        Entry const entry = heap.back();
        heap.pop_back();
        Pair& pair = pairs_[entry.pair];
        if (pair.count == entry.count && key_of_(pair) == entry.key) return entry.pair;
        push(entry.pair);
        return no_pair;
    }

    PairTable& pairs_;
    std::uint64_t lowest_;
    KeyOf key_of_;
    std::vector<Entry> heap_, open_;
    std::vector<PairIndex> lists_;  // the first pair of each count
    std::uint64_t level_ = thresholds::listed_counts;
};

}  // namespace bpe
