// A growing piece of a merge model whose tokens mark the start or the end of a pre-token: `end_suffix` (CLIP, GPT-1) and `continuing_prefix`.
//
//     piece         l     o     w           the suffix is "</w>"
//     symbols       l     o     w</w>
//     letters       α     β     γ           of a model of letters, which has no suffix: its tokens are α, β, γ, βγ ...
//
// A symbol depends on the position of its character, but merges depend on symbols only. So each symbol is a letter of a second model, whose pieces grow as
// usual. For each answer the character at the growing side is added as the symbol that it is at the end (or at the start), and removed again.
#include <algorithm>
#include <deque>

#include "bpe/models/merges.hpp"
#include "bpe/steps.hpp"
#include "bpe/utf8.hpp"
#include "bpe/growing_side.hpp"

namespace bpe {

// The model of letters, and the letter of each symbol.
struct MergeModel::Unmarked {
    std::shared_ptr<const MergeModel> model;  // null: there is none
    std::vector<std::uint32_t> letters;       // of a token that is a symbol; 0 for others
    std::uint32_t unknown_letter = 0;
    std::size_t width = 0;  // bytes of a letter
};

bool MergeModel::is_symbol(Bytes token) const {
    Bytes const prefix{reinterpret_cast<const Byte*>(options_.continuing_prefix.data()), options_.continuing_prefix.size()};
    Bytes const suffix{reinterpret_cast<const Byte*>(options_.end_suffix.data()), options_.end_suffix.size()};
    for (bool const begins : {true, false}) {
        for (bool const ends : {true, false}) {
            std::size_t const from = begins ? 0 : prefix.size, after = ends ? suffix.size : 0;
            if (token.size <= from + after || !(token.part(0, from) == prefix.part(0, from))) continue;
            if (!(token.part(token.size - after, token.size) == suffix.part(0, after))) continue;
            if (unit_size(token.part(from, token.size - after), 0) == token.size - from - after) return true;
        }
    }
    return false;
}

std::size_t MergeModel::unit_size(Bytes text, std::size_t place) const {
    return options_.by_characters ? character_size(text.data + place, text.size - place) : 1;
}

std::shared_ptr<const MergeModel::Unmarked> MergeModel::make_unmarked() const {
    auto made = std::make_shared<Unmarked>();
    bool const falls_back = std::any_of(options_.byte_fallback.begin(), options_.byte_fallback.end(), [](std::int64_t id) { return id >= 0; });
    // Letters cannot express that a whole pre-token is a token although some of its characters are errors.
    if (falls_back || (options_.ignore_merges && options_.unknown == Unknown::error)) return made;

    std::size_t const count = offsets_.size() - 1;
    std::vector<std::string> spelled(ids_.size());  // each token in letters, where it is made of symbols
    std::vector<std::uint32_t> symbols;
    for (std::uint32_t number = 0; number < count; ++number) {
        Bytes const text{bytes_.data() + offsets_[number], offsets_[number + 1] - offsets_[number]};
        if (text.size > 0 && find_token(text) == number && is_symbol(text)) symbols.push_back(number);
    }
    constexpr std::uint32_t first_short = 0x80, last_short = 0x7FF, first_long = 0x10000, last_long = 0x10FFFF;
    bool const is_short = symbols.size() < last_short - first_short;
    if (!is_short && symbols.size() >= last_long - first_long) return made;
    made->width = is_short ? 2 : 4;
    made->unknown_letter = is_short ? last_short : last_long;
    made->letters.assign(ids_.size(), 0);
    std::uint32_t letter = is_short ? first_short : first_long;
    for (std::uint32_t const symbol : symbols) {
        made->letters[symbol] = letter;
        put_utf8(spelled[symbol], letter++);
    }

    // In the order of ranks, so that the halves of most merges are known before the merge.
    std::vector<MergePairs::Pair> pairs(pairs_.begin(), pairs_.end());
    std::sort(pairs.begin(), pairs.end(), [](auto const& one, auto const& other) { return one.rank < other.rank; });
    constexpr int most_rounds = 16;
    bool has_changed = true;
    for (int round = 0; has_changed; ++round) {
        if (round == most_rounds) return made;
        has_changed = false;
        for (MergePairs::Pair const& pair : pairs) {
            std::uint32_t const left = pair.left, right = pair.right;
            // The unknown token has no letters of its own: a merge that needs it cannot be spelled.
            if (options_.unknown == Unknown::token && (left == options_.unknown_id || right == options_.unknown_id)) return made;
            if (spelled[left].empty() || spelled[right].empty()) continue;
            std::string whole = spelled[left] + spelled[right];
            if (spelled[pair.merged] == whole) continue;
            // A token of two spellings: letters could not distinguish them.
            if (!spelled[pair.merged].empty()) return made;
            spelled[pair.merged] = std::move(whole);
            has_changed = true;
        }
    }

    Options options;
    options.by_characters = true;
    options.unknown = options_.unknown;
    options.fuse_unknown = options_.fuse_unknown;
    options.byte_fallback.fill(-1);
    if (options_.unknown == Unknown::token) options.unknown_id = ids_[options_.unknown_id];
    std::vector<Token> tokens;
    std::vector<std::uint32_t> numbers(ids_.size(), 0);  // there
    for (std::uint32_t number = 0; number < count; ++number) {
        if (spelled[number].empty()) continue;
        numbers[number] = static_cast<std::uint32_t>(tokens.size());
        tokens.push_back({{reinterpret_cast<const Byte*>(spelled[number].data()), spelled[number].size()}, ids_[number]});
    }
    std::shared_ptr<MergeModel> const model(new MergeModel(options));
    model->add_tokens(tokens);
    model->number_ids();
    model->pairs_.reserve(pairs.size());
    for (auto const& [left, right, rank, merged] : pairs)
        if (!spelled[left].empty() && !spelled[right].empty()) model->pairs_.add({numbers[left], numbers[right], rank, numbers[merged]});
    model->index_first();
    made->model = model;
    return made;
}

class MergeModel::GrowingMarked final : public GrowingPiece {
public:
    // `skips_first`: the letter of the first unit at the side that stays is left out, too.
    GrowingMarked(const MergeModel& model, std::shared_ptr<const Unmarked> unmarked, std::unique_ptr<GrowingPiece> inner, Side side, bool skips_first = false)
        : model_(model), unmarked_(std::move(unmarked)), inner_(std::move(inner)), side_(side), skips_first_(skips_first) {}

