#include "chunker/name_graph.hpp"

#include <cmath>

#include "chunker/constants.hpp"

namespace chunker {

namespace {

// A node is a name that is defined by few enough files to tell something. Nodes are in the order of their names: sums are made in it.
using Node = std::uint32_t;
constexpr Node no_node = static_cast<Node>(-1);

struct Edge {
    double weight;
    Node node;
};

// What the weight of a use of a node comes from. `definer`: the last file so far that defines it.
struct Shares {
    double count, of_common, of_focus;
    std::size_t definer;
};

// Powers of the step with these exponents are kept.
constexpr double largest_step = 500;

class NameGraph {
public:
    NameGraph(const std::vector<NamedFile>& files, std::size_t names, const std::vector<std::int64_t>& focused)
        : files_(files), node_of_(names, no_node), whole_(files.size()) {
        gather_nodes(names);
        flows_.resize(nodes());
        std::vector<Shares> shares;
        for (std::size_t node = 0; node < nodes(); ++node) {
            std::size_t const count = targets_begin_[node + 1] - targets_begin_[node];
            shares.push_back({static_cast<double>(count), count > std::size_t{ranking::common} ? ranking::common_share : 1.0, 1.0, files.size()});
        }
        for (auto const name : focused)
            if (Node const node = node_of_[static_cast<std::size_t>(name)]; node != no_node) shares[node].of_focus = ranking::focused;
        std::size_t uses = 0;
        for (auto const& file : files) uses += file.used.size();
        edges_.reserve(uses);
        for (std::size_t file = 0; file < files.size(); ++file) {
            edges_begin_.push_back(edges_.size());
            own_begin_.push_back(own_.size());
            auto const& defined = files[file].defined;
            for (std::size_t place = 0; place < defined.size(); ++place)
                if (Node const node = node_named(defined[place]); node != no_node) shares[node].definer = file;
            for (std::size_t use = 0; use < files[file].used.size(); ++use) {
                Node const node = node_named(files[file].used[use]);
                if (node == no_node) continue;
                Shares const& share = shares[node];
                double const weight = files[file].weights[use] / share.count * share.of_common * share.of_focus;
                bool const own = share.definer == file;
                edges_.push_back({weight, node});
                if (own) own_.push_back({weight, node});
                whole_[file] += weight * (share.count - (own ? 1 - ranking::own_share : 0.0));
            }
        }
        edges_begin_.push_back(edges_.size());
        own_begin_.push_back(own_.size());
    }

    std::vector<double> values() {
        std::vector<double> const ranks = ranked();
        flow(ranks, 1.0, nullptr);
        std::vector<double> values;
        std::vector<double> own(nodes()), shares(nodes());
        for (std::size_t number = 0; number < files_.size(); ++number) {
            auto const& file = files_[number];
            std::size_t const count = file.defined.size();
            for (std::size_t place = 0; place < count; ++place)
                if (Node const node = node_named(file.defined[place]); node != no_node) shares[node] += 1;
            if (whole_[number] > 0) {
                double const kept = (1 - ranking::own_share) * (ranks[number] / whole_[number]);
                for (std::size_t edge = own_begin_[number]; edge < own_begin_[number + 1]; ++edge) own[own_[edge].node] = kept * own_[edge].weight;
            }
            double const unused = ranks[number] * ranking::unused / std::sqrt(static_cast<double>(count));
            values.push_back(0.0);
            for (std::size_t place = 0; place < count; ++place) {
                Node const node = node_named(file.defined[place]);
                double const used = node == no_node ? 0.0 : (flows_[node] - own[node]) / shares[node];
                values.push_back(stepped((unused + used) * file.factors[place]));
            }
            for (std::size_t edge = own_begin_[number]; edge < own_begin_[number + 1]; ++edge) own[own_[edge].node] = 0;
            for (std::size_t place = 0; place < count; ++place)
                if (Node const node = node_named(file.defined[place]); node != no_node) shares[node] = 0;
        }
        return values;
    }

private:
    std::size_t nodes() const { return targets_begin_.size() - 1; }
    Node node_named(std::int64_t name) const { return name < 0 ? no_node : node_of_[static_cast<std::size_t>(name)]; }

