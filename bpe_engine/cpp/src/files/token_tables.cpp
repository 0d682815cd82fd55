#include <algorithm>
#include <functional>

#include "bpe/files/tokenizer_files.hpp"
#include "bpe/unicode.hpp"

namespace bpe::files {

TokenTables::TokenTables(const VocabularyFile& file, const std::vector<Bytes>& left_out, bool as_bytes, const std::vector<std::int16_t>& byte_of)
    : as_bytes_(as_bytes) {
    if (!as_bytes && left_out.empty() && !file.has_merges && file.scores.empty()) as_read_ = file.tokens;
    UnicodeTable const& table = UnicodeTable::instance();
    std::vector<bool> is_out(file.tokens->size(), false), is_in(file.tokens->size(), false);
    for (Bytes const token : left_out)
        if (std::uint32_t const number = file.tokens->find(token); number != TokenList::none) is_out[number] = true;
    ids_.reserve(file.tokens->size());
    for (std::uint32_t const number : file.tokens->by_id()) {
        if (is_out[number]) continue;
        Bytes const text = file.tokens->text(number);
        std::size_t const before = bytes_.size();
        bool whole = text.size > 0;
        if (as_bytes) {
            for (std::size_t place = 0; place < text.size && whole;) {
                Character const character = table.at(text.data, place, text.size);
                place += character.size;
                whole = character.code < byte_of.size() && byte_of[character.code] >= 0;
                if (whole) bytes_.push_back(static_cast<Byte>(byte_of[character.code]));
            }
        } else {
            bytes_.insert(bytes_.end(), text.begin(), text.end());
        }
        if (!whole) {
            bytes_.resize(before);
            texts_only_.emplace_back(file.tokens->id(number), std::vector<Byte>(text.begin(), text.end()));
            continue;
        }
        if (!file.scores.empty()) scores_.push_back(file.scores[number]);
        is_in[number] = true;
        ids_.push_back(file.tokens->id(number));
        offsets_.push_back(bytes_.size());
    }
    if (ids_.empty()) throw Unreadable{};
    merges_.reserve(file.merges.size());
    for (auto const& [left, right] : file.merges) {
        if (!is_in[left] || !is_in[right]) throw Unreadable{};
        merges_.emplace_back(file.tokens->id(left), file.tokens->id(right));
    }
}

bool TokenTables::has_id(std::uint64_t id) const { return std::binary_search(ids_.begin(), ids_.end(), id); }

TokenTables::TokenTables(const PieceFile& file, const std::vector<std::uint64_t>& kinds, bool ranked) : as_bytes_(false) {
    std::vector<float> scores;
    ids_.reserve(file.size());
    offsets_.reserve(file.size() + 1);
    bytes_.reserve(file.texts.size());
    for (std::uint32_t number = 0; number < file.size(); ++number) {
        Bytes const text = file.text(number);
        if (std::find(kinds.begin(), kinds.end(), file.kinds[number]) == kinds.end()) {
            texts_only_.emplace_back(number, std::vector<Byte>(text.begin(), text.end()));
            continue;
        }
        ids_.push_back(number);
        bytes_.insert(bytes_.end(), text.begin(), text.end());
        offsets_.push_back(bytes_.size());
        if (!ranked) scores_.push_back(static_cast<double>(file.scores[number]));
        else if (file.kinds[number] == PieceFile::normal) scores.push_back(file.scores[number]);
    }
    if (ids_.empty()) throw Unreadable{};
    if (!ranked) return;
    // Usually they are already in this order.
    if (!std::is_sorted(scores.begin(), scores.end(), std::greater{})) std::sort(scores.begin(), scores.end(), std::greater{});
    scores.erase(std::unique(scores.begin(), scores.end()), scores.end());
    ranks_.reserve(ids_.size());
    std::size_t rank = 0;
    for (std::uint32_t const number : ids_) {
        if (file.kinds[number] != PieceFile::normal) {
            ranks_.push_back(no_rank);
            continue;
        }
        float const score = file.scores[number];
        // Usually that of the piece before, or the next one.
        if (scores[rank] != score && (rank + 1 == scores.size() || scores[++rank] != score))
            rank = static_cast<std::size_t>(std::lower_bound(scores.begin(), scores.end(), score, std::greater{}) - scores.begin());
        ranks_.push_back(static_cast<std::uint32_t>(rank));
    }
}

std::vector<std::uint32_t> TokenTables::ranks_of_made() const {
    std::vector<Bytes> merged(size());
    for (std::size_t number = 0; number < size(); ++number)
        if (ranks_[number] != no_rank) merged[number] = text(number);
    std::vector<std::uint32_t> const made = made_of_two(merged);
    std::vector<std::uint32_t> ranks(size(), no_rank), distinct;
    for (std::uint32_t const number : made) distinct.push_back(ranks_[number]);
    std::sort(distinct.begin(), distinct.end());
    distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
    for (std::uint32_t const number : made)
        ranks[number] = static_cast<std::uint32_t>(std::lower_bound(distinct.begin(), distinct.end(), ranks_[number]) - distinct.begin());
    return ranks;
}

}  // namespace bpe::files
