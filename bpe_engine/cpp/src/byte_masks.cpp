#include "byte_masks.hpp"

#include <bit>
#include <iterator>
#include <utility>

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#define BPE_X86 1
#include <immintrin.h>
#define BPE_TARGET(features) __attribute__((target(features)))
#elif defined(_M_X64)
#define BPE_SSE2_ONLY 1
#include <emmintrin.h>
#endif

namespace bpe {

namespace {

// Bytes from `first` to `last`, and the mask that gets their bits.
template <class Masks>
struct Range {
    Byte first, last;
    std::uint64_t Masks::* mask;
};

constexpr Range<ByteMasks> classes[] = {
    {'A', 'Z', &ByteMasks::upper}, {'a', 'z', &ByteMasks::lower},     {'0', '9', &ByteMasks::digit},          {'\t', '\r', &ByteMasks::space},
    {' ', ' ', &ByteMasks::blank}, {'\n', '\n', &ByteMasks::newline}, {'\r', '\r', &ByteMasks::newline},      {'\'', '\'', &ByteMasks::apostrophe},
    {'/', '/', &ByteMasks::slash}, {0x80, 0xFF, &ByteMasks::high},    {0x80, 0xBF, &ByteMasks::continuation}, {0xE3, 0xFF, &ByteMasks::wide},
};

// Bytes that tell kana and Han: U+3041-307F, 3080-3096, 30A1-30FF without 30FB, 4000-4DBF, 4E00-9FFF.
struct KanaBytes {
    std::uint64_t e3 = 0, e4 = 0, from_e5 = 0, second_81 = 0, second_82 = 0, second_83 = 0, second_b7 = 0, third_80 = 0, third_bb = 0, third_to_96 = 0,
                  third_from_a1 = 0;
};
constexpr Range<KanaBytes> kana_bytes[] = {
    {0xE3, 0xE3, &KanaBytes::e3},        {0xE4, 0xE4, &KanaBytes::e4},          {0xE5, 0xE9, &KanaBytes::from_e5},       {0x81, 0x81, &KanaBytes::second_81},
    {0x82, 0x82, &KanaBytes::second_82}, {0x83, 0x83, &KanaBytes::second_83},   {0xB7, 0xB7, &KanaBytes::second_b7},     {0x80, 0x80, &KanaBytes::third_80},
    {0xBB, 0xBB, &KanaBytes::third_bb},  {0x80, 0x96, &KanaBytes::third_to_96}, {0xA1, 0xBF, &KanaBytes::third_from_a1},
};

// Bytes that tell Hangul syllables: U+AC00-D77F.
struct HangulBytes {
    std::uint64_t ea = 0, eb_ec = 0, ed = 0, second_from_b0 = 0, second_to_9d = 0;
};
constexpr Range<HangulBytes> hangul_bytes[] = {
    {0xEA, 0xEA, &HangulBytes::ea},           {0xEB, 0xEC, &HangulBytes::eb_ec}, {0xED, 0xED, &HangulBytes::ed}, {0xB0, 0xBF, &HangulBytes::second_from_b0},
    {0x80, 0x9D, &HangulBytes::second_to_9d},
};

// Bytes that tell Cyrillic letters: U+0400-042F upper case, 0430-045F lower case.
struct CyrillicBytes {
    std::uint64_t d0 = 0, d1 = 0, second_to_9f = 0, second_to_af = 0, second_from_b0 = 0;
};
constexpr Range<CyrillicBytes> cyrillic_bytes[] = {
    {0xD0, 0xD0, &CyrillicBytes::d0},
    {0xD1, 0xD1, &CyrillicBytes::d1},
    {0x80, 0x9F, &CyrillicBytes::second_to_9f},
    {0x80, 0xAF, &CyrillicBytes::second_to_af},
    {0xB0, 0xBF, &CyrillicBytes::second_from_b0},
};

// Each way has `in<from, to>`, the bits of the bytes in one range, and `fill<ranges>`, those of all. Ranges are known when this is compiled: nothing loops over
// them.
template <const auto& ranges>
using NumbersOf = std::make_index_sequence<std::size(ranges)>;

#if defined(BPE_X86)

struct Avx512 {
    template <Byte from, Byte to>
    BPE_TARGET("avx512f,avx512bw")
    static std::uint64_t in(__m512i bytes) {
        if constexpr (from == to) return _mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8(static_cast<char>(from)));
        else if constexpr (from == 0x80 && to == 0xFF) return _mm512_movepi8_mask(bytes);
        else return _mm512_cmple_epu8_mask(_mm512_sub_epi8(bytes, _mm512_set1_epi8(static_cast<char>(from))), _mm512_set1_epi8(static_cast<char>(to - from)));
    }

    template <const auto& ranges, class Masks, std::size_t... number>
    BPE_TARGET("avx512f,avx512bw")
    static void fill(const Byte* block, Masks& masks, std::index_sequence<number...>) {
        __m512i const bytes = _mm512_loadu_si512(block);
        Masks found;
        ((found.*ranges[number].mask |= in<ranges[number].first, ranges[number].last>(bytes)), ...);
        masks = found;
    }
};

struct Avx2 {
    template <Byte from, Byte to>
    BPE_TARGET("avx2")
    static std::uint64_t in(__m256i bytes) {
        __m256i const first = _mm256_set1_epi8(static_cast<char>(from)), span = _mm256_set1_epi8(static_cast<char>(to - from));
        __m256i found = bytes;  // the highest bit of each byte counts
        if constexpr (from == to) {
            found = _mm256_cmpeq_epi8(bytes, first);
        } else if constexpr (from != 0x80 || to != 0xFF) {
            __m256i const distance = _mm256_sub_epi8(bytes, first);
            found = _mm256_cmpeq_epi8(_mm256_min_epu8(distance, span), distance);
        }
        return static_cast<std::uint32_t>(_mm256_movemask_epi8(found));
    }