    // Number the names that are nodes, with the files that define each.
    void gather_nodes(std::size_t names) {
        std::vector<std::uint32_t> definers(names), last(names, no_node);
        each_definer([&](std::size_t name, std::uint32_t file) {
            if (last[name] != file) ++definers[name];
            last[name] = file;
        });
        targets_begin_.push_back(0);
        for (std::size_t name = 0; name < names; ++name) {
            if (definers[name] == 0 || definers[name] > std::size_t{ranking::most_definers}) continue;
            node_of_[name] = static_cast<Node>(nodes());
            targets_begin_.push_back(targets_begin_.back() + definers[name]);
        }
        targets_.resize(targets_begin_.back());
        std::vector<std::size_t> next(targets_begin_.begin(), targets_begin_.end() - 1);
        last.assign(names, no_node);
        each_definer([&](std::size_t name, std::uint32_t file) {
            if (node_of_[name] != no_node && last[name] != file) targets_[next[node_of_[name]]++] = file;
            last[name] = file;
        });
    }

    template <class Told>
    void each_definer(Told&& told) const {
        for (std::size_t file = 0; file < files_.size(); ++file)
            for (std::size_t place = 0; place < files_[file].defined.size(); ++place)
                if (auto const name = files_[file].defined[place]; name >= 0) told(static_cast<std::size_t>(name), static_cast<std::uint32_t>(file));
    }

    std::vector<double> ranked() {
        auto const count = static_cast<double>(files_.size());
        double total = 0;
        for (auto const& file : files_) total += file.start;
        if (total == 0) total = 1;
        std::vector<double> begin;
        for (auto const& file : files_) begin.push_back(count * file.start / total);
        std::vector<double> ranks = begin, later(files_.size());
        for (std::size_t step = 0; step < std::size_t{ranking::steps}; ++step) {
            for (std::size_t file = 0; file < files_.size(); ++file) later[file] = (1 - ranking::damping) * begin[file];
            flow(ranks, ranking::damping, &later);
            for (std::size_t node = 0; node < nodes(); ++node)
                if (flows_[node] > 0)
                    for (std::size_t target = targets_begin_[node]; target < targets_begin_[node + 1]; ++target) later[targets_[target]] += flows_[node];
            double change = 0;
            for (std::size_t file = 0; file < files_.size(); ++file) change += std::fabs(later[file] - ranks[file]);
            ranks.swap(later);
            if (change < ranking::settled * count) break;
        }
        return ranks;
    }

    // What each name is given by the files that use it, for each of its definers. `later`: what files without links keep is added, what they do not give to
    // themselves taken off.
    void flow(const std::vector<double>& ranks, double damping, std::vector<double>* later) {
        flows_.assign(flows_.size(), 0.0);
        for (std::size_t file = 0; file < files_.size(); ++file) {
            if (whole_[file] <= 0) {
                if (later) (*later)[file] += damping * ranks[file];
                continue;
            }
            double const gives = damping * ranks[file] / whole_[file];
            for (std::size_t edge = edges_begin_[file]; edge < edges_begin_[file + 1]; ++edge) flows_[edges_[edge].node] += gives * edges_[edge].weight;
            if (!later) continue;
            for (std::size_t edge = own_begin_[file]; edge < own_begin_[file + 1]; ++edge)
                (*later)[file] -= (1 - ranking::own_share) * gives * own_[edge].weight;
        }
    }

    double stepped(double value) {
        if (value <= 0) return 0.0;
        double const step = std::nearbyint(std::log(value) / log_of_step_);
        if (!(std::fabs(step) <= largest_step)) return std::pow(ranking::step_ratio, step);
        double& known = steps_[static_cast<std::size_t>(step + largest_step)];
        if (known == 0) known = std::pow(ranking::step_ratio, step);
        return known;
    }

    const std::vector<NamedFile>& files_;
    std::vector<Node> node_of_;  // of each name
    std::vector<std::size_t> targets_begin_;
    std::vector<std::uint32_t> targets_;  // of each node the files that define it, from its begin to the next
    std::vector<double> flows_;
    std::vector<std::size_t> edges_begin_, own_begin_;
    std::vector<Edge> edges_, own_;  // of each file, likewise: the names that it uses; those of them that it defines itself
    std::vector<double> whole_;
    double const log_of_step_ = std::log(ranking::step_ratio);
    std::vector<double> steps_ = std::vector<double>(static_cast<std::size_t>(2 * largest_step) + 1);
};

}  // namespace

std::vector<double> definition_values(const std::vector<NamedFile>& files, std::size_t names, const std::vector<std::int64_t>& focused) {
    return NameGraph(files, names, focused).values();
}

}  // namespace chunker
