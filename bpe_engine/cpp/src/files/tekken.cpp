#include <cstring>

#include "base64.hpp"
#include "bpe/files/tokenizer_files.hpp"

namespace bpe::files {

namespace {

bool is(Bytes text, const char* name) { return text.size == std::strlen(name) && std::memcmp(text.data, name, text.size) == 0; }

// {"rank": 0, "token_bytes": "AA==", "token_str": "\u0000"}, in any order.
void read_entry(JsonCursor& cursor, TokenList& tokens, std::vector<Byte>& token) {
    bool has_rank = false, has_bytes = false, has_text = false;
    cursor.expect('{');
    do {
        Bytes const name = cursor.string();
        bool const is_rank = is(name, "rank"), is_bytes = is(name, "token_bytes"), is_text = is(name, "token_str");
        cursor.expect(':');
        if (is_rank && !has_rank) {
            has_rank = true;
            if (cursor.whole_number(0xFFFFFFFE) != tokens.size()) throw Unreadable{};
        } else if (is_bytes && !has_bytes) {
            has_bytes = true;
            if (!decode_base64(cursor.string(), token) || token.empty()) throw Unreadable{};
        } else if (is_text && !has_text) {
            has_text = true;
            if (!cursor.take_null()) (void)cursor.string();
        } else {
            throw Unreadable{};
        }
    } while (cursor.another('}'));
    if (!has_rank || !has_bytes || !tokens.add({token.data(), token.size()}, static_cast<std::uint32_t>(tokens.size()))) throw Unreadable{};
}

}  // namespace

TekkenFile read_tekken(Bytes data) {
    JsonCursor cursor(data);
    TekkenFile file;
    std::size_t start = 0, end = 0;
    std::vector<Byte> token;
    cursor.expect('{');
    if (cursor.take('}')) throw Unreadable{};
    do {
        bool const is_vocabulary = is(cursor.string(), "vocab") && end == 0;
        cursor.expect(':');
        if (is_vocabulary && cursor.next() == '[') {
            cursor.expect('[');
            start = cursor.place();
            if (cursor.next() == ']') throw Unreadable{};
            do read_entry(cursor, file.tokens, token);
            while (cursor.another(']'));
            end = cursor.place() - 1;
        } else {
            cursor.skip();
        }
    } while (cursor.another('}'));
    if (end == 0 || !file.tokens.index()) throw Unreadable{};
    file.rest.assign(data.data, data.data + start);
    file.rest.insert(file.rest.end(), data.data + end, data.data + data.size);
    return file;
}

TokenList read_tiktoken(Bytes data) {
    TokenList tokens;
    std::vector<Byte> token;
    std::size_t place = 0;
    while (place < data.size) {
        if (data[place] == '\n' || data[place] == '\r') {
            ++place;
            continue;
        }
        std::size_t const start = place;
        while (place < data.size && (base64_values[data[place]] >= 0 || data[place] == '=')) ++place;
        Bytes const digits = data.part(start, place);
        // The empty token is written as "=".
        if (digits.size == 1 && digits[0] == '=') token.clear();
        else if (digits.size == 0 || !decode_base64(digits, token)) throw Unreadable{};
        if (place >= data.size || data[place++] != ' ') throw Unreadable{};
        std::uint64_t id = 0;
        std::size_t const first = place;
        while (place < data.size && data[place] >= '0' && data[place] <= '9' && place - first < 11) id = id * 10 + (data[place++] - std::uint64_t{'0'});
        if (place == first || id > 0xFFFFFFFE || (place < data.size && data[place] != '\n' && data[place] != '\r')) throw Unreadable{};
        if (!tokens.add({token.data(), token.size()}, static_cast<std::uint32_t>(id))) throw Unreadable{};
    }
    if (tokens.size() == 0 || !tokens.index() || !tokens.has_distinct_ids()) throw Unreadable{};
    return tokens;
}

}  // namespace bpe::files
