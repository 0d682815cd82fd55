#include "bpe/pipeline/chain.hpp"

#include "bpe/character_sets.hpp"

namespace bpe {

Chain::Chain(std::vector<Stage> stages) : stages_(std::move(stages)), beginning_(stages_.size()), cutting_(stages_.size()) {
    std::array<bool, 256> cutting{};
    for (std::size_t number = stages_.size(); number-- > 0;) {
        Stage const& stage = stages_[number];
        std::array<bool, 256> const* const first = stage.scanner || stage.behaviour == Behaviour::without_gap ? nullptr : stage.matcher->first_bytes();
        for (std::size_t byte = 0; byte < cutting.size(); ++byte) {
            beginning_[number][byte] = !first || (*first)[byte];
            cutting[byte] = cutting[byte] || beginning_[number][byte];
        }
        cutting_[number] = cutting;
    }
}

Chain Chain::without_touching() const {
    std::vector<Stage> stages = stages_;
    std::erase_if(stages, [](Stage const& stage) { return stage.matcher && stage.matcher->touched(); });
    return Chain(std::move(stages));
}

bool Chain::treats_alike(char32_t one, char32_t other) const {
    UnicodeTable const& table = UnicodeTable::instance();
    return std::all_of(stages_.begin(), stages_.end(), [&](Stage const& stage) {
        // Scanners name no mark, but ranges that have some.
        if (stage.scanner) return table.flags_of(one) == table.flags_of(other) && in_cjk(one) == in_cjk(other);
        ExpressionMatcher const* const expression = stage.matcher->expression();
        return expression && expression->program().classes().of(one) == expression->program().classes().of(other);
    });
}

}  // namespace bpe
