#include "chunker/chunk_columns.hpp"

#include "chunker/blake2b.hpp"
#include "chunker/span_meter.hpp"

namespace chunker {

void ChunkColumns::add(std::string_view whole, const std::vector<Piece>& pieces, std::string_view identity) {
    SpanMeter meter(reinterpret_cast<const unsigned char*>(whole.data()), whole.size());
    Blake2b source;
    source.update(identity);
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
        Blake2b content, name = source;
        content.update(piece.context);
        content.update(part);
        Blake2b::Digest const digest = content.digest();
        char place[8];
        for (int byte = 0; byte < 8; ++byte) place[byte] = static_cast<char>(static_cast<unsigned char>(piece.start >> 8 * byte));
        name.update({place, sizeof place});
        name.update({reinterpret_cast<const char*>(digest.data()), digest.size()});
        id.put(hexadecimal(name.digest()));
        content_hash.put(hexadecimal(digest));
    }
}

}  // namespace chunker
