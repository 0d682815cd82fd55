#include "chunker/blake2b.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

namespace chunker {

namespace {

constexpr std::size_t digest_size = 16;
constexpr std::array<std::uint64_t, 8> start = {0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b, 0xa54ff53a5f1d36f1,
                                                0x510e527fade682d1, 0x9b05688c2b3e6c1f, 0x1f83d9abfb41bd6b, 0x5be0cd19137e2179};
constexpr std::size_t rounds = 12;
// The order in which a round takes the words of a block; the eleventh round is like the first.
constexpr unsigned char order[10][16] = {{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}, {14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3},
                                         {11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4}, {7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8},
                                         {9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13}, {2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9},
                                         {12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11}, {13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10},
                                         {6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5}, {10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0}};

std::uint64_t word(const unsigned char* bytes) {
    std::uint64_t value = 0;
    if constexpr (std::endian::native == std::endian::little) std::memcpy(&value, bytes, sizeof value);
    else
        for (int place = 7; place >= 0; --place) value = value << 8 | bytes[place];
    return value;
}

inline void mix(std::uint64_t& a, std::uint64_t& b, std::uint64_t& c, std::uint64_t& d, std::uint64_t x, std::uint64_t y) {
    a += b + x;
    d = std::rotr(d ^ a, 32);
    c += d;
    b = std::rotr(b ^ c, 24);
    a += b + y;
    d = std::rotr(d ^ a, 16);
    c += d;
    b = std::rotr(b ^ c, 63);
}

// The number of the round is known when this is compiled: so all stays in registers.
template <std::size_t round>
inline void mix_all(std::uint64_t* v, const std::uint64_t* words) {
    constexpr auto& at = order[round % 10];
    mix(v[0], v[4], v[8], v[12], words[at[0]], words[at[1]]);
    mix(v[1], v[5], v[9], v[13], words[at[2]], words[at[3]]);
    mix(v[2], v[6], v[10], v[14], words[at[4]], words[at[5]]);
    mix(v[3], v[7], v[11], v[15], words[at[6]], words[at[7]]);
    mix(v[0], v[5], v[10], v[15], words[at[8]], words[at[9]]);
    mix(v[1], v[6], v[11], v[12], words[at[10]], words[at[11]]);
    mix(v[2], v[7], v[8], v[13], words[at[12]], words[at[13]]);
    mix(v[3], v[4], v[9], v[14], words[at[14]], words[at[15]]);
}

template <std::size_t... round>
inline void mix_rounds(std::uint64_t* v, const std::uint64_t* words, std::index_sequence<round...>) {
    (mix_all<round>(v, words), ...);
}

}  // namespace

Blake2b::Blake2b() : state_(start) { state_[0] ^= 0x01010000 ^ digest_size; }

void Blake2b::update(std::string_view bytes) {
    while (!bytes.empty()) {
        // The last block is another one: a full one waits until something follows it.
        if (size_ == block_size) {
            compress(waiting_.data(), false);
            size_ = 0;
        }
        while (size_ == 0 && bytes.size() > block_size) {
            compress(reinterpret_cast<const unsigned char*>(bytes.data()), false);
            bytes.remove_prefix(block_size);
        }
        std::size_t const taken = std::min(bytes.size(), block_size - size_);
        std::memcpy(waiting_.data() + size_, bytes.data(), taken);
        size_ += taken;
        bytes.remove_prefix(taken);
    }
}

Blake2b::Digest Blake2b::digest() {
    std::size_t const last = size_;
    std::fill(waiting_.begin() + static_cast<std::ptrdiff_t>(size_), waiting_.end(), static_cast<unsigned char>(0));
    counted_ += last;
    counted_ -= block_size;  // `compress` adds it
    compress(waiting_.data(), true);
    Digest result;
    for (std::size_t place = 0; place < digest_size; ++place) result[place] = static_cast<unsigned char>(state_[place / 8] >> 8 * (place % 8));
    return result;
}

std::string hexadecimal(const Blake2b::Digest& digest) {
    constexpr std::string_view digits = "0123456789abcdef";
    std::string result;
    for (unsigned char const byte : digest) {
        result += digits[byte >> 4];
        result += digits[byte & 15];
    }
    return result;
}

void Blake2b::compress(const unsigned char* block, bool last) {
    counted_ += block_size;
    std::array<std::uint64_t, 16> words;
    for (std::size_t place = 0; place < 16; ++place) words[place] = word(block + 8 * place);
    std::array<std::uint64_t, 16> v;
    std::copy(state_.begin(), state_.end(), v.begin());
    std::copy(start.begin(), start.end(), v.begin() + 8);
    v[12] ^= counted_;
    if (last) v[14] = ~v[14];
    mix_rounds(v.data(), words.data(), std::make_index_sequence<rounds>());
    for (std::size_t place = 0; place < 8; ++place) state_[place] ^= v[place] ^ v[place + 8];
}

}  // namespace chunker
