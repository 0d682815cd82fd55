// The tree -> instructions. What depends on one character on either side becomes a condition; possessive repetitions of one character become
// repetitions that none of these characters may follow. The rest of look-ahead and atomic groups is left to the determinizer.
#include <optional>

#include "bpe/regex/code.hpp"

namespace bpe::regex {

namespace {

constexpr std::size_t most_instructions = 20000;
constexpr std::size_t most_steps = 400000;
constexpr std::size_t most_sets = 4000;

using Kind = Instruction::Kind;

// A set of next characters, and whether the end will do.
struct Next {
    CharacterSet set;
    bool end = false;
};

// The condition on the next character, if an expression is nothing else.
bool asks_next(const Node& node, Next& next) {
    switch (node.kind) {
    case Node::Kind::set: next.set.add(node.set); return true;
    case Node::Kind::text_end: next.end = true; return true;
    case Node::Kind::sequence: return node.children.size() == 1 && asks_next(*node.children[0], next);
    case Node::Kind::atomic: return asks_next(*node.children[0], next);
    case Node::Kind::repeat: return node.least == 1 && node.children[0]->kind == Node::Kind::set && asks_next(*node.children[0], next);
    case Node::Kind::any_of:
        for (NodePointer const& child : node.children)
            if (!asks_next(*child, next)) return false;
        return !node.children.empty();
    default: return false;
    }
}

bool may_be_empty(const Node& node) {
    switch (node.kind) {
    case Node::Kind::set: return false;
    case Node::Kind::atomic: return may_be_empty(*node.children[0]);
    case Node::Kind::repeat: return node.least == 0 || may_be_empty(*node.children[0]);
    case Node::Kind::sequence:
        for (NodePointer const& child : node.children)
            if (!may_be_empty(*child)) return false;
        return true;
    case Node::Kind::any_of:
        for (NodePointer const& child : node.children)
            if (may_be_empty(*child)) return true;
        return false;
    default: return true;
    }
}

// Instructions are made from the end to the front: each knows where it leads.
class Assembler {
public:
    Code code;

    Index emit(Instruction instruction) {
        if (code.instructions.size() >= most_instructions) too_large();
        code.instructions.push_back(instruction);
        return static_cast<Index>(code.instructions.size() - 1);
    }

    // The instructions that match `node` and then go on at `next`.
    Index assemble(const Node& node, Index next) {
        if (++steps_ > most_steps) too_large();
        switch (node.kind) {
        case Node::Kind::set: return emit({Kind::character, false, next, set(node.set)});
        case Node::Kind::sequence:
            for (std::size_t index = node.children.size(); index-- > 0;) next = assemble(*node.children[index], next);
            return next;
        case Node::Kind::any_of: {
            Index made = assemble(*node.children.back(), next);
            for (std::size_t index = node.children.size() - 1; index-- > 0;) made = emit({Kind::split, false, assemble(*node.children[index], next), made});
            return made;
        }
        case Node::Kind::repeat: return node.mode == Node::Mode::possessive ? possessive(node, next) : repeat(node, node.mode, next);
        case Node::Kind::atomic: return atomic(*node.children[0], next);
        case Node::Kind::look_ahead: return look_ahead(node, next);
        case Node::Kind::look_behind: {
            Condition asked;
            asked.before = set(node.set);
            asked.before_negated = node.negated;
            asked.start_allowed = node.negated;
            return condition(asked, next);
        }
        case Node::Kind::text_start: {
            Condition asked;
            asked.before = set({});
            return condition(asked, next);
        }
        case Node::Kind::text_end: return condition(next_is({{}, true}, false), next);
        case Node::Kind::word_boundary: {
            Index const words = set(node.set);
            // The one side is inside a word and the other is not, or the other way round.
            Condition first, second;
            first.before = first.after = second.before = second.after = words;
            first.before_negated = first.start_allowed = false;
            first.after_negated = first.end_allowed = !node.negated;
            second.before_negated = second.start_allowed = true;
            second.after_negated = second.end_allowed = node.negated;
            Index const other = condition(second, next);
            return emit({Kind::split, false, condition(first, next), other});
        }
        }
        return next;
    }

private:
    [[noreturn]] static void too_large() { throw UnsupportedPattern("the pattern is too large once its repetitions are written out"); }

