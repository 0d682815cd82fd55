#include "bpe/models/merges.hpp"

#include <algorithm>
#include <bit>
#include <iterator>
#include <limits>
#include <queue>

#include "bpe/pair_merging.hpp"
#include "bpe/steps.hpp"
#include "bpe/unicode.hpp"

namespace bpe {

namespace {

constexpr std::uint32_t no_number = 0xFFFFFFFF;
// Symbols. Up to this number merging is faster without a heap.
constexpr std::size_t few_symbols = 128;

// A polynomial: the hash of each part of a text comes from those of its prefixes.
constexpr std::uint64_t base = 0x9E3779B97F4A7C15ull;

std::uint64_t hash_of(Bytes text) {
    std::uint64_t hash = 0;
    for (Byte const byte : text) hash = hash * base + byte + 1;
    return hash;
}

std::uint32_t code_at(Bytes text, std::size_t place, std::size_t& size) {
    Character const character = UnicodeTable::instance().at(text.data, place, text.size);
    size = character.size;
    // A byte that is not UTF-8 is a character of its own, beyond all others.
    return character.code <= 0x10FFFF ? static_cast<std::uint32_t>(character.code) : 0x110000u + text[place];
}

// The ranks, or numbers in their order if some are too large for `merge_short_row`. `no_number` stays.
std::vector<std::uint32_t> small_ranks(std::vector<std::uint32_t> ranks) {
    auto const is_small = [](std::uint32_t rank) { return rank < short_row_ranks || rank == no_number; };
    if (std::all_of(ranks.begin(), ranks.end(), is_small)) return ranks;
    std::vector<std::uint32_t> order = ranks;
    std::sort(order.begin(), order.end());
    order.erase(std::unique(order.begin(), order.end()), order.end());
    for (std::uint32_t& rank : ranks)
        if (rank != no_number) rank = static_cast<std::uint32_t>(std::lower_bound(order.begin(), order.end(), rank) - order.begin());
    return ranks;
}

}  // namespace

std::uint32_t MergeModel::code_at_start(Bytes text, std::size_t& size) { return code_at(text, 0, size); }

void MergeModel::add_tokens(const std::vector<Token>& tokens) {
    ids_.reserve(tokens.size());
    byte_tokens_.fill(-1);
    lookup_.assign(std::bit_ceil(tokens.size() * 2 + 1), 0);
    for (Token const& token : tokens) {
        auto const number = static_cast<std::uint32_t>(ids_.size());
        ids_.push_back(token.id);
        bytes_.insert(bytes_.end(), token.text.begin(), token.text.end());
        offsets_.push_back(static_cast<std::uint32_t>(bytes_.size()));
        longest_ = std::max(longest_, token.text.size);
        std::size_t const mask = lookup_.size() - 1;
        std::uint64_t const hash = mixed(hash_of(token.text));
        std::size_t slot = hash & mask;
        while (lookup_[slot] != 0) slot = (slot + 1) & mask;
        lookup_[slot] = (hash >> 32) << 32 | (number + 1);
        if (!options_.by_characters) {
            if (token.text.size == 1) byte_tokens_[token.text[0]] = number;
        } else if (token.text.size > 0) {
            std::size_t size = 0;
            std::uint32_t const code = code_at(token.text, 0, size);
            if (size == token.text.size) {
                if (code < 128) byte_tokens_[code] = number;
                else characters_.emplace(code, number);
            }
        }
    }
}

void MergeModel::spell_bytes() {
    if (options_.by_characters || !is_marked()) return;
    for (unsigned kind = 0; kind < marked_bytes_.size(); ++kind) {
        for (unsigned byte = 0; byte < 256; ++byte) {
            std::string text = kind & 1 ? options_.continuing_prefix : std::string();
            text.push_back(static_cast<char>(byte));
            if (kind & 2) text += options_.end_suffix;
            marked_bytes_[kind][byte] = find_token({reinterpret_cast<const Byte*>(text.data()), text.size()});
        }
    }
}

std::int64_t MergeModel::find_token(Bytes text) const { return text.size > longest_ ? -1 : find_token(text, hash_of(text)); }

std::int64_t MergeModel::find_token(Bytes text, std::uint64_t hash) const {
    std::size_t const mask = lookup_.size() - 1;
    hash = mixed(hash);
    for (std::size_t slot = hash & mask; lookup_[slot] != 0; slot = (slot + 1) & mask) {
        if (lookup_[slot] >> 32 != hash >> 32) continue;
        auto const number = static_cast<std::uint32_t>(lookup_[slot]) - 1;
        if (Bytes{bytes_.data() + offsets_[number], offsets_[number + 1] - offsets_[number]} == text) return number;
    }
    return -1;
}

bool MergeModel::is_known(std::uint32_t character) const {
    if (character < 128 || !options_.by_characters) return byte_tokens_[character & 0xFF] >= 0;
    return characters_.contains(character);
}

MergeModel::Numbers::Numbers(const std::vector<std::uint32_t>& ids) {
    std::uint32_t const largest = ids.empty() ? 0 : *std::max_element(ids.begin(), ids.end());
    if (largest / 4 <= ids.size()) table_.assign(std::size_t{largest} + 1, no_number);
    else others_.reserve(ids.size());
    for (std::uint32_t number = 0; number < ids.size(); ++number) (void)add(ids[number], number);
}

std::uint32_t MergeModel::Numbers::at(std::uint32_t id) const { return id < table_.size() && table_[id] != no_number ? table_[id] : others_.at(id); }

std::pair<std::uint32_t, bool> MergeModel::Numbers::add(std::uint32_t id, std::uint32_t next) {
    if (id < table_.size()) {
        bool const is_new = table_[id] == no_number;
        if (is_new) table_[id] = next;
        return {table_[id], is_new};
    }
    auto const [found, is_new] = others_.emplace(id, next);
    return {found->second, is_new};
}

MergeModel::Numbers MergeModel::number_ids() {
    Numbers numbers(ids_);
    auto const number_of = [&](std::uint32_t id) {
        auto const [number, is_new] = numbers.add(id, static_cast<std::uint32_t>(ids_.size()));
        if (is_new) ids_.push_back(id);
        return number;
    };
    joins_unknown_ = options_.unknown == Unknown::drop || (options_.unknown == Unknown::token && options_.fuse_unknown);
    if (options_.unknown == Unknown::token) options_.unknown_id = number_of(options_.unknown_id);
    for (std::int64_t& id : options_.byte_fallback)
        if (id >= 0) id = number_of(static_cast<std::uint32_t>(id));
    return numbers;
}

MergeModel::MergeModel(const std::vector<Token>& tokens, const std::vector<Merge>& merges, const Options& options) : options_(options) {
    add_tokens(tokens);
    spell_bytes();
    auto const numbers = number_ids();
    pairs_.reserve(merges.size());
    std::vector<Byte> whole;
    std::size_t const prefix = options_.continuing_prefix.size();
    std::int64_t merged = -1;
    auto const is_whole = [&](std::int64_t number) {
        if (number < 0 || static_cast<std::size_t>(number) + 1 >= offsets_.size()) return false;
        auto const token = static_cast<std::size_t>(number);
        return Bytes{bytes_.data() + offsets_[token], offsets_[token + 1] - offsets_[token]} == Bytes{whole.data(), whole.size()};
    };
    for (std::uint32_t rank = 0; rank < merges.size(); ++rank) {
        std::uint32_t const left = numbers.at(merges[rank].left), right = numbers.at(merges[rank].right);
        whole.assign(bytes_.begin() + offsets_[left], bytes_.begin() + offsets_[left + 1]);
        std::size_t const start = offsets_[right] + std::min<std::size_t>(prefix, offsets_[right + 1] - offsets_[right]);
        whole.insert(whole.end(), bytes_.begin() + static_cast<std::ptrdiff_t>(start), bytes_.begin() + offsets_[right + 1]);
        // Usually the next token, or the same token by another pair.
        if (is_whole(merged + 1)) ++merged;
        else if (!is_whole(merged)) merged = find_token({whole.data(), whole.size()});
        if (merged < 0) throw NoToken{rank, std::string(whole.begin(), whole.end())};
        pairs_.add({left, right, rank, static_cast<std::uint32_t>(merged)});
    }
    index_first();
}

void MergeModel::index_first() {
    std::vector<std::uint32_t> frequent;
    auto const add = [&](std::int64_t number) {
        if (number >= 0) frequent.push_back(static_cast<std::uint32_t>(number));
    };
    for (std::int64_t const number : byte_tokens_) add(number);
    if (is_marked() && !options_.by_characters)
        for (auto const& kind : marked_bytes_) std::for_each(kind.begin(), kind.begin() + 128, add);
    constexpr std::uint32_t space_of_sentencepiece = 0x2581;
    if (auto const found = characters_.find(space_of_sentencepiece); found != characters_.end()) add(found->second);
    std::sort(frequent.begin(), frequent.end());
    frequent.erase(std::unique(frequent.begin(), frequent.end()), frequent.end());
    pairs_.index_first(frequent, ids_.size());
}

bool MergeModel::is_made(std::uint32_t number, std::vector<Symbol>& buffer) const {
    buffer.clear();
    try {
        symbols({bytes_.data() + offsets_[number], offsets_[number + 1] - offsets_[number]}, buffer);
    } catch (const EncodingError&) {
        return false;  // a part of it is no token, but the whole is
    }
    merge(buffer);
    return buffer.size() == 1 && buffer[0].id == number;
}

std::size_t MergeModel::most_bytes() const {
    constexpr std::size_t longest_character = 4;
    bool const falls_back = std::all_of(options_.byte_fallback.begin(), options_.byte_fallback.end(), [](std::int64_t id) { return id >= 0; });
    if (falls_back || options_.unknown == Unknown::error) return longest_;
    bool const is_bounded = options_.unknown == Unknown::token && !options_.fuse_unknown;
    return is_bounded ? std::max(longest_, longest_character) : 0;
}

std::vector<std::uint32_t> MergeModel::never_made() const {
    std::vector<std::uint32_t> ids;
    std::vector<Symbol> buffer;
    for (std::uint32_t number = 0; number + 1 < offsets_.size(); ++number)
        if (!is_made(number, buffer)) ids.push_back(ids_[number]);
    return ids;
}

std::shared_ptr<MergeModel> MergeModel::by_ranks(const std::vector<Token>& tokens, const std::vector<std::uint32_t>& ranks, const Options& options) {
    std::shared_ptr<MergeModel> const model(new MergeModel(options));
    model->add_tokens(tokens);
    model->spell_bytes();
    model->number_ids();
    struct Pair {
        std::uint32_t left, right, merged;
    };
    std::vector<Pair> pairs;
    std::vector<std::uint64_t> powers{1};  // of the base of the hash
    std::size_t known_powers = 1;
    for (std::uint32_t number = 0; number < tokens.size(); ++number) {
        if (ranks[number] == no_number) continue;
        Bytes const text = tokens[number].text;
        std::uint64_t const whole = hash_of(text);
        std::uint64_t before = 0;
        powers.resize(std::max(powers.size(), text.size), 1);
        for (; known_powers < powers.size(); ++known_powers) powers[known_powers] = powers[known_powers - 1] * base;
        for (std::size_t cut = 1; cut < text.size; ++cut) {
            before = before * base + text[cut - 1] + 1;
            if (options.by_characters && UnicodeTable::continues(text[cut])) continue;
            std::int64_t const left = model->find_token(text.part(0, cut), before);
            if (left < 0) continue;
            std::int64_t const right = model->find_token(text.part(cut, text.size), whole - before * powers[text.size - cut]);
            if (right >= 0) pairs.push_back({static_cast<std::uint32_t>(left), static_cast<std::uint32_t>(right), number});
        }
    }
    std::vector<std::uint32_t> const order = small_ranks(ranks);
    model->pairs_.reserve(pairs.size());
    for (Pair const& pair : pairs) model->pairs_.add({pair.left, pair.right, order[pair.merged], pair.merged});
    model->index_first();
    return model;
}

void MergeModel::symbols(Bytes piece, std::vector<Symbol>& out) const {
    bool after_unknown = false;
    bool const is_marked = this->is_marked();
    std::vector<Byte> marked;
    auto const unknown = [&](Bytes character, std::size_t place) {
        if (falls_back(character)) {
            for (Byte const byte : character) out.push_back({static_cast<std::uint32_t>(options_.byte_fallback[byte]), 1});
            after_unknown = false;
            return;
        }
        switch (options_.unknown) {
        case Unknown::token:
            if (after_unknown && options_.fuse_unknown) out.back().length += static_cast<std::uint32_t>(character.size);
            else out.push_back({options_.unknown_id, static_cast<std::uint32_t>(character.size)});
            after_unknown = true;
            return;
        case Unknown::error: {
            if (!options_.by_characters) throw EncodingError(character[0], place);
            std::size_t size = 0;
            auto const before = std::count_if(piece.data, piece.data + place, [](Byte byte) { return !UnicodeTable::continues(byte); });
            throw UnknownCharacter(code_at(piece, place, size), character[0], place, static_cast<std::size_t>(before));
        }
        case Unknown::drop:
            // Its bytes belong to the token before or after it.
            if (!out.empty()) out.back().length += static_cast<std::uint32_t>(character.size);
            after_unknown = false;
        }
    };
    for (std::size_t place = 0, size = 1; place < piece.size; place += size) {
        count_step();
        std::int64_t number = -1;
        if (!options_.by_characters) {
            size = 1;
            number = is_marked ? marked_bytes_[(place > 0) | (place + 1 == piece.size) << 1][piece[place]] : byte_tokens_[piece[place]];
        } else if (is_marked) {
            (void)code_at(piece, place, size);
            marked.clear();
            if (place > 0) marked.insert(marked.end(), options_.continuing_prefix.begin(), options_.continuing_prefix.end());
            marked.insert(marked.end(), piece.data + place, piece.data + place + size);
            if (place + size == piece.size) marked.insert(marked.end(), options_.end_suffix.begin(), options_.end_suffix.end());
            number = find_token({marked.data(), marked.size()});
        } else if (piece[place] < 128) {
            size = 1;
            number = byte_tokens_[piece[place]];
        } else {
            std::uint32_t const code = code_at(piece, place, size);
            auto const found = characters_.find(code);
            if (found != characters_.end()) number = found->second;
        }
        if (number >= 0) {
            out.push_back({static_cast<std::uint32_t>(number), static_cast<std::uint32_t>(size)});
            after_unknown = false;
        } else {
            unknown(piece.part(place, place + size), place);
        }
    }
}

// The symbols of a piece, for pair_merging.hpp. `in_order`: numbers of pairs do as ranks.
template <bool in_order>
class MergeModel::Row {
public:
    Row(const MergePairs& pairs, std::vector<Symbol>& symbols) : pairs_(pairs), symbols_(symbols) {}

