// The grower and the optimizer over a counter that any reader can check: two characters that are not of a line end, or one line end, are a token.
#include "chunker/grower.hpp"

#include <algorithm>
#include <cstdio>
#include <random>
#include <string>

#include "check.hpp"
#include "chunker/optimizer.hpp"

namespace {

std::size_t count_of(const std::u32string& text) {
    std::size_t tokens = 0, open = 0;
    for (char32_t const character : text) {
        if (character == '\n') {
            ++tokens;
            open = 0;
        } else {
            tokens += open++ % 2 == 0;
        }
    }
    return tokens;
}

class PairCounter : public chunker::Counter, public chunker::Surroundings {
public:
    explicit PairCounter(std::u32string text, bool context) : text_(std::move(text)), context_(context) {}

    std::size_t begin(chunker::Context context) override {
        grown_ = context_of(context);
        return count_of(grown_);
    }
    std::size_t append(std::size_t start, std::size_t end) override {
        grown_ += text_.substr(start, end - start);
        return count_of(grown_);
    }
    void keep() override { kept_ = grown_.size(); }
    void go_back() override {
        CHECK(kept_ <= grown_.size());
        grown_.resize(kept_);
    }
    void begin_to_the_left(std::size_t start, std::size_t end) override { left_ = text_.substr(start, end - start); }
    std::size_t prepend(std::size_t start, std::size_t end) override {
        left_.insert(0, text_.substr(start, end - start));
        return count_of(left_);
    }
    std::optional<std::size_t> count_up_to(chunker::Context context, std::size_t start, std::size_t end, std::size_t limit) override {
        std::size_t const found = count(context, start, end);
        return found <= limit ? std::optional(found) : std::nullopt;
    }
    std::size_t count(chunker::Context context, std::size_t start, std::size_t end) override {
        return count_of(context_of(context) + text_.substr(start, end - start));
    }
    chunker::Context context_at(std::size_t fresh, std::size_t) override { return context_ && fresh > 0; }
    // A closed unit has a boundary after each space.
    chunker::InnerBoundaries inside(std::size_t offset) override {
        chunker::InnerBoundaries inside;
        for (std::size_t at = offset + 1; at < ends_.at(offset); ++at) {
            if (text_[at - 1] != ' ') continue;
            inside.offsets.push_back(static_cast<std::int64_t>(at));
            inside.strengths.push_back(29);
            inside.labels.push_back(0);
        }
        return inside;
    }

    std::unordered_map<std::size_t, std::size_t> ends_;  // of closed units

private:
    static std::u32string context_of(chunker::Context context) { return context ? U"of\n" : U""; }

    std::u32string text_, grown_, left_;
    std::size_t kept_ = 0;
    bool context_;
};

// What slices cost. After a line end all of them grow by the same tokens, which those that are quick know of.
class PairPrices : public chunker::Prices {
public:
    PairPrices(PairCounter& counter, const chunker::Text& text, bool quick) : counter_(counter), text_(text), quick_(quick) {}

