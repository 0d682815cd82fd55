// One text: parsed, walked, placed.
#include <algorithm>
#include <optional>
#include <stdexcept>
#include <utility>

#include "chunker/syntax.hpp"
#include "naming.hpp"
#include "parsing.hpp"
#include "resuming.hpp"
#include "walking.hpp"

namespace chunker {

namespace {

using syntax::Pending;
using syntax::Pool;

class Reading final : public SyntaxReading {
public:
    Reading(const SyntaxGrammar& grammar, std::string_view source, std::uint32_t small)
        : grammar_(grammar), source_(source), lines_(source), comments_(0, lines_.size(), 0), attributes_(0, lines_.size(), 0) {
        std::vector<Row> const hidden = hidden_rows(lines_, source_, grammar.skimmed);
        if (!hidden.empty()) masked_ = without(hidden, lines_, source_);
        constexpr std::string_view white_space = " \t\n\v\f\r";
        if (grammar.spaced && !source_.empty() && white_space.find(source_.back()) == std::string_view::npos)
            masked_ = (masked_.empty() ? std::string(source_) : masked_) + ' ';
        tree_ = syntax::parse(static_cast<const TSLanguage*>(grammar.language), masked_.empty() ? source_ : masked_);
        WalkResult found(0, lines_.size());
        std::vector<Closed> closed;
        if (tree_) {
            for (Row const row : hidden) found.comments.at(row) = row;
            TSNode const root = ts_tree_root_node(tree_->get());
            parsed_ = ts_node_has_error(root) ? Parsed::with_errors : Parsed::well;
            Pool::Use const use(tree_->pool());
            syntax::Walk walk({grammar_, source_, lines_}, found, small);
            walk.run(root);
            closed = walk.closed();
            nodes_ = walk.nodes();
            defined_ = walk.defined();
        }
        place(found, std::move(closed));
    }

    Parsed parsed() const override { return parsed_; }

    const Boundaries& boundaries() const override { return boundaries_; }

    std::vector<std::uint32_t> closed() const override {
        std::vector<std::uint32_t> result;
        for (const Unit& unit : units_) result.push_back(lines_.character(unit.first));
        return result;
    }

    std::vector<NamedRegion> regions() const override { return named(regions_, *tops_, defined_); }

    InsideUnit inside(std::uint32_t character) const override {
        auto const unit = std::lower_bound(units_.begin(), units_.end(), character,
                                           [&](const Unit& one, std::uint32_t place) { return lines_.character(one.first) < place; });
        if (unit == units_.end() || lines_.character(unit->first) != character) throw std::out_of_range("no closed unit begins there");
        WalkResult found(unit->first, unit->end);
        for (Row row = unit->first; row < unit->end; ++row)
            if (comments_(row)) found.comments.at(row) = row;
        std::vector<Pending> nodes;
        for (const Closed& closed : unit->nodes) nodes.push_back(nodes_[closed.node]);
        syntax::Walk walk({grammar_, source_, lines_}, found, 0);
        walk.enter(std::move(nodes));
        Settled more = settled(found, lines_);
        // On the first line of a part that moved nothing inside of it counts: the part would have been stronger, and moved, too.
        for (Row row = unit->first; row < unit->end; ++row)
            if (attributes_(row) || (*tops_)(row) != no_row) more.placed.at(row) = {};
        return {rows_->inside(*unit, more), named(found.regions, more.tops, walk.defined())};
    }

    Resumption resumption(std::uint32_t preamble) const override {
        if (!tree_) return {};
        Pool::Use const use(tree_->pool());
        return syntax::resumption({grammar_, source_, lines_}, *tree_, regions_, *tops_, *rows_, preamble);
    }

private:
    void place(const WalkResult& found, std::vector<Closed> closed) {
        Settled placed = settled(found, lines_);
        Label const whole_text = label_of(placed.placed(0));
        regions_ = found.regions;
        tops_ = placed.tops;
        rows_.emplace(std::move(placed), whole_text, lines_);
        units_ = rows_->close(std::move(closed));
        boundaries_ = rows_->boundaries();
        for (Row row = 0; row < lines_.size(); ++row) {
            comments_.at(row) = found.comments(row) != no_row;
            // They are kept together with what they belong to: nothing inside them is a part.
            if (found.leading(row) != no_row)
                for (Row line = found.leading(row); line < row; ++line) attributes_.at(line) = 1;
        }
    }

    std::vector<NamedRegion> named(const std::vector<Region>& regions, const ByRow<Row>& tops, const std::vector<syntax::Defined>& defined) const {
        std::vector<NamedRegion> result;
        for (const Region& region : regions) {
            syntax::Defined const& one = defined[region.definition];
            std::string name = syntax::name_of(one.node, one.definition->name, source_);
            Row const top = tops(region.first) == no_row ? region.first : tops(region.first);
            if (!name.empty()) result.push_back({lines_.character(top), lines_.character(region.last + 1), std::move(name)});
        }
        return result;
    }

    // The name of the text as a whole: that of the definition it begins with, or the one its language gives.
    Label label_of(Placed first) const {
        bool const known = first.strength > 0 && std::any_of(grammar_.definitions.begin(), grammar_.definitions.end(),
                                                             [&](const Definition& one) { return one.label == first.label; });
        return known ? first.label : grammar_.whole_text;
    }

    const SyntaxGrammar& grammar_;
    std::string_view source_;
    LineTable lines_;
    std::string
        masked_;  // the source without the lines that are hidden from the parser, and with a space at its end where that is needed; empty if it is the same
    std::unique_ptr<const syntax::Tree> tree_;
    Parsed parsed_ = Parsed::given_up;
    std::vector<Pending> nodes_;  // the closed ones
    std::vector<syntax::Defined> defined_;
    std::vector<Region> regions_;
    std::optional<ByRow<Row>> tops_;
    std::optional<LineBoundaries> rows_;
    std::vector<Unit> units_;
    Boundaries boundaries_;
    ByRow<char> comments_;    // whether a comment ends on the line
    ByRow<char> attributes_;  // whether it belongs to an attribute
};

}  // namespace

bool has_syntax() { return true; }

bool reads(const void* language) {
    std::uint32_t const version = ts_language_abi_version(static_cast<const TSLanguage*>(language));
    return version >= TREE_SITTER_MIN_COMPATIBLE_LANGUAGE_VERSION && version <= TREE_SITTER_LANGUAGE_VERSION;
}

std::unique_ptr<SyntaxReading> read_syntax(const SyntaxGrammar& grammar, std::string_view source, std::uint32_t small) {
    return std::make_unique<Reading>(grammar, source, small);
}

}  // namespace chunker
