#include "byte_masks.hpp"

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#define BPE_X86 1
#include <immintrin.h>
#elif defined(_M_X64)
#define BPE_SSE2_ONLY 1
#include <emmintrin.h>
#endif

namespace bpe {

namespace {

#if defined(BPE_X86)

__attribute__((target("avx512f,avx512bw"))) void by_avx512(const Byte* block, ByteMasks& masks) {
    __m512i const bytes = _mm512_loadu_si512(block);
    auto const within = [&](char first, unsigned char span) __attribute__((target("avx512f,avx512bw"))) {
        return _mm512_cmple_epu8_mask(_mm512_sub_epi8(bytes, _mm512_set1_epi8(first)), _mm512_set1_epi8(static_cast<char>(span)));
    };
    auto const equal = [&](char byte) __attribute__((target("avx512f,avx512bw"))) { return _mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8(byte)); };
    masks.upper = within('A', 25);
    masks.lower = within('a', 25);
    masks.digit = within('0', 9);
    masks.blank = equal(' ');
    masks.space = within('\t', 4) | masks.blank;
    masks.newline = equal('\n') | equal('\r');
    masks.apostrophe = equal('\'');
    masks.slash = equal('/');
    masks.high = _mm512_movepi8_mask(bytes);
    masks.continuation = within(static_cast<char>(0x80), 0x3F);
    masks.wide = within(static_cast<char>(0xE3), 0x1C);
}

__attribute__((target("avx2"))) void by_avx2(const Byte* block, ByteMasks& masks) {
    masks = {};
    for (int half = 0; half < 2; ++half) {
        __m256i const bytes = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(block + half * 32));
        auto const mask = [&](__m256i found) __attribute__((target("avx2"))) {
            return static_cast<std::uint64_t>(static_cast<std::uint32_t>(_mm256_movemask_epi8(found))) << (half * 32);
        };
        auto const within = [&](char first, unsigned char span) __attribute__((target("avx2"))) {
            __m256i const shifted = _mm256_sub_epi8(bytes, _mm256_set1_epi8(first));
            __m256i const top = _mm256_set1_epi8(static_cast<char>(span));
            return mask(_mm256_cmpeq_epi8(_mm256_min_epu8(shifted, top), shifted));
        };
        auto const equal = [&](char byte) __attribute__((target("avx2"))) { return mask(_mm256_cmpeq_epi8(bytes, _mm256_set1_epi8(byte))); };
        std::uint64_t const blank = equal(' ');
        masks.upper |= within('A', 25);
        masks.lower |= within('a', 25);
        masks.digit |= within('0', 9);
        masks.blank |= blank;
        masks.space |= within('\t', 4) | blank;
        masks.newline |= equal('\n') | equal('\r');
        masks.apostrophe |= equal('\'');
        masks.slash |= equal('/');
        masks.high |= mask(bytes);
        masks.continuation |= within(static_cast<char>(0x80), 0x3F);
        masks.wide |= within(static_cast<char>(0xE3), 0x1C);
    }
}

#endif

#if defined(BPE_X86) || defined(BPE_SSE2_ONLY)

// Every x86-64 processor has SSE2.
void by_sse2(const Byte* block, ByteMasks& masks) {
    masks = {};
    for (int quarter = 0; quarter < 4; ++quarter) {
        __m128i const bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(block + quarter * 16));
        auto const mask = [&](__m128i found) { return static_cast<std::uint64_t>(static_cast<std::uint32_t>(_mm_movemask_epi8(found))) << (quarter * 16); };
        auto const within = [&](char first, unsigned char span) {
            __m128i const shifted = _mm_sub_epi8(bytes, _mm_set1_epi8(first));
            __m128i const top = _mm_set1_epi8(static_cast<char>(span));
            return mask(_mm_cmpeq_epi8(_mm_min_epu8(shifted, top), shifted));
        };
        auto const equal = [&](char byte) { return mask(_mm_cmpeq_epi8(bytes, _mm_set1_epi8(byte))); };
        std::uint64_t const blank = equal(' ');
        masks.upper |= within('A', 25);
        masks.lower |= within('a', 25);
        masks.digit |= within('0', 9);
        masks.blank |= blank;
        masks.space |= within('\t', 4) | blank;
        masks.newline |= equal('\n') | equal('\r');
        masks.apostrophe |= equal('\'');
        masks.slash |= equal('/');
        masks.high |= mask(bytes);
        masks.continuation |= within(static_cast<char>(0x80), 0x3F);
        masks.wide |= within(static_cast<char>(0xE3), 0x1C);
    }
}

#endif

// Byte by byte, for any processor.
void byte_by_byte(const Byte* block, ByteMasks& masks) {
    masks = {};
    for (int index = 0; index < 64; ++index) {
        Byte const byte = block[index];
        auto const put = [&](std::uint64_t& mask, bool is) { mask |= std::uint64_t{is} << index; };
        put(masks.upper, byte >= 'A' && byte <= 'Z');
        put(masks.lower, byte >= 'a' && byte <= 'z');
        put(masks.digit, byte >= '0' && byte <= '9');
        put(masks.blank, byte == ' ');
        put(masks.space, byte == ' ' || (byte >= '\t' && byte <= '\r'));
        put(masks.newline, byte == '\n' || byte == '\r');
        put(masks.apostrophe, byte == '\'');
        put(masks.slash, byte == '/');
        put(masks.high, byte >= 0x80);
        put(masks.continuation, byte >= 0x80 && byte < 0xC0);
        put(masks.wide, byte >= 0xE3);
    }
}

}  // namespace

std::vector<NamedByteMasks> byte_masks_here() {
    std::vector<NamedByteMasks> found;
#if defined(BPE_X86)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw")) found.push_back({"AVX-512", by_avx512});
    if (__builtin_cpu_supports("avx2")) found.push_back({"AVX2", by_avx2});
#endif
#if defined(BPE_X86) || defined(BPE_SSE2_ONLY)
    found.push_back({"SSE2", by_sse2});
#endif
    found.push_back({"byte by byte", byte_by_byte});
    return found;
}

ByteMasksOf byte_masks_for_this_processor() { return byte_masks_here().front().masks; }

}  // namespace bpe
