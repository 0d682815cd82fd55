#include "bpe/pipeline/mark_run.hpp"

#include <algorithm>

#include "bpe/steps.hpp"
#include "bpe/utf8.hpp"

namespace bpe {

std::unique_ptr<MarkRun> MarkRun::make(const Pipeline& pipeline, Bytes text, Position from, bool after_token) {
    if (!pipeline.orders_marks()) return nullptr;
    std::unique_ptr<MarkRun> made(new MarkRun(pipeline, from, after_token ? no_match : 0));
    return made->read(text) ? std::move(made) : nullptr;
}

bool MarkRun::read(Bytes text) {
    Normalizer const& normalizer = *pipeline_.normalizer();
    UnicodeTable const& table = UnicodeTable::instance();
    first_length_ = text.size;
    marks_end_ = text.size - std::min(text.size - from_.offset, unfinished_end({text.data + from_.offset, text.size - from_.offset}));
    std::size_t first = marks_end_;
    std::array<std::size_t, 256> raw_marks{};
    while (first > from_.offset) {
        count_step();
        std::size_t const before = character_before(text.data, first, from_.offset);
        std::u32string const marks = normalizer.marks(table.at(text.data, before, first).code);
        if (marks.empty()) break;
        for (char32_t const mark : marks) ++raw_marks[normalizer.order(mark)];
        first = before;
    }
    // The text before the marks is read each time.
    if (marks_end_ - first <= thresholds::short_piece || first - from_.offset > 4 * thresholds::long_tail) return false;
    if (!pipeline_.is_one_region(text, from_.offset)) return false;
    normalizer.run(text.data, from_.offset, marks_end_, begins_region(from_.before), from_.before == Before::nothing, true, from_.offset, text_);
    text_.open_end();
    Bytes const made{text_.text.data(), text_.text.size()};
    std::uint8_t last = 255;
    for (start_ = made.size; start_ > 0;) {
        count_step();
        std::size_t const before = character_before(made.data, start_, 0);
        char32_t const code = table.at(made.data, before, start_).code;
        std::uint8_t const order = normalizer.order(code);
        if (order == 0) break;
        if (like_ == 0) like_ = code;
        if (order > last || !pipeline_.chain_of_marks().treats_alike(code, like_)) return false;
        last = order;
        start_ = before;
    }
    for (std::size_t place = start_, size = 0; place < made.size; place += size) {
        Character const mark = table.at(made.data, place, made.size);
        size = mark.size;
        std::uint8_t const order = normalizer.order(mark.code);
        if (parts_.empty() || parts_.back().order != order) parts_.push_back({order, raw_marks[order], {}, nullptr});
        std::vector<Byte>& of_part = parts_.back().text;
        of_part.insert(of_part.end(), made.data + place, made.data + place + size);
    }
    first_end_ = made.size;
    return true;
}

MarkRun::Part* MarkRun::part_of(std::uint8_t order) {
    auto const found = std::lower_bound(parts_.begin(), parts_.end(), order, [](Part const& part, std::uint8_t value) { return part.order < value; });
    return found != parts_.end() && found->order == order ? &*found : nullptr;
}

bool MarkRun::extend(Bytes text) {
    UnicodeTable const& table = UnicodeTable::instance();
    std::size_t const end = text.size - std::min(text.size - marks_end_, unfinished_end({text.data + marks_end_, text.size - marks_end_}));
    for (std::size_t size = 0; marks_end_ < end; marks_end_ += size) {
        count_step();
        Character const raw = table.at(text.data, marks_end_, end);
        size = raw.size;
        std::u32string const marks = pipeline_.normalizer()->marks(raw.code);
        auto const is_known = [&](char32_t mark) {
            Part const* const part = part_of(pipeline_.normalizer()->order(mark));
            return part && part->raw_marks >= enough && pipeline_.chain_of_marks().treats_alike(mark, like_);
        };
        if (marks.empty() || !std::all_of(marks.begin(), marks.end(), is_known)) return false;
        for (char32_t const mark : marks) {
            std::size_t const before = text_.text.size();
            put_utf8(text_.text, mark);
            Part& part = *part_of(pipeline_.normalizer()->order(mark));
            ++part.raw_marks;
            part.text.insert(part.text.end(), text_.text.begin() + static_cast<std::ptrdiff_t>(before), text_.text.end());
            text_.origin.resize(text_.text.size(), static_cast<std::uint32_t>(marks_end_ - from_.offset));
            text_.cuts.resize(text_.text.size(), Normalized::no_cut);
        }
    }
    return true;
}

void MarkRun::truncate(std::size_t length) {
    UnicodeTable const& table = UnicodeTable::instance();
    std::size_t end = text_.text.size();
    // All of the marks that one has become.
    while (end > first_end_ && (marks_end_ > length || from_.offset + text_.origin[end - 1] == marks_end_)) {
        std::size_t const before = character_before(text_.text.data(), end, first_end_);
        Part& part = *part_of(pipeline_.normalizer()->order(table.at(text_.text.data(), before, end).code));
        --part.raw_marks;
        part.text.resize(part.text.size() - (end - before));
        if (part.table && part.table->size() > part.text.size()) part.table->truncate(part.text.size());
        marks_end_ = from_.offset + text_.origin[before];
        end = before;
    }
    text_.resize(end);
    memory_.truncate(end);
}

std::optional<std::size_t> MarkRun::count(Bytes text, PieceCoder::Workspace& workspace) {
    struct Sink {
        MarkRun& run;
        PieceCoder::Workspace& workspace;
        std::size_t marks_end;  // in the normalized text
        std::size_t total = 0;
        bool is_cut = false;  // inside of the run

        void piece(Bytes piece, std::size_t readable, bool is_first, std::size_t) {
            auto const start = static_cast<std::size_t>(piece.data - run.text_.text.data()), end = start + piece.size;
            if (end <= run.start_ || start >= marks_end) {
                total += run.pipeline_.coder().count(piece, readable, is_first, workspace);
                return;
            }
            auto const count = start <= run.start_ && end >= marks_end
                                   ? run.count_run(piece.part(0, run.start_ - start), piece.part(marks_end - start, piece.size), is_first)
                                   : std::nullopt;
            if (count) total += *count;
            else is_cut = true;
        }
        bool cut(Position) { return !is_cut; }
    };
    // Bytes that may become a mark come after all others until then.
    std::size_t const marks_end = text_.text.size();
    memory_.set_valid(marks_end);
    struct Quiet {
        void piece(std::size_t, std::size_t) {}
        bool cut(std::size_t) { return true; }
    } quiet;
    // Only a search in a text that goes on leaves notes of what it has read in vain.
    (void)pipeline_.chain_of_marks().run(text_.text.data(), 0, marks_end, false, quiet, &memory_);
    text_.text.insert(text_.text.end(), text.data + marks_end_, text.data + text.size);
    for (std::size_t place = marks_end_; place < text.size; ++place) {
        text_.origin.push_back(static_cast<std::uint32_t>(place - from_.offset));
        text_.cuts.push_back(Normalized::no_cut);
    }
    struct Back {
        Normalized& text;
        std::size_t size;
        ~Back() { text.resize(size); }
    } const back{text_, marks_end};
    text_.end_at(text.size - from_.offset);
    Sink sink{*this, workspace, marks_end};
    Position at = from_;
    NormalizedSink<Sink> inner{sink, at, text_, from_.offset, begin_};
    (void)pipeline_.chain_of_marks().run(text_.text.data(), 0, text_.text.size(), true, inner, &memory_);
    return sink.is_cut ? std::nullopt : std::optional(sink.total);
}

// The tokens of the piece that the run is part of.
std::optional<std::size_t> MarkRun::count_run(Bytes before, Bytes after, bool is_first) {
    if (auto const start = static_cast<std::size_t>(before.data - text_.text.data()); start != table_start_) {
        table_ = pipeline_.coder().growing(Side::right, is_first);
        if (!table_) return std::nullopt;
        table_->extend(before);
        table_start_ = start;
        for (Part& part : parts_) part.table = table_->another();
    }
    std::vector<AddedPart> parts;
    for (Part& part : parts_) {
        Bytes const written{part.text.data(), part.text.size()};
        if (part.table) part.table->extend(written.part(part.table->size(), written.size));
        parts.push_back(part.table ? AddedPart{{}, part.table.get()} : AddedPart{written});
    }
    if (after.size > 0) parts.push_back({after});
    return table_->count_with(parts);
}

}  // namespace bpe
