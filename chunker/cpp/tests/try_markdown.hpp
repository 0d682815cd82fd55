// What holds for the blocks of any text, in tests and fuzz targets.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "chunker/markdown_blocks.hpp"
#include "chunker/parser_copy.hpp"

namespace chunker::test {

#define HOLDS(condition)                                                                   \
    do {                                                                                   \
        if (!(condition)) {                                                                \
            std::fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, #condition); \
            std::abort();                                                                  \
        }                                                                                  \
    } while (false)

inline void try_columns(const markdown::Sketch& sketch) {
    std::string_view const copy = sketch.copy();
    const markdown::Columns& columns = sketch.columns();
    HOLDS(columns.offsets.size() == columns.strengths.size() && columns.offsets.size() == columns.labels.size());
    HOLDS(columns.offsets.front() == 0 && columns.strengths.front() == 1'000'000);
    for (std::size_t place = 1; place < columns.offsets.size(); ++place) {
        HOLDS(columns.offsets[place - 1] < columns.offsets[place] && columns.offsets[place] < copy.size());
        HOLDS(copy[columns.offsets[place] - 1] == '\n');
        HOLDS(columns.strengths[place] >= 40 && columns.strengths[place] < 1'000'000);
    }
    std::size_t unit = 0, place = 0;
    for (const markdown::Work& work : sketch.works()) {
        HOLDS(unit <= work.unit && work.unit <= work.start && work.start < work.end && work.end <= copy.size());
        unit = work.unit;
        while (place < columns.offsets.size() && columns.offsets[place] < unit) ++place;
        HOLDS(place < columns.offsets.size() && columns.offsets[place] == unit);
        // The work of a unit lies before the next one, or the rows of a sketch would not ascend once it is done.
        HOLDS(place + 1 == columns.offsets.size() || work.end <= columns.offsets[place + 1]);
    }
    std::size_t last_end = 0;
    for (const markdown::Heading& heading : sketch.headings()) {
        HOLDS(last_end <= heading.start && heading.start < heading.end && heading.end <= copy.size());
        HOLDS(heading.level >= 1 && heading.level <= 6);
        last_end = heading.end;
    }
    for (const markdown::Table& table : sketch.tables()) HOLDS(table.start < table.first_row && table.first_row < table.end && table.end <= copy.size());
}

inline bool same(const markdown::Columns& one, const markdown::Columns& other) {
    return one.offsets == other.offsets && one.strengths == other.strengths && one.labels == other.labels;
}

// Reads a text as chunker does, only that what is uncertain is lines up to the next blank one.
inline void try_markdown(std::string_view utf8) {
    std::string const copy = is_parser_copy(utf8) ? std::string(utf8) : parser_copy(utf8);
    HOLDS(is_parser_copy(copy) && copy.size() <= utf8.size());
    markdown::Sketch sketch(copy);
    markdown::Blocks blocks(sketch);
    bool first = true;
    for (std::size_t at = 0; at < copy.size();) {
        std::size_t const certain = blocks.read(at);
        HOLDS(certain >= at && certain <= copy.size() && (certain == at || certain == copy.size() || copy[certain - 1] == '\n'));
        if (first) {
            try_columns(sketch);
            // What is certain does not depend on what follows: taking back leaves nothing of it.
            markdown::Sketch alone(std::string_view(copy).substr(0, certain));
            HOLDS(markdown::Blocks(alone).read(0) == certain);
            HOLDS(same(alone.columns(), sketch.columns()));
            HOLDS(alone.works().size() == sketch.works().size() && alone.headings().size() == sketch.headings().size());
        }
        first = false;
        std::size_t end = certain;
        while (end < copy.size()) {
            std::size_t const next = std::min(copy.find('\n', end), copy.size() - 1) + 1;
            bool const blank = markdown::is_blank(std::string_view(copy).substr(end, next - 1 - end));
            end = next;
            if (blank) break;
        }
        if (certain < end) sketch.lines(certain, end);
        at = end;
    }
    try_columns(sketch);
}

}  // namespace chunker::test
