#include <algorithm>
#include <cstring>

#include "bpe/files/tokenizer_files.hpp"
#include "bpe/unicode.hpp"

namespace bpe::files {

namespace {

constexpr std::uint64_t largest_id = 0xFFFFFFFE;

bool is(Bytes text, const char* name) { return text.size == std::strlen(name) && std::memcmp(text.data, name, text.size) == 0; }

// Where a value stands.
struct Span {
    std::size_t start = 0, end = 0;
    bool is_there() const { return end != 0; }
};

// The values of the entries "vocab" and "merges" of the object that begins here; of two of the same name the first. Goes behind it.
void find_parts(JsonCursor& cursor, Span& vocabulary, Span& merges) {
    cursor.expect('{');
    if (cursor.take('}')) return;
    do {
        Bytes const name = cursor.string();
        Span* const wanted = is(name, "vocab") ? &vocabulary : is(name, "merges") ? &merges : nullptr;
        cursor.expect(':');
        Byte const first = cursor.next();
        std::size_t const start = cursor.place();
        cursor.skip();
        if (wanted && !wanted->is_there() && first == (wanted == &vocabulary ? '{' : '[')) *wanted = {start, cursor.place()};
    } while (cursor.another('}'));
}

void read_vocabulary(JsonCursor& cursor, TokenList& tokens) {
    cursor.expect('{');
    if (cursor.take('}')) throw Unreadable{};
    do {
        Bytes const token = cursor.string();
        // Before the string is overwritten: nothing between reads another.
        cursor.expect(':');
        auto const id = static_cast<std::uint32_t>(cursor.whole_number(largest_id));
        if (!tokens.add(token, id)) throw Unreadable{};
    } while (cursor.another('}'));
    if (tokens.size() == 1 && tokens.text(0).size == 0) throw Unreadable{};
    if (!tokens.has_distinct_ids()) throw Unreadable{};
}

std::uint32_t known(const TokenList& tokens, Bytes text) {
    std::uint32_t const found = tokens.find(text);
    if (found == TokenList::none) throw Unreadable{};
    return found;
}

void read_merges(JsonCursor& cursor, MergeFile& file) {
    file.merged.assign(file.tokens.size(), false);
    cursor.expect('[');
    if (cursor.take(']')) return;
    std::vector<Byte> whole;
    do {
        std::uint32_t left, right;
        if (cursor.take('[')) {
            left = known(file.tokens, cursor.string());
            cursor.expect(',');
            right = known(file.tokens, cursor.string());
            cursor.expect(']');
        } else {
            Bytes const pair = cursor.string();
            auto const space = std::find(pair.begin(), pair.end(), Byte{' '});
            if (space == pair.end() || std::find(space + 1, pair.end(), Byte{' '}) != pair.end()) throw Unreadable{};
            auto const middle = static_cast<std::size_t>(space - pair.begin());
            left = known(file.tokens, pair.part(0, middle));
            right = known(file.tokens, pair.part(middle + 1, pair.size));
        }
        Bytes const first = file.tokens.text(left), second = file.tokens.text(right);
        whole.assign(first.begin(), first.end());
        whole.insert(whole.end(), second.begin(), second.end());
        file.merged[known(file.tokens, {whole.data(), whole.size()})] = true;
        file.merged[left] = file.merged[right] = true;
        file.merges.emplace_back(left, right);
    } while (cursor.another(']'));
}

}  // namespace

MergeFile read_tokenizer_json(Bytes data) {
    static constexpr Byte byte_order_mark[3] = {0xEF, 0xBB, 0xBF};
    JsonCursor cursor(data);
    if (data.size >= 3 && std::memcmp(data.data, byte_order_mark, 3) == 0) cursor.go_to(3);
    Span vocabulary, merges;
    cursor.expect('{');
    if (cursor.take('}')) throw Unreadable{};
    do {
        bool const is_model = is(cursor.string(), "model") && !vocabulary.is_there();
        cursor.expect(':');
        if (is_model && cursor.next() == '{') find_parts(cursor, vocabulary, merges);
        else cursor.skip();
    } while (cursor.another('}'));
    if (!vocabulary.is_there() || !merges.is_there()) throw Unreadable{};
    MergeFile file;
    cursor.go_to(vocabulary.start);
    read_vocabulary(cursor, file.tokens);
    if (cursor.place() != vocabulary.end) throw Unreadable{};
    cursor.go_to(merges.start);
    read_merges(cursor, file);
    if (cursor.place() != merges.end) throw Unreadable{};
    // Each bracket by itself is what is left of its part.
    bool const in_order = vocabulary.start < merges.start;
    Span const first = in_order ? vocabulary : merges, second = in_order ? merges : vocabulary;
    auto const copy = [&](std::size_t start, std::size_t end) { file.rest.insert(file.rest.end(), data.data + start, data.data + end); };
    copy(0, first.start + 1);
    copy(first.end - 1, second.start + 1);
    copy(second.end - 1, data.size);
    return file;
}

MergeTables::MergeTables(const MergeFile& file, const std::vector<Bytes>& left_out, bool as_bytes, const std::vector<std::int16_t>& byte_of)
    : as_bytes_(as_bytes) {
    UnicodeTable const& table = UnicodeTable::instance();
    std::vector<bool> is_out(file.tokens.size(), false), is_in(file.tokens.size(), false);
    for (Bytes const token : left_out)
        if (std::uint32_t const number = file.tokens.find(token); number != TokenList::none) is_out[number] = true;
    ids_.reserve(file.tokens.size());
    for (std::uint32_t const number : file.tokens.by_id()) {
        if (is_out[number]) continue;
        Bytes const text = file.tokens.text(number);
        std::size_t const before = bytes_.size();
        bool whole = text.size > 0;
        if (as_bytes) {
            for (std::size_t place = 0; place < text.size && whole;) {
                Character const character = table.at(text.data, place, text.size);
                place += character.size;
                whole = character.code < byte_of.size() && byte_of[character.code] >= 0;
                if (whole) bytes_.push_back(static_cast<Byte>(byte_of[character.code]));
            }
        } else {
            bytes_.insert(bytes_.end(), text.begin(), text.end());
        }
        if (!whole) {
            bytes_.resize(before);
            texts_only_.emplace_back(file.tokens.id(number), std::vector<Byte>(text.begin(), text.end()));
            continue;
        }
        is_in[number] = true;
        ids_.push_back(file.tokens.id(number));
        offsets_.push_back(bytes_.size());
    }
    if (ids_.empty()) throw Unreadable{};
    merges_.reserve(file.merges.size());
    for (auto const &[left, right] : file.merges) {
        if (!is_in[left] || !is_in[right]) throw Unreadable{};
        merges_.emplace_back(file.tokens.id(left), file.tokens.id(right));
    }
}

bool MergeTables::has_id(std::uint64_t id) const { return std::binary_search(ids_.begin(), ids_.end(), id); }

}  // namespace bpe::files
