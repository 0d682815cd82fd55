// Chunks as lines of JSON.
#include <bit>
#include <charconv>
#include <cstdint>
#include <cstring>

#include "chunker/chunk_columns.hpp"

namespace chunker {

namespace {

class JsonWriter {
public:
    // `before` is JSON, or a part of it.
    JsonWriter& put(std::string_view before) {
        json_.append(before);
        return *this;
    }

    JsonWriter& number(std::int64_t value) {
        char digits[20];
        json_.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
        return *this;
    }

    // As json.dumps writes it with ensure_ascii=False.
    JsonWriter& string(std::string_view text) {
        json_ += '"';
        std::size_t done = 0;
        auto const escape_at = [&](std::size_t at) {
            json_.append(text, done, at - done);
            escape(static_cast<unsigned char>(text[at]));
            done = at + 1;
        };
        std::size_t at = 0;
        for (; at + sizeof(std::uint64_t) <= text.size(); at += sizeof(std::uint64_t))
            for (std::uint64_t found = escaped(word(text.data() + at)); found; found &= found - 1)
                escape_at(at + static_cast<std::size_t>(std::countr_zero(found)) / 8);
        for (; at < text.size(); ++at)
            if (is_escaped(static_cast<unsigned char>(text[at]))) escape_at(at);
        json_.append(text, done);
        json_ += '"';
        return *this;
    }

    std::string take() { return std::move(json_); }

private:
    static constexpr std::uint64_t ones = 0x0101010101010101, high = 0x80 * ones;

    static bool is_escaped(unsigned char byte) { return byte < 0x20 || byte == '"' || byte == '\\'; }
    // The high bit of each byte that is zero.
    static std::uint64_t zeros(std::uint64_t bytes) { return ~(((bytes & ~high) + ~high) | bytes) & high; }
    // The high bit of each byte that is escaped, the first byte lowest: the core runs on little-endian machines alone (bpe/piece_cache.hpp).
    static std::uint64_t escaped(std::uint64_t bytes) { return zeros(bytes & 0xE0 * ones) | zeros(bytes ^ '"' * ones) | zeros(bytes ^ '\\' * ones); }
    static std::uint64_t word(const char* bytes) {
        std::uint64_t value = 0;
        std::memcpy(&value, bytes, sizeof value);
        return value;
    }

    void escape(unsigned char byte) {
        constexpr std::string_view digits = "0123456789abcdef";
        json_ += '\\';
        switch (byte) {
        case '\b': json_ += 'b'; break;
        case '\t': json_ += 't'; break;
        case '\n': json_ += 'n'; break;
        case '\f': json_ += 'f'; break;
        case '\r': json_ += 'r'; break;
        case '"':
        case '\\': json_ += static_cast<char>(byte); break;
        default: json_.append("u00").append({digits[byte >> 4], digits[byte & 15]});
        }
    }

    std::string json_;
};

}  // namespace

std::string json_lines(const ChunkColumns& columns, const std::vector<Breadcrumb>& breadcrumbs, std::string_view source, std::string_view rest) {
    JsonWriter json;
    for (std::size_t row = 0; row < columns.size(); ++row) {
        std::string_view const context = columns.context[row];
        json.put("{\"id\":").string(columns.id[row]).put(",\"content_hash\":").string(columns.content_hash[row]);
        json.put(",\"source\":").string(source).put(",\"index\":").number(columns.index[row]);
        json.put(",\"text\":").string(columns.texts()[row]);
        if (!context.empty()) json.put(",\"body\":").string(columns.body[row]);
        json.put(",\"context\":").string(context).put(",\"breadcrumb\":[");
        std::string_view before;
        for (std::string_view const name : breadcrumbs[row]) {
            json.put(before).string(name);
            before = ",";
        }
        json.put("],\"token_count\":").number(columns.tokens[row]);
        json.put(",\"span\":{\"start\":").number(columns.start[row]).put(",\"end\":").number(columns.end[row]);
        json.put(",\"start_byte\":").number(columns.start_byte[row]).put(",\"end_byte\":").number(columns.end_byte[row]);
        json.put(",\"start_line\":").number(columns.start_line[row]).put(",\"end_line\":").number(columns.end_line[row]);
        json.put("},\"kind\":").string(columns.kind[row]).put(",").put(rest).put("\n");
    }
    return json.take();
}

}  // namespace chunker