    std::size_t count(std::size_t start, std::size_t end) override { return counter_.count(0, start, end); }
    std::optional<chunker::Agreement> agreement(chunker::Context context, std::size_t start) override {
        if (!quick_) return std::nullopt;
        std::size_t const line_end = text_.line_feed(start, text_.size());
        if (line_end == text_.size()) return std::nullopt;
        return chunker::Agreement{text_.place(line_end + 1), static_cast<std::ptrdiff_t>(counter_.count(context, start, line_end + 1)) -
                                                                 static_cast<std::ptrdiff_t>(count(0, line_end + 1))};
    }
    bool are_quick() const override { return quick_; }

private:
    PairCounter& counter_;
    const chunker::Text& text_;
    bool quick_;
};

std::string in_utf8(const std::u32string& text) {
    std::string result;
    auto const put = [&](char32_t byte) { result.push_back(static_cast<char>(byte)); };
    for (char32_t const character : text) {
        if (character < 0x80) {
            put(character);
        } else if (character < 0x800) {
            put(0xC0 | character >> 6);
            put(0x80 | (character & 0x3F));
        } else if (character < 0x10000) {
            put(0xE0 | character >> 12);
            put(0x80 | (character >> 6 & 0x3F));
            put(0x80 | (character & 0x3F));
        } else {
            put(0xF0 | character >> 18);
            put(0x80 | (character >> 12 & 0x3F));
            put(0x80 | (character >> 6 & 0x3F));
            put(0x80 | (character & 0x3F));
        }
    }
    return result;
}

std::size_t try_one(std::mt19937& random) {
    std::u32string const pieces[] = {U"a",          U"bc",      U" ",    U"é",   U"\u3000", U"\n", U"\n\n", U"😀", U"words of a line",
                                     U"One. Two! ", U"e\u0301", U"\r\n", U"猫。"};
    std::u32string text;
    chunker::OutlineRows rows;
    rows.finest = random() % 2 ? 30 : 40;
    for (unsigned long row = 0, number = random() % 30; row < number; ++row) {
        rows.offsets.push_back(static_cast<std::int64_t>(text.size()));
        rows.strengths.push_back(row == 0 ? 1'000'000 : 30 + static_cast<std::int64_t>(random() % 4) * 10);
        rows.closed.push_back(random() % 5 == 0);
        // Some are longer than what is appended or prepended at a time.
        for (unsigned long size = 1 + random() % (row % 16 == 3 ? 60 : 12); size > 0; --size) text += pieces[random() % std::size(pieces)];
    }
    bool const context = random() % 2;
    PairCounter counter(text, context);
    for (std::size_t row = 0; row < rows.offsets.size(); ++row) {
        auto const start = static_cast<std::size_t>(rows.offsets[row]);
        std::size_t const end = row + 1 < rows.offsets.size() ? static_cast<std::size_t>(rows.offsets[row + 1]) : text.size();
        if (rows.closed[row]) counter.ends_[start] = end;
        if (random() % 9 == 0) rows.heads.emplace_back(start, end);
    }
    chunker::Limits limits{};
    limits.most = 4 + random() % 40;
    limits.least = random() % limits.most;
    limits.overlap = random() % 2 ? random() % limits.most : 0;
    if (random() % 3 == 0) limits.desired = std::max<std::size_t>(1, random() % limits.most);
    limits.overlap_finest = random() % 2 ? 10 : 40;
    std::string const bytes = in_utf8(text);
    chunker::Text const characters(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
    CHECK(characters.size() == text.size());
    CHECK(characters.place(text.size()) == bytes.size());
    for (std::size_t offset = 0; offset < text.size(); offset += 7) CHECK(characters.place(offset) == in_utf8(text.substr(0, offset)).size());
    chunker::Grower grower(characters, rows, limits, counter, counter);
    std::size_t chunks = 0, done = 0, last = 0;
    while (auto const piece = grower.next()) {
        CHECK(piece->start <= done);  // what is before it is overlap
        CHECK(chunks == 0 ? piece->start == 0 : piece->start > last);
        CHECK(limits.overlap > 0 || piece->start == done);
        CHECK(piece->end > done);
        CHECK(piece->tokens == counter.count(piece->context, piece->start, piece->end));
        CHECK(piece->tokens <= limits.most);
        last = piece->start;
        done = piece->end;
        ++chunks;
    }
    CHECK(done == text.size());
    if (text.empty()) return chunks;
    // The best cut of the text is the same, whoever prices it. It is looked for in whole outlines alone.
    rows.closed.clear();
    std::vector<chunker::Piece> best[2];
    for (bool const quick : {false, true}) {
        PairPrices prices(counter, characters, quick);
        best[quick] = chunker::Optimizer(characters, rows, limits, counter, prices, counter).pieces();
    }
    CHECK(best[0].size() == best[1].size());
    for (std::size_t index = done = 0; index < best[0].size(); ++index) {
        chunker::Piece const &piece = best[0][index], &same = best[1][index];
        CHECK(piece.start == same.start && piece.end == same.end && piece.context == same.context && piece.tokens == same.tokens && piece.label == same.label);
        CHECK(piece.start <= done && piece.end > done && (limits.overlap > 0 || piece.start == done));
        CHECK(piece.tokens == counter.count(piece.context, piece.start, piece.end) && piece.tokens <= limits.most);
        done = piece.end;
    }
    CHECK(done == text.size());
    for (auto const& ends : {chunker::cluster_ends(characters.part(0, text.size())), chunker::word_ends(characters.part(0, text.size()))}) {
        CHECK(std::is_sorted(ends.begin(), ends.end()));
        CHECK(text.empty() ? ends.empty() : ends.back() == text.size());
    }
    return chunks;
}

}  // namespace

int main() {
    std::mt19937 random(11);
    std::size_t chunks = 0;
    for (current_round = 0; current_round < 2000; ++current_round) chunks += try_one(random);
    std::printf("%zu chunks\n", chunks);
    CHECK(chunks > 10000);
    return 0;
}