    Rank symbol(std::size_t place) const { return symbols_[place].id; }
    Rank first(std::size_t place) { return rank_of(pairs_.first(symbols_[place].id, symbols_[place + 1].id), place); }
    Rank rank(Rank left, Rank right, std::size_t place) { return rank_of(pairs_.number(left, right), place); }
    Rank merged(Rank rank, std::size_t place) const { return in_order ? pairs_.at(rank).merged : merged_[place]; }
    void put(Rank symbol, std::size_t place, std::size_t end) {
        std::uint32_t length = 0;
        for (; place < end; ++place) length += symbols_[place].length;
        symbols_[count_++] = {symbol, length};
    }
    std::size_t count() const { return count_; }

private:
    Rank rank_of(Rank number, std::size_t place) {
        if constexpr (in_order) return number;
        MergePairs::Pair const& pair = pairs_.at(number == no_rank ? 0 : number);
        merged_[place] = pair.merged;
        return pair.rank;
    }

    const MergePairs& pairs_;
    std::vector<Symbol>& symbols_;  // those that are left take the places of those that were merged
    std::size_t count_ = 0;
    std::uint32_t merged_[few_symbols];
};

template <bool in_order>
void MergeModel::merge_few(std::vector<Symbol>& symbols) const {
    Row<in_order> row(pairs_, symbols);
    if (symbols.size() <= short_row) merge_short_row(row, symbols.size());
    else merge_row<few_symbols, std::uint8_t>(row, symbols.size());
    symbols.resize(row.count());
}

void MergeModel::merge(std::vector<Symbol>& symbols) const {
    if (symbols.size() < 2) return;
    if (symbols.size() > few_symbols) return merge_by_heap(*this, symbols);
    if (pairs_.are_in_order()) merge_few<true>(symbols);
    else merge_few<false>(symbols);
}

void MergeModel::merge_by_heap(const MergeModel& model, std::vector<Symbol>& symbols) {
    struct Candidate {
        std::uint32_t rank, place, left, right, merged;
        bool operator<(const Candidate& other) const { return rank != other.rank ? rank > other.rank : place > other.place; }
    };
    auto const size = static_cast<std::uint32_t>(symbols.size());
    std::vector<std::uint32_t> next(size), previous(size);
    for (std::uint32_t place = 0; place < size; ++place) {
        next[place] = place + 1;
        previous[place] = place - 1;
    }
    std::vector<Candidate> candidates;
    auto const look = [&](std::uint32_t place, auto&& use) {
        std::uint32_t const right = next[place];
        if (right >= size) return;
        if (MergePairs::Pair const& pair = model.pairs_.find(symbols[place].id, symbols[right].id); pair.merges())
            use(Candidate{pair.rank, place, pair.left, pair.right, pair.merged});
    };
    for (std::uint32_t place = 0; place < size; ++place) look(place, [&](Candidate found) { candidates.push_back(found); });
    std::priority_queue<Candidate> queue(std::less<Candidate>{}, std::move(candidates));
    auto const push = [&](Candidate found) { queue.push(found); };
    while (!queue.empty()) {
        Candidate const best = queue.top();
        queue.pop();
        std::uint32_t const right = next[best.place];
        // One of the two has been merged with another symbol since; a length of 0 marks a removed symbol.
        if (symbols[best.place].length == 0 || symbols[best.place].id != best.left || right >= size || symbols[right].id != best.right) continue;
        symbols[best.place] = {best.merged, symbols[best.place].length + symbols[right].length};
        symbols[right].length = 0;
        next[best.place] = next[right];
        if (next[best.place] < size) previous[next[best.place]] = best.place;
        look(best.place, push);
        if (best.place > 0 && previous[best.place] != no_number) look(previous[best.place], push);
    }
    std::erase_if(symbols, [](Symbol const& symbol) { return symbol.length == 0; });
}

const std::vector<MergeModel::Symbol>& MergeModel::merged(Bytes piece) const {
    static thread_local std::vector<Symbol> buffer;
    buffer.clear();
    symbols(piece, buffer);
    merge(buffer);
    return buffer;
}

std::int64_t MergeModel::whole_token(Bytes piece) const { return options_.ignore_merges ? find_token(piece) : -1; }

void MergeModel::encode(Bytes piece, std::vector<std::uint32_t>& ids, std::vector<std::uint32_t>* lengths) const {
    if (piece.size == 0) return;
    if (std::int64_t const whole = whole_token(piece); whole >= 0) {
        ids.push_back(ids_[static_cast<std::size_t>(whole)]);
        if (lengths) lengths->push_back(static_cast<std::uint32_t>(piece.size));
        return;
    }
    std::vector<Symbol> const& made = merged(piece);
    std::size_t covered = 0;
    for (Symbol const& symbol : made) {
        ids.push_back(ids_[symbol.id]);
        covered += symbol.length;
        if (lengths) lengths->push_back(symbol.length);
    }
    // What was dropped at the start.
    if (lengths && covered < piece.size && !made.empty()) (*lengths)[lengths->size() - made.size()] += static_cast<std::uint32_t>(piece.size - covered);
}

std::size_t MergeModel::count(Bytes piece) const {
    if (piece.size == 0) return 0;
    if (whole_token(piece) >= 0) return 1;
    if (auto const known = count_repetition(piece)) return *known;
    return merged(piece).size();
}

}  // namespace bpe
