#include <algorithm>
#include <array>
#include <cstring>

#include "bpe/files/tokenizer_files.hpp"

namespace bpe::files {

namespace {

constexpr std::uint64_t largest_id = 0xFFFFFFFE;

bool is(Bytes text, const char* name) { return text.size == std::strlen(name) && std::memcmp(text.data, name, text.size) == 0; }

// The part of a file that a value takes.
struct Span {
    std::size_t start = 0, end = 0;
    bool is_there() const { return end != 0; }
};

void read_vocabulary(JsonCursor& cursor, TokenList& tokens) {
    cursor.expect('{');
    if (cursor.take('}')) throw Unreadable{};
    do {
        Bytes const token = cursor.string();
        // `token` points into the cursor's buffer, which the next string overwrites: it is added before one is read.
        cursor.expect(':');
        auto const id = static_cast<std::uint32_t>(cursor.whole_number(largest_id));
        if (!tokens.add(token, id)) throw Unreadable{};
    } while (cursor.another('}'));
    if (tokens.size() == 1 && tokens.text(0).size == 0) throw Unreadable{};
    if (!tokens.index() || !tokens.has_distinct_ids()) throw Unreadable{};
}

// Pairs of a token and its score; the id is the position in the list.
void read_scored_vocabulary(JsonCursor& cursor, VocabularyFile& file) {
    cursor.expect('[');
    if (cursor.take(']')) throw Unreadable{};
    do {
        cursor.expect('[');
        Bytes const token = cursor.string();
        cursor.expect(',');
        if (!file.tokens->add(token, static_cast<std::uint32_t>(file.scores.size()))) throw Unreadable{};
        file.scores.push_back(cursor.number());
        cursor.expect(']');
    } while (cursor.another(']'));
    if (file.tokens->size() == 1 && file.tokens->text(0).size == 0) throw Unreadable{};
    if (!file.tokens->index()) throw Unreadable{};
}

// Reads the merges of a file in batches, so that the hash-table slots of all halves of a batch are prefetched before the first is read.
class MergeReader {
public:
    explicit MergeReader(VocabularyFile& file) : file_(file), prefix_{file.prefix.data(), file.prefix.size()} {
        file.merged.assign(file.tokens->size(), false);
    }

    void add(Bytes left, Bytes right) {
        put(left, waiting_[count_].left);
        put(right, waiting_[count_].right);
        if (++count_ == waiting_.size()) finish();
    }

    void finish() {
        for (std::size_t place = 0; place < count_; ++place) {
            std::uint32_t const left = find(waiting_[place].left), right = find(waiting_[place].right);
            Bytes const first = file_.tokens->text(left);
            Bytes second = file_.tokens->text(right);
            if (!(second.size >= prefix_.size && second.part(0, prefix_.size) == prefix_)) throw Unreadable{};
            second = second.part(prefix_.size, second.size);
            whole_.assign(first.begin(), first.end());
            whole_.insert(whole_.end(), second.begin(), second.end());
            // A merge usually makes the token after that of the merge before, or the same token from another pair.
            Bytes const token{whole_.data(), whole_.size()};
            if (made_ + 1 < file_.tokens->size() && file_.tokens->text(made_ + 1) == token) ++made_;
            else if (!(file_.tokens->text(made_) == token)) made_ = known(file_.tokens->find(token));
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
        half = {bytes_.size(), text.size, file_.tokens->prepare(text)};
        bytes_.insert(bytes_.end(), text.begin(), text.end());
    }
    static std::uint32_t known(std::uint32_t found) {
        if (found == TokenList::none) throw Unreadable{};
        return found;
    }
    std::uint32_t find(const Half& half) const { return known(file_.tokens->find({bytes_.data() + half.start, half.size}, half.hash)); }

    VocabularyFile& file_;
    Bytes prefix_;
    std::array<Waiting, 16> waiting_{};
    std::size_t count_ = 0;
    std::vector<Byte> bytes_, whole_;  // the halves of the batch
    std::uint32_t made_ = 0;
};

void read_merges(JsonCursor& cursor, VocabularyFile& file) {
    MergeReader reader(file);
    file.has_merges = true;
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

// The long entries of a model, and their places in the file.
struct LongEntries {
    Span vocabulary, merges;
};

// Reads the entries "vocab" and "merges" of the object at the cursor, and moves past it. Of two entries with one name, the first counts.
void read_model(JsonCursor& cursor, VocabularyFile& file, LongEntries& found) {
    std::size_t waiting = 0;  // the start of merges that come before the vocabulary
    bool has_prefix = false;
    cursor.expect('{');
    if (cursor.take('}')) return;
    do {
        Bytes const name = cursor.string();
        bool const is_vocabulary = is(name, "vocab"), is_merges = is(name, "merges"), is_prefix = is(name, "continuing_subword_prefix");
        cursor.expect(':');
        Byte const first = cursor.next();
        std::size_t const start = cursor.place();
        if (is_vocabulary && (first == '{' || first == '[') && !found.vocabulary.is_there()) {
            if (first == '{') read_vocabulary(cursor, *file.tokens);
            else read_scored_vocabulary(cursor, file);
            found.vocabulary = {start, cursor.place()};
        } else if (is_merges && first == '[' && !found.merges.is_there()) {
            if (found.vocabulary.is_there()) {
                read_merges(cursor, file);
            } else {
                waiting = start;
                cursor.skip();
            }
            found.merges = {start, cursor.place()};
        } else if (is_prefix && first == '"') {
            // Merges that were read before it were joined without this prefix.
            Bytes const text = cursor.string();
            if (has_prefix || (text.size > 0 && file.has_merges)) throw Unreadable{};
            file.prefix.assign(text.begin(), text.end());
            has_prefix = true;
        } else {
            cursor.skip();
        }
    } while (cursor.another('}'));
    if (waiting == 0 || !found.vocabulary.is_there()) return;
    std::size_t const end = cursor.place();
    cursor.go_to(waiting);
    read_merges(cursor, file);
    if (cursor.place() != found.merges.end) throw Unreadable{};
    cursor.go_to(end);
}

}  // namespace

VocabularyFile read_tokenizer_json(Bytes data) {
    static constexpr Byte byte_order_mark[3] = {0xEF, 0xBB, 0xBF};
    JsonCursor cursor(data);
    if (data.size >= 3 && std::memcmp(data.data, byte_order_mark, 3) == 0) cursor.go_to(3);
    LongEntries found;
    VocabularyFile file;
    cursor.expect('{');
    if (cursor.take('}')) throw Unreadable{};
    do {
        bool const is_model = is(cursor.string(), "model") && !found.vocabulary.is_there();
        cursor.expect(':');
        if (is_model && cursor.next() == '{') read_model(cursor, file, found);
        else cursor.skip();
    } while (cursor.another('}'));
    if (!found.vocabulary.is_there()) throw Unreadable{};
    // The file without its long entries: of each, the two brackets are left, so that the rest is still JSON.
    std::vector<Span> spans{found.vocabulary};
    if (found.merges.is_there()) spans.insert(found.merges.start < found.vocabulary.start ? spans.begin() : spans.end(), found.merges);
    std::size_t place = 0;
    for (Span const& span : spans) {
        file.rest.insert(file.rest.end(), data.data + place, data.data + span.start + 1);
        place = span.end - 1;
    }
    file.rest.insert(file.rest.end(), data.data + place, data.data + data.size);
    return file;
}

}  // namespace bpe::files
