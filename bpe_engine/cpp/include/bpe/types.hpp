// The types that all other headers use.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>

namespace bpe {

using Byte = unsigned char;

// The place of a token in merge order, counted from 0. The lowest rank merges first. Ids that users see may have gaps;
// inside, ranks have none.
using Rank = std::uint32_t;
inline constexpr Rank no_rank = 0xFFFFFFFF;

// A span of bytes with another owner.
struct Bytes {
    const Byte* data = nullptr;
    std::size_t size = 0;

    const Byte* begin() const { return data; }
    const Byte* end() const { return data + size; }
    Byte operator[](std::size_t place) const { return data[place]; }
    Bytes part(std::size_t start, std::size_t stop) const { return {data + start, stop - start}; }
    bool operator==(const Bytes& other) const { return size == other.size && (size == 0 || std::memcmp(data, other.data, size) == 0); }
};

// A byte of a text is not part of any token of the vocabulary.
class EncodingError : public std::runtime_error {
public:
    EncodingError(Byte byte, std::size_t offset) : std::runtime_error("byte in no token"), byte(byte), offset(offset) {}
    Byte byte;
    std::size_t offset;  // in the pre-token, in bytes
};

// A word or character is not part of any token, and the vocabulary has no unknown token.
class NoUnknownTokenError : public EncodingError {
public:
    using EncodingError::EncodingError;
};

// A character of a text is no token, and no other token represents it.
class UnknownCharacter : public EncodingError {
public:
    UnknownCharacter(char32_t code, Byte byte, std::size_t offset, std::size_t index) : EncodingError(byte, offset), code(code), index(index) {}
    char32_t code;
    std::size_t index;  // in the pre-token, in characters
};

// The tokens are not a valid vocabulary for byte-pair encoding.
class VocabularyError : public std::runtime_error {
public:
    enum class Kind { later_half, missing_byte, damaged };
    VocabularyError(Kind kind, Rank token, std::string half) : std::runtime_error("vocabulary not usable"), kind(kind), token(token), half(std::move(half)) {}
    Kind kind;
    Rank token;
    std::string half;  // the bytes of the half that is missing or comes later
};

// Spreads the bits of a key over all 64 (the finalizer of MurmurHash3, by Austin Appleby).
inline std::uint64_t mixed(std::uint64_t key) {
    key ^= key >> 33;
    key *= 0xFF51AFD7ED558CCDull;
    key ^= key >> 33;
    key *= 0xC4CEB9FE1A85EC53ull;
    key ^= key >> 33;
    return key;
}

// Marks a function that is called rarely: it stays out of the loops of its callers.
#if defined(__GNUC__) || defined(__clang__)
#define BPE_RARELY_CALLED __attribute__((noinline, cold))
#else
#define BPE_RARELY_CALLED
#endif

// Prefetches the cache line at `address`.
inline void prefetch([[maybe_unused]] const void* address) {
#if defined(__GNUC__) || defined(__clang__)
    __builtin_prefetch(address);
#endif
}

}  // namespace bpe
