// Normalizing a part of a text: characters of the tables at once, others through the steps.
#include <algorithm>
#include <cstring>

#include "bpe/pipeline/steps.hpp"
#include "bpe/steps.hpp"
#include "step_characters.hpp"

namespace bpe {

bool StepNormalizer::drops(char32_t code) const {
    if (!drops_marks_ || code >= 0x110000 || (code < 128 && single_[code] >= 0)) return false;
    Items items{item_at(code, 0)};
    apply(items, false, false, true);
    return items.empty();
}

// The last item before which raw text can be cut, because it and the one before are dropped, and no mark that stays stands between them and the last starter,
// which a mark after the cut might change places with. 0: there is none.
std::size_t StepNormalizer::cut_in_dropped(const Items& items) const {
    if (!drops_marks_) return 0;
    std::size_t found = 0;
    bool was_dropped = false, is_clean = true;
    for (std::size_t index = 0; index < items.size(); ++index) {
        char32_t const code = items[index].code;
        bool const is_dropped = drops(code);
        if (is_dropped && was_dropped && is_clean) found = index;
        was_dropped = is_dropped;
        if (is_dropped) continue;
        std::vector<char32_t> parts{code};
        if (code < 0x110000) decompose(code, true, parts);
        for (char32_t const part : parts) is_clean = rank_of(part) == 0 || (is_clean && drops(part));
    }
    return found;
}

bool StepNormalizer::keeps(Bytes part, bool at_start, bool) const {
    if (!keeps_ascii_ || (at_start && acts_at_start_ && part.size > 0)) return false;
    UnicodeTable const& table = UnicodeTable::instance();
    for (std::size_t place = 0; place < part.size;) {
        std::uint64_t word;
        if (place + 8 <= part.size) {
            std::memcpy(&word, part.data + place, 8);
            if ((word & 0x8080808080808080ull) == 0) {
                place += 8;
                continue;
            }
        }
        count_step();
        Character const character = table.at(part.data, place, part.size);
        if (character.code >= 128 && ease_of(character.code) != Ease::stays) return false;
        place += character.size;
    }
    return true;
}

void StepNormalizer::write(const Items& items, Normalized& out) {
    for (Item const& item : items) {
        std::size_t const before = out.text.size();
        put(out.text, item.code);
        std::size_t const size = out.text.size() - before;
        out.origin.insert(out.origin.end(), size, item.origin);
        out.cuts.push_back(item.cut);
        out.cuts.insert(out.cuts.end(), size - 1, no_cut);
    }
}

// Writes characters that stand in a table; returns where the first begins that does not, or whose next may change it.
std::size_t StepNormalizer::write_easy(const Byte* raw, std::size_t place, std::size_t limit, bool at_end, std::size_t base, Normalized& out) const {
    if (!has_table_) return place;
    UnicodeTable const& table = UnicodeTable::instance();
    std::size_t size = out.text.size();
    constexpr std::size_t longest = std::max<std::size_t>(growth, 4);  // bytes of an image
    // Room is made in steps that double: making all of it at once would clear the rest of the region after each run that stands in no table.
    std::size_t room = 0, most_room = 256;
    // Local copies: a write through a pointer to bytes might change any member.
    Byte* text = nullptr;
    std::uint32_t* origins = nullptr;
    std::uint32_t* cuts = nullptr;
    auto const put = [&](Byte byte, std::uint32_t origin, bool is_cut) {
        text[size] = byte;
        origins[size] = origin;
        cuts[size++] = is_cut ? origin : no_cut;
    };
    while (place < limit) {
        count_step();
        if (room < longest) {
            room = std::min((limit - place) + (limit - place) / 2, most_room) + 4 * longest;
            most_room *= 2;
            out.resize(size + room);
            text = out.text.data();
            origins = out.origin.data();
            cuts = out.cuts.data();
        }
        // Characters of ASCII that become one: all but the last, if its next may change it.
        std::size_t const stop = std::min(limit, place + (room - longest + 1));
        std::size_t const before = size;
        std::size_t end = place;
        while (end < stop && raw[end] < 128 && single_[raw[end]] >= 0) ++end;
        if (end > place && !(end < limit ? raw[end] < 128 ? single_[raw[end]] != -2 : ease_of(table.at(raw, end, limit).code) != Ease::hard : at_end)) --end;
        std::size_t const run = end - place;
        auto const origin_of_run = static_cast<std::uint32_t>(place - base);
        for (std::size_t index = 0; index < run; ++index) text[size + index] = static_cast<Byte>(single_[raw[place + index]]);
        for (std::size_t index = 0; index < run; ++index) origins[size + index] = origin_of_run + static_cast<std::uint32_t>(index);
        for (std::size_t index = 0; index < run; ++index) cuts[size + index] = origin_of_run + static_cast<std::uint32_t>(index);
        size += run;
        place = end;
        room -= size - before;
        if (place == limit) break;
        if (room < longest) continue;
        // Such as a space that becomes "▁".
        if (raw[place] < 128 && single_[raw[place]] == -1 && place + 1 < limit && raw[place + 1] < 128 && single_[raw[place + 1]] != -2 &&
            !(is_lonely(raw[place]) && is_lonely(raw[place + 1]))) {
            auto const origin = static_cast<std::uint32_t>(place - base);
            std::string_view const known = block(raw[place]).image(raw[place]);
            for (std::size_t number = 0; number < known.size(); ++number) put(static_cast<Byte>(known[number]), origin, number == 0);
            room -= known.size();
            ++place;
            continue;
        }
        Character const character = table.at(raw, place, limit);
        Ease const ease = ease_of(character.code);
        if (ease == Ease::hard) break;
        std::size_t const next = place + character.size;
        if (next < limit ? ease_of(table.at(raw, next, limit).code) == Ease::hard : !at_end) break;
        if (is_lonely(character.code) && (next == limit || is_lonely(table.at(raw, next, limit).code))) break;
        auto const origin = static_cast<std::uint32_t>(place - base);
        std::string_view const known = ease == Ease::table ? block(character.code).image(character.code) : std::string_view{};
        std::size_t const length = ease == Ease::table ? known.size() : character.size;
        Byte const* const image = ease == Ease::table ? reinterpret_cast<const Byte*>(known.data()) : raw + place;
        for (std::size_t number = 0; number < length; ++number) put(image[number], origin, number == 0);
        room -= length;
        place = next;
    }
    out.resize(size);
    return place;
}

std::size_t StepNormalizer::run(const Byte* raw, std::size_t from, std::size_t limit, bool at_start, bool is_first, bool at_end, std::size_t base,
                                Normalized& out) const {
    UnicodeTable const& table = UnicodeTable::instance();
    std::size_t const before = out.text.size();
    if (before == 0) {
        out.text.reserve((limit - from) + (limit - from) / 2);
        out.origin.reserve(out.text.capacity() + 1);
        out.cuts.reserve(out.text.capacity() + 1);
    }
    Items items;
    bool starts = at_start && (acts_at_start_ || by_clusters_);  // a table may remove the first characters, which belong to the next then
    for (std::size_t place = from; place < limit;) {
        // Characters of a table, up to one whose next may change it: nothing that stands in a table does.
        if (!starts) place = write_easy(raw, place, limit, at_end, base, out);
        if (place == limit) break;
        // Up to the next two that stand in a table go through the steps; the first of them is not lonely, so it ends what these look at.
        items.clear();
        std::size_t easy = 0;
        bool was_lonely = false;
        std::size_t stop = place;
        while (stop < limit) {
            count_step();
            Character const character = table.at(raw, stop, limit);
            bool const is_one = is_lonely(character.code);
            easy = ease_of(character.code) == Ease::hard || (is_one && was_lonely) ? 0 : easy + 1;
            if (easy >= 2 && items.size() > 1 && !was_lonely) break;
            was_lonely = is_one;
            items.push_back(item_at(character.code <= 0x10FFFF ? character.code : 0x110000u + raw[stop], stop - base));
            stop += character.size;
        }
        bool const is_last = stop == limit;
        if (is_last && !at_end) {
            if (std::size_t const cut = cut_in_dropped(items); cut > 0) {
                std::size_t const end = items[cut].origin;
                items.resize(cut);
                apply(items, false, false, false);
                write(items, out);
                out.end_at(end);
                return base + end;
            }
        }
        apply(items, starts, starts && is_first, at_end || !is_last);
        if (is_last && !at_end) {
            // Certain text ends at the last cut, before which nothing changes any more.
            std::size_t certain = items.size();
            while (certain > 0 && !is_cut(items[certain - 1])) --certain;
            std::size_t const end = certain > 0 ? items[certain - 1].cut : static_cast<std::uint32_t>(place - base);
            items.resize(certain > 0 ? certain - 1 : 0);
            write(items, out);
            out.end_at(end);
            return base + end;
        }
        starts = starts && items.empty();
        write(items, out);
        if (std::size_t const most = growth * (limit - from) + growth_of_any; out.text.size() - before > 4 * most) throw GrowthError(most, limit - from);
        place = stop;
    }
    out.end_at(limit - base);
    return limit;
}

}  // namespace bpe
