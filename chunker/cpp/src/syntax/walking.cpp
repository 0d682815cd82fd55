#include "walking.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "naming.hpp"
#include "nodes.hpp"

namespace chunker::syntax {

namespace {

constexpr bool is_space(char byte) { return byte == ' ' || (byte >= '\t' && byte <= '\r'); }

}  // namespace

Walk::Walk(Text text, WalkResult& found, std::uint32_t small)
    : text_(text), lines_(text.lines), found_(found), small_(small), ends_(found.first, small > 0 ? found.end : found.first, -1), cursor_{} {}

Walk::~Walk() {
    if (cursor_.tree) ts_tree_cursor_delete(&cursor_);
}

void Walk::run(TSNode root) {
    // The root is a body, whatever its type.
    enter_body({root, 1, 0, {}});
    std::vector<Closed> settled;
    std::vector<Pending> nodes;  // of those
    while (!stack_.empty() || !closed_.empty()) {
        enter_pending();
        for (Closed closed : closed_) {
            const Pending& pending = nodes_[closed.node];
            if (is_part(closed)) {
                closed.node = static_cast<std::uint32_t>(nodes.size());
                nodes.push_back(pending);
                settled.push_back(closed);
            } else {
                stack_.push_back(pending);
            }
        }
        closed_.clear();
        nodes_.clear();
    }
    closed_ = std::move(settled);
    nodes_ = std::move(nodes);
}

void Walk::enter(std::vector<Pending> nodes) {
    stack_ = std::move(nodes);
    enter_pending();
}

void Walk::enter_pending() {
    while (!stack_.empty()) {
        Pending next = stack_.back();
        stack_.pop_back();
        Inside const deeper = text_.kind_of(next.node).inside;
        if (deeper > 0) {
            next.depth += deeper;
            enter_body(next);
        } else {
            pass_through(next);
        }
    }
}

// The children of a body, group or list are parts at its depth.
void Walk::enter_body(const Pending& body) {
    Siblings siblings(body.depth);
    for_children(body, 0, body.depth, [&](const Child& child) {
        Role const role = child.kind.role;
        if (role == Role::hidden) return;
        if (role == Role::leading) {
            if (siblings.attributes == no_row) siblings.attributes = child.row;
            return;
        }
        if (role == Role::comment) {
            put_comment(child.row, child.last, child.end);
            if (siblings.attributes != no_row || leads(child.row, child.last)) return;
        }
        TSNode defined = child.node;
        const Definition* const definition = role >= Role::definition ? definition_of(defined, child.kind, child.last > child.row) : nullptr;
        if (definition) {
            put_definition(siblings, {defined, definition}, child.row, child.last);
            return;
        }
        if (role == Role::clause) siblings.strength = siblings.part + strength::definition - strength::part;
        put_part(siblings, child.row, child.kind.label);
        if (role != Role::comment) siblings.previous.clear();
    });
    // Nothing follows them.
    if (siblings.attributes != no_row) found_.put(siblings.attributes, siblings.strength, statement_label);
}

// Among the children of any other node, only clauses are parts, and the definition inside a wrapper.
void Walk::pass_through(const Pending& pending) {
    int const depth = pending.depth;
    TSNode const inner = text_.kind_of(pending.node).role == Role::wrapper ? held(pending.node) : TSNode{};
    // Children on the node's first line begin no line of their own.
    for_children(pending, lines_.end(pending.first) + 1, depth + 1, [&](const Child& child) {
        if (child.kind.role == Role::comment) {
            put_comment(child.row, child.last, child.end);
        } else if (child.kind.role == Role::clause) {
            found_.put(child.row, strength::at(depth + 1, strength::definition), clause_label);
        } else if (!ts_node_is_null(inner) && ts_node_eq(child.node, inner)) {
            TSNode defined = child.node;
            const Definition* const definition = definition_of(defined, child.kind, child.last > child.row);
            found_.put(child.row, strength::at(depth, strength::wrapped), definition ? definition->label : child.kind.label);
        }
    });
}

// The named children that begin a line. Those worth entering go on the stack, before they are visited.
//
// Children that end before the byte `after` are left out. In a statement with clauses ("if", "else"), which is so when `depth_of_clauses` is not its depth,
// children without a role of their own are left out, too.
template <class Visitor>
void Walk::for_children(const Pending& pending, std::uint32_t after, int depth_of_clauses, Visitor&& visit) {
    if (cursor_.tree) ts_tree_cursor_reset(&cursor_, pending.node);
    else cursor_ = ts_tree_cursor_new(pending.node);
    if (!ts_tree_cursor_goto_first_child(&cursor_)) return;
    int const depth = pending.depth;
    bool const in_sentence = depth_of_clauses != depth;
    Row row = pending.first;
    do {
        TSNode const child = ts_tree_cursor_current_node(&cursor_);
        std::uint32_t const end = ts_node_end_byte(child);
        if (end < after) continue;
        const Kind& kind = text_.kind_of(child);
        if (kind.role == Role::unnamed) continue;
        std::uint32_t const start = ts_node_start_byte(child);
        row = lines_.row(start, row);
        bool const begins = start <= lines_.text_start(row);
        bool const several_lines = end > lines_.end(row);
        if ((several_lines || (kind.role == Role::hidden && begins)) && kind.inside >= 0) {
            int const inner = kind.role == Role::clause && begins ? depth_of_clauses : depth;
            Pending const inside{child, inner, row, pending.node};
            if (inner < strength::max_depth && !(several_lines && end - start <= small_ && closes(inside, pending.parent, end))) stack_.push_back(inside);
        }
        if (begins && !(in_sentence && kind.role == Role::other)) visit(Child{child, kind, end, row, several_lines ? lines_.row(end - 1, row) : row});
    } while (ts_tree_cursor_goto_next_sibling(&cursor_));
}

// Whether a closed node is a part that is stronger than all inside; or begins in the middle of a line, where nothing else does.
bool Walk::is_part(const Closed& closed) const {
    TSNode const node = nodes_[closed.node].node;
    if (ts_node_start_byte(node) > lines_.text_start(closed.first)) return true;
    if (text_.kind_of(node).inside > 0) return false;  // its first child may be a part itself, or an attribute
    return found_.parts(closed.first).strength > closed.bound();
}

// Keep a node for later, unless it ends with a comment, which may belong to what follows, or with white space, after which the next part may begin its last
// line.
bool Walk::closes(const Pending& child, TSNode grandparent, std::uint32_t end) {
    Row const last = lines_.row(end - 1, child.first);
    if (end <= lines_.text_start(last)) return false;
    // Many nodes may end on one line, each inside the one before: they share their end.
    signed char& known = ends_.at(last);
    if (known < 0) known = may_end(child, grandparent, last);
    if (known == 0) return false;
    closed_.push_back({child.first, last, child.depth, static_cast<std::uint32_t>(nodes_.size())});
    nodes_.push_back(child);
    return true;
}

bool Walk::may_end(const Pending& child, TSNode grandparent, Row last) const {
    if (lines_.blank(last)) return false;
    std::uint32_t const place = lines_.text_start(last);
    TSNode const leaf = ts_node_descendant_for_byte_range(child.node, place, place);
    // One without a character, which the author forgot, is hard to find from above.
    if (ts_node_is_null(leaf) || ts_node_start_byte(leaf) == ts_node_end_byte(leaf)) return false;
    auto const is_comment = [&](TSNode around) { return text_.kind_of(around).role == Role::comment; };
    return !any_around(leaf, std::array<TSNode, walking::comment_depth>{child.node, child.parent, grandparent}, is_comment);
}

// The definition that `node` is or wraps, where `node` is then its own; nullptr if it is something else.
const Definition* Walk::definition_of(TSNode& node, const Kind& kind, bool several_lines) const {
    auto const among = [&](const Kind& one) -> const Definition& { return text_.grammar.definitions[static_cast<std::size_t>(one.definition)]; };
    if (kind.role == Role::definition) return counts(node, among(kind), several_lines) ? &among(kind) : nullptr;
    if (!several_lines) return nullptr;
    for (int step = 0; step < walking::most_wrappers; ++step) {
        node = held(node);
        if (ts_node_is_null(node)) return nullptr;
        const Kind& inner = text_.kind_of(node);
        if (inner.role == Role::definition) return counts(node, among(inner), true) ? &among(inner) : nullptr;
    }
    return nullptr;
}

// The line with the name of a definition, where its body is after that; else the one on which it begins: above are annotations.
Row Walk::header_row(TSNode definition, Row from) const {
    constexpr std::string_view body_field = "body", name_field = "name";
    TSNode const body = ts_node_child_by_field_name(definition, body_field.data(), body_field.size());
    TSNode const name = ts_node_child_by_field_name(definition, name_field.data(), name_field.size());
    bool const named = !ts_node_is_null(body) && !ts_node_is_null(name) && ts_node_start_byte(name) < ts_node_start_byte(body);
    return lines_.row(ts_node_start_byte(named ? name : definition), from);
}

// The one definition, or wrapper of one, that is directly in a wrapper; null if there is none, or more than one. What begins a line of its own in a
// wrapper that is a group, too, is a part of that: `type (`.
TSNode Walk::held(TSNode wrapper) const {
    TSNode found{};
    bool several = false;
    each_child(wrapper, [&](TSNode child) {
        Role const role = text_.kind_of(child).role;
        if (role != Role::definition && role != Role::wrapper) return true;
        several = !ts_node_is_null(found);
        found = child;
        return !several;
    });
    if (several || ts_node_is_null(found)) return TSNode{};
    return text_.kind_of(wrapper).inside > 0 && begins_line(found) ? TSNode{} : found;
}

// Whether a node fulfils the conditions of its kind of definitions.
bool Walk::counts(TSNode node, const Definition& definition, bool several_lines) const {
    if (!definition.conditions.empty() && !several_lines) return false;
    return std::all_of(definition.conditions.begin(), definition.conditions.end(), [&](const Condition& condition) {
        TSNode const found = at_path(node, condition.path);
        if (ts_node_is_null(found)) return false;
        return condition.types.empty() || std::find(condition.types.begin(), condition.types.end(), ts_node_type(found)) != condition.types.end();
    });
}

// A part that is no definition.
void Walk::put_part(Siblings& siblings, Row row, Label label) {
    int strength = siblings.strength;
    if (siblings.attributes != no_row) {
        found_.leading.at(row) = siblings.attributes;
        if (strength > strength::line) found_.own.at(row) = strength::at(siblings.depth, strength::commented);
        siblings.attributes = no_row;
    }
    if (strength == siblings.part && row > 0 && lines_.blank(row - 1)) strength += strength::group - strength::part;
    found_.put(row, strength, label);
    siblings.strength = siblings.part;
}

// A part that is a definition, or wraps one, fills the lines from `row` to `last`.
void Walk::put_definition(Siblings& siblings, Defined defined, Row row, Row last) {
    std::string name;
    if (defined.definition->joined) {
        name = name_of(defined.node, defined.definition->name, text_.source);
        if (!name.empty() && name == siblings.previous) {
            found_.regions.back().last = last;
            found_.put(row, strength::at(siblings.depth + 1, strength::definition), clause_label);
            return;
        }
    }
    strength::Rank const rank = siblings.strength == strength::line ? strength::first : strength::definition;
    found_.put(row, strength::at(siblings.depth, rank), defined.definition->label);
    found_.own.at(row) = strength::at(siblings.depth, strength::commented);
    Row const header = last > row ? header_row(defined.node, row) : row;
    if (header > row) found_.headers.at(row) = header;
    if (siblings.attributes != no_row) found_.leading.at(row) = siblings.attributes;
    found_.regions.push_back({row, last, siblings.depth, static_cast<std::uint32_t>(defined_.size())});
    defined_.push_back(defined);
    siblings.previous = std::move(name);
    siblings.attributes = no_row;
    siblings.strength = siblings.part + strength::definition - strength::part;
}

// A comment that begins one line and ends another counts, unless something follows on its last line.
void Walk::put_comment(Row row, Row last, std::uint32_t end) {
    std::string_view const rest = lines_.end(last) > end ? text_.source.substr(end, lines_.end(last) - end) : std::string_view();
    if (std::all_of(rest.begin(), rest.end(), is_space)) found_.comments.at(last) = row;
}

// Whether the comment on these lines belongs to what the next line begins.
bool Walk::leads(Row row, Row last) const { return last + 1 < lines_.size() && !lines_.blank(last + 1) && lines_.indent(row) <= lines_.indent(last + 1); }

bool Walk::begins_line(TSNode node) const {
    std::uint32_t const start = ts_node_start_byte(node);
    return lines_.text_start(lines_.row(start)) == start;
}

}  // namespace chunker::syntax
