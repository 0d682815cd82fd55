// What is asked of the nodes of a syntax tree.
#pragma once

#include <tree_sitter/api.h>

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

// What is there at the end of a path; null if nothing is.
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