    void extend(Bytes more) override {
        std::size_t const before = text_.size();
        if (side_ == Side::left) std::reverse_copy(more.begin(), more.end(), std::back_inserter(text_));
        else text_.insert(text_.end(), more.begin(), more.end());
        try {
            take_units();
        } catch (...) {
            truncate(before);
            throw;
        }
    }

    void truncate(std::size_t size) override {
        text_.resize(size);
        std::size_t const stop = size - unfinished();
        while (!ends_.empty() && ends_.back() > stop) ends_.pop_back();
        std::size_t const left_out = skips_first_ ? 2 : 1;
        inner_->truncate((ends_.size() - std::min(ends_.size(), left_out)) * unmarked_->width);
    }

    std::size_t size() const override { return text_.size(); }

    std::size_t count() override {
        if (text_.empty()) return 0;
        if (whole_token() >= 0) return 1;
        return with_all_letters([](GrowingPiece& letters) { return letters.count(); });
    }

    std::size_t read(std::vector<std::uint32_t>& ids) override {
        if (text_.empty()) return 0;
        if (std::int64_t const token = whole_token(); token >= 0) {
            inner_->forget_read();
            ids.push_back(model_.ids_[static_cast<std::size_t>(token)]);
            return 0;
        }
        return with_all_letters([&](GrowingPiece& letters) { return letters.read(ids); });
    }
    void forget_read() override { inner_->forget_read(); }

    // Whether a character inside a part becomes the same symbol as at the growing side of a piece.
    bool takes_parts() const { return model_.options_.continuing_prefix.empty() && !model_.options_.ignore_merges; }

