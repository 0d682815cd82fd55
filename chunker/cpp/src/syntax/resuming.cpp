#include "resuming.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "nodes.hpp"
#include "runtime.h"

namespace chunker::syntax {

namespace {

// The number of parts without an error before a point, and of nodes in them. A version of the parser's stack that is cheaper by `cost` ends another if cost *
// (1 + its nodes since its last error) > 1800, and no error costs less than 110: from 17 nodes on, what came before the point has no effect on what is after
// it.
constexpr std::size_t settling_parts = 2, settling_nodes = 17;
// Lines of a part whose body is worth points of its own.
constexpr Row large_part = 12;
// Nodes between a part and its body.
constexpr int most_between = 8;
// Bytes of the lines around a body, which are read again before and after a part of it.
constexpr std::size_t most_around = 4096;

struct Body {
    TSNode node;
    int depth;
    std::uint32_t number;
    std::size_t nodes;  // since the last error
};

class Finder {
public:
    Finder(const Text& text, const std::vector<Region>& regions, const ByRow<Row>& tops, const LineBoundaries& rows, std::uint32_t preamble, const Tree& tree)
        : text_(text), lines_(text.lines), tops_(tops), rows_(rows), preamble_(preamble), root_(ts_tree_root_node(tree.get())), doubts_(tree.doubts()) {
        for (const Region& region : regions) definitions_.emplace_back(region.first, region.depth);
        std::sort(definitions_.begin(), definitions_.end());
    }

    Resumption find() {
        found_.bodies.push_back({text_.grammar.opening, ""});
        if (ts_node_is_error(root_)) {
            found_.errors.emplace_back(0, lines_.character(lines_.size()));
            return std::move(found_);
        }
        for (ChunkerRecovery const& one : doubts_.recoveries) {
            Row const first = lines_.row(one.first), last = lines_.row(std::max(one.end, std::uint32_t{1}) - 1, first);
            found_.errors.emplace_back(lines_.character(first), lines_.character(last + 1));
        }
        bodies_.push_back({root_, 1, 0, 0});
        while (!bodies_.empty()) {
            Body const body = bodies_.back();
            bodies_.pop_back();
            look_into(body);
        }
        std::sort(found_.points.begin(), found_.points.end(), [](ResumePoint one, ResumePoint other) { return one.offset < other.offset; });
        std::sort(found_.errors.begin(), found_.errors.end());
        std::uint32_t const open = lines_.character(lines_.row(doubts_.first_open));
        std::erase_if(found_.points, [&](ResumePoint point) { return point.offset > open; });
        return std::move(found_);
    }

private:
    void look_into(const Body& body) {
        std::size_t clean = settling_parts;  // parts since the last error; before a body there is none
        std::vector<std::size_t> before;     // how many of them each point since then has before it
        Row row = 0;
        bool has_attributes = false;  // whether what belongs to the next part was there
        // Where nothing closes a body, as in Python, the indentation of its first part is that of the body. A part with another indentation cannot stand first.
        bool const counts_indent = body.number > 0 && found_.bodies[body.number].closing.empty();
        std::optional<std::size_t> indent;
        std::size_t nodes = body.nodes;
        std::string_view scanner = scanner_state(ts_node_start_byte(body.node));  // where a part begins
        each_child(body.node, [&](TSNode child) {
            std::uint32_t const start = ts_node_start_byte(child), end = ts_node_end_byte(child);
            row = lines_.row(start, row);
            Row const last = end > start ? lines_.row(end - 1, row) : row;
            // Indented code outside of any body is an error where indentation counts, also if the parser reports none.
            bool const begins = start <= lines_.text_start(row) && (body.number > 0 || lines_.indent(row) == 0);
            bool const is_part = ts_node_is_named(child) && !ts_node_is_extra(child);
            bool const is_first = is_part && !indent;
            if (is_first) indent = lines_.indent(row);
            bool const is_alike = !counts_indent || lines_.indent(row) == indent;
            Row const top = tops_(row) == no_row ? row : tops_(row);
            bool const certain = is_certain(start, lines_.start(top), scanner);
            bool const is_definition = begins && defines(row, body.depth);
            // The first part of a body has no boundary. A block is no part: if a window began inside it, without the parts before it, the part after it
            // would be taken for the first, and lose its boundary.
            bool const has_place = is_first || rows_.strength(top) >= strength::at(body.depth, strength::part);
            if (begins && certain && is_alike && has_place && (last - row > large_part || lines_.character(row) < preamble_))
                add_body(child, row, last, {body.node, body.depth, body.number, nodes});
            if (!is_calm(start, end)) {
                // Those just before it may be understood in another way with more text.
                for (; !before.empty() && clean < before.back() + settling_parts; before.pop_back()) found_.points.pop_back();
                before.clear();
                clean = nodes = 0;
            } else if (is_part) {
                bool const is_statement = !has_attributes && !is_definition && begins && text_.kind_of(child).role != Role::leading &&
                                          (text_.kind_of(child).inside != nothing || text_.kind_of(body.node).inside == elements);
                if (certain && clean >= settling_parts && nodes >= settling_nodes && is_alike &&
                    ((is_definition && is_point(top, body.depth, strength::definition)) || (is_statement && is_point(top, body.depth, strength::part)))) {
                    found_.points.push_back({lines_.character(top), body.number});
                    before.push_back(clean);
                }
                has_attributes = text_.kind_of(child).role == Role::leading;
                ++clean;
                nodes += ts_node_descendant_count(child);
            }
            return true;
        });
    }

