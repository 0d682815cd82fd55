// The value of definitions by who uses them: what chunker/mapping/ranks.py says, which is the specification.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace chunker {

// A file of the graph. Names are numbers from 0.
struct NamedFile {
    std::vector<std::int64_t> used;
    std::vector<double> weights;        // of each use
    std::vector<std::int64_t> defined;  // of each definition its name; -1 for one that nobody can use
    std::vector<double> factors;        // of each definition
    double start;                       // its share of the walks that begin
};

// The constants of the specification.
struct RankRules {
    double damping, unused, common_share, own_share, focused, step_ratio, settled;
    std::size_t steps, common, most_definers;
};

// The value of each definition, file after file. `focused`: names whose uses weigh more. Every number in `files` and `focused` is below `names`.
std::vector<double> definition_values(const std::vector<NamedFile>& files, std::size_t names, const std::vector<std::int64_t>& focused, const RankRules& rules);

}  // namespace chunker
