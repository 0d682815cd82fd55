#include "bpe/pipeline/sentence_piece_text.hpp"

#include <algorithm>
#include <string_view>

#include "bpe/pipeline/steps.hpp"
#include "bpe/unicode.hpp"
#include "bpe/utf8.hpp"

namespace bpe {

namespace {

// The bounds of bpe_engine/text/patience.py: the factor by which a text may grow, and the bytes to which any text may.
constexpr std::size_t growth = 64, growth_of_any = 1 << 14;
constexpr Byte replacement[] = {0xEF, 0xBF, 0xBD};  // U+FFFD
constexpr char32_t symbol = 0x2581, no_character = 0xFFFFFFFF;

// Calls `use` with each; a byte that is no UTF-8 is none.
template <class Use>
void for_each_character(Bytes text, Use&& use) {
    for (std::size_t place = 0; place < text.size;) {
        Character const character = UnicodeTable::instance().at(text.data, place, text.size);
        use(character.code <= 0x10FFFF ? character.code : no_character);
        place += character.size;
    }
}

}  // namespace

SentencePieceNormalizer::SentencePieceNormalizer(SentencePieceRules rules)
    : rules_(std::move(rules)), space_(rules_.escape_whitespaces ? "\xE2\x96\x81" : " ") {
    later_ = rules_.charsmap.texts().later;
    std::sort(later_.begin(), later_.end());
    later_.erase(std::unique(later_.begin(), later_.end()), later_.end());
    for (std::string const& symbol : rules_.user_defined) {
        if (!symbol.empty()) begins_symbol_[static_cast<Byte>(symbol[0])] = true;
        for_each_character({reinterpret_cast<const Byte*>(symbol.data()), symbol.size()}, [&](char32_t code) { in_symbols_.push_back(code); });
    }
    std::sort(in_symbols_.begin(), in_symbols_.end());
    for (unsigned code = 0; code < 128; ++code) {
        stays_[code] = code != ' ' && !begins_symbol_[code];
        for (unsigned next = 0; next < 128 && stays_[code]; ++next) {
            Byte const both[] = {static_cast<Byte>(code), static_cast<Byte>(next)};
            Charsmap::Match const match = rules_.charsmap.longest({both, 2});
            stays_[code] = match.size == 0 && !match.is_open;
        }
    }
}

SentencePieceNormalizer::Part SentencePieceNormalizer::part_at(const Byte* raw, std::size_t place, std::size_t limit) const {
    bool is_open = false;
    if (begins_symbol_[raw[place]]) {
        std::string_view const rest(reinterpret_cast<const char*>(raw) + place, limit - place);
        std::size_t longest = 0;
        // The range of symbols that begin with the bytes of the text read so far.
        auto first = rules_.user_defined.begin(), last = rules_.user_defined.end();
        for (std::size_t size = 1; first != last; ++size) {
            if (size > rest.size()) {
                is_open = true;
                break;
            }
            std::string_view const prefix = rest.substr(0, size);
            first = std::lower_bound(first, last, prefix, [](std::string const& symbol, std::string_view wanted) { return std::string_view(symbol) < wanted; });
            last = std::upper_bound(first, last, prefix,
                                    [size](std::string_view wanted, std::string const& symbol) { return wanted < std::string_view(symbol).substr(0, size); });
            if (first == last || first->size() > size) continue;
            longest = size;
            ++first;
        }
        if (longest > 0) return {longest, {raw + place, longest}, is_open};
    }
    Charsmap::Match const match = rules_.charsmap.longest({raw + place, limit - place});
    is_open = is_open || match.is_open;
    if (match.size > 0) return {match.size, match.content, is_open};
    Character const character = UnicodeTable::instance().at(raw, place, limit);
    if (character.code > 0x10FFFF) return {character.size, {replacement, sizeof replacement}, is_open};
    return {character.size, {raw + place, character.size}, is_open};
}

Normalizer::Image SentencePieceNormalizer::image(char32_t code) const {
    bool const removes = rules_.remove_extra_whitespaces;
    // After what may be a space, others are left out.
    if (removes && code == symbol) return {};
    if (std::binary_search(later_.begin(), later_.end(), code)) return {};
    std::vector<Byte> bytes;
    put_utf8(bytes, code);
    char32_t first = code, last = code;
    if (Charsmap::Match const match = rules_.charsmap.longest({bytes.data(), bytes.size()}); match.size > 0) {
        if (match.content.size == 0) return {};
        first = no_character;
        for_each_character(match.content, [&](char32_t one) {
            if (first == no_character) first = one;
            last = one;
        });
        bool const stays = first == code && last == code;
        if (last == no_character || (!stays && std::binary_search(in_symbols_.begin(), in_symbols_.end(), code))) return {};
        // A space at its end may go, or make others go: for certain only where the character is white space itself, after which nothing is parted.
        bool const ends_with_space = last == ' ' || last == symbol;
        if (removes && ends_with_space && !(UnicodeTable::instance().flags_of(code) & space_class)) return {};
    }
    auto const escaped = [&](char32_t one) { return one == ' ' && rules_.escape_whitespaces ? symbol : one; };
    return {true, escaped(first), escaped(last), false, false};
}

bool SentencePieceNormalizer::keeps(Bytes part, bool at_start, bool) const {
    // With a table what follows a part may change its last character.
    if (!rules_.charsmap.empty() || (at_start && (rules_.add_dummy_prefix || rules_.remove_extra_whitespaces))) return false;
    return std::all_of(part.begin(), part.end(), [&](Byte byte) { return byte < 128 && stays_[byte]; });
}

const SettlingRun* SentencePieceNormalizer::settling_run(char32_t code, Side, bool) const {
    if (code != ' ' || !rules_.remove_extra_whitespaces || begins_symbol_[' ']) return nullptr;
    static constexpr Byte spaces[] = {' ', ' ', ' ', ' '};
    static const SettlingRun run{sizeof spaces, U" "};
    Charsmap::Match const match = rules_.charsmap.longest({spaces, sizeof spaces});
    return match.size > 0 || match.is_open ? nullptr : &run;
}

std::size_t SentencePieceNormalizer::run(const Byte* raw, std::size_t from, std::size_t limit, bool at_start, bool, bool at_end, std::size_t base,
                                         Normalized& out) const {
    std::size_t const before = out.text.size();
    bool const removes = rules_.remove_extra_whitespaces;
    std::size_t const most = growth * (limit - from) + growth_of_any;
    std::size_t place = from;
    auto const finish = [&](std::size_t end) {
        out.end_at(end - base);
        return end;
    };
    auto const put = [&](const Byte* data, std::size_t size, bool is_cut) {
        out.text.insert(out.text.end(), data, data + size);
        out.origin.insert(out.origin.end(), size, static_cast<std::uint32_t>(place - base));
        out.cuts.push_back(is_cut ? static_cast<std::uint32_t>(place - base) : Normalized::no_cut);
        out.cuts.insert(out.cuts.end(), size - 1, Normalized::no_cut);
    };
    auto const put_space = [&](bool is_cut) { put(reinterpret_cast<const Byte*>(space_.data()), space_.size(), is_cut); };

    bool after_space = false;
    bool is_clean = !at_start || !(removes || rules_.add_dummy_prefix);  // the text can be cut at `place`
    if (at_start) {
        while (removes && place < limit) {
            Part const part = part_at(raw, place, limit);
            if (part.is_open && !at_end) return finish(from);
            if (part.content.size != 1 || part.content.data[0] != ' ') break;
            place += part.size;
        }
        if (removes && place == limit) return finish(at_end ? limit : from);
        if (rules_.add_dummy_prefix) put_space(false);
        after_space = removes;
    }
    // Up to where all is certain, and what is written of it.
    std::size_t certain = is_clean ? place : from, written = before;
    bool ends_with_space = false;
    while (place < limit) {
        // Letters of ASCII stay, one before something else may belong to it.
        if (raw[place] < 128 && stays_[raw[place]] && place + 1 < limit && raw[place + 1] < 128) {
            put(raw + place, 1, is_clean);
            ++place;
            after_space = ends_with_space = false;
            is_clean = true;
            certain = place;
            written = out.text.size();
            continue;
        }
        Part const part = part_at(raw, place, limit);
        if (part.is_open && !at_end) break;
        Bytes content = part.content;
        while (after_space && content.size > 0 && content.data[0] == ' ') content = content.part(1, content.size);
        bool is_cut = is_clean;
        for (std::size_t index = 0; index < content.size;) {
            if (content.data[index] == ' ') {
                put_space(is_cut);
                ++index;
            } else {
                std::size_t const size = character_size(content.data + index, content.size - index);
                put(content.data + index, size, is_cut);
                index += size;
            }
            is_cut = false;
            if (out.text.size() - before > 4 * most) throw GrowthError(most, limit - from);
        }
        if (content.size > 0) {
            after_space = removes && content.data[content.size - 1] == ' ';
            std::string_view const all(reinterpret_cast<const char*>(out.text.data()) + before, out.text.size() - before);
            ends_with_space = all.ends_with(space_);
            is_clean = !removes || !(after_space || ends_with_space);
        }
        place += part.size;
        if (is_clean) {
            certain = place;
            written = out.text.size();
        }
    }
    if (!at_end) {
        out.resize(written);
        return finish(certain);
    }
    if (removes) {
        std::string_view all(reinterpret_cast<const char*>(out.text.data()) + before, out.text.size() - before);
        while (all.ends_with(space_)) all.remove_suffix(space_.size());
        out.resize(before + all.size());
    }
    return finish(limit);
}

}  // namespace bpe
