// The value of definitions by who uses them: what chunker/mapping/ranks.py says, which is the specification.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

namespace chunker {

// Numbers of eight bytes in a foreign buffer, which need not be aligned.
template <class Number>
class Column {
public:
    Column() = default;
    explicit Column(std::string_view bytes) : bytes_(bytes) {}
    std::size_t size() const { return bytes_.size() / sizeof(Number); }
    Number operator[](std::size_t place) const {
        Number number;
        std::memcpy(&number, bytes_.data() + place * sizeof(Number), sizeof(Number));
        return number;
    }

private:
    std::string_view bytes_;
};

// A file of the graph. Names are numbers from 0.
struct NamedFile {
    Column<std::int64_t> used;
    Column<double> weights;        // of each use
    Column<std::int64_t> defined;  // the name of each definition; -1 for one that cannot be used elsewhere
    Column<double> factors;        // of each definition
    double start;                  // its share of the walks that begin
};

// For each file 0 and the value of each of its definitions. `focused`: names whose uses weigh more. Every number in `files` and `focused` is below `names`.
std::vector<double> definition_values(const std::vector<NamedFile>& files, std::size_t names, const std::vector<std::int64_t>& focused);

}  // namespace chunker
