// Chunks of many texts by columns, as Arrow keeps them: what chunker/scale/chunk_columns.py says of each.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace chunker {

// A column of strings: one after the other, and where each ends; `ends` begins with 0.
struct StringColumn {
    void put(std::string_view one, std::string_view other = {}) {
        data.append(one).append(other);
        ends.push_back(static_cast<std::int64_t>(data.size()));
    }

    std::string_view operator[](std::size_t row) const {
        auto const start = static_cast<std::size_t>(ends[row]);
        return std::string_view(data).substr(start, static_cast<std::size_t>(ends[row + 1]) - start);
    }

    std::string data;
    std::vector<std::int64_t> ends{0};
};

struct ChunkColumns {
    static constexpr std::size_t most_tokens = std::numeric_limits<std::int32_t>::max();  // of a chunk
    static constexpr std::size_t most_reserved = std::size_t{1} << 28;                    // bytes

    // A chunk: where it starts and ends, in characters, its tokens, context and kind.
    struct Piece {
        std::size_t start, end, tokens;
        std::string_view context, kind;
    };

    ChunkColumns() = default;
    // `bytes`: about so many the texts will have.
    explicit ChunkColumns(std::size_t bytes) { body.data.reserve(std::min(bytes, most_reserved)); }

    // Add the chunks of a text, in UTF-8. `identity` is what their ids begin with. No piece is empty or after the text.
    void add(std::string_view text, const std::vector<Piece>& pieces, std::string_view identity);

    std::size_t size() const { return tokens.size(); }

    // Write the ids and hashes of the rows that have none yet: of many rows at once, which is faster than of one.
    void hash();

    // The texts of all chunks. Without any context they are the bodies, and are not kept twice.
    const StringColumn& texts() const { return context.data.empty() ? body : text; }

    StringColumn text, body, context, kind;
    StringColumn id, content_hash;  // after `hash`
    StringColumn place;             // what the id is made of, but for the hash
    std::vector<std::int32_t> tokens;
    std::vector<std::int64_t> start, end, start_byte, end_byte, start_line, end_line, index;
};

// The names around a chunk, outermost first.
using Breadcrumb = std::vector<std::string_view>;

// The chunks of one text as lines of JSON, as `json_line` in chunker/cli/records.py writes the record of a chunk. `breadcrumbs`: one a chunk. `rest`: the JSON
// of the fields that all of them have in common, from the language on, with the brace at the end.
std::string json_lines(const ChunkColumns& columns, const std::vector<Breadcrumb>& breadcrumbs, std::string_view source, std::string_view rest);

}  // namespace chunker
