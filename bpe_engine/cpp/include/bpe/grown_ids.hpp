// The ids of a growing text, kept between requests. The encoder does not know them: a request reads the text that has settled since the last one, and the
// open text each time; of a long piece of that only the tokens that have changed. Counting alone costs nothing.
#pragma once

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "bpe/shared_items.hpp"

namespace bpe {

// The ids that a request has read, and spans between them whose ids are those of the request before.
class FreshIds {
public:
    // The place of the tokens of a table among all ids when they were read last.
    struct Reading {
        std::uint64_t request = 0;
        std::size_t first = 0;
    };
    // Before ids[place] come `count` that have not changed: those that had the same numbers at the request before.
    struct Span {
        std::size_t place, count;
    };

    std::vector<std::uint32_t> ids;
    const std::vector<Span>& unchanged() const { return unchanged_; }

    // The next request; `first` is the number of the first id that is read.
    void begin(std::size_t first) {
        request_ += is_done_ ? 1 : 2;  // after one that has failed every table is read from its start: nobody got what that one read
        is_done_ = false;
        return_to({});
        first_ = first;
    }
    void done() { is_done_ = true; }

    // How much was read so far; what was read after that is dropped.
    struct Place {
        std::size_t ids = 0, spans = 0;
    };
    Place place() const { return {ids.size(), unchanged_.size()}; }
    void return_to(const Place& place) {
        ids.resize(place.ids);
        for (; unchanged_.size() > place.spans; unchanged_.pop_back()) first_ -= unchanged_.back().count;
    }

    // Adds the tokens of a table, which has `read(ids)` and `forget_read()` as GrowingPiece has; `known` belongs to the table.
    template <class Table>
    void add(Table& table, Reading& known) {
        Reading const now{request_, first_ + ids.size()};
        if (known.request + 1 != now.request || known.first != now.first) table.forget_read();
        known = now;
        std::size_t const place = ids.size(), count = table.read(ids);
        if (count == 0) return;
        unchanged_.push_back({place, count});
        first_ += count;
    }

private:
    std::vector<Span> unchanged_;
    std::size_t first_ = 0;  // ids[index] has the number first_ + index after all unchanged ones: 7 if 5 ids have settled and 2 are unchanged
    std::uint64_t request_ = 1;
    bool is_done_ = true;
};

template <class Core>
class GrownIds {
public:
    using State = typename Core::State;

    // `start`: the state of the empty text.
    explicit GrownIds(const State& start = {}) : known_(start) {}

    // Brings the ids to the current text.
    void update(Core& core) {
        std::size_t const kept = Core::settled_count(known_), settled = Core::settled_count(core.state()) - kept;
        fresh_.begin(kept);
        core.encode_from(known_, fresh_);
        if (settled == 0 && kept == settled_.size()) write_open();
        else write(kept, settled);
        if (fresh_.ids.capacity() > scratch) fresh_.ids = std::vector<std::uint32_t>();
        if (open_.capacity() > scratch + 2 * open_.size()) open_.shrink_to_fit();
        known_ = core.state();
        fresh_.done();
    }

    std::size_t size() const { return settled_.size() + open_.size(); }
    std::uint32_t operator[](std::size_t number) const { return number < settled_.size() ? settled_[number] : open_[number - settled_.size()]; }

    // The ids from number `start` on.
    std::vector<std::uint32_t> from(std::size_t start) const {
        std::vector<std::uint32_t> ids;
        ids.reserve(size() - start);
        put(start, size(), ids);
        return ids;
    }

    // The number of the first id that has changed since `told`. Call right after `update`.
    std::size_t changed_from() const { return std::min(changed_from_, size()); }
    void told() { changed_from_ = size(); }
    // As if nothing had been told.
    void forget_told() { changed_from_ = 0; }

    // Follow a rollback of the text to its earlier state `state`.
    void return_to(const State& state) {
        std::size_t const known = Core::settled_end(known_), end = Core::settled_end(state);
        if (known > end || (known == end && Core::settled_count(known_) > Core::settled_count(state))) known_ = state;
    }

private:
    static constexpr std::size_t scratch = 32;  // ids that room is kept for

    // Appends the ids from number `start` up to `end`.
    void put(std::size_t start, std::size_t end, std::vector<std::uint32_t>& ids) const {
        std::size_t const settled = settled_.size();
        ids.insert(ids.end(), settled_.begin() + std::min(start, settled), settled_.begin() + std::min(end, settled));
        auto const open_at = [&](std::size_t number) { return open_.begin() + static_cast<std::ptrdiff_t>(std::max(number, settled) - settled); };
        ids.insert(ids.end(), open_at(start), open_at(end));
    }

    // Nothing has settled: writes what is open in place.
    void write_open() {
        std::size_t end = 0, index = 0;
        bool is_same = true;
        auto const differs = [&] {
            if (is_same) changed_from_ = std::min(changed_from_, settled_.size() + end);
            is_same = false;
        };
        auto const put_up_to = [&](std::size_t place) {
            for (; index < place; ++index, ++end) {
                if (end < open_.size() && open_[end] == fresh_.ids[index]) continue;
                differs();
                if (end < open_.size()) open_[end] = fresh_.ids[index];
                else open_.push_back(fresh_.ids[index]);
            }
        };
        for (FreshIds::Span const& span : fresh_.unchanged()) {
            put_up_to(span.place);
            end += span.count;
        }
        put_up_to(fresh_.ids.size());
        if (end == open_.size()) return;
        differs();
        open_.resize(end);
    }

    // Writes all ids from number `kept` on, of which so many have settled. Most are the same as before.
    void write(std::size_t kept, std::size_t settled) {
        std::vector<std::uint32_t> const all = whole(kept);
        // They are as many as were counted. Were they not, which would be our error, nothing must be read after the last.
        if (all.size() < settled) throw std::logic_error("a text has fewer ids than tokens were counted");
        std::size_t same = 0;
        while (same < all.size() && kept + same < size() && (*this)[kept + same] == all[same]) ++same;
        if (same < all.size() || kept + same < size()) changed_from_ = std::min(changed_from_, kept + same);
        settled_.truncate(kept + std::min(same, settled));
        std::size_t const written = settled_.size() - kept;
        settled_.append(all.data() + written, settled - written);
        open_.assign(all.begin() + static_cast<std::ptrdiff_t>(settled), all.end());
    }

    // All ids from number `kept` on: those that were read, and the unchanged ones between them.
    std::vector<std::uint32_t> whole(std::size_t kept) {
        if (fresh_.unchanged().empty()) return std::move(fresh_.ids);
        std::vector<std::uint32_t> all;
        std::size_t index = 0;
        auto const put_up_to = [&](std::size_t place) {
            all.insert(all.end(), fresh_.ids.begin() + static_cast<std::ptrdiff_t>(index), fresh_.ids.begin() + static_cast<std::ptrdiff_t>(place));
            index = place;
        };
        for (FreshIds::Span const& span : fresh_.unchanged()) {
            put_up_to(span.place);
            put(kept + all.size(), kept + all.size() + span.count, all);
        }
        put_up_to(fresh_.ids.size());
        return all;
    }

    SharedItems<std::uint32_t> settled_;  // of settled text, which only grows, but for rollbacks
    std::vector<std::uint32_t> open_;
    FreshIds fresh_;
    State known_;  // the ids of its settled text are at the start of `settled_`
    std::size_t changed_from_ = 0;
};

}  // namespace bpe
