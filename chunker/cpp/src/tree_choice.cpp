#include "chunker/tree_choice.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <utility>

#include "chunker/constants.hpp"

namespace chunker {

namespace {

constexpr std::size_t most_states = choosing::most_states;

// A combination; `chain` is its last link, -1 for none.
struct State {
    std::int64_t price;
    double value;
    std::int64_t chain;
};
struct Link {
    std::size_t node;
    std::int64_t before;
};
struct Chosen {
    double value = 0;
    std::int64_t cost = 0;
    std::vector<std::size_t> nodes;
};
using States = std::vector<State>;

class ChoiceSearch {
public:
    ChoiceSearch(const ChoiceTree& tree, std::int64_t budget)
        : tree_(tree), budget_(budget), after_line_(tree.values.size() + 1), after_mark_(tree.values.size() + 1) {
        for (std::size_t node = 0; node < tree.values.size(); ++node)
            if (tree.marks[node] < 0) roots_.push_back(node);
    }

    double rate(std::vector<std::size_t>& nodes) {
        Chosen low = best_at(0.0);
        if (low.cost <= budget_) {
            nodes = std::move(low.nodes);
            return 0.0;
        }
        Chosen high;
        double rate = 0;
        for (int step = 0; step < choosing::steps; ++step) {
            rate = (low.value - high.value) / static_cast<double>(low.cost - high.cost);
            Chosen found = best_at(rate);
            if (found.cost == low.cost || found.cost == high.cost) break;
            (found.cost > budget_ ? low : high) = std::move(found);
        }
        nodes = std::move(high.nodes);
        return rate;
    }

    double priced(double rate) {
        double total = rate * static_cast<double>(budget_);
        for (auto const root : roots_) {
            price(root, rate);
            total += std::max(0.0, opened(root, rate));
        }
        return total;
    }

    // The best choice of at least this value, after `priced`; false if there is none. `whole`: whether all that could be it were seen.
    bool best(double rate, double least, bool& whole, State& found) {
        whole = true;
        links_.clear();
        std::vector<double> gains, coming(roots_.size() + 1);
        for (auto const root : roots_) gains.push_back(opened(root, rate));
        for (std::size_t number = roots_.size(); number-- > 0;) coming[number] = coming[number + 1] + std::max(0.0, gains[number]);
        States states{{0, 0.0, -1}};
        double const total = rate * static_cast<double>(budget_) + coming[0];
        for (std::size_t number = 0; number < roots_.size(); ++number) {
            if (total + std::min(0.0, gains[number]) < least) continue;
            std::size_t const root = roots_[number], end = end_of(root);
            double const here = least - coming[number + 1];
            std::map<std::size_t, States> lines, marked;
            append(lines[root + 1], taken(states, root, rate, here));
            for (std::size_t node = root + 1; node < end; ++node) {
                States above_line = extract(lines, node), above_mark = extract(marked, node);
                if (above_line.empty() && above_mark.empty()) continue;
                cut(above_line, rate, whole);
                cut(above_mark, rate, whole);
                append(lines[node + 1], taken(merged(above_line, above_mark), node, rate, here));
                double const need = here - after_mark_[end_of(node)];
                auto& left = marked[end_of(node)];
                append(left, promising(above_mark, 0, rate, need));
                append(left, promising(above_line, tree_.marks[node], rate, need));
            }
            States closed = promising(states, 0, rate, here);
            append(closed, extract(lines, end));
            append(closed, extract(marked, end));
            states = std::move(closed);
            cut(states, rate, whole);
        }
        if (states.empty() || states.back().value < least || states.back().chain < 0) return false;
        found = states.back();
        return true;
    }

    std::vector<std::size_t> nodes_of(const State& state) const {
        std::vector<std::size_t> nodes;
        for (std::int64_t link = state.chain; link >= 0; link = links_[static_cast<std::size_t>(link)].before)
            nodes.push_back(links_[static_cast<std::size_t>(link)].node);
        std::reverse(nodes.begin(), nodes.end());
        return nodes;
    }

private:
    std::size_t end_of(std::size_t node) const { return static_cast<std::size_t>(tree_.ends[node]); }
    double cost(double rate, std::int64_t tokens) const { return rate * static_cast<double>(tokens); }
    double opened(std::size_t root, double rate) const { return tree_.values[root] - cost(rate, tree_.prices[root]) + after_line_[root + 1]; }

    void price(std::size_t root, double rate) {
        std::size_t const end = end_of(root);
        after_line_[end] = after_mark_[end] = 0.0;
        for (std::size_t node = end - 1; node > root; --node) {
            double const taken = tree_.values[node] - cost(rate, tree_.prices[node]) + after_line_[node + 1];
            double const left = after_mark_[end_of(node)];
            after_line_[node] = std::max(taken, left - cost(rate, tree_.marks[node]));
            after_mark_[node] = std::max(taken, left);
        }
    }

