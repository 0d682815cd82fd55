// Interface of all models: one pre-token -> token ids.
#pragma once

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <vector>

#include "bpe/types.hpp"

namespace bpe {

// The side on which a piece grows.
enum class Side : std::uint8_t { right, left };

class GrowingPiece;

// A part added at the growing side of a piece: a text of whole characters, or the table of one, a piece that `another` has made.
struct AddedPart {
    Bytes text;
    GrowingPiece* table = nullptr;
};

// A piece that grows to one side and is cut back there. Belongs to one thread; its model outlives it.
class GrowingPiece {
public:
    virtual ~GrowingPiece() = default;

    // Adds bytes at the growing side. Throws EncodingError, and adds nothing, if the model has no token for them whatever follows (offset in the piece).
    virtual void extend(Bytes more) = 0;
    // Cuts back to `size` bytes at the fixed side, in O(1).
    virtual void truncate(std::size_t size) = 0;
    virtual std::size_t size() const = 0;  // bytes
    // The number of tokens of all bytes, as if the piece ended (or started) at the growing side. Throws EncodingError if the model has no tokens for it.
    virtual std::size_t count() = 0;
    // A lower bound for the count of this piece and of every continuation.
    virtual std::size_t fewest() = 0;
    // Of a piece that grows to the right: appends the ids that `count` counts, from the first on that may have changed since `read` was called last, and
    // returns how many are before that.
    virtual std::size_t read(std::vector<std::uint32_t>&) { throw std::logic_error("no ids of a piece that grows to the left"); }
    // The next `read` reads all.
    virtual void forget_read() {}
    // The number of tokens of this piece with `parts` added. A table takes far less time than its text.
    virtual std::size_t count_with(const std::vector<AddedPart>& parts);
    // An empty piece of the same kind, as a table of a part; null where such tables are no help.
    virtual std::unique_ptr<GrowingPiece> another() const { return nullptr; }
};

// Immutable, and shared by threads.
class PieceModel {
public:
    virtual ~PieceModel() = default;

    // Appends the ids of `piece` to `ids`, and to `lengths`, unless it is null, the number of bytes that each covers; these add up to the size of
    // the piece. Any bytes are valid: a byte that is not UTF-8 is one character.
    // Throws EncodingError, and may have appended something, if the model has no token for the piece and no unknown token.
    virtual void encode(Bytes piece, std::vector<std::uint32_t>& ids, std::vector<std::uint32_t>* lengths) const = 0;

    // The number of ids that `encode` appends.
    virtual std::size_t count(Bytes piece) const;

    // The largest number of bytes that one token covers; 0 if unknown.
    virtual std::size_t most_bytes() const { return 0; }

    // By how many tokens the count may fall when a piece grows and becomes unknown: "unaffabl" may have five tokens, and "unaffably" one, the unknown token.
    virtual std::size_t most_fall() const { return 0; }

    // An empty piece that grows; null if pieces are so short that encoding them again is as fast.
    virtual std::unique_ptr<GrowingPiece> growing(Side) const { return nullptr; }
};

}  // namespace bpe
