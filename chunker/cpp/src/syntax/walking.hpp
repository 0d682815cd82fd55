// One walk over a syntax tree: which lines begin a part of the code, and how strong a cut there is. The twin of chunker/formats/code/walking.py,
// which draws it and says why; the two look at the same nodes in the same order.
#pragma once

#include <tree_sitter/api.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "chunker/walk_result.hpp"
#include "chunker/line_table.hpp"
#include "chunker/syntax.hpp"

namespace chunker::syntax {

struct Text {
    const SyntaxGrammar& grammar;
    std::string_view source;
    const LineTable& lines;

    const Kind& kind_of(TSNode node) const { return grammar.kinds[std::min<std::size_t>(ts_node_symbol(node), grammar.kinds.size() - 1)]; }
};

// A definition that the walk met.
struct Defined {
    TSNode node;
    const Definition* definition;
};

struct Pending {
    TSNode node;
    int depth;
    Row first;      // the line on which it begins
    TSNode parent;  // null for the root: to ask the tree for it takes a walk from the root over all nodes on the way
};

// Walks whole trees, or single nodes, on the lines of `found`. Nodes of at most `small` bytes are not entered but kept in `closed`.
class Walk {
public:
    Walk(Text text, WalkResult& found, std::uint32_t small);
    Walk(const Walk&) = delete;
    Walk& operator=(const Walk&) = delete;
    ~Walk();

    // Collect the parts of the tree.
    void run(TSNode root);

    // Collect the parts of these nodes.
    void enter(std::vector<Pending> nodes);

    // The closed units, by `Closed::node`.
    const std::vector<Closed>& closed() const { return closed_; }
    const std::vector<Pending>& nodes() const { return nodes_; }
    // By `Region::definition`.
    const std::vector<Defined>& defined() const { return defined_; }

private:
    // The meaning of the earlier children of a node for the next one.
    struct Siblings {
        explicit Siblings(int of_depth) : depth(of_depth), part(strength::at(of_depth, strength::part)) {}

        int depth;
        int part;                       // the strength of one that nothing makes weaker or stronger
        int strength = strength::line;  // of the next part, unless it is a definition
        Row attributes = no_row;        // the line of the first of those that wait for what they belong to
        std::string previous;           // the name of the definition before, if the next one may continue it
    };

    // A named child that begins a line.
    struct Child {
        TSNode node;
        const Kind& kind;
        std::uint32_t end;  // bytes
        Row row, last;
    };

    void enter_pending();
    void enter_body(const Pending& body);
    void pass_through(const Pending& pending);
    template <class Visitor>
    void for_children(const Pending& pending, std::uint32_t after, int depth_of_clauses, Visitor&& visit);

    bool is_part(const Closed& closed) const;
    bool closes(const Pending& child, TSNode grandparent, std::uint32_t end);
    bool may_end(const Pending& child, TSNode grandparent, Row last) const;

    const Definition* definition_of(TSNode& node, const Kind& kind, bool several_lines) const;
    Row header_row(TSNode definition, Row from) const;
    TSNode held(TSNode wrapper) const;
    bool counts(TSNode node, const Definition& definition, bool several_lines) const;

    void put_part(Siblings& siblings, Row row, Label label);
    void put_definition(Siblings& siblings, Defined defined, Row row, Row last);
    void put_comment(Row row, Row last, std::uint32_t end);
    bool leads(Row row, Row last) const;

    bool begins_line(TSNode node) const;

    Text text_;
    const LineTable& lines_;
    WalkResult& found_;
    std::uint32_t small_;
    std::vector<Closed> closed_;
    std::vector<Pending> nodes_;
    std::vector<Pending> stack_;
    std::vector<Defined> defined_;
    ByRow<signed char> ends_;  // whether what ends on a line may be closed; -1: not looked at yet
    TSTreeCursor cursor_;
};

}  // namespace chunker::syntax