    std::unique_ptr<GrowingPiece> another() const override {
        return takes_parts() ? std::make_unique<GrowingMarked>(model_, unmarked_, inner_->another(), side_, side_ == Side::left) : nullptr;
    }

    std::size_t count_with(const std::vector<AddedPart>& parts) override {
        if (!takes_parts()) return GrowingPiece::count_with(parts);
        // The tables have the letters of all characters but those that may be the last of the piece, which stand between: the last one of a part to the right,
        // the first and the last of one to the left. To the left only what comes first ends the piece.
        std::deque<std::vector<Byte>> between;
        std::vector<AddedPart> letters;
        bool is_begun = inner_->size() > 0;
        auto const put = [&](const std::vector<Byte>& unit, bool ends) {
            if (unit.empty()) return;
            between.emplace_back();
            put_utf8(between.back(), letter_of({unit.data(), unit.size()}, false, ends));
            letters.push_back({{between.back().data(), between.back().size()}});
            is_begun = true;
        };
        std::vector<Byte> last = unit(ends_.size());
        // The one before goes on inside of the piece.
        auto const put_next = [&](std::vector<Byte> next) {
            if (side_ == Side::left) return put(next, !is_begun);
            put(last, false);
            last = std::move(next);
        };
        if (side_ == Side::left) put(last, !is_begun);
        for (AddedPart const& part : parts) {
            if (part.table) {
                auto const& table = static_cast<GrowingMarked const&>(*part.table);
                std::size_t const units = table.ends_.size();
                if (units == 0) continue;
                if (side_ == Side::left) put_next(table.unit(1));
                else put_next({});
                letters.push_back({{}, table.inner_.get()});
                if (side_ == Side::right || units > 1) put_next(table.unit(units));
                continue;
            }
            std::vector<std::vector<Byte>> units;
            for (std::size_t place = 0, size = 0; place < part.text.size; place += size) {
                size = model_.unit_size(part.text, place);
                units.emplace_back(part.text.begin() + place, part.text.begin() + place + size);
            }
            if (side_ == Side::left) std::reverse(units.begin(), units.end());
            for (std::vector<Byte>& one : units) put_next(std::move(one));
        }
        if (side_ == Side::right) put(last, true);
        return inner_->count_with(letters);
    }

    std::size_t fewest() override {
        if (model_.options_.ignore_merges && text_.size() <= model_.longest_) return text_.empty() || model_.options_.unknown == Unknown::drop ? 0 : 1;
        return inner_->fewest();
    }

private:
    // The token that the whole piece is, if it is not merged then; else negative.
    std::int64_t whole_token() const {
        if (!model_.options_.ignore_merges || text_.size() > model_.longest_) return -1;
        std::vector<Byte> const whole = as_read(side_, text_, 0, text_.size());
        return model_.find_token({whole.data(), whole.size()});
    }

    // `use` of the letters of all characters: the last one that is whole, and bytes of a character as if nothing followed, are taken away again.
    template <class Use>
    std::size_t with_all_letters(Use&& use) {
        std::vector<std::size_t> ends(ends_.end() - (ends_.empty() ? 0 : 1), ends_.end());
        units(ends_.empty() ? 0 : ends_.back(), text_.size(), ends);
        std::size_t const first = ends_.empty() ? 0 : ends_.size() - 1;
        std::vector<std::uint32_t> letters;
        for (std::size_t index = 0, from = first == 0 ? 0 : ends_[first - 1]; index < ends.size(); from = ends[index++])
            letters.push_back(letter(from, ends[index], first + index == 0, index + 1 == ends.size()));
        struct Back {
            GrowingPiece& piece;
            std::size_t size;
            ~Back() { piece.truncate(size); }
        } const back{*inner_, inner_->size()};
        add(letters);
        return use(*inner_);
    }

    std::size_t unfinished() const { return model_.options_.by_characters ? unfinished_at(side_, text_) : 0; }

