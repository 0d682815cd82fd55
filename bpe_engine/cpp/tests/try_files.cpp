#include "try_files.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <optional>

#include "bpe/files/tokenizer_files.hpp"

namespace bpe::test {

namespace {

using namespace files;

std::string text_of(Bytes bytes) { return {reinterpret_cast<const char*>(bytes.data), bytes.size}; }

template <class Read>
auto read_by(Read&& read, const std::string& data) -> std::optional<decltype(read(Bytes{}))> {
    try {
        return read(view(data));
    } catch (const Unreadable&) {
        return std::nullopt;
    }
}

// Each token is found where it stands first.
void check_tokens(const TokenList& tokens) {
    CHECK(tokens.size() > 0);
    for (std::uint32_t number = 0; number < tokens.size(); ++number) {
        std::uint32_t const found = tokens.find(tokens.text(number));
        CHECK(found <= number && tokens.text(found) == tokens.text(number));
    }
    std::vector<std::uint32_t> const order = tokens.by_id();
    CHECK(order.size() == tokens.size());
    for (std::size_t place = 1; place < order.size(); ++place) CHECK(tokens.id(order[place - 1]) <= tokens.id(order[place]));
}

void check_tables(const VocabularyFile& file, const std::vector<Bytes>& left_out, bool as_bytes, const std::vector<std::int16_t>& byte_of) {
    try {
        TokenTables const tables(file, left_out, as_bytes, byte_of);
        CHECK(tables.size() > 0 && tables.size() + tables.texts_only().size() <= file.tokens->size());
        CHECK(tables.merges().size() == file.merges.size());
        CHECK(tables.ranks().empty() && tables.scores().size() == (file.scores.empty() ? 0 : tables.size()));
        for (std::size_t place = 0; place < tables.size(); ++place) {
            CHECK(tables.has_id(tables.id(place)) && tables.text(place).size > 0);
            CHECK(place == 0 || tables.id(place - 1) < tables.id(place));
        }
        for (auto const& [left, right] : tables.merges()) CHECK(tables.has_id(left) && tables.has_id(right));
        for (auto const& [id, text] : tables.texts_only()) CHECK(!tables.has_id(id) && file.tokens->find({text.data(), text.size()}) != TokenList::none);
    } catch (const Unreadable&) {
        // A merge of what is left out, or nothing left.
        CHECK(!file.merges.empty() || as_bytes || !left_out.empty());
    }
}

void check_tokenizer_json(const VocabularyFile& file) {
    check_tokens(*file.tokens);
    CHECK(file.tokens->has_distinct_ids() && file.merged.size() == (file.has_merges ? file.tokens->size() : 0));
    CHECK(file.scores.empty() || file.scores.size() == file.tokens->size());
    for (double const score : file.scores) CHECK(std::isfinite(score));
    for (auto const& [left, right] : file.merges) {
        CHECK(left < file.tokens->size() && right < file.tokens->size());
        CHECK(file.merged[left] && file.merged[right]);
        if (!file.prefix.empty()) continue;
        std::string const whole = text_of(file.tokens->text(left)) + text_of(file.tokens->text(right));
        std::uint32_t const made = file.tokens->find(view(whole));
        CHECK(made != TokenList::none && file.merged[made]);
    }
    std::vector<std::int16_t> byte_of(256, -1);
    std::iota(byte_of.begin() + 'a', byte_of.begin() + 'z', std::int16_t{0});
    for (bool const as_bytes : {false, true}) {
        check_tables(file, {}, as_bytes, byte_of);
        check_tables(file, {file.tokens->text(0)}, as_bytes, byte_of);
    }
}

void check_pieces(const PieceFile& file) {
    CHECK(!file.ends.empty() && file.ends.size() == file.scores.size() && file.ends.size() == file.kinds.size());
    CHECK(std::adjacent_find(file.ends.begin(), file.ends.end(), std::greater_equal<>()) == file.ends.end());
    CHECK(file.ends.back() == file.texts.size() && is_utf8({file.texts.data(), file.texts.size()}));
    for (float const score : file.scores) CHECK(!std::isnan(score));
    std::vector<Bytes> tokens;
    std::size_t start = 0;
    for (std::size_t const end : file.ends) {
        tokens.push_back({file.texts.data() + start, end - start});
        start = end;
    }
    for (std::uint32_t const number : made_of_two(tokens)) CHECK(number < tokens.size() && tokens[number].size > 1);
    (void)file.are_distinct();
    for (bool const ranked : {false, true}) {
        try {
            TokenTables const tables(file, {PieceFile::normal, 4}, ranked);
            CHECK(tables.size() > 0 && tables.size() + tables.texts_only().size() == file.size());
            CHECK((ranked ? tables.ranks().size() : tables.scores().size()) == tables.size());
            for (std::size_t place = 0; place < tables.size(); ++place) CHECK(tables.text(place) == file.text(tables.id(place)));
        } catch (const Unreadable&) {
            CHECK(std::none_of(file.kinds.begin(), file.kinds.end(), [](std::uint64_t kind) { return kind == PieceFile::normal || kind == 4; }));
        }
    }
    // The rest has no pieces, so it is not a model by itself.
    CHECK(!read_by(read_sentencepiece, std::string(file.rest.begin(), file.rest.end())));
}

std::string quoted(const std::string& text) {
    std::string made = "\"";
    for (char const character : text) {
        if (character == '"' || character == '\\') made += '\\';
        made += character;
    }
    return made + "\"";
}

// Some tokens, each of one letter or of two earlier ones; the pairs that they are made of.
struct Made {
    std::vector<std::string> tokens{"a", "b", "\xC3\xA9", " "};
    std::vector<std::pair<std::string, std::string>> merges;
};

Made some_tokens(Choices& choices) {
    Made made;
    for (std::size_t left = choices.below(12); left > 0; --left) {
        std::string const first = choices.of(made.tokens), second = choices.of(made.tokens), whole = first + second;
        if (whole.size() > 12 || std::find(made.tokens.begin(), made.tokens.end(), whole) != made.tokens.end()) continue;
        made.tokens.push_back(whole);
        made.merges.emplace_back(first, second);
    }
    return made;
}

std::string tokenizer_json(Choices& choices) {
    Made const made = some_tokens(choices);
    std::string vocabulary, merges;
    for (std::size_t id = 0; id < made.tokens.size(); ++id) vocabulary += (id ? "," : "") + quoted(made.tokens[id]) + ":" + std::to_string(id);
    for (auto const& [left, right] : made.merges) {
        bool const as_list = choices.one_in(2) || (left + right).find(' ') != std::string::npos;
        merges += (merges.empty() ? "" : ", ") + (as_list ? "[" + quoted(left) + "," + quoted(right) + "]" : quoted(left + " " + right));
    }
    std::string const first = "\"vocab\":{" + vocabulary + "}", second = "\"merges\" : [" + merges + "]";
    std::string const model = choices.one_in(2) ? first + "," + second : second + ",\n" + first;
    return "{\"added_tokens\":[{\"id\":1,\"content\":\"\\u00e9\\ud83d\\ude00\"}],\"model\":{\"type\":\"BPE\"," + model + ",\"x\":null}}";
}

// Of WordPiece, or of Unigram, whose tokens have scores.
std::string piece_model_json(Choices& choices) {
    std::vector<std::string> const tokens = some_tokens(choices).tokens;
    bool const is_scored = choices.one_in(2);
    static const std::vector<std::string> scores{"0", "-1", "-2.5", "-0.125e1", "1E-3", "-12.345678901234567"};
    std::string vocabulary;
    for (std::size_t id = 0; id < tokens.size(); ++id)
        vocabulary +=
            (id ? "," : "") + (is_scored ? "[" + quoted(tokens[id]) + ", " + choices.of(scores) + "]" : quoted(tokens[id]) + ":" + std::to_string(id));
    return "{\"model\":{\"type\":\"" + std::string(is_scored ? "Unigram" : "WordPiece") + "\",\"vocab\":" + (is_scored ? "[" : "{") + vocabulary +
           (is_scored ? "]" : "}") + "}}";
}

std::string base64(const std::string& text) {
    static constexpr const char* digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string made;
    for (std::size_t place = 0; place < text.size(); place += 3) {
        std::uint32_t bits = 0;
        for (std::size_t part = 0; part < 3; ++part) bits = bits << 8 | (place + part < text.size() ? static_cast<Byte>(text[place + part]) : 0u);
        for (std::size_t part = 0; part < 4; ++part) made += place + part > text.size() ? '=' : digits[bits >> (18 - 6 * part) & 63];
    }
    return made;
}

std::string tekken_json(Choices& choices) {
    std::string entries;
    std::vector<std::string> const tokens = some_tokens(choices).tokens;
    for (std::size_t rank = 0; rank < tokens.size(); ++rank)
        entries += (rank ? "," : "") + ("{\"rank\":" + std::to_string(rank)) + ",\"token_bytes\":" + quoted(base64(tokens[rank])) + ",\"token_str\":null}";
    return "{\"config\":{\"pattern\":\"a\"},\"vocab\":[" + entries + "],\"special_tokens\":[]}";
}

std::string tiktoken_file(Choices& choices) {
    std::string made;
    std::size_t id = 0;
    for (std::string const& token : some_tokens(choices).tokens) made += base64(token) + " " + std::to_string(id++) + (choices.one_in(5) ? "\r\n" : "\n");
    return made;
}

std::string field(unsigned number, const std::string& value) {
    return static_cast<char>(number << 3 | 2) + std::string(1, static_cast<char>(value.size())) + value;
}

std::string sentencepiece_model(Choices& choices) {
    std::string made;
    for (std::string const& token : some_tokens(choices).tokens) {
        std::string piece = field(1, token);
        if (choices.one_in(2)) {
            auto const score = -static_cast<float>(choices.below(9));
            piece += '\x15';
            piece.append(reinterpret_cast<const char*>(&score), sizeof score);
        }
        if (choices.one_in(3)) piece += std::string("\x18") + static_cast<char>(1 + choices.below(6));
        made += field(1, piece);
    }
    return made + field(2, std::string("\x18\x01", 2));
}

}  // namespace

void try_file(const std::string& data) {
    if (auto const file = read_by(read_tokenizer_json, data)) check_tokenizer_json(*file);
    if (auto const file = read_by(read_tekken, data)) {
        check_tokens(file->tokens);
        CHECK(file->rest.size() < data.size());
    }
    if (auto const tokens = read_by(read_tiktoken, data)) {
        check_tokens(*tokens);
        CHECK(tokens->has_distinct_ids());
    }
    if (auto const file = read_by(read_sentencepiece, data)) check_pieces(*file);
}

std::string random_file(Choices& choices) {
    std::string data;
    switch (choices.below(5)) {
    case 4:
        data = piece_model_json(choices);
        CHECK(read_by(read_tokenizer_json, data));
        break;
    case 0:
        data = tokenizer_json(choices);
        CHECK(read_by(read_tokenizer_json, data));
        break;
    case 1:
        data = tekken_json(choices);
        CHECK(read_by(read_tekken, data));
        break;
    case 2:
        data = tiktoken_file(choices);
        CHECK(read_by(read_tiktoken, data));
        break;
    default: data = sentencepiece_model(choices); CHECK(read_by(read_sentencepiece, data));
    }
    static const std::string trouble("{}[]\",:\\u0d8 =\x00\x0A\x12\x7F\xC3\xFF", 20);
    for (std::size_t left = choices.below(4); left > 0 && !data.empty(); --left) {
        std::size_t const place = choices.below(data.size()), size = std::min(choices.below(20), data.size() - place);
        switch (choices.below(4)) {
        case 0: data[place] = choices.of(trouble); break;
        case 1: data[place] = static_cast<char>(choices.below(256)); break;
        case 2: data.erase(place, size); break;
        default: data.insert(choices.below(data.size()), data.substr(place, size));
        }
    }
    return data;
}

}  // namespace bpe::test
