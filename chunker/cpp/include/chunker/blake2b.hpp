// BLAKE2b (RFC 7693) without a key, of sixteen bytes: what hashlib.blake2b(..., digest_size=16) says.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace chunker {

class Blake2b {
public:
    using Digest = std::array<unsigned char, 16>;

    Blake2b();

    void update(std::string_view bytes);

    // Nothing more may be added then.
    Digest digest();

private:
    static constexpr std::size_t block_size = 128;

    void compress(const unsigned char* block, bool last);

    std::array<std::uint64_t, 8> state_;
    std::uint64_t counted_ = 0;  // bytes that have been compressed; texts are shorter than 2^64
    std::array<unsigned char, block_size> waiting_{};
    std::size_t size_ = 0;  // of what waits
};

// Two digits for each byte.
std::string hexadecimal(const Blake2b::Digest& digest);

}  // namespace chunker
