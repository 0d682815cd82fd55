#include "bpe/pipeline/unigram_text.hpp"

#include <array>

#include "bpe/pipeline/piece_coder.hpp"
#include "bpe/pipeline/unit_caches.hpp"
#include "unigram_memory.hpp"
#include "unigram_words.hpp"

namespace bpe {

struct UnigramText::Workspace {
    Workspace(const UnigramModel& model, const Normalizer* normalizer) : memory(model), words(model, normalizer) {}

    // The text that the model gets for a unit, at the start of a region perhaps, and of the text.
    UnigramMemory::Text normalized(const Normalizer* normalizer, Bytes unit, bool at_start, bool is_first) {
        if (!normalizer || normalizer->keeps(unit, at_start, is_first)) return {unit, nullptr};
        made.clear();
        normalizer->run(unit.data, 0, unit.size, at_start, is_first, true, 0, made);
        return {{made.text.data(), made.text.size()}, made.origin.data()};
    }

    UnigramMemory memory;
    UnigramWords words;
    Normalized made;
    std::vector<std::size_t> cuts;
};

std::shared_ptr<const UnigramText> UnigramText::make(const PieceCoder& coder, const Chain& chain, const Normalizer* normalizer) {
    auto const* const model = dynamic_cast<const UnigramModel*>(&coder.model());
    if (!model || !chain.stages().empty() || !coder.is_plain() || !UnigramUnits::has_unknown(*model)) return nullptr;
    std::unique_ptr<const SafeSplits> splits = SafeSplits::inside_of_piece(normalizer, *model);
    if (!splits) return nullptr;
    return std::shared_ptr<const UnigramText>(new UnigramText(*model, normalizer, std::move(splits)));
}

UnigramText::UnigramText(const UnigramModel& model, const Normalizer* normalizer, std::unique_ptr<const SafeSplits> splits)
    : normalizer_(normalizer), splits_(std::move(splits)), shelf_([&model, normalizer] { return std::make_unique<Workspace>(model, normalizer); }) {}

UnigramText::~UnigramText() = default;

// Calls `use(tokens, offset)` for each unit, with the offset at which it begins, until that returns false.
template <class Use>
void UnigramText::read(const Part& part, Use&& use) const {
    Shelf<Workspace>::Lease const lease(shelf_);
    Workspace& workspace = *lease;
    auto const [text, at, end, limit, is_known] = part;
    double sum = at.sum;
    std::size_t place = at.offset;
    bool const is_first = at.before == Before::nothing;
    bool is_special = at.before != Before::region && normalizer_ && normalizer_->acts_at_start();  // the unit that comes
    bool goes_on = true;
    auto const to = [&](std::size_t stop) {
        Bytes const unit{text + place, stop - place};
        auto const given = [&](const UnigramMemory::Tokens& tokens) { goes_on = use(tokens, place); };
        if (is_special) {
            workspace.memory.read_anew(workspace.normalized(normalizer_, unit, true, is_first), sum, given);
        } else {
            auto const made = [&] { return workspace.normalized(normalizer_, unit, false, false); };
            workspace.memory.read(unit, limit - place, sum, made, given);
        }
        is_special = false;
        place = stop;
    };
    auto const to_cuts = [&](std::size_t stop, bool is_open) {
        workspace.cuts.clear();
        if (!is_special) workspace.words.find({text + place, stop - place}, is_open, workspace.memory.units(), workspace.cuts);
        std::size_t const from = place;
        for (std::size_t const cut : workspace.cuts) to(from + cut);
    };
    SafeSplits::Search search(*splits_, text, place, end, is_known);
    std::array<std::size_t, 256> splits;
    for (std::size_t found; goes_on && (found = search.next(splits.data(), splits.size())) > 0;) {
        constexpr std::size_t ahead = 4;
        for (std::size_t index = 0; index < found && goes_on; ++index) {
            if (index + ahead < found)
                workspace.memory.expect({text + splits[index + ahead - 1], splits[index + ahead] - splits[index + ahead - 1]},
                                        limit - splits[index + ahead - 1]);
            if (splits[index] - place > MediumKey::longest) to_cuts(splits[index], false);
            to(splits[index]);
        }
    }
    if (goes_on && place < end) {
        if (end - place > (is_known ? MediumKey::longest : PieceKey::longest)) to_cuts(end, !is_known);
        if (is_known) to(end);
    }
    if (place > at.offset) at = {place, Before::region, sum};
}

std::size_t UnigramText::count(const Part& part, std::size_t most) const {
    std::size_t total = 0;
    read(part, [&](const UnigramMemory::Tokens& tokens, std::size_t) { return (total += tokens.size) <= most; });
    return total;
}

void UnigramText::encode(const Part& part, StagedIds& ids) const {
    read(part, [&](const UnigramMemory::Tokens& tokens, std::size_t) {
        ids.add(tokens.ids, tokens.size);
        return true;
    });
}

void UnigramText::encode_with_offsets(const Part& part, std::vector<std::uint32_t>& ids, std::vector<std::uint32_t>& offsets) const {
    read(part, [&](const UnigramMemory::Tokens& tokens, std::size_t unit) {
        ids.insert(ids.end(), tokens.ids, tokens.ids + tokens.size);
        for (std::size_t index = 0; index < tokens.size; ++index) offsets.push_back(static_cast<std::uint32_t>(unit + tokens.start(index)));
        return true;
    });
}

}  // namespace bpe