    template <const auto& ranges, class Masks, std::size_t... number>
    BPE_TARGET("avx2")
    static void fill(const Byte* block, Masks& masks, std::index_sequence<number...>) {
        auto const* const from = reinterpret_cast<const __m256i*>(block);
        __m256i const first = _mm256_loadu_si256(from), second = _mm256_loadu_si256(from + 1);
        Masks found;
        ((found.*ranges[number].mask |= in<ranges[number].first, ranges[number].last>(first) | in<ranges[number].first, ranges[number].last>(second) << 32),
         ...);
        masks = found;
    }
};

#endif

#if defined(BPE_X86) || defined(BPE_SSE2_ONLY)

// Every x86-64 processor has SSE2.
struct Sse2 {
    template <Byte from, Byte to>
    static std::uint64_t in(__m128i bytes) {
        __m128i const first = _mm_set1_epi8(static_cast<char>(from)), span = _mm_set1_epi8(static_cast<char>(to - from));
        __m128i found = bytes;
        if constexpr (from == to) {
            found = _mm_cmpeq_epi8(bytes, first);
        } else if constexpr (from != 0x80 || to != 0xFF) {
            __m128i const distance = _mm_sub_epi8(bytes, first);
            found = _mm_cmpeq_epi8(_mm_min_epu8(distance, span), distance);
        }
        return static_cast<std::uint64_t>(_mm_movemask_epi8(found));
    }

    template <const auto& ranges, class Masks, std::size_t... number>
    static void fill(const Byte* block, Masks& masks, std::index_sequence<number...>) {
        Masks found;
        for (int quarter = 0; quarter < 4; ++quarter) {
            __m128i const bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(block) + quarter);
            ((found.*ranges[number].mask |= in<ranges[number].first, ranges[number].last>(bytes) << (quarter * 16)), ...);
        }
        masks = found;
    }
};

#endif

// For any processor.
struct ByteByByte {
    template <const auto& ranges, class Masks, std::size_t... number>
    static void fill(const Byte* block, Masks& masks, std::index_sequence<number...>) {
        Masks found;
        for (int index = 0; index < 64; ++index) {
            auto const distance = [&](Byte first) { return static_cast<Byte>(block[index] - first); };
            ((found.*ranges[number].mask |= std::uint64_t{distance(ranges[number].first) <= ranges[number].last - ranges[number].first} << index), ...);
        }
        masks = found;
    }
};

template <class Way, const auto& ranges, class Masks>
void fill(const Byte* block, Masks& masks) {
    Way::template fill<ranges>(block, masks, NumbersOf<ranges>{});
}

template <class Way>
void masks_by(const Byte* block, ByteMasks& masks) {
    fill<Way, classes>(block, masks);
    masks.space |= masks.blank;
}

// The bits of all bytes of the characters of `size` bytes whose first bytes are `leads`, without those that lack a continuation.
std::uint64_t whole(std::uint64_t leads, int size, std::uint64_t continuation) {
    for (int index = 1; index < size; ++index) leads &= continuation >> index;
    std::uint64_t bits = leads;
    for (int index = 1; index < size; ++index) bits |= leads << index;
    return bits;
}

template <class Way>
LetterMasks letters_by(const Byte* block, const ByteMasks& masks) {
    LetterMasks letters;
    std::uint64_t const leads = masks.high & ~masks.continuation;
    Byte const first = leads ? block[std::countr_zero(leads)] : Byte{0};
    if (first >= 0xE3 && first <= 0xE9) {
        KanaBytes in;
        fill<Way, kana_bytes>(block, in);
        std::uint64_t const kana = (in.second_81 >> 1 & ~(in.third_80 >> 2)) | (in.second_82 >> 1 & (in.third_to_96 | in.third_from_a1) >> 2) |
                                   (in.second_83 >> 1 & ~(in.third_bb >> 2));
        letters.both = whole(in.e3 & kana, 3, masks.continuation);
        letters.han = whole(in.from_e5 | (in.e4 & ~(in.second_b7 >> 1)), 3, masks.continuation);
    } else if (first >= 0xEA && first <= 0xED) {
        HangulBytes in;
        fill<Way, hangul_bytes>(block, in);
        letters.both = whole((in.ea & in.second_from_b0 >> 1) | in.eb_ec | (in.ed & in.second_to_9d >> 1), 3, masks.continuation);
    } else if (first == 0xD0 || first == 0xD1) {
        CyrillicBytes in;
        fill<Way, cyrillic_bytes>(block, in);
        letters.upper = whole(in.d0 & in.second_to_af >> 1, 2, masks.continuation);
        letters.lower = whole((in.d0 & in.second_from_b0 >> 1) | (in.d1 & in.second_to_9f >> 1), 2, masks.continuation);
    }
    return letters;
}

template <class Way>
constexpr MaskedBytes way(const char* name) {
    return {name, masks_by<Way>, letters_by<Way>};
}

}  // namespace

std::vector<MaskedBytes> masked_bytes_here() {
    std::vector<MaskedBytes> found;
#if defined(BPE_X86)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw")) found.push_back(way<Avx512>("AVX-512"));
    if (__builtin_cpu_supports("avx2")) found.push_back(way<Avx2>("AVX2"));
#endif
#if defined(BPE_X86) || defined(BPE_SSE2_ONLY)
    found.push_back(way<Sse2>("SSE2"));
#endif
    found.push_back(way<ByteByByte>("byte by byte"));
    return found;
}

}  // namespace bpe
