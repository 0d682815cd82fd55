// A long piece that grows and is cut again, by later stages of its chain or because its coder puts something before it: a text of its own, under a pipeline of
// its own.
//
//     stages      punctuation apart | words | digits apart        "12345678901234" is one piece of the first two
//     as a text   digits apart                                    "12345678901234"
//     coder       "▁" before each piece, cut before each "▁"      "hello    there"
//     as a text   normalizer, stages                              "▁hello▁▁▁▁there"
//
// So open ends and ways back are those of any text.
#include <algorithm>
#include <mutex>
#include <type_traits>

#include "bpe/grown_ids.hpp"
#include "bpe/growing_side.hpp"
#include "bpe/models/unigram.hpp"
#include "bpe/pipeline/growing.hpp"
#include "bpe/pipeline/steps.hpp"

namespace bpe {

// Made when a piece first grows.
struct PieceCoder::Inside {
    std::once_flag once;
    std::shared_ptr<const Pipeline> pipeline;
};

PieceCoder::PieceCoder(std::shared_ptr<const PieceModel> model, std::vector<Insertion> insertions, std::vector<Chain> chains)
    : model_(std::move(model)), insertions_(std::move(insertions)), chains_(std::move(chains)), inside_(std::make_shared<Inside>()) {}

namespace {

std::u32string characters_of(const std::string& text) {
    std::u32string characters;
    auto const* const bytes = reinterpret_cast<const Byte*>(text.data());
    for (std::size_t place = 0; place < text.size();) {
        Character const character = UnicodeTable::instance().at(bytes, place, text.size());
        characters.push_back(character.code);
        place += character.size;
    }
    return characters;
}

std::shared_ptr<const Normalizer> normalizer_of(const Insertion& insertion) {
    using Kind = NormalizationStep::Kind;
    std::vector<NormalizationStep> steps;
    if (!insertion.space.empty()) steps.push_back({.kind = Kind::replace, .pattern = U" ", .content = characters_of(insertion.space)});
    if (insertion.where != Insertion::Where::never && !insertion.text.empty())
        steps.push_back({.kind = Kind::prepend_unless, .first_only = insertion.where == Insertion::Where::first, .content = characters_of(insertion.text)});
    return steps.empty() ? nullptr : std::make_shared<const StepNormalizer>(std::move(steps));
}

void grow(PipelineAppendingEncoder& encoder, Bytes more) { encoder.append(more); }
void grow(PipelinePrependingEncoder& encoder, Bytes more) { encoder.prepend(more); }

template <class Encoder, Side side>
class GrowingInside final : public GrowingPiece {
public:
    GrowingInside(std::shared_ptr<const Pipeline> pipeline, Before before) : encoder_(std::move(pipeline), before), empty_(encoder_.state()) {
        if constexpr (side == Side::right) ids_ = GrownIds<Encoder>(empty_);
    }

    void extend(Bytes more) override {
        if constexpr (side == Side::left) std::reverse_copy(more.begin(), more.end(), std::back_inserter(text_));
        else text_.insert(text_.end(), more.begin(), more.end());
        try {
            catch_up();
        } catch (const EncodingError&) {
            // Part of a character may have no token where the whole one has: `count` asks again.
        }
    }

    void truncate(std::size_t size) override {
        text_.resize(size);
        if (encoder_.state().length <= size) return;
        while (!states_.empty() && states_.back().length > size) states_.pop_back();
        State const& state = states_.empty() ? empty_ : states_.back();
        encoder_.return_to(state);
        if constexpr (side == Side::right) ids_.return_to(state);
    }

    std::size_t size() const override { return text_.size(); }

    std::size_t count() override {
        catch_up();
        return encoder_.count();
    }

    std::size_t fewest() override { return encoder_.fewest(); }

    std::size_t read(std::vector<std::uint32_t>& ids) override {
        if constexpr (side == Side::left) {
            return GrowingPiece::read(ids);
        } else {
            catch_up();
            ids_.update(encoder_);
            std::size_t const same = ids_.changed_from();
            std::vector<std::uint32_t> const others = ids_.from(same);
            ids.insert(ids.end(), others.begin(), others.end());
            ids_.told();
            return same;
        }
    }
    void forget_read() override {
        if constexpr (side == Side::right) ids_.forget_told();
    }

private:
    using State = typename Encoder::State;

