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
    Blake2b();

    void update(std::string_view bytes);

    // The digest in 32 hexadecimal digits. Nothing more may be added then.
    std::string hex();

private:
    static constexpr std::size_t block_size = 128;

    void compress(const unsigned char* block, bool last);

    std::array<std::uint64_t, 8> state_;
    std::uint64_t counted_ = 0;  // bytes that have been compressed; texts are shorter than 2^64
    std::array<unsigned char, block_size> waiting_{};
    std::size_t size_ = 0;  // of what waits
};

}  // namespace chunker