    // The first of the recoveries that end at this byte or after it.
    std::vector<ChunkerRecovery>::const_iterator recovery_from(std::uint32_t byte) const {
        return std::partition_point(doubts_.recoveries.begin(), doubts_.recoveries.end(), [&](ChunkerRecovery const& one) { return one.end < byte; });
    }

    // Whether the parser was certain all the way from the one byte to the other.
    bool is_calm(std::uint32_t first, std::uint32_t last) const {
        auto const next = recovery_from(first);
        return next == doubts_.recoveries.end() || next->start > last;
    }

    // Whether the parser, and the scanner of its grammar, is in the same state where a part begins, on a line that begins at `line`, as if there had been no
    // error before: the scanner in the state that it was in where a part of the same body began before the first error, or else where the body begins.
    bool is_certain(std::uint32_t byte, std::uint32_t line, std::string_view& scanner) const {
        if (doubts_.recoveries.empty()) return true;
        if (byte <= doubts_.recoveries.front().start) {
            scanner = scanner_state(byte);
            return true;
        }
        auto const next = recovery_from(line + 1);
        return (next == doubts_.recoveries.end() || next->start >= byte) && scanner_state(byte) == scanner;
    }

    // Without zeros at its end: then it is that of the start of a text, if there are no tokens of the scanner before.
    std::string_view scanner_state(std::uint32_t byte) const {
        std::size_t length = 0;
        const char* const state = chunker_scanner_state(root_.id, byte, &length);
        while (length > 0 && state[length - 1] == 0) --length;
        return {state, length};
    }

    bool defines(Row row, int depth) const { return std::binary_search(definitions_.begin(), definitions_.end(), std::pair(row, depth)); }

    // Whether the boundary there is as strong as such a part, or stronger for what stands before it, but not a part of something larger; and no run of
    // comments begins before it, of which lines may be hidden.
    bool is_point(Row top, int depth, strength::Rank least) const {
        int const found = rows_.strength(top);
        if (found < strength::at(depth, least) || found > strength::at(depth, strength::definition)) return false;
        std::string_view const skimmed = text_.grammar.skimmed;
        if (skimmed.empty()) return true;
        Row above = top;
        while (above > 0 && lines_.blank(above - 1)) --above;
        return above == 0 || skimmed.find(lines_.first_bytes()[above - 1]) == std::string_view::npos;
    }

