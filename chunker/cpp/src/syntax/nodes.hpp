// Questions to the nodes of a syntax tree.
#pragma once

#include <tree_sitter/api.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "chunker/syntax.hpp"

namespace chunker::syntax {

// Each child in turn, those without a name too, until `visit` says false. Linear, where ts_node_child is not.
template <class Visitor>
void each_child(TSNode node, Visitor&& visit) {
    TSTreeCursor cursor = ts_tree_cursor_new(node);
    if (ts_tree_cursor_goto_first_child(&cursor))
        while (visit(ts_tree_cursor_current_node(&cursor)) && ts_tree_cursor_goto_next_sibling(&cursor)) {
        }
    ts_tree_cursor_delete(&cursor);
}

// Whether one of `leaf`, the node around it and so on, `count` of them, fulfils the condition; and true if there are less. `nodes`: a node that holds the leaf,
// and those around it: ts_node_parent goes down from the root each time, over all siblings on the way.
template <std::size_t count, class Condition>
bool any_around(TSNode leaf, const std::array<TSNode, count>& nodes, Condition&& condition) {
    if (ts_node_is_null(leaf)) return true;
    std::array<TSNode, count> last{};
    std::size_t depth = 0;
    for (TSNode around = nodes[0]; !ts_node_is_null(around) && around.id != leaf.id; around = ts_node_child_with_descendant(around, leaf))
        last[depth++ % count] = around;
    last[depth++ % count] = leaf;
    for (std::size_t above = 1; depth < count; ++above) {
        if (ts_node_is_null(nodes[above])) return true;
        last[depth++] = nodes[above];
    }
    return std::any_of(last.begin(), last.end(), condition);
}

// The child in this field, else the first one of this type; null if there is neither.
inline TSNode child_named(TSNode node, std::string_view name) {
    TSNode found = ts_node_child_by_field_name(node, name.data(), static_cast<std::uint32_t>(name.size()));
    if (!ts_node_is_null(found)) return found;
    each_child(node, [&](TSNode child) {
        if (ts_node_type(child) != name) return true;
        found = child;
        return false;
    });
    return found;
}

// The node at the end of a path; null if there is none.
inline TSNode at_path(TSNode node, const Path& path) {
    for (const std::vector<std::string>& ways : path) {
        TSNode found{};
        for (std::size_t way = 0; way < ways.size() && ts_node_is_null(found); ++way) found = child_named(node, ways[way]);
        if (ts_node_is_null(found)) return found;
        node = found;
    }
    return node;
}

}  // namespace chunker::syntax
