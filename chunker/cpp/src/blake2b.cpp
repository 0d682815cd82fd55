#include "chunker/blake2b.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#if defined(__x86_64__) && defined(__GNUC__)
#define CHUNKER_LANES 1
#define CHUNKER_INLINE inline __attribute__((always_inline))
#else
#define CHUNKER_INLINE inline
#endif

namespace chunker {

namespace {

constexpr std::size_t digest_size = 16, block_size = 128, state_size = 8, block_words = 16;
constexpr std::array<std::uint64_t, state_size> start = {0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b, 0xa54ff53a5f1d36f1,
                                                         0x510e527fade682d1, 0x9b05688c2b3e6c1f, 0x1f83d9abfb41bd6b, 0x5be0cd19137e2179};
constexpr std::size_t rounds = 12;
// The order in which a round takes the words of a block; the eleventh round is like the first.
constexpr unsigned char order[10][16] = {{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}, {14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3},
                                         {11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4}, {7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8},
                                         {9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13}, {2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9},
                                         {12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11}, {13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10},
                                         {6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5}, {10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0}};

// Little-endian, as are all machines that the core runs on (bpe/piece_cache.hpp).
std::uint64_t word(const unsigned char* bytes) {
    std::uint64_t value = 0;
    std::memcpy(&value, bytes, sizeof value);
    return value;
}

#ifdef CHUNKER_LANES
using Four = std::uint64_t __attribute__((vector_size(32)));
using Eight = std::uint64_t __attribute__((vector_size(64)));

// Whole bytes move by one instruction.
template <int bits, int... byte>
CHUNKER_INLINE void move_bytes(Four& words, std::integer_sequence<int, byte...>) {
    using Bytes = unsigned char __attribute__((vector_size(sizeof(Four))));
    Bytes const from = reinterpret_cast<Bytes>(words);
    words = reinterpret_cast<Four>(__builtin_shufflevector(from, from, (byte / 8 * 8 + (byte + bits / 8) % 8)...));
}
#endif

// Rotates to the right. `Words` is a word, or words of as many messages. AVX-512 has an instruction for it, AVX2 has none.
template <int bits, class Words>
CHUNKER_INLINE void turn(Words& words) {
#ifdef CHUNKER_LANES
    if constexpr (std::is_same_v<Words, Four> && bits % 8 == 0) return move_bytes<bits>(words, std::make_integer_sequence<int, sizeof(Four)>());
#endif
    words = words >> bits | words << (64 - bits);
}

template <class Words>
CHUNKER_INLINE void mix(Words& a, Words& b, Words& c, Words& d, const Words& x, const Words& y) {
    a += b + x;
    d ^= a;
    turn<32>(d);
    c += d;
    b ^= c;
    turn<24>(b);
    a += b + y;
    d ^= a;
    turn<16>(d);
    c += d;
    b ^= c;
    turn<63>(b);
}

template <class Words>
CHUNKER_INLINE void mix_round(Words* v, const Words* words, const unsigned char (&at)[block_words]) {
    mix(v[0], v[4], v[8], v[12], words[at[0]], words[at[1]]);
    mix(v[1], v[5], v[9], v[13], words[at[2]], words[at[3]]);
    mix(v[2], v[6], v[10], v[14], words[at[4]], words[at[5]]);
    mix(v[3], v[7], v[11], v[15], words[at[6]], words[at[7]]);
    mix(v[0], v[5], v[10], v[15], words[at[8]], words[at[9]]);
    mix(v[1], v[6], v[11], v[12], words[at[10]], words[at[11]]);
    mix(v[2], v[7], v[8], v[13], words[at[12]], words[at[13]]);
    mix(v[3], v[4], v[9], v[14], words[at[14]], words[at[15]]);
}

// Each round is told where its words are, not asked: that saves a quarter of the instructions of a loop.
template <class Words, std::size_t... round>
CHUNKER_INLINE void mix_rounds(Words* v, const Words* words, std::index_sequence<round...>) {
    (mix_round(v, words, order[round % std::size(order)]), ...);
}

// Reads a block. `counted`: the bytes up to its end; `last`: all bits where it ends its message, else none.
template <class Words>
CHUNKER_INLINE void compress(Words* state, const Words* words, const Words& counted, const Words& last) {
    Words v[block_words];
    for (std::size_t place = 0; place < state_size; ++place) {
        v[place] = state[place];
        v[state_size + place] = Words{} + start[place];
    }
    v[12] ^= counted;
    v[14] ^= last;
    mix_rounds(v, words, std::make_index_sequence<rounds>());
    for (std::size_t place = 0; place < state_size; ++place) state[place] ^= v[place] ^ v[state_size + place];
}

// Words of several messages, side by side.
template <std::size_t lanes>
using Rows = std::uint64_t[block_words][lanes];

template <std::size_t lanes>
using Compress = void (*)(std::uint64_t (&state)[state_size][lanes], const Rows<lanes>& words, const std::uint64_t (&counted)[lanes],
                          const std::uint64_t (&last)[lanes]);

void compress_one(std::uint64_t (&state)[state_size][1], const Rows<1>& words, const std::uint64_t (&counted)[1], const std::uint64_t (&last)[1]) {
    compress(&state[0][0], &words[0][0], counted[0], last[0]);
}

#ifdef CHUNKER_LANES
template <class Words, std::size_t lanes>
CHUNKER_INLINE void compress_many(std::uint64_t (&state)[state_size][lanes], const Rows<lanes>& words, const std::uint64_t (&counted)[lanes],
                                  const std::uint64_t (&last)[lanes]) {
    Words held[state_size], read[block_words], lengths, ends;
    std::memcpy(held, state, sizeof held);
    std::memcpy(read, words, sizeof read);
    std::memcpy(&lengths, counted, sizeof lengths);
    std::memcpy(&ends, last, sizeof ends);
    compress(held, read, lengths, ends);
    std::memcpy(state, held, sizeof held);
}

__attribute__((target("avx2"))) void compress_four(std::uint64_t (&state)[state_size][4], const Rows<4>& words, const std::uint64_t (&counted)[4],
                                                   const std::uint64_t (&last)[4]) {
    compress_many<Four>(state, words, counted, last);
}

__attribute__((target("avx512f"))) void compress_eight(std::uint64_t (&state)[state_size][8], const Rows<8>& words, const std::uint64_t (&counted)[8],
                                                       const std::uint64_t (&last)[8]) {
    compress_many<Eight>(state, words, counted, last);
}
#endif

// A message that is read, and how much of it has been.
struct Lane {
    std::size_t number = 0, done = 0;
    bool is_busy = false;
};

// A lane that has read its message takes the next one.
template <std::size_t lanes>
void read_all(std::span<const std::string_view> messages, std::vector<Digest>& digests, Compress<lanes> compress_lanes) {
    std::uint64_t state[state_size][lanes] = {}, counted[lanes] = {}, last[lanes] = {};
    Rows<lanes> words = {};
    Lane reading[lanes];
    std::size_t next = 0, busy = 0;
    auto const take = [&](std::size_t lane) {
        reading[lane] = {next, 0, next < messages.size()};
        if (!reading[lane].is_busy) return;
        ++next, ++busy;
        for (std::size_t place = 0; place < state_size; ++place) state[place][lane] = start[place];
        state[0][lane] ^= 0x01010000 ^ digest_size;
    };
    for (std::size_t lane = 0; lane < lanes; ++lane) take(lane);
    while (busy > 0) {
        for (std::size_t lane = 0; lane < lanes; ++lane) {
            if (!reading[lane].is_busy) continue;
            std::string_view const left = messages[reading[lane].number].substr(reading[lane].done);
            auto const* block = reinterpret_cast<const unsigned char*>(left.data());
            unsigned char padded[block_size] = {};
            std::size_t const size = std::min(left.size(), block_size);
            if (size < block_size) {
                std::copy(left.begin(), left.end(), padded);
                block = padded;
            }
            for (std::size_t place = 0; place < block_words; ++place) words[place][lane] = word(block + 8 * place);
            reading[lane].done += size;
            counted[lane] = reading[lane].done;
            last[lane] = left.size() <= block_size ? ~std::uint64_t{0} : 0;
        }
        compress_lanes(state, words, counted, last);
        for (std::size_t lane = 0; lane < lanes; ++lane) {
            if (!reading[lane].is_busy || last[lane] == 0) continue;
            Digest& digest = digests[reading[lane].number];
            for (std::size_t place = 0; place < digest_size; ++place) digest[place] = static_cast<unsigned char>(state[place / 8][lane] >> 8 * (place % 8));
            --busy;
            take(lane);
        }
    }
}

}  // namespace

std::vector<Digest> blake2b(std::span<const std::string_view> messages) {
    std::vector<Digest> digests(messages.size());
#ifdef CHUNKER_LANES
    // For half as many messages as lanes it takes as long as with half the lanes.
    if (messages.size() > 4 && __builtin_cpu_supports("avx512f")) {
        read_all<8>(messages, digests, compress_eight);
        return digests;
    }
    if (messages.size() > 2 && __builtin_cpu_supports("avx2")) {
        read_all<4>(messages, digests, compress_four);
        return digests;
    }
#endif
    read_all<1>(messages, digests, compress_one);
    return digests;
}

std::string hexadecimal(const Digest& digest) {
    constexpr std::string_view digits = "0123456789abcdef";
    std::string result(2 * digest.size(), '0');
    for (std::size_t byte = 0; byte < digest.size(); ++byte) {
        result[2 * byte] = digits[digest[byte] >> 4];
        result[2 * byte + 1] = digits[digest[byte] & 15];
    }
    return result;
}

}  // namespace chunker