    // Look into the body of a part later, if the lines around it can stand for all of it.
    void add_body(TSNode whole_part, Row first, Row last, const Body& around) {
        int depth = around.depth;
        std::uint32_t header_end = ts_node_start_byte(whole_part);
        TSNode const body = body_of(whole_part, last - first, depth, header_end);
        if (ts_node_is_null(body) || depth >= strength::max_depth) return;
        Row inside = no_row, after = 0;
        std::uint32_t end = 0;
        bool whole = true;
        each_child(body, [&](TSNode child) {
            whole = whole && !ts_node_is_missing(child);
            Row const row = lines_.row(ts_node_start_byte(child), first);
            if (inside == no_row && ts_node_is_named(child) && ts_node_start_byte(child) <= lines_.text_start(row)) inside = row;
            if (inside == no_row) extend(header_end, child);
            if (!ts_node_is_named(child)) return whole;
            end = ts_node_end_byte(child);
            after = end > ts_node_start_byte(child) ? lines_.row(end - 1, row) + 1 : row + 1;
            return whole;
        });
        if (!whole || inside == no_row || inside <= first || (after > last && end != ts_node_end_byte(whole_part))) return;
        if (!is_calm(ts_node_start_byte(whole_part), lines_.text_start(inside)) || !is_calm(end, ts_node_end_byte(whole_part))) return;
        // Without comments at its end, which would go to what follows when others stand there.
        if (header_end > lines_.start(first)) inside = std::min(inside, lines_.row(header_end - 1, first) + 1);
        while (after < last && lines_.blank(after)) ++after;
        Row const top = tops_(first) == no_row ? first : tops_(first);
        const EnclosingLines& outer = found_.bodies[around.number];
        auto const part = [&](Row from, Row to) {
            return from < to ? std::string(text_.source.substr(lines_.start(from), lines_.start(to) - lines_.start(from))) : "";
        };
        EnclosingLines lines{outer.header + part(top, inside), part(after, last + 1) + outer.closing};
        if (lines.header.size() + lines.closing.size() > most_around) return;
        bodies_.push_back({body, depth, static_cast<std::uint32_t>(found_.bodies.size()), around.nodes});
        found_.bodies.push_back(std::move(lines));
    }

    // To the end of a node that is no comment.
    static void extend(std::uint32_t& end, TSNode node) {
        if (!ts_node_is_extra(node)) end = std::max(end, ts_node_end_byte(node));
    }

    // The body that most of a part is, and where what is before it ends, in bytes; null where there is none, or an error is around it.
    TSNode body_of(TSNode whole_part, Row size, int& depth, std::uint32_t& header_end) const {
        TSNode node = whole_part;
        Kind const& own = text_.kind_of(node);
        if (ts_node_is_error(node) || own.role == Role::clause || own.role == Role::unnamed || own.inside < 0) return TSNode{};
        if (own.inside > 0) {
            depth += own.inside;
            return holds_parts(node) ? node : TSNode{};
        }
        for (int step = 0; step < most_between; ++step) {
            TSNode found{};
            each_child(node, [&](TSNode child) {
                Row const row = lines_.row(ts_node_start_byte(child));
                bool const is_most = lines_.row(ts_node_end_byte(child), row) - row > size / 2;
                if (is_most) found = child;
                if (ts_node_is_null(found)) extend(header_end, child);
                return true;
            });
            if (ts_node_is_null(found)) return TSNode{};
            const Kind& kind = text_.kind_of(found);
            if (kind.role == Role::clause || kind.role == Role::unnamed || kind.inside < 0) return TSNode{};
            depth += kind.inside;
            if (holds_parts(found)) return found;
            node = found;
        }
        return TSNode{};
    }

    // Whether the children are parts, whatever is left out of them: a list in parentheses may be another kind of node without some of its elements.
    bool holds_parts(TSNode node) const {
        Inside const inside = text_.kind_of(node).inside;
        if (inside != elements) return inside == parts;
        bool begins = false, braced = false, is_first = true;
        each_child(node, [&](TSNode child) {
            std::uint32_t const start = ts_node_start_byte(child);
            if (std::exchange(is_first, false)) braced = start < text_.source.size() && (text_.source[start] == '{' || text_.source[start] == '[');
            begins = ts_node_is_named(child) && start <= lines_.text_start(lines_.row(start));
            return braced && !begins;
        });
        return braced && begins;
    }

    const Text& text_;
    const LineTable& lines_;
    const ByRow<Row>& tops_;
    const LineBoundaries& rows_;
    std::uint32_t preamble_;
    TSNode root_;
    const Doubts& doubts_;
    std::vector<std::pair<Row, int>> definitions_;  // their first lines and depths
    std::vector<Body> bodies_;                      // that wait
    Resumption found_;
};

}  // namespace

Resumption resumption(const Text& text, const Tree& tree, const std::vector<Region>& regions, const ByRow<Row>& tops, const LineBoundaries& rows,
                      std::uint32_t preamble) {
    return Finder(text, regions, tops, rows, preamble, tree).find();
}

}  // namespace chunker::syntax
