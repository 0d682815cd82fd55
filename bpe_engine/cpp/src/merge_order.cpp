#include "bpe/merge_order.hpp"

#include <algorithm>
#include <numeric>
#include <unordered_map>
#include <utility>

namespace bpe {

namespace {

// Rank and place of each merge that the token had to wait for. Compares as lists do.
using Time = std::vector<std::pair<Rank, std::size_t>>;

class Times {
public:
    Times(const std::vector<Bytes>& tokens, const std::vector<Rank>& ranks, const std::vector<Halves>& halves)
        : tokens_(tokens), ranks_(ranks), halves_(halves) {
        std::vector<Rank> by_size(tokens.size());
        std::iota(by_size.begin(), by_size.end(), Rank{0});
        std::stable_sort(by_size.begin(), by_size.end(), [&](Rank one, Rank other) { return tokens[one].size < tokens[other].size; });
        for (Rank const token : by_size)
            if (is_merged(token)) find(token);
    }

    bool is_merged(Rank token) const { return halves_[token].left != no_rank && halves_[token].left != token; }

    Halves pair(Rank token) const {
        if (halves_[token].left == no_rank) throw VocabularyError(VocabularyError::Kind::damaged, token, "");
        return halves_[token];
    }

    // At the start of the token, or moved to its place in another token.
    Time of(Rank token, std::size_t offset = 0) const {
        if (pair(token).left == token) return {};
        auto const found = late_.find(token);
        if (found == late_.end()) return {{ranks_[token], offset}};
        Time time = found->second;
        for (auto& [rank, place] : time) place += offset;
        return time;
    }

    // The tokens that wait for more than their own rank.
    const std::unordered_map<Rank, Time>& late() const { return late_; }

private:
    void find(Rank token) {
        auto const [left, right] = pair(token);
        Rank const rank = ranks_[token];
        auto const is_before = [&](Rank half) { return (!is_merged(half) || ranks_[half] < rank) && !late_.contains(half); };
        if (is_before(left) && is_before(right)) return;
        Time const latest = std::max(of(left), of(right, tokens_[left].size));
        std::pair<Rank, std::size_t> const own{rank, 0};
        if (latest.empty() || latest[0] < own) return;
        Time time;
        std::copy_if(latest.begin(), latest.end(), std::back_inserter(time), [&](auto const& waited) { return waited >= own; });
        time.push_back(own);
        if (time.size() > deepest) throw TooIntricate{TooIntricate::Kind::steps, token};
        late_.emplace(token, std::move(time));
    }

    const std::vector<Bytes>& tokens_;
    const std::vector<Rank>& ranks_;
    const std::vector<Halves>& halves_;
    std::unordered_map<Rank, Time> late_;
};

void check_depth(const std::vector<Bytes>& tokens, const Times& times) {
    std::vector<Rank> by_size(tokens.size());
    std::iota(by_size.begin(), by_size.end(), Rank{0});
    std::stable_sort(by_size.begin(), by_size.end(), [&](Rank one, Rank other) { return tokens[one].size < tokens[other].size; });
    std::vector<std::pair<std::size_t, std::size_t>> depths(tokens.size(), {1, 1});
    for (Rank const token : by_size) {
        if (!times.is_merged(token)) continue;
        auto const [left, right] = times.pair(token);
        depths[token] = {depths[left].first + 1, depths[right].second + 1};
        if (std::max(depths[token].first, depths[token].second) > deepest) throw TooIntricate{TooIntricate::Kind::depth, token};
    }
}

}  // namespace

MergeOrder merge_order(const std::vector<Bytes>& tokens, const std::vector<Rank>& ranks, const std::vector<Halves>& halves) {
    Times const times(tokens, ranks, halves);
    MergeOrder found{{}, true, {}};
    found.order.reserve(tokens.size());
    std::vector<Rank> merged;
    std::vector<Rank> first_ranks = ranks;
    for (auto const& [token, time] : times.late()) first_ranks[token] = time[0].first;
    for (Rank token = 0; token < tokens.size(); ++token) {
        if (times.is_merged(token)) merged.push_back(token);
        else if (halves[token].left == token) found.order.push_back(token);
    }
    std::stable_sort(merged.begin(), merged.end(), [&](Rank one, Rank other) { return first_ranks[one] < first_ranks[other]; });
    // Tokens whose times have the same first rank are sorted by all ranks of the time, then by size.
    std::vector<std::vector<Rank>> groups;
    for (std::size_t start = 0, end; start < merged.size(); start = end) {
        for (end = start + 1; end < merged.size() && first_ranks[merged[end]] == first_ranks[merged[start]];) ++end;
        if (end - start > 1) {
            // The ranks of the time without their places, then the size.
            std::vector<std::pair<std::pair<std::vector<Rank>, std::size_t>, Rank>> keys;
            for (std::size_t place = start; place < end; ++place) {
                std::vector<Rank> waited;
                for (auto const& step : times.of(merged[place])) waited.push_back(step.first);
                keys.push_back({{std::move(waited), tokens[merged[place]].size}, merged[place]});
            }
            std::stable_sort(keys.begin(), keys.end(), [](auto const& one, auto const& other) { return one.first < other.first; });
            for (std::size_t place = start; place < end; ++place) merged[place] = keys[place - start].second;
            groups.emplace_back(merged.begin() + static_cast<std::ptrdiff_t>(start), merged.begin() + static_cast<std::ptrdiff_t>(end));
        }
    }
    found.order.insert(found.order.end(), merged.begin(), merged.end());
    std::vector<Rank> place_of(tokens.size(), no_rank);
    for (Rank place = 0; place < found.order.size(); ++place) place_of[found.order[place]] = place;
    for (auto const& [token, time] : times.late()) {
        auto const [left, right] = halves[token];
        if (std::max(place_of[left], place_of[right]) >= place_of[token]) found.in_order = false;
    }
    std::size_t neighbours = 0;
    for (std::vector<Rank> const& group : groups) {
        std::unordered_map<Rank, std::vector<Rank>> by_left;
        for (Rank const token : group) by_left[halves[token].left].push_back(token);
        for (Rank const left : group) {
            auto const rights = by_left.find(halves[left].right);
            if (rights == by_left.end()) continue;
            neighbours += rights->second.size();
            if (neighbours > most_neighbours) throw TooIntricate{TooIntricate::Kind::equal_ranks, left};
            Time const time = times.of(left);
            for (Rank const right : rights->second) {
                bool const comes_first = time < times.of(right, tokens[halves[left].left].size);
                if (comes_first != (place_of[left] <= place_of[right])) found.crossings.push_back({left, right});
            }
        }
    }
    if (!found.is_exact()) check_depth(tokens, times);
    for (Rank token = 0; token < tokens.size(); ++token)
        if (halves[token].left == no_rank) found.order.push_back(token);
    return found;
}

}  // namespace bpe