    Index set(const CharacterSet& wanted) {
        for (std::size_t index = 0; index < code.sets.size(); ++index)
            if (code.sets[index] == wanted) return static_cast<Index>(index);
        if (code.sets.size() >= most_sets) throw UnsupportedPattern("the pattern has more than " + std::to_string(most_sets) + " different sets of characters");
        code.sets.push_back(wanted);
        return static_cast<Index>(code.sets.size() - 1);
    }

    Condition next_is(const Next& next, bool negated) {
        Condition asked;
        asked.after = set(next.set);
        asked.after_negated = negated;
        asked.end_allowed = next.end != negated;
        return asked;
    }

    Index condition(const Condition& asked, Index next) {
        if (asked.before != Condition::any) code.looks_behind = true;
        std::size_t number = 0;
        while (number < code.conditions.size() && !(code.conditions[number] == asked)) ++number;
        if (number == code.conditions.size()) code.conditions.push_back(asked);
        return emit({Kind::condition, false, next, static_cast<Index>(number)});
    }

    Index choice(bool lazy, Index again, Index leave) { return lazy ? emit({Kind::split, false, leave, again}) : emit({Kind::split, false, again, leave}); }

    // One or more times: the body, then a choice between the body again and what follows.
    Index repeat_for_ever(const Node& body, bool lazy, Index next) {
        Index const loop = choice(lazy, 0, next);
        Index const start = assemble(body, loop);
        (lazy ? code.instructions[loop].argument : code.instructions[loop].next) = start;
        return start;
    }

    Index repeat(const Node& node, Node::Mode mode, Index next) {
        Node const& body = *node.children[0];
        bool const lazy = mode == Node::Mode::lazy;
        Index const leave = next;
        unsigned least = node.least;
        if (node.most == Node::unlimited) {
            if (least == 0 && !may_be_empty(body)) {
                Index const loop = choice(lazy, 0, next);
                Index const start = assemble(body, loop);
                (lazy ? code.instructions[loop].argument : code.instructions[loop].next) = start;
                return loop;
            }
            // A body that matches nothing leaves the loop, and does not hide what follows: x* is (x+)?.
            next = repeat_for_ever(body, lazy, next);
            if (least == 0) return choice(lazy, next, leave);
            --least;
        } else {
            for (unsigned count = node.least; count < node.most; ++count) next = choice(lazy, assemble(body, next), leave);
        }
        for (; least > 0; --least) next = assemble(body, next);
        return next;
    }

    Index possessive(const Node& node, Index next) {
        Node const& body = *node.children[0];
        if (body.kind != Node::Kind::set) {
            Index const at = emit({Kind::atomic, false, next, 0});
            Index const exit = emit({Kind::exit, false, 0, at});
            Index const inside = repeat(node, Node::Mode::greedy, exit);
            code.instructions[at].argument = inside;
            code.has_bodies = true;
            return at;
        }
        Index const leave = condition(next_is({body.set, false}, true), next);
        Index made = leave;
        if (node.most == Node::unlimited) {
            Index const loop = emit({Kind::split, false, 0, leave});
            code.instructions[loop].next = assemble(body, loop);
            made = loop;
        } else {
            made = next;
            for (unsigned count = node.least; count < node.most; ++count) made = choice(false, assemble(body, made), leave);
        }
        for (unsigned count = 0; count < node.least; ++count) made = assemble(body, made);
        return made;
    }

    Index atomic(const Node& body, Index next) {
        if (body.kind == Node::Kind::set) return assemble(body, next);
        if (body.kind == Node::Kind::repeat && body.children[0]->kind == Node::Kind::set && body.mode != Node::Mode::lazy) return possessive(body, next);
        Index const at = emit({Kind::atomic, false, next, 0});
        Index const exit = emit({Kind::exit, false, 0, at});
        Index const inside = assemble(body, exit);
        code.instructions[at].argument = inside;
        code.has_bodies = true;
        return at;
    }

    Index look_ahead(const Node& node, Index next) {
        Next asked;
        if (asks_next(*node.children[0], asked)) return condition(next_is(asked, node.negated), next);
        Index const at = emit({Kind::look, node.negated, next, 0});
        Index const exit = emit({Kind::exit, false, 0, at});
        Index const inside = assemble(*node.children[0], exit);
        code.instructions[at].argument = inside;
        code.has_bodies = true;
        return at;
    }

    std::size_t steps_ = 0;
};

}  // namespace

Code assemble(const Node& tree) {
    Assembler assembler;
    Index const match = assembler.emit({Kind::match, false, 0, 0});
    assembler.code.start = assembler.assemble(tree, match);
    return std::move(assembler.code);
}

}  // namespace bpe::regex
