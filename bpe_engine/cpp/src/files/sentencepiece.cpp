#include <cmath>
#include <cstring>

#include "bpe/files/tokenizer_files.hpp"
#include "bpe/unicode.hpp"

namespace bpe::files {

namespace {

constexpr std::uint64_t length_field = 2, number_field = 0, four_bytes_field = 5;

// The wire format of protocol buffers: see bpe_engine/formats/protobuf.py.
class Message {
public:
    explicit Message(Bytes data) : data_(data) {}

    bool is_over() const { return place_ == data_.size; }
    std::size_t place() const { return place_; }

    std::uint64_t number() {
        std::uint64_t value = 0;
        for (unsigned shift = 0; shift < 63; shift += 7) {
            if (is_over()) throw Unreadable{};
            Byte const byte = data_[place_++];
            value |= std::uint64_t{byte & 0x7Fu} << shift;
            if (byte < 0x80) return value;
        }
        throw Unreadable{};
    }

    Bytes bytes(std::uint64_t size) {
        if (size > data_.size - place_) throw Unreadable{};
        std::size_t const start = place_;
        place_ += static_cast<std::size_t>(size);
        return data_.part(start, place_);
    }

private:
    Bytes data_;
    std::size_t place_ = 0;
};

// The text, the score and the kind of a piece, in this order.
void read_piece(Bytes data, PieceFile& file) {
    Message piece(data);
    if (piece.number() != (1 << 3 | length_field)) throw Unreadable{};
    Bytes const text = piece.bytes(piece.number());
    if (text.size == 0 || !is_utf8(text)) throw Unreadable{};
    float score = 0;
    std::uint64_t kind = 1;
    bool has_score = false, has_kind = false;
    while (!piece.is_over()) {
        std::uint64_t const tag = piece.number();
        if (tag == (2 << 3 | four_bytes_field) && !has_score && !has_kind) {
            std::memcpy(&score, piece.bytes(4).data, 4);
            if (!std::isfinite(score)) throw Unreadable{};
            has_score = true;
        } else if (tag == (3 << 3 | number_field) && !has_kind) {
            kind = piece.number();
            has_kind = true;
        } else {
            throw Unreadable{};
        }
    }
    file.texts.insert(file.texts.end(), text.begin(), text.end());
    file.ends.push_back(file.texts.size());
    file.scores.push_back(score);
    file.kinds.push_back(kind);
}

}  // namespace

bool PieceFile::are_distinct() const {
    TokenList known;
    for (std::size_t number = 0; number < size(); ++number)
        if (!known.add(text(number), 0)) throw Unreadable{};
    return known.index();
}

PieceFile read_sentencepiece(Bytes data) {
    PieceFile file;
    Message model(data);
    while (!model.is_over()) {
        std::size_t const start = model.place();
        std::uint64_t const tag = model.number();
        if ((tag & 7) != length_field) throw Unreadable{};
        Bytes const value = model.bytes(model.number());
        if (tag == (1 << 3 | length_field)) read_piece(value, file);
        else file.rest.insert(file.rest.end(), data.data + start, data.data + model.place());
    }
    if (file.ends.empty()) throw Unreadable{};
    return file;
}

std::vector<std::uint32_t> made_of_two(const std::vector<Bytes>& tokens) {
    TokenList known;
    for (Bytes const token : tokens)
        if (token.size > 0 && !known.add(token, 0)) throw Unreadable{};
    (void)known.index();
    std::vector<std::uint32_t> made;
    for (std::uint32_t number = 0; number < tokens.size(); ++number) {
        Bytes const token = tokens[number];
        for (std::size_t cut = 1; cut < token.size; ++cut) {
            if (UnicodeTable::continues(token[cut])) continue;
            if (known.find(token.part(0, cut)) == TokenList::none || known.find(token.part(cut, token.size)) == TokenList::none) continue;
            made.push_back(number);
            break;
        }
    }
    return made;
}

}  // namespace bpe::files
