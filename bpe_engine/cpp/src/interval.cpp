#include "bpe/interval.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "bpe/bits.hpp"
#include "bpe/expected_pieces.hpp"
#include "bpe/reach.hpp"
#include "bpe/thresholds.hpp"

namespace bpe {

namespace {

// The number of whole pre-tokens before the end of a slice that are read again, because the end may change them: "\n  x" is "\n", " ", " x", and its slice
// "\n  " is one pre-token under cl100k. One more than any grammar needs.
constexpr int reread = 3;

// Words of 64 bytes in which the start of a piece is looked for.
constexpr std::size_t far = thresholds::long_piece / 64 + 1;

// Bytes of low letters that are not read again.
constexpr std::size_t worth_remembering = 12;

constexpr bool is_low_ascii(Byte byte) { return byte >= 'a' && byte <= 'z'; }

}  // namespace

IntervalEncoder::IntervalEncoder(std::shared_ptr<const Encoder> encoder, Bytes text)
    : encoder_(std::move(encoder)), number_(SliceEnd::next_number()), text_(text) {
    if (!encoder_->scanner()) return;
    Encoder::Lease const lease(*encoder_);
    Workspace& workspace = *lease;
    words_.resize(text.size / 64 + 1);
    sums_.reserve(text.size / 4);
    std::uint64_t tokens = 0;
    std::size_t filled = 0;  // words whose sums are written
    std::size_t pretoken = 0;
    bool begins = true;  // a pre-token
    Word* const words = words_.data();
    for_each_step(*encoder_, text, workspace.counts, workspace.medium_counts, [&](const auto& pieces) {
        std::uint64_t sum = tokens;  // a local variable, which stays in a register
        for (auto const& one : pieces) {
            auto const start = static_cast<std::size_t>(one.start - text.data), end = start + one.size();
            std::size_t const word = start >> 6;
            for (; filled <= word; ++filled) words[filled] = {0, 0, sum, sums_.size()};
            words[word].pieces |= std::uint64_t{1} << (start & 63);
            sums_.push_back(static_cast<std::uint8_t>(sum - words[word].tokens));
            if (begins) pretoken = start;
            else has_seams_ = true, words[word].seams |= std::uint64_t{1} << (start & 63);
            unsigned const known = one.slot->count(one.key);
            sum += known ? known : encoder_->count_missed(one, text.size - start, workspace);
            begins = !pieces.ends_at_seam(one);
            if (begins && end - pretoken > thresholds::long_piece) long_.emplace_back(pretoken, end);
        }
        tokens = sum;
    });
    for (; filled < words_.size(); ++filled) words[filled] = {0, 0, tokens, sums_.size()};
    sums_.push_back(static_cast<std::uint8_t>(tokens - words_.back().tokens));
    sums_.shrink_to_fit();
}

std::size_t IntervalEncoder::tokens_before(std::size_t place) const {
    Word const& word = words_[place >> 6];
    return word.tokens + sums_[word.before + ones(word.pieces & ((std::uint64_t{1} << (place & 63)) - 1))];
}

std::size_t IntervalEncoder::piece_at_or_before(std::size_t place) const {
    std::size_t word = place >> 6;
    std::uint64_t bits = words_[word].pieces & (~std::uint64_t{0} >> (63 - (place & 63)));
    for (std::size_t step = 0; !bits && step < far; ++step) bits = words_[--word].pieces;  // place 0 is a start
    return bits ? word * 64 + 63 - static_cast<std::size_t>(std::countl_zero(bits)) : start_at_or_before(place);
}

std::optional<std::pair<std::size_t, std::size_t>> IntervalEncoder::pieces_within(std::size_t start, std::size_t end) const {
    if (!has_seams_) return std::nullopt;
    std::size_t word = start >> 6;
    std::uint64_t bits = words_[word].pieces & (~std::uint64_t{0} << (start & 63));
    for (std::size_t const last = std::min(end >> 6, word + far); !bits && word < last;) bits = words_[++word].pieces;
    std::size_t const first = bits ? word * 64 + static_cast<std::size_t>(std::countr_zero(bits)) : text_.size;
    if (first >= end || start_at_or_after(start + 1) < end) return std::nullopt;
    std::size_t const last = is_piece(end) ? end : piece_at_or_before(end);
    return last > first ? std::optional(std::pair(first, last)) : std::nullopt;
}

std::size_t IntervalEncoder::start_at_or_before(std::size_t place) const {
    std::size_t word = place >> 6;
    std::uint64_t bits = words_[word].starts() & (~std::uint64_t{0} >> (63 - (place & 63)));
    if (!bits) [[unlikely]]
        if (auto const piece = long_piece_around(place)) return piece->first;
    while (!bits) bits = words_[--word].starts();  // place 0 is a start
    return word * 64 + 63 - static_cast<std::size_t>(std::countl_zero(bits));
}

std::size_t IntervalEncoder::start_at_or_after(std::size_t place) const {
    std::size_t word = place >> 6;
    std::uint64_t bits = words_[word].starts() & (~std::uint64_t{0} << (place & 63));
    if (!bits) [[unlikely]]
        if (auto const piece = long_piece_around(place)) return piece->second;
    while (!bits) {
        if (++word == words_.size()) return text_.size;
        bits = words_[word].starts();
    }
    return word * 64 + static_cast<std::size_t>(std::countr_zero(bits));
}

// The start and end of the long pre-token that starts before `place` and ends after it, where many words of the bitmap have no start.
std::optional<std::pair<std::size_t, std::size_t>> IntervalEncoder::long_piece_around(std::size_t place) const {
    auto const next = std::upper_bound(long_.begin(), long_.end(), place, [](std::size_t value, auto const& piece) { return value < piece.second; });
    return next != long_.end() && next->first < place ? std::optional(*next) : std::nullopt;
}

bool IntervalEncoder::near_long(std::size_t place) const {
    if (long_.empty()) return false;
    auto const next = std::lower_bound(long_.begin(), long_.end(), place, [](auto const& piece, std::size_t value) { return piece.second < value; });
    return next != long_.end() && next->first < place + thresholds::neighbourhood;
}

const RunIndex& IntervalEncoder::index() const {
    std::lock_guard const lock(mutex_);
    if (!index_) {
        index_ = std::make_unique<RunIndex>(RunIndex::Side::right, 0);
        index_->extend(text_);
    }
    return *index_;
}

const IntervalTree& IntervalEncoder::tree(std::size_t first, std::size_t last) const {
    std::lock_guard const lock(mutex_);
    auto& found = trees_[{first, last}];
    if (!found) found = std::make_unique<IntervalTree>(encoder_->dictionary(), text_.part(first, last));
    return *found;
}

std::size_t IntervalEncoder::pretoken_end(std::size_t place, std::size_t limit) const {
    // If the slice cuts a character, its remaining bytes are not the character in the index.
    std::size_t const cut = unfinished_end(text_.part(0, limit));
    bool const cut_start = UnicodeTable::continues(text_[place]);
    if (cut == 0 && !cut_start && near_long(place)) return encoder_->scanner()->indexed_end(IndexedText(index(), text_.data, limit), text_.data, place);
    return encoder_->scanner()->pretoken_end(text_.data, place, limit);
}

std::size_t IntervalEncoder::count_piece(std::size_t start, std::size_t end, Workspace& workspace) const {
    if (end - start > PieceKey::longest)
        if (auto const pieces = pieces_within(start, end))
            return count_rest(start, pieces->first, workspace) + tokens_before(pieces->second) - tokens_before(pieces->first) +
                   count_rest(pieces->second, end, workspace);
    return count_rest(start, end, workspace);
}

std::size_t IntervalEncoder::count_rest(std::size_t start, std::size_t end, Workspace& workspace) const {
    if (start == end) return 0;
    if (end - start <= thresholds::long_piece || end - start <= encoder_->dictionary().longest())
        return encoder_->count_piece(text_.part(start, end), text_.size - start, workspace);
    std::size_t first = 0, last = text_.size;
    if (encoder_->scanner()) {
        first = start_at_or_before(start);
        last = start_at_or_after(end);
        if (first == start && last == end && start_at_or_before(end - 1) == start) return tokens_before(end) - tokens_before(start);
    }
    return tree(first, last).count(start - first, end - first);
}

bool IntervalEncoder::may_go_on(std::size_t place) const {
    if (place == text_.size) return false;
    Character const next = UnicodeTable::instance().at(text_.data, place, text_.size);
    return next.flags & (letter_class | mark_class) || next.code == '\'';
}

std::size_t IntervalEncoder::low_letters_end(std::size_t start, std::size_t end) const {
    UnicodeTable const& table = UnicodeTable::instance();
    while (start < end) {
        Byte const* const bytes = text_.data + start;
        Flags flags = 0;
        std::size_t size = 1;
        if (bytes[0] < 0x80) {
            if (!is_low_ascii(bytes[0])) break;
            ++start;
            continue;
        }
        // Of most scripts without upper case. Below, 0xE0 may be overlong, and 0xED a surrogate.
        if (bytes[0] > 0xE0 && bytes[0] < 0xED && end - start >= 3 && UnicodeTable::continues(bytes[1]) && UnicodeTable::continues(bytes[2])) {
            flags = table.flags_of_plane_0((bytes[0] & 0x0Fu) << 12 | (bytes[1] & 0x3Fu) << 6 | (bytes[2] & 0x3Fu));
            size = 3;
        } else {
            Character const character = table.beyond_ascii(bytes, end - start);
            flags = character.flags;
            size = character.size;
        }
        if ((flags & (letter_class | lower_class | mark_class)) != (letter_class | lower_class)) break;
        start += size;
    }
    return start;
}

bool IntervalEncoder::are_low_letters(std::size_t start, std::size_t end) const {
    // Longer ones are scanned, or looked up.
    if (!encoder_->scanner()->words_run_on || end - start > thresholds::long_piece) return false;
    if (end - start < worth_remembering) return low_letters_end(start, end) == end;
    std::uint64_t const known = low_letters_.load(std::memory_order_relaxed);
    std::size_t const first = known >> 32, last = known & 0xFFFFFFFF;
    auto const cuts_character = [this](std::size_t place) { return place < text_.size && UnicodeTable::continues(text_[place]); };
    if (first <= start && end <= last) return !cuts_character(start) && !cuts_character(end);
    bool const is_inside = first <= start && start < last && !cuts_character(start);
    std::size_t stop = is_inside ? last : low_letters_end(start, start < first && first < end ? first : end);
    if (stop == first && first < last) stop = last;
    bool const are_known = end <= stop;
    if (!are_known) stop = low_letters_end(stop, end);
    if (stop <= 0xFFFFFFFF && stop - start >= worth_remembering)
        low_letters_.store(std::uint64_t{is_inside ? first : start} << 32 | stop, std::memory_order_relaxed);
    return end <= stop && !cuts_character(end);
}

std::size_t IntervalEncoder::after_first_letter(std::size_t start) const {
    UnicodeTable const& table = UnicodeTable::instance();
    Character first = table.at(text_.data, start, text_.size);
    if (!(first.flags & letter_class) && first.code != '\'') {
        start += first.size;
        if (is_start(start)) return 0;
        first = table.at(text_.data, start, text_.size);
    }
    start += first.size;
    return are_low_letters(start - first.size, start) ? start : 0;
}

bool IntervalEncoder::begins_word(std::size_t start, std::size_t end) const {
    if (!is_low_ascii(text_[start])) {
        Character const first = UnicodeTable::instance().at(text_.data, start, end);
        // The rest of a contraction may be two pre-tokens.
        if (first.code == '\'') return false;
        start += first.size;
        if (!(first.flags & letter_class) && start == end) return false;
    }
    return are_low_letters(start, end);
}

// The number of tokens from `place` to the first shared start of a pre-token with the whole text, or to `end`; moves `place` there.
std::size_t IntervalEncoder::count_head(std::size_t& place, std::size_t end, Workspace& workspace) const {
    const Scanner& scanner = *encoder_->scanner();
    std::size_t total = 0;
    while (!is_start(place) && place < end) {
        if (std::size_t const next = std::min(start_at_or_after(place), end); are_low_letters(place, next) && (next == end || !may_go_on(next))) {
            total += count_piece(place, next, workspace);
            place = next;
            continue;
        }
        if (near_long(place)) {
            std::size_t const stop = pretoken_end(place, end);
            total += count_piece(place, stop, workspace);
            place = stop;
            continue;
        }
        Step const step = scanner.step(text_.data, place, end);
        std::uint64_t ends = step.ends;
        std::size_t const base = place;
        do {
            std::size_t const stop = ends ? base + static_cast<std::size_t>(std::countr_zero(ends)) + 1 : base + step.consumed();
            total += count_piece(place, stop, workspace);
            place = stop;
            ends &= ends - 1;
        } while (ends && !is_start(place));
    }
    return total;
}

std::size_t IntervalEncoder::count_slice(std::size_t place, std::size_t end, Workspace& workspace) const {
    const Scanner& scanner = *encoder_->scanner();
    std::size_t const total = count_head(place, end, workspace);
    if (place == end) return total;
    if (scanner.lines_end && text_[end - 1] == '\n' && is_start(end)) return total + tokens_before(end) - tokens_before(place);
    SliceEnd& known = workspace.slice_end;
    if (known.holds(number_, place, end)) return total + known.tokens - tokens_before(place);
    if (std::size_t const last = start_at_or_before(end - 1); last >= place && begins_word(last, end)) {
        std::size_t const tokens = is_start(end) ? tokens_before(end) : tokens_before(last) + count_piece(last, end, workspace);
        known = {number_, end, last, tokens};
        return total + tokens - tokens_before(place);
    }
    // From here on the pre-tokens are those of the whole text, except for the last few: these are read again, and counted from the first one
    // that ends elsewhere.
    std::size_t anew = end;
    for (int step = 0; step <= reread && anew > place; ++step) {
        std::size_t const start = start_at_or_before(anew - 1);
        if (step > 0 && !may_go_on(anew) && begins_word(start, anew)) break;
        anew = start;
    }
    std::size_t agreed = std::max(anew, place);
    std::size_t const from = place;
    place = agreed;
    std::size_t own = 0;
    bool agrees = true;
    auto const take = [&](std::size_t stop) {
        agrees = agrees && stop < end && start_at_or_after(place + 1) == stop;
        if (agrees) agreed = stop;
        else own += count_piece(place, stop, workspace);
        place = stop;
    };
    while (place < end) {
        if (near_long(place)) {
            take(pretoken_end(place, end));
            continue;
        }
        Step const step = scanner.step(text_.data, place, end);
        std::uint64_t ends = step.ends;
        std::size_t const base = place;
        do {
            take(ends ? base + static_cast<std::size_t>(std::countr_zero(ends)) + 1 : base + step.consumed());
            ends &= ends - 1;
        } while (ends);
    }
    std::size_t const tokens = own + tokens_before(agreed);
    if (anew > from) known = {number_, end, anew, tokens};
    return total + tokens - tokens_before(from);
}

// The number of tokens of `before` and of the text from `place` on, up to the first shared start of a pre-token with the whole text, or to `end`; moves `place`
// there.
std::size_t IntervalEncoder::count_head_after(Bytes before, std::size_t& place, std::size_t end, Workspace& workspace) const {
    const Scanner& scanner = *encoder_->scanner();
    std::vector<Byte> together;
    together.reserve(before.size + end - place);
    together.insert(together.end(), before.begin(), before.end());
    together.insert(together.end(), text_.data + place, text_.data + end);
    std::size_t const first = place;
    std::size_t total = 0, at = 0;
    while (at < together.size()) {
        Step const step = scanner.step(together.data(), at, together.size());
        std::uint64_t ends = step.ends;
        std::size_t const base = at;
        do {
            std::size_t const stop = ends ? base + static_cast<std::size_t>(std::countr_zero(ends)) + 1 : base + step.consumed();
            total += encoder_->count_piece({together.data() + at, stop - at}, together.size() - at, workspace);
            at = stop;
            ends &= ends - 1;
            place = at < before.size ? first : first + at - before.size;
            if (at >= before.size && is_start(place)) return total;
        } while (ends);
    }
    return total;
}

bool IntervalEncoder::begins_after_line(std::size_t start) const {
    // A pre-token of white space ends after its last line break: that is the line feed before `start`, unless another line break follows in the white space.
    // A pre-token of other characters may take the line feed with the line breaks, and under o200k the slashes, that follow.
    if (!encoder_->scanner() || !encoder_->scanner()->lines_end) return false;
    constexpr std::size_t looked_at = 64;
    std::size_t place = start;
    while (place < text_.size && place - start < looked_at && (text_[place] == ' ' || text_[place] == '\t')) ++place;
    return place < text_.size && text_[place] > ' ' && text_[place] < 0x7F && (place > start || text_[place] != '/');
}

std::optional<Agreement> IntervalEncoder::agreement(std::size_t start, Bytes before) const {
    if (!encoder_->scanner() || start >= text_.size) return std::nullopt;
    std::size_t place = start, total = 0, known = text_.size;
    if (before.size > 0 || !is_start(place)) {
        if (near_long(place)) return std::nullopt;
        Encoder::Lease const lease(*encoder_);
        // Read the head as `count` does for a slice that ends far away.
        known = std::min(text_.size, start + thresholds::long_piece);
        total = before.size > 0 ? count_head_after(before, place, known, *lease) : count_head(place, known, *lease);
    }
    // `count` reads this many pre-tokens again at the end of a slice, and they must be after `place`; or begins a word there, before which nothing changes.
    std::size_t from = place;
    for (int step = 0; step <= reread && from < text_.size; ++step) {
        if (std::size_t const after = after_first_letter(from)) {
            from = after - 1;
            break;
        }
        from = start_at_or_after(from + 1);
    }
    // The head ends at `known`, and text after that can change its last pre-tokens: under kimi_k2 "'s're" is one pre-token, but "'s'r" is two.
    if (place == text_.size || (known < text_.size && from >= known)) return std::nullopt;
    return Agreement{from + 1, static_cast<std::ptrdiff_t>(total) - static_cast<std::ptrdiff_t>(tokens_before(place))};
}

std::size_t IntervalEncoder::count(std::size_t start, std::size_t end) const {
    if (start == end) return 0;
    // Prefetch the first entries for both ends: the four waits for memory become one.
    if (!words_.empty()) {
        prefetch(&words_[start >> 6]);
        prefetch(&words_[(end - 1) >> 6]);
        prefetch(text_.data + start);
        prefetch(text_.data + std::max(end, start + 64) - 64);
    }
    Encoder::Lease const lease(*encoder_);
    return encoder_->scanner() ? count_slice(start, end, *lease) : count_piece(start, end, *lease);
}

std::size_t IntervalEncoder::reach(std::size_t start, std::size_t tokens) const {
    return has_starts() ? Reach(words_, text_.size, *this).forward(start, tokens) : start;
}

std::size_t IntervalEncoder::reach_back(std::size_t end, std::size_t tokens) const {
    return has_starts() ? Reach(words_, text_.size, *this).backward(end, tokens) : end;
}

std::size_t IntervalEncoder::memory() const {
    std::size_t total = words_.capacity() * sizeof(Word) + sums_.capacity() + long_.capacity() * sizeof(std::pair<std::size_t, std::size_t>);
    std::lock_guard const lock(mutex_);
    if (index_) total += index_->memory();
    for (auto const& [range, tree] : trees_) total += tree->memory();
    return total;
}

CharacterPlaces::CharacterPlaces(Bytes text) : text_(text) {
    every_64th_.reserve(text.size / 64 + 1);
    for (std::size_t place = 0; place < text.size; ++place) {
        if (UnicodeTable::continues(text[place])) continue;
        if (size_ % 64 == 0) every_64th_.push_back(place);
        ++size_;
    }
    if (size_ % 64 == 0) every_64th_.push_back(text.size);
}

std::size_t CharacterPlaces::byte_of(std::size_t index) const {
    std::size_t const block = index / 64;
    std::size_t place = every_64th_[block], left = index % 64;
    // 64 bytes for 64 characters: all are ASCII, and the text need not be read. Mostly so, even in German.
    if (block + 1 < every_64th_.size() && every_64th_[block + 1] - place == 64) return place + left;
    // Eight bytes at once, then one by one: continuation bytes are 10xxxxxx.
    for (std::uint64_t word; text_.size - place >= sizeof(word); place += sizeof(word)) {
        std::memcpy(&word, text_.data + place, sizeof(word));
        std::size_t const leads = sizeof(word) - ((word >> 7 & ~(word >> 6) & 0x0101010101010101) * 0x0101010101010101 >> 56);
        if (leads > left) break;
        left -= leads;
    }
    for (; place < text_.size; ++place) {
        if (UnicodeTable::continues(text_[place])) continue;
        if (left-- == 0) break;
    }
    return place;
}

}  // namespace bpe
