// The masks of 64 bytes: every implementation that runs here says of each byte what it is.
#include "byte_masks.hpp"

#include "choices.hpp"

using namespace bpe;
using namespace bpe::test;

namespace {

void try_block(const Byte* block) {
    for (NamedByteMasks const& implementation : byte_masks_here()) {
        ByteMasks masks;
        std::memset(&masks, 0xAA, sizeof masks);  // what was there does not stay
        implementation.masks(block, masks);
        for (int index = 0; index < 64; ++index) {
            Byte const byte = block[index];
            auto const is = [&](std::uint64_t mask) -> bool { return mask >> index & 1; };
            bool const newline = byte == '\n' || byte == '\r', space = newline || byte == ' ' || byte == '\t' || byte == '\v' || byte == '\f';
            bool const same = is(masks.upper) == (byte >= 'A' && byte <= 'Z') && is(masks.lower) == (byte >= 'a' && byte <= 'z') &&
                              is(masks.digit) == (byte >= '0' && byte <= '9') && is(masks.space) == space && is(masks.newline) == newline &&
                              is(masks.blank) == (byte == ' ') && is(masks.apostrophe) == (byte == '\'') && is(masks.slash) == (byte == '/') &&
                              is(masks.high) == (byte > 127) && is(masks.continuation) == (byte > 127 && byte < 192) && is(masks.wide) == (byte >= 0xE3);
            if (same) continue;
            std::fprintf(stderr, "%s: byte %02x at %d\n", implementation.name, byte, index);
            stop();
        }
    }
}

}  // namespace

int main(int count, char** arguments) {
    CHECK(!byte_masks_here().empty());
    CHECK(byte_masks_here().front().masks == byte_masks_for_this_processor());
    for (NamedByteMasks const& implementation : byte_masks_here()) std::printf("%s\n", implementation.name);
    Byte block[64 + 64];
    // Each value at each place.
    for (int value = 0; value < 256; ++value) {
        for (int index = 0; index < 64; ++index) block[index] = static_cast<Byte>(value + index);
        try_block(block);
    }
    repeat(count, arguments, 500, [&](Choices& choices) {
        for (Byte& byte : block) byte = static_cast<Byte>(choices.below(256));
        try_block(block + choices.below(64));  // at any alignment
    });
    return 0;
}
