#include "bpe/training.hpp"

#include <algorithm>

#include "pair_queue.hpp"
#include "pair_table.hpp"

namespace bpe {

Words::Words(Symbol symbols) : symbols_(symbols), slots_(1, Slot{none, 0}) {}

void Words::begin_word(std::size_t size, std::uint64_t count) {
    if (size >= none - slots_.size() - 1) throw TrainingLimit("the distinct words have 2^32 symbols or more");
    constexpr std::uint64_t most = std::uint64_t{1} << 63;
    if (size != 0 && count > (most - 1 - total_) / size) throw TrainingLimit("the words have 2^63 symbols or more, each counted as often as it occurs");
    total_ += size * count;
}

std::uint64_t Words::count_at(std::uint32_t place) const {
    std::uint32_t const weight = slots_[place].weight;
    if (weight != heavy) [[likely]]
        return weight;
    auto const after = std::upper_bound(heavy_.begin(), heavy_.end(), place, [](std::uint32_t wanted, const Heavy& word) { return wanted < word.start; });
    return (after - 1)->count;
}

Words words_of(const PretokenCounts& counts, const std::array<Byte, 256>& symbols, bool in_order) {
    struct Word {
        Bytes bytes;
        std::uint64_t count, first;
    };
    std::vector<Word> all;
    all.reserve(counts.size());
    std::size_t size = 0;
    counts.for_each([&](Bytes bytes, std::uint64_t count, std::uint64_t first) {
        if (bytes.size < 2) return;
        all.push_back({bytes, count, first});
        size += bytes.size + 1;
    });
    if (in_order) std::sort(all.begin(), all.end(), [](const Word& one, const Word& other) { return one.first < other.first; });
    Words words(256);
    words.reserve(size);
    std::vector<Byte> word;
    for (Word const& found : all) {
        word.assign(found.bytes.begin(), found.bytes.end());
        for (Byte& byte : word) byte = symbols[byte];
        words.add(word.begin(), word.end(), found.count);
    }
    return words;
}

class Training {
public:
    Training(Words words, const TrainingOptions& options)
        : words_(std::move(words)),
          slots_(words_.slots_),
          options_(options),
          lowest_(std::max<std::uint64_t>(options.min_frequency, 1)),
          lengths_(words_.symbols_, 1),
          left_of_(words_.symbols_, none),
          right_of_(words_.symbols_, none) {}

    std::vector<Merge> run(const std::function<void(std::size_t)>& progress) {
        PairQueue queue(pairs_, lowest_, [this](Pair& pair) { return key_of(pair); });
        find_pairs([&](PairIndex pair) { queue.push(pair); });
        std::vector<Merge> merges;
        std::size_t work = 0;
        while (merges.size() < options_.merges) {
            PairIndex const best = queue.pop();
            if (best == no_pair) break;
            Pair const pair = pairs_[best];
            pairs_.erase(best);
            if (lengths_.size() >= Words::none) throw TrainingLimit("2^32 symbols or more are too many");
            merges.emplace_back(pair.left, pair.right);
            merge(pair, [&](PairIndex made) { queue.push(made); });
            work += pair.size + 64;
            if (work >= work_between_reports) {
                work = 0;
                progress(merges.size());
            }
        }
        progress(merges.size());
        return merges;
    }

private:
    static constexpr Symbol none = Words::none;
    // The number of places that are visited between two reports, in a few hundredths of a second.
    static constexpr std::size_t work_between_reports = 1 << 20;

    // The symbols on one side of the places that are merged: each symbol there, how often, at how many places.
    struct Group {
        Symbol symbol;
        PairIndex made;  // the pair of it and the merged symbol
        std::uint64_t count;
        std::uint32_t size, filled;
        std::uint32_t* places;
    };
    struct Event {
        std::uint32_t group, place;
    };

    bool is_at(const Pair& pair, std::uint32_t place) const {
        return slots_[place].symbol == pair.left && slots_[place + lengths_[pair.left]].symbol == pair.right;
    }

    // The order of pairs of equal count: the lowest key is merged first.
    std::uint64_t key_of(Pair& pair) const {
        if (options_.ties == Ties::lowest) return pair.key();
        while (pair.size > 0 && !is_at(pair, *pair.places)) {
            ++pair.places;
            --pair.size;
        }
        return pair.size > 0 ? *pair.places : ~std::uint64_t{0};
    }

