#include <algorithm>
#include <array>
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
    if (!tokens.index() || !tokens.has_distinct_ids()) throw Unreadable{};
}

// The merges of a file, some at a time: where their halves stand in the hash table is asked for before it is looked at.
class MergeReader {
public:
    explicit MergeReader(MergeFile& file) : file_(file) { file.merged.assign(file.tokens.size(), false); }

    void add(Bytes left, Bytes right) {
        put(left, waiting_[count_].left);
        put(right, waiting_[count_].right);
        if (++count_ == waiting_.size()) finish();
    }

    void finish() {
        for (std::size_t place = 0; place < count_; ++place) {
            std::uint32_t const left = find(waiting_[place].left), right = find(waiting_[place].right);
            Bytes const first = file_.tokens.text(left), second = file_.tokens.text(right);
            whole_.assign(first.begin(), first.end());
            whole_.insert(whole_.end(), second.begin(), second.end());
            // Mostly the next token, or the same by another pair.
            Bytes const token{whole_.data(), whole_.size()};
            if (made_ + 1 < file_.tokens.size() && file_.tokens.text(made_ + 1) == token) ++made_;
            else if (!(file_.tokens.text(made_) == token)) made_ = known(file_.tokens.find(token));
            file_.merged[made_] = file_.merged[left] = file_.merged[right] = true;
            file_.merges.emplace_back(left, right);
        }
        count_ = 0;
        bytes_.clear();
    }

private:
    struct Half {
        std::size_t start, size;
        std::uint64_t hash;
    };
    struct Waiting {
        Half left, right;
    };

    void put(Bytes text, Half& half) {
        half = {bytes_.size(), text.size, file_.tokens.prepare(text)};
        bytes_.insert(bytes_.end(), text.begin(), text.end());
    }
    static std::uint32_t known(std::uint32_t found) {
        if (found == TokenList::none) throw Unreadable{};
        return found;
    }
    std::uint32_t find(const Half& half) const { return known(file_.tokens.find({bytes_.data() + half.start, half.size}, half.hash)); }

    MergeFile& file_;
    std::array<Waiting, 16> waiting_{};
    std::size_t count_ = 0;
    std::vector<Byte> bytes_, whole_;  // of the halves that wait
    std::uint32_t made_ = 0;
};

void read_merges(JsonCursor& cursor, MergeFile& file) {
    MergeReader reader(file);
    cursor.expect('[');
    if (cursor.take(']')) return;
    std::vector<Byte> left;
    do {
        if (cursor.take('[')) {
            Bytes const first = cursor.string();
            left.assign(first.begin(), first.end());
            cursor.expect(',');
            reader.add({left.data(), left.size()}, cursor.string());
            cursor.expect(']');
        } else {
            Bytes const pair = cursor.string();
            auto const space = std::find(pair.begin(), pair.end(), Byte{' '});
            if (space == pair.end() || std::find(space + 1, pair.end(), Byte{' '}) != pair.end()) throw Unreadable{};
            auto const middle = static_cast<std::size_t>(space - pair.begin());
            reader.add(pair.part(0, middle), pair.part(middle + 1, pair.size));
        }
    } while (cursor.another(']'));
    reader.finish();
}

// The entries "vocab" and "merges" of the object that begins here; of two of the same name the first. Goes behind it.
void read_model(JsonCursor& cursor, MergeFile& file, Span& vocabulary, Span& merges) {
    std::size_t waiting = 0;  // where merges begin that stand before the vocabulary
    cursor.expect('{');
    if (cursor.take('}')) return;
    do {
        Bytes const name = cursor.string();
        bool const is_vocabulary = is(name, "vocab"), is_merges = is(name, "merges");
        cursor.expect(':');
        Byte const first = cursor.next();
        std::size_t const start = cursor.place();
        if (is_vocabulary && first == '{' && !vocabulary.is_there()) {
            read_vocabulary(cursor, file.tokens);
            vocabulary = {start, cursor.place()};
        } else if (is_merges && first == '[' && !merges.is_there()) {
            if (vocabulary.is_there()) {
                read_merges(cursor, file);
            } else {
                waiting = start;
                cursor.skip();
            }
            merges = {start, cursor.place()};
        } else {
            cursor.skip();
        }
    } while (cursor.another('}'));
    if (waiting == 0 || !vocabulary.is_there()) return;
    std::size_t const end = cursor.place();
    cursor.go_to(waiting);
    read_merges(cursor, file);
    if (cursor.place() != merges.end) throw Unreadable{};
    cursor.go_to(end);
}

}  // namespace

MergeFile read_tokenizer_json(Bytes data) {
    static constexpr Byte byte_order_mark[3] = {0xEF, 0xBB, 0xBF};
    JsonCursor cursor(data);
    if (data.size >= 3 && std::memcmp(data.data, byte_order_mark, 3) == 0) cursor.go_to(3);
    Span vocabulary, merges;
    MergeFile file;
    cursor.expect('{');
    if (cursor.take('}')) throw Unreadable{};
    do {
        bool const is_model = is(cursor.string(), "model") && !vocabulary.is_there();
        cursor.expect(':');
        if (is_model && cursor.next() == '{') read_model(cursor, file, vocabulary, merges);
        else cursor.skip();
    } while (cursor.another('}'));
    if (!vocabulary.is_there() || !merges.is_there()) throw Unreadable{};
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
