#include "chunker/chunk_columns.hpp"

#include "chunker/blake2b.hpp"
#include "chunker/span_meter.hpp"

namespace chunker {

void ChunkColumns::add(std::string_view whole, const std::vector<Piece>& pieces, std::string_view identity) {
    SpanMeter meter(reinterpret_cast<const unsigned char*>(whole.data()), whole.size());
    std::int64_t number = 0;
    for (const Piece& piece : pieces) {
        SpanMeter::Span const span = meter.span(piece.start, piece.end);
        std::string_view const part = whole.substr(span.start.byte, span.end.byte - span.start.byte);
        if (context.data.empty() && !piece.context.empty()) text = body;
        if (!context.data.empty() || !piece.context.empty()) text.put(piece.context, part);
        body.put(part);
        context.put(piece.context);
        kind.put(piece.kind);
        tokens.push_back(static_cast<std::int32_t>(piece.tokens));
        start.push_back(static_cast<std::int64_t>(piece.start));
        end.push_back(static_cast<std::int64_t>(piece.end));
        start_byte.push_back(static_cast<std::int64_t>(span.start.byte));
        end_byte.push_back(static_cast<std::int64_t>(span.end.byte));
        start_line.push_back(static_cast<std::int64_t>(span.start.breaks) + 1);
        end_line.push_back(static_cast<std::int64_t>(span.last_line) + 1);
        index.push_back(number++);
        char offset[8];
        for (int byte = 0; byte < 8; ++byte) offset[byte] = static_cast<char>(static_cast<unsigned char>(piece.start >> 8 * byte));
        place.put(identity, {offset, sizeof offset});
    }
}

void ChunkColumns::hash() {
    std::vector<std::string_view> messages;
    std::size_t const done = content_hash.ends.size() - 1;
    for (std::size_t row = done; row < size(); ++row) messages.push_back(texts()[row]);
    std::vector<Digest> const digests = blake2b(messages);
    StringColumn names;
    for (std::size_t row = done; row < size(); ++row) {
        Digest const& digest = digests[row - done];
        content_hash.put(hexadecimal(digest));
        names.put(place[row], {reinterpret_cast<const char*>(digest.data()), digest.size()});
    }
    for (std::size_t row = 0; row < messages.size(); ++row) messages[row] = names[row];
    for (Digest const& digest : blake2b(messages)) id.put(hexadecimal(digest));
}

}  // namespace chunker
