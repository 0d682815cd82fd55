#include "bpe/scanner.hpp"

#include <algorithm>
#include <array>

#include "bpe/bits.hpp"
#include "bpe/dictionary.hpp"
#include "bpe/run_index.hpp"
#include "bpe/staged_grammars.hpp"
#include "byte_masks.hpp"

namespace bpe {

namespace {

const MaskedBytes masked_bytes = masked_bytes_here().front();

constexpr std::uint64_t low_bits(std::size_t count) { return count >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1; }
constexpr std::uint64_t bit(std::size_t place) { return std::uint64_t{1} << place; }

// The classes of a block: each byte of a character has the mask of the character.
struct Block {
    std::uint64_t upper, lower, both;  // letters; `both` are those of either case, and marks if the grammar takes them for letters
    std::uint64_t number, space, newline, blank, punctuation;
    std::uint64_t starts_mark;  // marks that are letters to the grammar: they must not start a word, see below
    std::uint64_t continuation;
    std::uint64_t doubt;
};

// The index of the masks below for a character beyond ASCII, by its flags.
enum Kind : std::uint8_t { upper_kind, lower_kind, both_kind, mark_kind, punctuation_kind, doubt_kind, kinds };

template <Grammar grammar>
constexpr std::array<Kind, 256> make_kinds() {
    std::array<Kind, 256> made{};
    for (std::size_t flags = 0; flags < 256; ++flags) {
        constexpr Flags unknown_classes = space_class | number_class | (grammar.han_apart ? han_class : 0);
        bool const mark = flags & mark_class;
        bool const as_letter = flags & letter_class || (mark && grammar.words != Grammar::Words::letters);
        bool const up = flags & upper_class, low = flags & lower_class;
        made[flags] = flags & unknown_classes                          ? doubt_kind
                      : !as_letter                                     ? punctuation_kind
                      : mark && grammar.words == Grammar::Words::cased ? mark_kind
                      : up && !low                                     ? upper_kind
                      : low && !up                                     ? lower_kind
                                                                       : both_kind;
    }
    return made;
}

template <Grammar grammar>
constexpr std::array<Kind, 256> kind_of = make_kinds<grammar>();

// From this many characters beyond ASCII on the letters of known scripts are looked for at once.
constexpr std::size_t many_beyond_ascii = 5;

// Adds the characters beyond ASCII: letters of known scripts at once, all others one by one.
template <Grammar grammar>
void add_beyond_ascii(const Byte* bytes, std::size_t size, const ByteMasks& masks, Block& block) {
    const UnicodeTable& table = UnicodeTable::instance();
    std::uint64_t of[kinds] = {};
    std::uint64_t leads = masks.high & ~masks.continuation;
    std::uint64_t covered = 0;
    if (ones(leads) >= many_beyond_ascii) {
        LetterMasks const letters = masked_bytes.letters(bytes, masks);
        of[upper_kind] = letters.upper;
        of[lower_kind] = letters.lower;
        of[both_kind] = letters.both;
        of[grammar.han_apart ? doubt_kind : both_kind] |= letters.han;
        covered = letters.all();
        leads &= ~covered;
    }
    for (; leads; leads &= leads - 1) {
        auto const place = static_cast<std::size_t>(std::countr_zero(leads));
        std::uint32_t word = 0;
        if (place <= 60) [[likely]]
            std::memcpy(&word, bytes + place, 4);
        // Most have two or three bytes.
        if ((word & 0x00C0C0F0) == 0x008080E0) {
            char32_t const code = (word & 0x0F) << 12 | (word >> 2 & 0xFC0) | (word >> 16 & 0x3F);
            if (code >= 0x800 && (code & 0xF800) != 0xD800) [[likely]] {
                std::uint64_t const mask = std::uint64_t{7} << place;
                covered |= mask;
                of[kind_of<grammar>[table.flags_of_plane_0(code)]] |= mask;
                continue;
            }
        } else if ((word & 0xC0E0) == 0x80C0 && (word & 0x1E) != 0) {
            std::uint64_t const mask = std::uint64_t{3} << place;
            covered |= mask;
            of[kind_of<grammar>[table.flags_of_plane_0((word & 0x1F) << 6 | (word >> 8 & 0x3F))]] |= mask;
            continue;
        }
        Character const character = table.beyond_ascii(bytes + place, size - place);
        std::uint64_t const mask = low_bits(character.size) << place;
        covered |= mask;
        // A byte that is not UTF-8 has no flags, and is a doubt.
        of[character.code == 0xFFFFFFFF ? doubt_kind : kind_of<grammar>[character.flags]] |= mask;
    }
    block.upper |= of[upper_kind];
    block.lower |= of[lower_kind];
    block.both = of[both_kind] | of[mark_kind];
    block.starts_mark = of[mark_kind];
    block.punctuation |= of[punctuation_kind];
    block.doubt = of[doubt_kind] | (masks.high & ~covered);
}

// The bits of `runs` from each bit of `from` (which are bits of `runs`) up to the end of its run.
constexpr std::uint64_t filled(std::uint64_t runs, std::uint64_t from) { return (runs & ~(runs + from)) | from; }

// The start of the run of bits of `runs` that ends below `place`.
constexpr std::size_t run_start(std::uint64_t runs, std::size_t place) {
    std::uint64_t const others = ~runs & low_bits(place);
    return others ? 64 - static_cast<std::size_t>(std::countl_zero(others)) : 0;
}

// The number of bytes before `end` that begin a character and do not end it.
constexpr std::size_t cut_character(const Byte* end) {
    if (end[-1] >= 0xC0) return 1;
    if (end[-1] < 0x80) return 0;
    if (end[-2] >= 0xE0) return 2;
    return end[-2] >= 0x80 && end[-2] < 0xC0 && end[-3] >= 0xF0 ? 3 : 0;
}

// With a dictionary: units, see scanner.hpp.
template <Grammar grammar>
Step scan(const Byte* text, std::size_t place, std::size_t limit, const Dictionary* dictionary) {
    using Contraction = Grammar::Contraction;
    std::size_t size = std::min<std::size_t>(64, limit - place);
    bool const whole_rest = limit - place <= 64;
    const Byte* bytes = text + place;
    Byte copy[64];
    if (size < 64) {
        std::memset(copy, 0, 64);
        std::memcpy(copy, bytes, size);
        bytes = copy;
    }
    ByteMasks masks;
    masked_bytes.masks(bytes, masks);
    if (!whole_rest && masks.high >> 61) size -= cut_character(bytes + 64);
    std::uint64_t const valid = low_bits(size);
    masks.high &= valid;
    masks.continuation &= valid;
    masks.wide &= valid;
    Block block{};
    block.upper = masks.upper;
    block.lower = masks.lower;
    block.number = masks.digit;
    block.space = masks.space;
    block.newline = masks.newline;
    block.blank = masks.blank;
    block.punctuation = ~(masks.upper | masks.lower | masks.digit | masks.space | masks.high) & valid;
    if (masks.high) {
        block.continuation = masks.continuation;
        add_beyond_ascii<grammar>(bytes, size, masks, block);
    }

    std::uint64_t const letters = block.upper | block.lower | block.both;
    std::uint64_t const letter_starts = letters & ~(letters << 1);
    std::uint64_t const number_starts = block.number & ~(block.number << 1);
    std::uint64_t starts = 0;
    std::uint64_t unsure = 0;                // starts that may be wrong, and make all later ones doubtful
    [[maybe_unused]] std::size_t open = 64;  // the starts from this offset on depend on text that is not read yet
    if constexpr (grammar.space_before) {
        std::uint64_t const punctuation_starts = block.punctuation & ~(block.punctuation << 1);
        std::uint64_t space_last = block.space & ~(block.space >> 1);
        if (whole_rest && size > 0) space_last &= ~bit(size - 1);
        std::uint64_t after_space = letter_starts | punctuation_starts;
        if constexpr (grammar.digits == 1) {
            space_last &= ~(block.number >> 1);
            starts = block.number;
        } else {
            after_space |= number_starts;
        }
        starts |= (after_space & ~(block.blank << 1)) | (block.space & ~(block.space << 1)) | space_last;
        if constexpr (grammar.contraction == Contraction::lower_case) {
            for (std::uint64_t quotes = masks.apostrophe & starts & (letters >> 1); quotes; quotes &= quotes - 1) {
                auto const quote = static_cast<std::size_t>(std::countr_zero(quotes));
                std::size_t const end = contraction_end<grammar.contraction>(bytes, quote, size);
                if (end == quote) continue;
                starts &= ~bit(quote + 1);
                if (end < 64) starts |= bit(end);
            }
        }
    } else {
        // Line breaks (and slashes) after punctuation belong to it.
        std::uint64_t tail = 0;
        if constexpr (grammar.tail != Grammar::Tail::nothing) {
            std::uint64_t const tail_runs = block.newline | (grammar.tail == Grammar::Tail::newlines_and_slashes ? masks.slash : 0);
            tail = filled(tail_runs, block.newline & (block.punctuation << 1));
        }
        std::uint64_t const punctuation = block.punctuation & ~tail;
        std::uint64_t const space = block.space & ~tail;
        std::uint64_t const newline = block.newline & ~tail;
        std::uint64_t const other_space = space & ~newline;

        std::uint64_t const punctuation_starts = punctuation & ~(punctuation << 1);
        std::uint64_t const after_blank = punctuation_starts & (block.blank << 1);
        // A single punctuation character is the prefix of the word after it, unless a space comes before it.
        std::uint64_t const more = punctuation & (punctuation << 1) & ~block.continuation;
        std::uint64_t const no_prefix = filled(punctuation, more | after_blank);
        std::uint64_t const prefixed = (other_space | (punctuation & ~no_prefix)) << 1;

        starts = (letter_starts & ~prefixed) | (punctuation_starts & ~after_blank) | (after_blank >> 1);
        if constexpr (grammar.words == Grammar::Words::cased) {
            starts |= block.upper & (block.lower << 1);
            // A mark at the start of a word could also be the prefix of the word.
            block.doubt |= block.starts_mark & ~(letters << 1);
        }
        if constexpr (grammar.digits == 1) {
            starts |= block.number;
        } else {
            std::uint64_t const fourth = block.number & (block.number << 1) & (block.number << 2) & (block.number << 3);
            starts |= number_starts;
            for (std::uint64_t group = (number_starts << 3) & fourth; group; group = (group << 3) & fourth) starts |= group;
        }

        // White space: split after its last line break, and before its last character.
        std::uint64_t const space_starts = space & ~(space << 1);
        std::uint64_t space_last = other_space & ~(space >> 1);
        std::uint64_t indents = other_space & (newline << 1);
        std::uint64_t const indents_end = (other_space + indents) & ~other_space;
        if (std::uint64_t const blank_lines = indents_end & newline & (other_space << 1)) {
            auto const end = static_cast<std::size_t>(std::countr_zero(blank_lines));
            unsure = bit(run_start(other_space, end));
        }
        if (whole_rest && (space >> (size - 1) & 1)) {
            space_last &= ~bit(size - 1);
            // Here the whole run is one pre-token, line breaks or not.
            if constexpr (grammar.space == Grammar::Space::end_first) indents &= low_bits(run_start(space, size));
        }
        starts |= space_starts | space_last | indents;

        if constexpr (grammar.contraction == Contraction::any_case || grammar.contraction == Contraction::ascii_case) {
            for (std::uint64_t quotes = masks.apostrophe & starts & (letters >> 1); quotes; quotes &= quotes - 1) {
                auto const quote = static_cast<std::size_t>(std::countr_zero(quotes));
                std::size_t const end = contraction_end<grammar.contraction>(bytes, quote, size);
                if (end > quote && end < 64) starts |= bit(end);
            }
        }
        if constexpr (grammar.contraction == Contraction::ending) {
            std::size_t previous = 0;  // the end of the last contraction: no other follows it at once
            for (std::uint64_t quotes = masks.apostrophe & (letters << 1); quotes; quotes &= quotes - 1) {
                auto const quote = static_cast<std::size_t>(std::countr_zero(quotes));
                if (quote == previous) continue;
                std::size_t const end = contraction_end<grammar.contraction>(bytes, quote, size);
                if (end == quote) continue;
                previous = end;
                starts &= ~(low_bits(end) & ~low_bits(quote));
                if (end < 64) starts |= bit(end);
            }
        }
        if constexpr (grammar.words == Grammar::Words::cased) {
            // Upper-case letters after letters of both cases start a word, unless only upper-case letters come before them and a letter after.
            for (std::uint64_t mixed = block.upper & (block.both << 1); mixed; mixed &= mixed - 1) {
                auto const upper = static_cast<std::size_t>(std::countr_zero(mixed));
                std::size_t const upper_end = upper + static_cast<std::size_t>(std::countr_one(block.upper >> upper));
                std::size_t const both = run_start(block.both, upper);
                bool const low_before = both > 0 && block.lower >> (both - 1) & 1 && !(starts >> both & 1);
                bool const is_seen = upper_end >= size ? whole_rest : !(block.doubt >> upper_end & 1);
                if (!low_before && !is_seen) {
                    open = upper;
                    break;
                }
                if (low_before || upper_end >= size || !((block.both | block.lower) >> upper_end & 1)) starts |= bit(upper);
            }
        }
    }
    starts &= valid & ~std::uint64_t{1};

    std::uint64_t seams = 0;
    if (masks.wide && dictionary) {
        std::uint64_t const places = masks.wide & masks.continuation << 1 & masks.high << 2 & masks.continuation >> 1;
        if (places) seams = dictionary->seams().among(bytes, places);
    }

    // The end of the reliable starts. Two more characters may belong to a contraction, and white space is undecided until its end is known.
    std::size_t doubt = 64;
    bool const doubtful = block.doubt != 0 || !whole_rest;
    std::size_t trusted = size;
    if (doubtful) {
        doubt = block.doubt ? static_cast<std::size_t>(std::countr_zero(block.doubt)) : size;
        trusted = doubt > 2 ? doubt - 2 : 0;
        std::size_t const space_run = run_start(block.space, doubt);
        if (space_run < doubt) trusted = std::min(trusted, space_run + 1);
    }
    trusted = std::min(trusted, open);
    if (unsure) trusted = std::min(trusted, static_cast<std::size_t>(std::countr_zero(unsure)));
    auto const step = [](std::uint64_t ends, std::uint64_t seams) { return Step{ends | seams, seams & ~ends}; };
    if (!doubtful && !unsure) return step(starts >> 1 | bit(size - 1), seams >> 1);

    std::uint64_t ends = (starts & low_bits(trusted)) >> 1;
    std::size_t consumed = ends ? 64 - static_cast<std::size_t>(std::countl_zero(ends)) : 0;
    if (seams && !block.doubt && !unsure) {
        // Among the letters without case of an unfinished word the scan may resume as if a word started there, with the same result for the rest.
        // Not after a lower-case letter, because then the word ends before a later upper-case letter.
        std::uint64_t const inner = block.both & ~block.starts_mark & block.both << 1;
        std::uint64_t const from = ~low_bits(consumed + 1);
        std::uint64_t barred = (starts & from) | (open < 64 ? bit(open) : 0);
        if constexpr (grammar.words == Grammar::Words::cased) barred |= (block.lower & ~low_bits(consumed)) << 1;
        std::uint64_t const until = barred ? low_bits(static_cast<std::size_t>(std::countr_zero(barred))) : ~std::uint64_t{0};
        if (std::uint64_t const ways_on = seams & inner & from & until) {
            auto const last = 63 - static_cast<std::size_t>(std::countl_zero(ways_on));
            return step(ends, (seams & low_bits(last + 1)) >> 1);
        }
    }
    if (ends == 0 || block.doubt || unsure) {
        std::size_t const stop = std::max<std::size_t>(block.doubt ? doubt : 0, trusted);
        Walk const walk(text, limit);
        do {
            std::size_t const end = pretoken_end<grammar>(walk, text, place + consumed) - place;
            if (end > 64) {
                if (consumed == 0) return {0, end};
                break;
            }
            ends |= bit(end - 1);
            consumed = end;
        } while (consumed <= stop && place + consumed < limit && consumed < 64);
    }
    return step(ends, seams >> 1 & low_bits(consumed));
}

template <Grammar grammar>
std::size_t walked_end(const Byte* text, std::size_t place, std::size_t limit) {
    return pretoken_end<grammar>(Walk(text, limit), text, place);
}

template <Grammar grammar>
std::size_t indexed_end(const IndexedText& text, const Byte* bytes, std::size_t place) {
    return pretoken_end<grammar>(text, bytes, place);
}

// By the rule only: pre-tokens one after the other, as many as fit into 64 bytes.
template <class Rule>
Step walk(const Byte* text, std::size_t place, std::size_t limit) {
    Walk const rest(text, limit);
    std::uint64_t ends = 0;
    for (std::size_t consumed = 0; consumed < 64 && place + consumed < limit;) {
        std::size_t const end = Rule::pretoken_end(rest, text, place + consumed) - place;
        if (end > 64) return consumed == 0 ? Step{0, end} : Step{ends, 0};
        ends |= bit(end - 1);
        consumed = end;
    }
    return {ends, 0};
}

template <class Rule>
constexpr Scanner rule_scanner(std::string_view name) {
    return {name,
            walk<Rule>,
            [](const Byte* text, std::size_t place, std::size_t limit, const Dictionary&) { return walk<Rule>(text, place, limit); },
            [](const Byte* text, std::size_t place, std::size_t limit) { return Rule::pretoken_end(Walk(text, limit), text, place); },
            [](const IndexedText& text, const Byte* bytes, std::size_t place) { return Rule::pretoken_end(text, bytes, place); },
            Rule::lookback,
            Rule::gives_back,
            false,  // nobody has looked
            false};
}

template <Grammar grammar>
constexpr Scanner scanner(std::string_view name) {
    return {name,
            [](const Byte* text, std::size_t place, std::size_t limit) { return scan<grammar>(text, place, limit, nullptr); },
            [](const Byte* text, std::size_t place, std::size_t limit, const Dictionary& dictionary) { return scan<grammar>(text, place, limit, &dictionary); },
            walked_end<grammar>,
            indexed_end<grammar>,
            grammar.lookback,
            [](Character last) { return (last.flags & space_class) != 0; },
            true,
            grammar.space != Grammar::Space::plain};
}

constexpr Scanner scanners[] = {
    scanner<grammars::r50k>("r50k"),
    scanner<grammars::r50k>("gpt2"),
    scanner<grammars::cl100k>("cl100k"),
    scanner<grammars::o200k>("o200k"),
    scanner<grammars::llama3>("llama3"),
    scanner<grammars::qwen2>("qwen2"),
    scanner<grammars::qwen35>("qwen35"),
    scanner<grammars::tekken>("tekken"),
    scanner<grammars::kimi_k2>("kimi_k2"),
    scanner<grammars::llama3_ascii>("llama3_ascii"),
    scanner<grammars::qwen2_ascii>("qwen2_ascii"),
    scanner<grammars::qwen35_ascii>("qwen35_ascii"),
    scanner<grammars::starcoder>("starcoder"),
    rule_scanner<Falcon>("falcon"),
    rule_scanner<DeepseekV3>("deepseek_v3"),
};

}  // namespace

const Scanner* scanner_named(std::string_view name) {
    for (const Scanner& known : scanners)
        if (known.name == name) return &known;
    return nullptr;
}

}  // namespace bpe