    // A long text is added in halves, at character boundaries, so that a short rollback has little to read again.
    void catch_up() {
        for (std::size_t known; (known = encoder_.state().length) < text_.size();) {
            std::size_t const rest = text_.size() - known;
            std::size_t to = known + (rest > 2 * thresholds::kept_size ? rest / 2 : rest);
            while (to < text_.size() && UnicodeTable::continues(text_[side == Side::left ? to - 1 : to])) ++to;
            std::vector<Byte> const more = as_read(side, text_, known, to);
            grow(encoder_, {more.data(), more.size()});
            // The last two are there, and others at a distance.
            states_.push_back(encoder_.state());
            std::size_t const count = states_.size();
            if (count >= 4 && states_[count - 2].length - states_[count - 4].length < thresholds::kept_size) states_.erase(states_.end() - 3);
        }
    }

    Encoder encoder_;
    State empty_;
    std::vector<State> states_;  // of the encoder, the shortest text first
    std::vector<Byte> text_;     // in the order in which it came
    struct None {};
    std::conditional_t<side == Side::right, GrownIds<PipelineAppendingEncoder>, None> ids_;
};

std::unique_ptr<GrowingPiece> growing_text(std::shared_ptr<const Pipeline> pipeline, Side side, Before before) {
    if (side == Side::left) return std::make_unique<GrowingInside<PipelinePrependingEncoder, Side::left>>(std::move(pipeline), before);
    return std::make_unique<GrowingInside<PipelineAppendingEncoder, Side::right>>(std::move(pipeline), before);
}

}  // namespace

std::unique_ptr<GrowingPiece> PieceCoder::growing(Side side, bool is_first) const {
    if (is_plain()) return model_->growing(side);
    std::call_once(inside_->once, [&] {
        PieceCoder rest(model_, {insertions_.begin() + 1, insertions_.end()}, {chains_.begin() + 1, chains_.end()});
        inside_->pipeline = std::make_shared<const Pipeline>(std::vector<AddedToken>{}, normalizer_of(insertions_[0]), chains_[0], std::move(rest));
    });
    return growing_text(inside_->pipeline, side, is_first ? Before::nothing : Before::token);
}

std::unique_ptr<GrowingPiece> Pipeline::growing(std::size_t stage, Side side, Before before, double sum) const {
    if (regions_.units_of_unigram() && side == Side::right) return static_cast<const UnigramModel&>(coder().model()).growing_after(sum);
    if (stage == stages()) return coder().growing(side, before == Before::nothing);
    // The text is normalized already, if the token is one that is looked for in it.
    return growing_text(rest(stage), side, before == Before::inside ? Before::token : before);
}

std::unique_ptr<GrowingPiece> Pipeline::growing_before_nonblank(Before before) const {
    bool const helps = !looks_inside() && !regions_.units_of_unigram() && normalizer() && !outer_.finds({}) && !regions_.inner().finds({});
    std::shared_ptr<const Pipeline> pipeline = helps ? rest(before_nonblank()) : nullptr;
    return pipeline ? growing_text(std::move(pipeline), Side::right, before) : nullptr;
}

std::shared_ptr<const Pipeline> Pipeline::rest(std::size_t stage) const {
    std::lock_guard const lock(rests_mutex_);
    rests_.resize(stages() + 3);
    if (!rests_[stage]) rests_[stage] = make_rest(stage);
    return *rests_[stage];
}

std::shared_ptr<const Pipeline> Pipeline::make_rest(std::size_t stage) const {
    std::vector<Stage> const& stages = chain().stages();
    if (stage < stages.size()) {
        Chain chain({stages.begin() + static_cast<std::ptrdiff_t>(stage), stages.end()});
        return std::make_shared<const Pipeline>(std::vector<AddedToken>{}, nullptr, std::move(chain), coder());
    }
    if (stage == before_nonblank()) {
        std::shared_ptr<const Normalizer> other = normalizer()->before_nonblank();
        return other ? std::make_shared<const Pipeline>(std::vector<AddedToken>{}, std::move(other), chain(), coder()) : nullptr;
    }
    std::vector<AddedToken> tokens;
    for (AddedToken const& token : tokens_) {
        if (!token.normalized) continue;
        tokens.push_back(token);
        tokens.back().normalized = false;
    }
    return std::make_shared<const Pipeline>(std::move(tokens), regions_.second(), chain(), coder());
}

}  // namespace bpe
