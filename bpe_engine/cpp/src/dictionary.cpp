#include "bpe/dictionary.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <queue>

#include "bpe/byte_hash.hpp"
#include "bpe/merge_order.hpp"

namespace bpe {

namespace {

std::string text_of(Bytes token) { return {reinterpret_cast<const char*>(token.data), token.size}; }

constexpr Rank no_half = 0xFFFFFF;  // the value in the packed planes

}  // namespace

void Dictionary::take(const std::vector<Bytes>& tokens) {
    std::size_t total = 0;
    for (Bytes const token : tokens) total += token.size;
    bytes_.reserve(total);
    offsets_.reserve(tokens.size() + 1);
    for (Bytes const token : tokens) {
        bytes_.insert(bytes_.end(), token.begin(), token.end());
        offsets_.push_back(static_cast<std::uint32_t>(bytes_.size()));
    }
    halves_.resize(tokens.size());
    for (Rank token = 0; token < halves_.size(); ++token) {
        if (length(token) == 0) throw VocabularyError(VocabularyError::Kind::damaged, token, "");
        longest_ = std::max(longest_, length(token));
    }
    std::call_once(lookup_once_, [this] { build_lookup(); });
    if (twice_ != no_rank) throw VocabularyError(VocabularyError::Kind::damaged, twice_, "");
}

std::shared_ptr<const Dictionary> Dictionary::from_tokens(const std::vector<Bytes>& tokens) {
    std::shared_ptr<Dictionary> made(new Dictionary);
    made->take(tokens);
    made->find_halves();
    made->check_order();
    made->finish();
    return made;
}

std::vector<Halves> Dictionary::halves_of(const std::vector<Bytes>& tokens, std::vector<Rank> priorities) {
    Dictionary made;
    made.take(tokens);
    if (priorities.size() != tokens.size()) throw VocabularyError(VocabularyError::Kind::damaged, 0, "");
    made.priorities_ = std::move(priorities);
    made.find_halves();
    return std::move(made.halves_);
}

Dictionary::Ranked Dictionary::from_ranks(const std::vector<Bytes>& tokens, const std::vector<Rank>& ranks) {
    std::shared_ptr<Dictionary> made(new Dictionary);
    made->take(tokens);
    if (ranks.size() != tokens.size()) throw VocabularyError(VocabularyError::Kind::damaged, 0, "");
    bool const ascending = std::adjacent_find(ranks.begin(), ranks.end(), std::greater_equal<>{}) == ranks.end();
    if (!ascending) made->priorities_ = ranks;
    made->find_halves();
    auto const& halves = made->halves_;
    auto const comes_early = [&](Rank token) { return halves[token].left != no_rank && std::max(halves[token].left, halves[token].right) > token; };
    std::vector<Rank> all(tokens.size());
    std::iota(all.begin(), all.end(), Rank{0});
    if (ascending && std::none_of(all.begin(), all.end(), comes_early)) {
        made->finish();
        return {std::move(made), std::move(all), {{}, {}, true, {}}};
    }
    MergeOrder found = merge_order(tokens, ranks, halves);
    std::vector<Rank> place_of(tokens.size());
    for (Rank place = 0; place < found.order.size(); ++place) place_of[found.order[place]] = place;
    auto const placed = [&](Halves pair) { return pair.left == no_rank ? pair : Halves{place_of[pair.left], place_of[pair.right]}; };
    std::vector<Bytes> ordered;
    Disorder disorder{{}, {}, found.in_order, {}};
    for (Rank const token : found.order) {
        ordered.push_back(tokens[token]);
        disorder.halves.push_back(placed(halves[token]));
        disorder.priorities.push_back(ranks[token]);
    }
    for (Halves const pair : found.crossings) disorder.crossings.push_back(placed(pair));
    std::vector<Rank> order = std::move(found.order);
    Disorder kept = disorder;
    if (!found.is_exact()) return {from_disorder(ordered, std::move(disorder)), std::move(order), std::move(kept)};
    std::shared_ptr<Dictionary> arranged(new Dictionary);
    arranged->take(ordered);
    arranged->halves_ = std::move(disorder.halves);
    arranged->check_order();
    arranged->finish();
    return {std::move(arranged), std::move(order), std::move(kept)};
}

std::shared_ptr<const Dictionary> Dictionary::from_disorder(const std::vector<Bytes>& tokens, Disorder disorder) {
    std::shared_ptr<Dictionary> made(new Dictionary);
    made->take(tokens);
    auto const damaged = [](std::size_t token) { return VocabularyError(VocabularyError::Kind::damaged, static_cast<Rank>(token), ""); };
    if (disorder.priorities.size() != tokens.size() || disorder.halves.size() != tokens.size()) throw damaged(0);
    for (Rank token = 0; token < tokens.size(); ++token) {
        auto const [left, right] = disorder.halves[token];
        Bytes const data = made->bytes(token);
        if (left == no_rank && right == no_rank && data.size > 1) continue;
        if (data.size == 1 ? left != token || right != token : left >= tokens.size() || right >= tokens.size()) throw damaged(token);
        if (data.size == 1) continue;
        if (disorder.halves[left].left == no_rank || disorder.halves[right].left == no_rank) throw damaged(token);
        std::size_t const middle = made->length(left);
        if (middle + made->length(right) != data.size || !(made->bytes(left) == data.part(0, middle)) || !(made->bytes(right) == data.part(middle, data.size)))
            throw damaged(token);
    }
    made->halves_ = std::move(disorder.halves);
    made->priorities_ = std::move(disorder.priorities);
    constexpr std::size_t few = 8;  // no search for more texts than this
    made->crosses_anywhere_ = !disorder.in_order || disorder.crossings.size() > few;
    made->shortest_crossed_ = static_cast<std::size_t>(-1);
    for (auto const [left, right] : disorder.crossings) {
        if (left >= tokens.size() || right >= tokens.size() || made->length(left) < 2 || made->length(right) < 2) throw damaged(0);
        if (!made->reachable(left) || !made->reachable(right) || made->halves_[left].right != made->halves_[right].left) throw damaged(left);
        made->crossings_.push_back(key_of(left, right));
        if (made->crosses_anywhere_) continue;
        Bytes const before = made->bytes(left), after = made->bytes(made->halves_[right].right);
        std::vector<Byte> text(before.begin(), before.end());
        text.insert(text.end(), after.begin(), after.end());
        made->shortest_crossed_ = std::min(made->shortest_crossed_, text.size());
        made->crossed_.push_back(std::move(text));
    }
    std::sort(made->crossings_.begin(), made->crossings_.end());
    made->finish();
    return made;
}

bool Dictionary::is_ordered_in(Bytes piece) const {
    if (crosses_anywhere_) return false;
    if (piece.size < shortest_crossed_) return true;
    return std::none_of(crossed_.begin(), crossed_.end(),
                        [&](const std::vector<Byte>& text) { return std::search(piece.begin(), piece.end(), text.begin(), text.end()) != piece.end(); });
}

bool compatible_by_merges(const Dictionary& dictionary, Rank left, Rank right) {
    // The tokens at the right end of `left`, from `left` itself to a byte, and those at the left end of `right`, each with the token that it is a half of.
    for (Rank near = left, near_parent = no_rank;; near_parent = near, near = dictionary.halves(near).right) {
        for (Rank far = right, far_parent = no_rank;; far_parent = far, far = dictionary.halves(far).left) {
            Rank const merged = dictionary.merged(near, far);
            if (merged != no_rank && (near_parent == no_rank || !dictionary.comes_first(near_parent, merged)) &&
                (far_parent == no_rank || dictionary.comes_first(merged, far_parent)))
                return false;
            if (dictionary.halves(far).left == far) break;
        }
        if (dictionary.halves(near).right == near) break;
    }
    return true;
}

std::shared_ptr<const Dictionary> Dictionary::from_planes(Bytes planes) {
    std::shared_ptr<Dictionary> made(new Dictionary);
    std::size_t const count = planes.size / 6;
    auto const damaged = [](Rank token) { return VocabularyError(VocabularyError::Kind::damaged, token, ""); };
    if (planes.size % 6 != 0) throw damaged(0);
    made->halves_.resize(count);
    made->offsets_.reserve(count + 1);
    made->bytes_.reserve(count * 8);
    std::array<bool, 256> seen{};
    auto const entry = [&](std::size_t plane, Rank token) -> Rank { return planes[plane * count + token]; };
    for (Rank token = 0; token < count; ++token) {
        Rank const left = entry(0, token) | entry(1, token) << 8 | entry(2, token) << 16;
        Rank const right = entry(3, token) | entry(4, token) << 8 | entry(5, token) << 16;
        auto& bytes = made->bytes_;
        if (right == no_half) {
            if (left > 255 || seen[left]) throw damaged(token);
            seen[left] = true;
            bytes.push_back(static_cast<Byte>(left));
            made->halves_[token] = {token, token};
        } else {
            if (left >= token || right >= token) throw damaged(token);
            made->halves_[token] = {left, right};
            std::size_t const size = bytes.size(), left_size = made->length(left), right_size = made->length(right);
            if (left_size + right_size > (1u << 20) || size > (1u << 30)) throw damaged(token);
            bytes.resize(size + left_size + right_size);
            std::memcpy(&bytes[size], &bytes[made->offsets_[left]], left_size);
            std::memcpy(&bytes[size + left_size], &bytes[made->offsets_[right]], right_size);
        }
        made->offsets_.push_back(static_cast<std::uint32_t>(bytes.size()));
    }
    made->finish();
    return made;
}

namespace {

// The first bytes of some tokens, up to four of each. A text that holds none of these holds none of the tokens.
class Beginnings {
public:
    void add(Bytes token) {
        is_empty_ = false;
        if (token.size < 4) pairs_[pair(token)] = true;
        else fours_[four(token)] = true;
    }
    bool are_in(Bytes text) const {
        if (is_empty_) return false;
        for (std::size_t place = 0; place + 2 <= text.size; ++place) {
            Bytes const here = text.part(place, text.size);
            if (pairs_[pair(here)] || (here.size >= 4 && fours_[four(here)])) return true;
        }
        return false;
    }

private:
    static constexpr std::size_t bits = 18;
    static std::size_t pair(Bytes text) { return static_cast<std::size_t>(text[0] << 8 | text[1]); }
    static std::size_t four(Bytes text) {
        std::uint32_t word;
        std::memcpy(&word, text.data, 4);
        return mixed(word) >> (64 - bits);
    }
    bool is_empty_ = true;
    std::vector<bool> pairs_ = std::vector<bool>(65536), fours_ = std::vector<bool>(std::size_t{1} << bits);
};

}  // namespace

// The halves of a token are two earlier tokens that make it up and may follow one another: all earlier merges make exactly these two of its bytes, if
// each earlier token comes after its own halves. For a token without such halves, and for all tokens that contain one like that, merging finds the
// halves.
//
//     rank   4: ab   5: cd   6: abcd       a bcd  no token        ab cd  fit: these are the halves        abc d  no token
void Dictionary::find_halves() {
    std::vector<Rank> order(halves_.size());
    std::iota(order.begin(), order.end(), Rank{0});
    std::vector<bool> is_merged(halves_.size(), true);  // by its bytes
    if (!priorities_.empty()) std::stable_sort(order.begin(), order.end(), [&](Rank one, Rank other) { return priority(one) < priority(other); });
    auto const same = [&](Rank one, Rank other) { return priority(one) == priority(other); };
    if (std::adjacent_find(order.begin(), order.end(), same) == order.end()) {
        for (Rank token = 0; token < halves_.size(); ++token)
            if (length(token) == 1) halves_[token] = {token, token};
        merges_.reserve(halves_.size());
        Beginnings odd;
        constexpr std::size_t ahead = 4;  // tokens whose parts are being prefetched
        std::vector<Cuts> cuts(ahead);
        auto const is_short = [&](Rank token) { return length(token) > 1 && length(token) <= longest_cut; };
        for (std::size_t next = 0; next < order.size() + ahead; ++next) {
            if (next >= ahead && is_short(order[next - ahead])) {
                Rank const token = order[next - ahead];
                is_merged[token] = !find_cut(token, cuts[next % ahead]);
                if (is_merged[token]) odd.add(bytes(token));
                else merges_.insert(halves_[token], token);
            }
            if (next < order.size() && is_short(order[next])) prepare_cut(order[next], cuts[next % ahead]);
        }
        for (Rank token = 0; token < halves_.size(); ++token)
            if (!is_merged[token]) is_merged[token] = odd.are_in(bytes(token));
    }
    for (Rank token = 0; token < halves_.size(); ++token) {
        if (length(token) == 1) halves_[token] = {token, token};
        else if (is_merged[token]) halves_[token] = merge_bytes(token);
    }
}

// Prefetches the memory that `find_cut` will read.
void Dictionary::prepare_cut(Rank token, Cuts& cuts) const {
    Bytes const data = bytes(token);
    std::size_t const mask = lookup_.size() - 1;
    for (std::size_t cut = 1; cut < data.size; ++cut) {
        cuts.left[cut] = byte_hash(data.part(0, cut));
        cuts.right[cut] = byte_hash(data.part(cut, data.size));
        prefetch(&lookup_[cuts.left[cut] & mask]);
        prefetch(&lookup_[cuts.right[cut] & mask]);
    }
}

bool Dictionary::find_cut(Rank token, const Cuts& cuts) {
    Bytes const data = bytes(token);
    std::size_t const mask = lookup_.size() - 1;
    // Whether there may be such a token.
    auto const is_likely = [&](std::uint64_t hash) {
        std::size_t place = hash & mask;
        while (static_cast<Rank>(lookup_[place]) != no_rank && lookup_[place] >> 32 != hash >> 32) place = (place + 1) & mask;
        return static_cast<Rank>(lookup_[place]) != no_rank;
    };
    auto const part = [&](std::size_t start, std::size_t end, std::uint64_t hash) {
        Rank const found = find(data.part(start, end), hash);
        if (found == no_rank || end - start == 1) return found;
        return priority(found) < priority(token) && reachable(found) ? found : no_rank;
    };
    for (std::size_t cut = 1; cut < data.size; ++cut) {
        if (!is_likely(cuts.left[cut]) || !is_likely(cuts.right[cut])) continue;
        Rank const left = part(0, cut, cuts.left[cut]);
        if (left == no_rank) continue;
        Rank const right = part(cut, data.size, cuts.right[cut]);
        if (right == no_rank || !fit(left, right)) continue;
        halves_[token] = {left, right};
        return true;
    }
    return false;
}

// `compatible` by priorities.
bool Dictionary::fit(Rank left, Rank right) const {
    Rank limit = no_rank;
    for (;;) {
        Rank const found = merged(left, right);
        if (found != no_rank && priority(found) < limit) return false;
        Rank const left_half = halves_[left].right, right_half = halves_[right].left;
        if (left_half == left && right_half == right) return true;
        if (left_half != left && (right_half == right || priority(left) > priority(right))) {
            limit = priority(left);
            left = left_half;
        } else {
            limit = priority(right) + 1;
            right = right_half;
        }
    }
}

// Merges the bytes of a token by the definition, any two neighbours whose bytes make a token, and finds the last two. A heap and a list
// keep it n log n, because a token of a malicious file may be long.
Halves Dictionary::merge_bytes(Rank token) const {
    struct Part {
        std::uint32_t start, end, previous, next;
        bool alive;
    };
    struct Candidate {
        Rank priority;
        std::uint32_t start, end, left;
        bool operator>(const Candidate& other) const { return priority != other.priority ? priority > other.priority : start > other.start; }
    };
    constexpr std::uint32_t nobody = 0xFFFFFFFF;
    Bytes const data = bytes(token);
    auto const size = static_cast<std::uint32_t>(data.size);
    std::vector<Part> parts;
    parts.reserve(size);
    for (std::uint32_t place = 0; place < size; ++place) parts.push_back({place, place + 1, place - 1, place + 1 < size ? place + 1 : nobody, true});
    parts[0].previous = nobody;
    std::priority_queue<Candidate, std::vector<Candidate>, std::greater<>> queue;
    auto const offer = [&](std::uint32_t left) {
        if (left == nobody || parts[left].next == nobody) return;
        std::uint32_t const start = parts[left].start, end = parts[parts[left].next].end;
        Rank const rank = end - start > longest_ ? no_rank : find(data.part(start, end));
        if (rank != no_rank) queue.push({priority(rank), start, end, left});
    };
    for (std::uint32_t place = 0; place + 1 < size; ++place) offer(place);
    std::uint32_t count = size;
    while (!queue.empty()) {
        Candidate const best = queue.top();
        queue.pop();
        Part& left = parts[best.left];
        if (!left.alive || left.next == nobody || left.start != best.start || parts[left.next].end != best.end) continue;
        Part& right = parts[left.next];
        if (--count == 1) {
            Bytes const halves[2] = {data.part(left.start, left.end), data.part(right.start, right.end)};
            Rank found[2];
            for (int side = 0; side < 2; ++side) {
                found[side] = find(halves[side]);
                if (found[side] == no_rank) throw VocabularyError(VocabularyError::Kind::missing_byte, token, text_of(halves[side]));
            }
            return {found[0], found[1]};
        }
        left.end = right.end;
        left.next = right.next;
        right.alive = false;
        if (left.next != nobody) parts[left.next].previous = best.left;
        offer(best.left);
        offer(left.previous);
    }
    return {};
}

void Dictionary::check_order() const {
    for (Rank token = 0; token < halves_.size(); ++token) {
        Halves const pair = halves_[token];
        if (pair.left == no_rank) continue;
        if (Rank const later = std::max(pair.left, pair.right); later > token)
            throw VocabularyError(VocabularyError::Kind::later_half, token, text_of(bytes(later)));
    }
}

void Dictionary::finish() {
    byte_ranks_.fill(no_rank);
    for (Rank token = 0; token < halves_.size(); ++token) {
        longest_ = std::max(longest_, length(token));
        if (length(token) == 1) byte_ranks_[bytes_[offsets_[token]]] = token;
        has_unreachable_ |= halves_[token].left == no_rank;
    }
    has_all_bytes_ = std::find(byte_ranks_.begin(), byte_ranks_.end(), no_rank) == byte_ranks_.end();
    merges_.build(halves_);
    byte_pairs_.assign(65536, no_rank);
    for (Rank token = 0; token < halves_.size(); ++token)
        if (length(token) == 2 && reachable(token)) byte_pairs_[bytes_[offsets_[token]] << 8 | bytes_[offsets_[token] + 1]] = token;
}

Rank Dictionary::find(Bytes token) const {
    std::call_once(lookup_once_, [this] { build_lookup(); });
    return find(token, byte_hash(token));
}

Rank Dictionary::find(Bytes token, std::uint64_t hash) const {
    std::size_t const mask = lookup_.size() - 1;
    for (std::size_t place = hash & mask;; place = (place + 1) & mask) {
        auto const rank = static_cast<Rank>(lookup_[place]);
        if (rank == no_rank) return no_rank;
        if (lookup_[place] >> 32 == hash >> 32 && bytes(rank) == token) return rank;
    }
}

void Dictionary::build_lookup() const {
    constexpr Rank ahead = 8;  // tokens whose slots are being prefetched
    std::array<std::uint64_t, ahead> hashes{};
    lookup_.assign(std::bit_ceil(halves_.size() * 2 + 2), no_rank);
    std::size_t const mask = lookup_.size() - 1;
    for (Rank next = 0; next < halves_.size() + ahead; ++next) {
        if (next >= ahead) {
            Rank const token = next - ahead;
            std::uint64_t const hash = hashes[token % ahead];
            std::size_t place = hash & mask;
            for (; static_cast<Rank>(lookup_[place]) != no_rank; place = (place + 1) & mask)
                if (lookup_[place] >> 32 == hash >> 32 && bytes(static_cast<Rank>(lookup_[place])) == bytes(token)) twice_ = std::min(twice_, token);
            lookup_[place] = (hash >> 32) << 32 | token;
        }
        if (next < halves_.size()) {
            hashes[next % ahead] = byte_hash(bytes(next));
            prefetch(&lookup_[hashes[next % ahead] & mask]);
        }
    }
}

const Trie* Dictionary::lazily(Lazy& lazy, Trie::Direction direction, bool reachable_only) const {
    std::call_once(lazy.once, [&] {
        std::vector<Bytes> tokens;
        std::vector<Rank> ranks;
        tokens.reserve(size());
        ranks.reserve(size());
        for (Rank token = 0; token < size(); ++token) {
            if (reachable_only && !reachable(token)) continue;
            tokens.push_back(bytes(token));
            ranks.push_back(token);
        }
        lazy.trie = std::make_unique<Trie>(tokens, ranks, direction);
    });
    return lazy.trie.get();
}

}  // namespace bpe
