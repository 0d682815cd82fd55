// Source code by its syntax tree: what the grammars mean, and the sketch of a text. chunker/formats/code/code_format.py draws what is looked for.
//
// Only src/syntax/ knows tree-sitter's runtime. Where that could not be had, src/without_syntax.cpp says so.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "chunker/walk_result.hpp"
#include "chunker/line_placement.hpp"

namespace chunker {

// The role of a kind of node among its siblings, and how much deeper its children are: Role and Inside in chunker/formats/code/grammar.py.
enum class Role : std::int8_t { unnamed = -1, other, clause, hidden, comment, leading, definition, wrapper };
enum Inside : std::int8_t { nothing = -1, sentence, parts, elements };

struct Kind {
    Role role = Role::unnamed;
    Inside inside = nothing;
    Label label = statement_label;  // as a part that is no definition
    std::int32_t definition = -1;   // its number among the definitions
};

// A field of a node, or else the first of its children of a type; and so on inside that: "type.body", "body|block".
using Path = std::vector<std::vector<std::string>>;

// The conditions on a node to be a definition; if there are `types`, it must be of one of them.
struct Condition {
    Path path;
    std::vector<std::string> types;
};

// How a definition is called: chunker/formats/code/naming.py says how templates are read.
struct NameTemplate {
    // A field, or the type of a child; the field again and again as far as it reaches, where it is `deep`.
    struct Way {
        std::string field;
        bool deep = false;
    };
    struct Placeholder {
        std::vector<Way> ways;  // the first of them that is there
        std::string after;      // the literal text that follows
    };
    // `optional`: left out where a placeholder finds nothing, of which else there is no name.
    struct Segment {
        bool optional = false;
        std::string before;
        std::vector<Placeholder> placeholders;
    };
    std::vector<Segment> segments;
};

struct Definition {
    Label label = statement_label;
    std::vector<Condition> conditions;
    NameTemplate name;
    bool joined = false;  // whether it continues the one before if that has the same name
};

// A definition in text[start:end], by characters, with its name in bytes of the source as they are.
struct NamedRegion {
    std::uint32_t start, end;
    std::string name;
};

// The boundaries and definitions inside a closed unit.
struct InsideUnit {
    Boundaries boundaries;
    std::vector<NamedRegion> regions;
};

struct SyntaxGrammar {
    const void* language = nullptr;  // a TSLanguage
    std::vector<Kind> kinds;         // by their numbers; after them that of errors
    std::vector<Definition> definitions;
    Label whole_text = statement_label;
    std::string skimmed, opening;
    bool spaced = false;
};

enum class Parsed { well, with_errors, given_up };

// An offset at which reading can resume, in characters: a part begins there, with what stands above it, and no error is near. `body`: the number of
// what it is in.
struct ResumePoint {
    std::uint32_t offset, body;
};

// The text that stands for all before the first part of a large body and for all after its last one: "class A {\n" and "}\n".
struct EnclosingLines {
    std::string header, closing;
};

// The points at which parsing can resume after an edit; the bodies in which they stand, that of the whole text first; and the spans of lines that have
// syntax errors, in characters.
struct Resumption {
    std::vector<ResumePoint> points;
    std::vector<EnclosingLines> bodies;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> errors;
};

// One text, parsed and walked. The nodes that it has closed are entered when they are asked for. For one thread at a time.
class SyntaxReading {
public:
    virtual ~SyntaxReading() = default;

    virtual Parsed parsed() const = 0;

    virtual const Boundaries& boundaries() const = 0;

    // The starts of the closed units, in characters, ascending.
    virtual std::vector<std::uint32_t> closed() const = 0;

    // The definitions outside of closed units, in the order of their lines.
    virtual std::vector<NamedRegion> regions() const = 0;

    // What is inside the unit that begins there. Throws std::out_of_range where none does.
    virtual InsideUnit inside(std::uint32_t character) const = 0;

    // The offsets outside of closed units from which the rest of the text can be read alone, with the same result. The first `preamble` characters stand
    // in for the text before, of which only they are known.
    virtual Resumption resumption(std::uint32_t preamble) const = 0;
};

// Whether the runtime is linked that all of this needs.
bool has_syntax();

// Whether the runtime knows grammars of this version. Throws std::logic_error without the runtime.
bool reads(const void* language);

// The sketch of `source`, not empty and less than 4 GB, in which nodes of at most `small` bytes are closed. `source` and `grammar` must outlive
// it. Throws std::logic_error without the runtime.
std::unique_ptr<SyntaxReading> read_syntax(const SyntaxGrammar& grammar, std::string_view source, std::uint32_t small);

}  // namespace chunker