    // Appends the ends of the characters (or bytes) between two distances, from the side that stays on.
    void units(std::size_t from, std::size_t to, std::vector<std::size_t>& ends) const {
        std::vector<Byte> const text = as_read(side_, text_, from, to);
        std::size_t const before = ends.size();
        for (std::size_t place = 0; place < text.size();) {
            std::size_t const size = model_.unit_size({text.data(), text.size()}, place);
            ends.push_back(side_ == Side::right ? from + place + size : to - place);
            place += size;
        }
        if (side_ == Side::left) std::reverse(ends.begin() + static_cast<std::ptrdiff_t>(before), ends.end());
    }

    void take_units() {
        std::size_t const from = ends_.empty() ? 0 : ends_.back(), to = text_.size() - unfinished();
        if (from >= to) return;
        std::size_t const before = ends_.size();
        units(from, to, ends_);
        std::vector<std::uint32_t> letters;
        for (std::size_t index = std::max<std::size_t>(before == 0 ? 0 : before - 1, skips_first_); index + 1 < ends_.size(); ++index)
            letters.push_back(letter(index == 0 ? 0 : ends_[index - 1], ends_[index], index == 0, false));
        add(letters);
    }

    // The letter of a character. `stays`, `grows`: the piece begins or ends with it, at the side that stays and at the one that grows.
    std::uint32_t letter(std::size_t from, std::size_t to, bool stays, bool grows) {
        std::vector<Byte> const character = as_read(side_, text_, from, to);
        try {
            return letter_of({character.data(), character.size()}, side_ == Side::right ? stays : grows, side_ == Side::right ? grows : stays);
        } catch (const EncodingError&) {
            // Throws the right error.
            std::vector<Byte> const whole = as_read(side_, text_, 0, text_.size());
            (void)model_.count({whole.data(), whole.size()});
            throw EncodingError(character[0], side_ == Side::right ? from : text_.size() - to);
        }
    }

    // `begins`, `ends`: the piece.
    std::uint32_t letter_of(Bytes character, bool begins, bool ends) {
        count_step();
        Options const& options = model_.options_;
        written_.clear();
        if (!begins) written_.insert(written_.end(), options.continuing_prefix.begin(), options.continuing_prefix.end());
        written_.insert(written_.end(), character.begin(), character.end());
        if (ends) written_.insert(written_.end(), options.end_suffix.begin(), options.end_suffix.end());
        std::int64_t const number = model_.find_token({written_.data(), written_.size()});
        if (number >= 0) return unmarked_->letters[static_cast<std::size_t>(number)];
        if (options.unknown != Unknown::error) return unmarked_->unknown_letter;
        throw EncodingError(character[0], 0);
    }

    // The unit of a number, from the side that stays, from 1 on; nothing for 0.
    std::vector<Byte> unit(std::size_t number) const {
        if (number == 0) return {};
        return as_read(side_, text_, number > 1 ? ends_[number - 2] : 0, ends_[number - 1]);
    }

    // Letters in the order in which they were added.
    void add(std::vector<std::uint32_t>& letters) {
        if (side_ == Side::left) std::reverse(letters.begin(), letters.end());
        written_.clear();
        for (std::uint32_t const letter : letters) put_utf8(written_, letter);
        inner_->extend({written_.data(), written_.size()});
    }

    const MergeModel& model_;
    std::shared_ptr<const Unmarked> unmarked_;
    std::unique_ptr<GrowingPiece> inner_;  // the letters of all characters but the one at the growing side
    Side side_;
    bool skips_first_;
    std::vector<Byte> text_;         // in the order in which it came
    std::vector<std::size_t> ends_;  // of whole characters
    std::vector<Byte> written_;
};

std::unique_ptr<GrowingPiece> MergeModel::growing_marked(Side side) const {
    std::call_once(unmarked_once_, [&] { unmarked_ = make_unmarked(); });
    if (!unmarked_->model) return nullptr;
    std::unique_ptr<GrowingPiece> inner = unmarked_->model->growing(side);
    if (!inner) return nullptr;
    return std::make_unique<GrowingMarked>(*this, unmarked_, std::move(inner), side);
}

}  // namespace bpe
