#include "chunker/name_graph.hpp"

#include <cmath>

namespace chunker {

namespace {

struct Edge {
    std::size_t name;
    double weight;
    bool own;  // the file defines the name itself
};

class NameGraph {
public:
    NameGraph(const std::vector<NamedFile>& files, std::size_t names, const std::vector<std::int64_t>& focused, const RankRules& rules)
        : files_(files), rules_(rules), targets_(names), flows_(names), edges_(files.size()), whole_(files.size()) {
        std::vector<char> is_focused(names);
        for (auto const name : focused) is_focused[static_cast<std::size_t>(name)] = 1;
        std::vector<std::size_t> last_definer(names, files.size());
        for (std::size_t file = 0; file < files.size(); ++file)
            for (auto const defined : files[file].defined) {
                auto const name = static_cast<std::size_t>(defined);
                if (defined < 0 || last_definer[name] == file) continue;
                last_definer[name] = file;
                targets_[name].push_back(file);
            }
        std::vector<std::size_t> definer(names, files.size());
        for (std::size_t file = 0; file < files.size(); ++file) {
            for (auto const defined : files[file].defined)
                if (defined >= 0) definer[static_cast<std::size_t>(defined)] = file;
            for (std::size_t use = 0; use < files[file].used.size(); ++use) {
                auto const name = static_cast<std::size_t>(files[file].used[use]);
                std::size_t const count = targets_[name].size();
                if (count == 0 || count > rules.most_definers) continue;
                double weight = files[file].weights[use] / static_cast<double>(count);
                if (count > rules.common) weight *= rules.common_share;
                if (is_focused[name]) weight *= rules.focused;
                bool const own = definer[name] == file;
                edges_[file].push_back({name, weight, own});
                whole_[file] += weight * (static_cast<double>(count) - (own ? 1 - rules.own_share : 0.0));
            }
        }
    }

    std::vector<double> values() {
        std::vector<double> const ranks = ranked();
        flow(ranks, 1.0, nullptr);
        std::vector<double> values;
        std::vector<double> own(targets_.size()), shares(targets_.size());
        for (std::size_t number = 0; number < files_.size(); ++number) {
            auto const& file = files_[number];
            for (auto const name : file.defined)
                if (name >= 0) shares[static_cast<std::size_t>(name)] += 1;
            if (whole_[number] > 0)
                for (auto const& edge : edges_[number])
                    if (edge.own) own[edge.name] = (1 - rules_.own_share) * (ranks[number] / whole_[number]) * edge.weight;
            for (std::size_t place = 0; place < file.defined.size(); ++place) {
                double value = ranks[number] * rules_.unused / std::sqrt(static_cast<double>(file.defined.size()));
                if (file.defined[place] >= 0) {
                    auto const name = static_cast<std::size_t>(file.defined[place]);
                    value += (flows_[name] - own[name]) / shares[name];
                }
                values.push_back(stepped(value * file.factors[place]));
            }
            for (auto const& edge : edges_[number]) own[edge.name] = 0;
            for (auto const name : file.defined)
                if (name >= 0) shares[static_cast<std::size_t>(name)] = 0;
        }
        return values;
    }

private:
    std::vector<double> ranked() {
        auto const count = static_cast<double>(files_.size());
        double total = 0;
        for (auto const& file : files_) total += file.start;
        if (total == 0) total = 1;
        std::vector<double> begin;
        for (auto const& file : files_) begin.push_back(count * file.start / total);
        std::vector<double> ranks = begin, later(files_.size());
        for (std::size_t step = 0; step < rules_.steps; ++step) {
            for (std::size_t file = 0; file < files_.size(); ++file) later[file] = (1 - rules_.damping) * begin[file];
            flow(ranks, rules_.damping, &later);
            for (std::size_t name = 0; name < targets_.size(); ++name)
                if (flows_[name] > 0)
                    for (auto const target : targets_[name]) later[target] += flows_[name];
            double change = 0;
            for (std::size_t file = 0; file < files_.size(); ++file) change += std::fabs(later[file] - ranks[file]);
            ranks.swap(later);
            if (change < rules_.settled * count) break;
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
            for (auto const& edge : edges_[file]) {
                flows_[edge.name] += gives * edge.weight;
                if (edge.own && later) (*later)[file] -= (1 - rules_.own_share) * gives * edge.weight;
            }
        }
    }

    double stepped(double value) const { return value <= 0 ? 0.0 : std::pow(rules_.step_ratio, std::nearbyint(std::log(value) / std::log(rules_.step_ratio))); }

    const std::vector<NamedFile>& files_;
    const RankRules& rules_;
    std::vector<std::vector<std::size_t>> targets_;  // of each name the files that define it
    std::vector<double> flows_;
    std::vector<std::vector<Edge>> edges_;
    std::vector<double> whole_;
};

}  // namespace

std::vector<double> definition_values(const std::vector<NamedFile>& files, std::size_t names, const std::vector<std::int64_t>& focused,
                                      const RankRules& rules) {
    return NameGraph(files, names, focused, rules).values();
}

}  // namespace chunker