    Chosen best_at(double rate) {
        Chosen made;
        for (auto const root : roots_) {
            price(root, rate);
            if (opened(root, rate) <= 0) continue;
            made.nodes.push_back(root);
            made.cost += tree_.prices[root];
            made.value += tree_.values[root];
            bool marked = false;
            for (std::size_t node = root + 1; node < end_of(root);) {
                double const taken = tree_.values[node] - cost(rate, tree_.prices[node]) + after_line_[node + 1];
                double const left = after_mark_[end_of(node)] - (marked ? 0.0 : cost(rate, tree_.marks[node]));
                if (taken > left) {
                    made.nodes.push_back(node);
                    made.value += tree_.values[node];
                    made.cost += tree_.prices[node];
                    marked = false;
                    ++node;
                } else {
                    made.cost += marked ? 0 : tree_.marks[node];
                    marked = true;
                    node = end_of(node);
                }
            }
        }
        return made;
    }

    States taken(const States& states, std::size_t node, double rate, double least) {
        double const need = least - after_line_[node + 1] - cost(rate, budget_);
        States made;
        for (auto const& state : states) {
            std::int64_t const price = state.price + tree_.prices[node];
            if (price > budget_ || state.value + tree_.values[node] - cost(rate, price) < need) continue;
            links_.push_back({node, state.chain});
            made.push_back({price, state.value + tree_.values[node], static_cast<std::int64_t>(links_.size()) - 1});
        }
        return made;
    }

    States promising(const States& states, std::int64_t more, double rate, double least) const {
        double const need = least - cost(rate, budget_);
        States made;
        for (auto const& state : states)
            if (state.price + more <= budget_ && state.value - cost(rate, state.price + more) >= need)
                made.push_back({state.price + more, state.value, state.chain});
        return made;
    }

    static States extract(std::map<std::size_t, States>& waiting, std::size_t node) {
        auto const found = waiting.find(node);
        if (found == waiting.end()) return {};
        States states = std::move(found->second);
        waiting.erase(found);
        return states;
    }

    static void append(States& states, const States& more) { states = merged(states, more); }

    // The combinations of both that no other one beats in price and value; both are such lists, by price. Of equal ones that of `one`.
    static States merged(const States& one, const States& other) {
        States best;
        best.reserve(one.size() + other.size());
        auto const add = [&](const State& state) {
            if (best.empty() || state.value > best.back().value) best.push_back(state);
        };
        std::size_t left = 0, right = 0;
        while (left < one.size() || right < other.size()) {
            bool const first =
                right == other.size() ||
                (left < one.size() && (one[left].price != other[right].price ? one[left].price < other[right].price : one[left].value >= other[right].value));
            add(first ? one[left++] : other[right++]);
        }
        return best;
    }

    void cut(States& states, double rate, bool& whole) const {
        if (states.size() <= most_states) return;
        whole = false;
        auto const by_price = [](const State& one, const State& other) { return one.price < other.price; };
        std::stable_sort(states.begin(), states.end(), [&](const State& one, const State& other) {
            double const of_one = cost(rate, one.price) - one.value, of_other = cost(rate, other.price) - other.value;
            return of_one != of_other ? of_one < of_other : one.price < other.price;
        });
        states.resize(most_states);
        std::stable_sort(states.begin(), states.end(), by_price);
    }

    const ChoiceTree& tree_;
    std::int64_t budget_;
    std::vector<std::size_t> roots_;
    std::vector<double> after_line_, after_mark_;
    std::vector<Link> links_;
};

}  // namespace

TreeChoice choose(const ChoiceTree& tree, std::int64_t budget, double raised) {
    ChoiceSearch search(tree, budget);
    TreeChoice choice{{}, 0, 0};
    double const rate = search.rate(choice.nodes);
    for (auto const node : choice.nodes) choice.value += tree.values[node];
    choice.bound = search.priced(rate);
    if (choice.bound - choice.value <= std::max(choice.bound - raised, 0.0) * (1 - choosing::near_enough)) {
        choice.bound = std::max(choice.value, choice.bound);
        return choice;
    }
    bool whole = true;
    for (double const window : choosing::windows) {
        State found{};
        if (!search.best(rate, choice.bound * (1 - window), whole, found)) continue;
        choice.nodes = search.nodes_of(found);
        choice.value = found.value;
        choice.bound = whole ? found.value : std::max(found.value, choice.bound);
        return choice;
    }
    return {{}, 0, whole ? 0.0 : choice.bound};
}

}  // namespace chunker