    template <class Push>
    void find_pairs(Push&& push) {
        // First the pairs with their numbers of places, then the places, so that each list gets its exact size.
        std::vector<PairIndex> pair_at(slots_.size(), no_pair);
        std::vector<PairIndex> all;
        for (std::uint32_t place = 1; place + 1 < slots_.size(); ++place) {
            Symbol const left = slots_[place].symbol, right = slots_[place + 1].symbol;
            if (left == none || right == none) continue;
            PairIndex index = pairs_.find(left, right);
            if (index == no_pair) {
                index = pairs_.insert(left, right);
                all.push_back(index);
            }
            pairs_[index].count += words_.count_at(place);
            ++pairs_[index].size;
            pair_at[place] = index;
        }
        std::vector<std::uint32_t*> next(all.size());
        for (PairIndex const index : all) {
            Pair& pair = pairs_[index];
            // No pair has been erased yet: the indices of `all` are 0, 1, 2 ...
            if (pair.count >= lowest_) pair.places = next[index] = arena_.take(pair.size);
        }
        for (std::uint32_t place = 0; place < slots_.size(); ++place)
            if (PairIndex const index = pair_at[place]; index != no_pair && next[index]) *next[index]++ = place;
        for (PairIndex const index : all) push(index);
    }

    std::uint32_t group_of(std::vector<std::uint32_t>& group_of_symbol, std::vector<Group>& groups, Symbol symbol) {
        std::uint32_t& group = group_of_symbol[symbol];
        if (group == none) {
            group = static_cast<std::uint32_t>(groups.size());
            groups.push_back({symbol, no_pair, 0, 0, 0, nullptr});
        }
        return group;
    }

    template <class Push>
    void merge(const Pair& pair, Push&& push) {
        auto const made = static_cast<Symbol>(lengths_.size());
        std::uint32_t const left_length = lengths_[pair.left], length = left_length + lengths_[pair.right];
        lengths_.push_back(length);
        left_of_.push_back(none);
        right_of_.push_back(none);
        for (const std::uint32_t* at = pair.places; at != pair.places + pair.size; ++at) {
            std::uint32_t const place = *at;
            if (!is_at(pair, place)) continue;
            std::uint64_t const count = words_.count_at(place);
            slots_[place + left_length].symbol = none;
            slots_[place].symbol = slots_[place + length - 1].symbol = made;
            note(left_groups_, left_events_, left_of_, slots_[place - 1].symbol, count, place, true);
            note(right_groups_, right_events_, right_of_, slots_[place + length].symbol, count, place, false);
        }
        make_pairs(left_groups_, left_events_, made, true);
        make_pairs(right_groups_, right_events_, made, false);
        // Subtract last, because only now a pair that appeared and disappeared within this step has both counts.
        for (Group const& group : left_groups_) reduce(group.symbol, pair.left, group.count);
        for (Group const& group : right_groups_) reduce(pair.right, group.symbol, group.count);
        for (auto* const groups : {&left_groups_, &right_groups_})
            for (Group const& group : *groups)
                if (group.made != no_pair) push(group.made);
        for (Group const& group : left_groups_) left_of_[group.symbol] = none;
        for (Group const& group : right_groups_) right_of_[group.symbol] = none;
        left_groups_.clear();
        left_events_.clear();
        right_groups_.clear();
        right_events_.clear();
    }

    // Notes a symbol next to the symbol that was just made at `place`.
    void note(std::vector<Group>& groups, std::vector<Event>& events, std::vector<std::uint32_t>& group_of_symbol, Symbol symbol, std::uint64_t count,
              std::uint32_t place, bool is_left) {
        if (symbol == none) return;
        std::uint32_t const group = group_of(group_of_symbol, groups, symbol);
        groups[group].count += count;
        ++groups[group].size;
        events.push_back({group, is_left ? place - lengths_[symbol] : place});
    }

    void make_pairs(std::vector<Group>& groups, const std::vector<Event>& events, Symbol made, bool are_left) {
        for (Group& group : groups) {
            if (group.count < lowest_) continue;
            group.made = are_left ? pairs_.insert(group.symbol, made) : pairs_.insert(made, group.symbol);
            Pair& pair = pairs_[group.made];
            pair.count = group.count;
            pair.size = group.size;
            pair.places = group.places = arena_.take(group.size);
        }
        for (Event const& event : events)
            if (Group& group = groups[event.group]; group.places) group.places[group.filled++] = event.place;
    }

    // Reduces the count of a pair. Ignores an unknown pair, which was too rare from the start, or is being merged.
    void reduce(Symbol left, Symbol right, std::uint64_t count) {
        PairIndex const index = pairs_.find(left, right);
        if (index != no_pair) pairs_[index].count -= count;
    }

    Words words_;
    std::vector<Words::Slot>& slots_;
    TrainingOptions options_;
    std::uint64_t lowest_;
    std::vector<std::uint32_t> lengths_;  // of each symbol, in slots
    PairTable pairs_;
    PlaceArena arena_;
    // For the current step.
    std::vector<Group> left_groups_, right_groups_;
    std::vector<Event> left_events_, right_events_;
    std::vector<std::uint32_t> left_of_, right_of_;  // symbol -> its group; none: it has none yet
};

std::vector<Merge> learn_merges(Words words, const TrainingOptions& options, const std::function<void(std::size_t)>& progress) {
    return Training(std::move(words), options).run(progress);
}

}  // namespace bpe
