#include "naming.hpp"

#include <algorithm>
#include <optional>

#include "chunker/constants.hpp"
#include "nodes.hpp"

namespace chunker::syntax {

namespace {

constexpr std::uint32_t most_bytes = naming::most_bytes;

// The child in the field; for a node that is called after the field but has none, the last named child: `(*name)`, `&name`.
TSNode inner_declarator(TSNode node, const std::string& field) {
    TSNode const found = ts_node_child_by_field_name(node, field.data(), static_cast<std::uint32_t>(field.size()));
    if (!ts_node_is_null(found)) return found;
    std::string_view const type = ts_node_type(node);
    bool const called_after = type.size() > field.size() && type.ends_with(field) && type[type.size() - field.size() - 1] == '_';
    std::uint32_t const children = called_after ? ts_node_named_child_count(node) : 0;
    return children > 0 ? ts_node_named_child(node, children - 1) : TSNode{};
}

TSNode found_by(TSNode node, const NameTemplate::Way& way) {
    TSNode child = child_named(node, way.field);
    if (!way.deep || ts_node_is_null(child)) return child;
    for (int step = 0; step < naming::deepest; ++step) {
        TSNode const inner = inner_declarator(child, way.field);
        if (ts_node_is_null(inner)) break;
        child = inner;
    }
    return child;
}

std::optional<std::string> filled(const NameTemplate::Segment& segment, TSNode node, std::string_view source) {
    std::string text = segment.before;
    for (const NameTemplate::Placeholder& placeholder : segment.placeholders) {
        TSNode found{};
        for (std::size_t way = 0; way < placeholder.ways.size() && ts_node_is_null(found); ++way) found = found_by(node, placeholder.ways[way]);
        if (ts_node_is_null(found)) return std::nullopt;
        std::uint32_t const start = ts_node_start_byte(found), end = ts_node_end_byte(found);
        if (start >= std::min<std::size_t>(end, source.size())) return std::nullopt;  // a space may have been put after the source
        text += source.substr(start, std::min(end - start, most_bytes));
        text += placeholder.after;
    }
    return text;
}

}  // namespace

std::string name_of(TSNode node, const NameTemplate& name, std::string_view source) {
    std::string result;
    for (const NameTemplate::Segment& segment : name.segments) {
        std::optional<std::string> const text = filled(segment, node, source);
        if (!text && !segment.optional) return {};
        result += text.value_or("");
    }
    return result;
}

}  // namespace chunker::syntax
