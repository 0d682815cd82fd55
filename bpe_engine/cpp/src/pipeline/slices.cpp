#include "bpe/pipeline/slices.hpp"

#include <algorithm>
#include <bit>

#include "bpe/reach.hpp"
#include "unigram_slices.hpp"

namespace bpe {

using thresholds::slice_window;

PipelineIntervalEncoder::PipelineIntervalEncoder(std::shared_ptr<const Pipeline> pipeline, Bytes text)
    : pipeline_(std::move(pipeline)), number_(SliceEnd::next_number()), text_(text) {
    struct Sink {
        PipelineIntervalEncoder& encoder;
        const PieceCoder& coder;
        PieceCoder::Workspace& workspace;
        std::size_t tokens = 0;
        void piece(Bytes piece, std::size_t readable, bool is_first, std::size_t) { tokens += coder.count(piece, readable, is_first, workspace); }
        void expect(Bytes piece, std::size_t readable) { coder.expect(piece, readable, workspace); }
        void unit(std::size_t count) { tokens += count; }
        void token(std::uint32_t, std::size_t, std::size_t) { ++tokens; }
        std::size_t settled = 0;  // of them
        bool cut(Position at) {
            encoder.add(at, tokens);
            tokens = settled = 0;
            return true;
        }
        void settle() { settled = tokens; }
        void again() { tokens = settled; }
    };
    if (auto const* const unigram = dynamic_cast<const UnigramModel*>(&pipeline_->coder().model());
        unigram && pipeline_->cuts_nothing() && UnigramUnits::has_unknown(*unigram)) {
        units_ = std::make_unique<const UnigramSlices>(*unigram, pipeline_->normalizer(), text);
        return;
    }
    words_.resize(text.size / 64 + 1);
    splits_ = pipeline_->splits(text.size * thresholds::readings);
    Pipeline::Lease const workspace = pipeline_->lease();
    Sink sink{*this, pipeline_->coder(), workspace->pieces};
    Position at;
    for (std::size_t size = slice_window; at.offset < text.size;) {
        std::size_t const limit = std::min(text.size, at.offset + size);
        std::size_t const from = at.offset;
        pipeline_->scan(text.data, 0, at, limit, limit == text.size, {}, *workspace, sink);
        if (limit == text.size) break;
        sink.tokens = 0;
        if (at.offset > from) windows_.push_back({static_cast<std::uint32_t>(limit), static_cast<std::uint32_t>(at.offset)});
        size = at.offset > from ? slice_window : size * 2;
    }
    for (; filled_ < words_.size(); ++filled_) words_[filled_] = {0, tokens_, counts_.size()};
    if (auto added = splits_ ? pipeline_->places_of_tokens(text) : std::nullopt) added_ = *std::move(added);
    else splits_ = nullptr;
    most_fall_ = std::min(pipeline_->coder().model().most_fall(), std::max(longest_gap_, text.size - last_cut_));
}

PipelineIntervalEncoder::~PipelineIntervalEncoder() = default;

void PipelineIntervalEncoder::add(Position at, std::size_t tokens) {
    std::size_t const word = at.offset >> 6;
    // Two cuts at one offset: white space that is left out before a token that takes none. They are one, after the token.
    bool const again = filled_ > word && (words_[word].cuts >> (at.offset & 63) & 1);
    for (; filled_ <= word; ++filled_) words_[filled_] = {0, tokens_, counts_.size()};
    tokens_ += tokens;
    longest_gap_ = std::max(longest_gap_, at.offset - last_cut_);
    last_cut_ = at.offset;
    if (at.before == Before::token) after_tokens_.push_back(at.offset);
    if (again) {
        std::size_t const number = counts_.size() - 1;
        std::size_t const sum = tokens + (counts_.back() < 255 ? counts_.back() : large_.at(number));
        if (sum >= 255) large_[number] = sum;
        counts_.back() = static_cast<std::uint8_t>(std::min<std::size_t>(sum, 255));
        return;
    }
    words_[word].cuts |= std::uint64_t{1} << (at.offset & 63);
    if (tokens >= 255) large_.emplace(counts_.size(), tokens);
    counts_.push_back(static_cast<std::uint8_t>(std::min<std::size_t>(tokens, 255)));
}

bool PipelineIntervalEncoder::is_cut(Position at) const { return (words_[at.offset >> 6].cuts >> (at.offset & 63) & 1) && cut_at(at.offset) == at; }

Position PipelineIntervalEncoder::cut_at(std::size_t offset) const {
    bool const is_after_token = !after_tokens_.empty() && std::binary_search(after_tokens_.begin(), after_tokens_.end(), offset);
    return {offset, is_after_token ? Before::token : Before::region};
}

std::size_t PipelineIntervalEncoder::cut_from(std::size_t start, std::size_t end) const {
    std::uint64_t asked = ~std::uint64_t{0} << (start & 63);
    for (std::size_t word = start >> 6; word << 6 < end; ++word, asked = ~std::uint64_t{0})
        if (std::uint64_t const cuts = words_[word].cuts & asked) return std::min(end, (word << 6) + static_cast<std::size_t>(std::countr_zero(cuts)));
    return end;
}

std::size_t PipelineIntervalEncoder::tokens_before(std::size_t offset) const {
    Word const& word = words_[offset >> 6];
    std::size_t total = word.tokens;
    auto const upto = static_cast<std::size_t>(std::popcount(word.cuts & (~std::uint64_t{0} >> (63 - (offset & 63)))));
    for (std::size_t number = word.before; number < word.before + upto; ++number) total += counts_[number] < 255 ? counts_[number] : large_.at(number);
    return total;
}

// Counts a slice, and stops at cuts of the whole text for as long as it looks for one.
struct PipelineIntervalEncoder::Slice {
    const PipelineIntervalEncoder& encoder;
    const PieceCoder& coder;
    PieceCoder::Workspace& workspace;
    std::size_t total = 0, at_cut = 0;
    std::size_t first = 0;  // the first place at which to look
    Position met{};
    bool looks = true, has_met = false;
    void piece(Bytes piece, std::size_t readable, bool is_first, std::size_t) { total += coder.count(piece, readable, is_first, workspace); }
    void unit(std::size_t count) { total += count; }
    void token(std::uint32_t, std::size_t, std::size_t) { ++total; }
    bool cut(Position at) {
        at_cut = total;
        if (!looks || at.offset < first || !encoder.is_cut(at)) return true;
        met = at;
        has_met = true;
        return false;
    }
    void settle() { at_cut = total; }
    void again() { total = at_cut; }
};

bool PipelineIntervalEncoder::has_split(std::size_t start, std::size_t place, std::size_t end, bool follows) const {
    // A split at the end of the slice depends on the character after it, too.
    return place > start && cut_at(place).before == Before::region && splits_->has_at(text_.data, start, place, place == end ? text_.size : end, follows);
}

bool PipelineIntervalEncoder::has_token(std::size_t start, std::size_t end) const {
    auto const after = std::lower_bound(added_.begin(), added_.end(), end, [](auto const& one, std::size_t value) { return one.first < value; });
    return after != added_.begin() && std::prev(after)->second > start;
}

std::size_t PipelineIntervalEncoder::first_split(std::size_t start, std::size_t end, bool follows) const {
    std::size_t const far = std::min(text_.size, start + Regions::longest_unit);
    for (std::size_t place = start + 1; (place = cut_from(place, far)) < far && place <= end; ++place)
        if (has_split(start, place, end, follows)) return place;
    return 0;
}

std::size_t PipelineIntervalEncoder::last_split(std::size_t start, std::size_t end) const {
    std::size_t const far = std::max(start, end - std::min(end, Regions::longest_unit));
    std::uint64_t asked = ~std::uint64_t{0} >> (63 - (end & 63));
    for (std::size_t word = end >> 6; word * 64 + 63 > far; --word, asked = ~std::uint64_t{0}) {
        for (std::uint64_t cuts = words_[word].cuts & asked; cuts; cuts &= ~std::bit_floor(cuts)) {
            std::size_t const place = word * 64 + 63 - static_cast<std::size_t>(std::countl_zero(cuts));
            if (place <= far) return 0;
            if (has_split(start, place, end)) return place;
        }
        if (word == 0) break;
    }
    return 0;
}

std::optional<std::size_t> PipelineIntervalEncoder::count_by_splits(std::size_t start, std::size_t end, Pipeline::Workspace& workspace) const {
    if (cuts_character(start) || cuts_character(end)) return std::nullopt;
    auto const between = [&](Position at, std::size_t stop) { return pipeline_->count_between(text_.data, at, stop, text_.size, workspace); };
    SliceEnd& known = workspace.slice_end;
    std::size_t total = known.tokens;  // of the text up to `end`
    if (!known.holds(number_, start, end)) {
        std::size_t const last = last_split(start, end);
        if (has_token(last == 0 ? start : last, end)) return std::nullopt;
        if (last == 0) return end - start <= Regions::longest_unit ? std::optional(between({start, Before::nothing}, end)) : std::nullopt;
        total = tokens_before(last) + (last < end ? between({last, Before::region}, end) : 0);
        if (last - start >= SafeSplits::reach_back) known = {number_, end, last - SafeSplits::reach_back, total};
    }
    if (start == 0) return total;
    std::size_t const first = first_split(start, end);
    if (first == 0 || has_token(start, first)) return std::nullopt;
    std::size_t const head = between({start, Before::nothing}, first);
    return may_begin(head) ? std::optional(head + total - tokens_before(first)) : std::nullopt;
}

std::optional<Agreement> PipelineIntervalEncoder::agreement_by_splits(std::size_t start, Bytes before) const {
    std::size_t const first = cuts_character(start) ? 0 : first_split(start, text_.size, before.size > 0);
    if (first == 0 || first == text_.size || has_token(start, first + 1)) return std::nullopt;
    std::size_t total = 0;
    if (before.size > 0) {
        std::vector<Byte> together(before.data, before.data + before.size);
        together.insert(together.end(), text_.data + start, text_.data + std::min(text_.size, first + pipeline_->longest_token()));
        if (auto const added = pipeline_->places_of_tokens({together.data(), together.size()}); !added || !added->empty()) return std::nullopt;
        total = pipeline_->count({together.data(), before.size + first - start});
    } else {
        Pipeline::Lease const workspace = pipeline_->lease();
        total = pipeline_->count_between(text_.data, {start, Before::nothing}, first, text_.size, *workspace);
    }
    if (!may_begin(total)) return std::nullopt;
    return Agreement{first + character_size(text_.data + first, text_.size - first),
                     static_cast<std::ptrdiff_t>(total) - static_cast<std::ptrdiff_t>(tokens_before(first))};
}

std::size_t PipelineIntervalEncoder::reach(std::size_t start, std::size_t tokens) const {
    return splits_ && tokens > most_fall_ ? Reach(words_, text_.size, *this).forward(start, tokens - most_fall_) : start;
}

std::size_t PipelineIntervalEncoder::reach_back(std::size_t end, std::size_t tokens) const {
    return splits_ && tokens > most_fall_ ? Reach(words_, text_.size, *this).backward(end, tokens - most_fall_) : end;
}

std::optional<Agreement> PipelineIntervalEncoder::agreement(std::size_t start, Bytes before) const {
    if (units_ || start >= text_.size) return std::nullopt;
    if (splits_)
        if (auto const found = agreement_by_splits(start, before)) return found;
    if (before.size > 0 || start == 0) return std::nullopt;
    std::size_t const far = std::min(text_.size, start + thresholds::long_piece);
    std::size_t const first = cut_from(start, far);
    if (first == far) return std::nullopt;  // inside a long word: nothing that is read could meet a cut
    Pipeline::Lease const workspace = pipeline_->lease();
    Slice sink{*this, pipeline_->coder(), workspace->pieces};
    Position at{start, Before::nothing};
    std::size_t limit = start;  // what was read to be certain of the cut
    for (std::size_t size = std::max(first - start, thresholds::slice_start); limit < far;) {
        std::size_t const from = at.offset;
        limit = std::min(far, from + size);
        pipeline_->scan(text_.data, start, at, limit, false, {}, *workspace, sink);
        if (sink.has_met) break;
        sink.total = sink.at_cut;
        size = at.offset > from ? slice_window : size * 2;
    }
    if (!sink.has_met) return std::nullopt;
    // `count` jumps from there to the last cut that is certain, if that is not before it.
    auto const window =
        std::lower_bound(windows_.begin(), windows_.end(), sink.met.offset, [](Window const& window, std::size_t value) { return window.certain < value; });
    if (window == windows_.end()) return std::nullopt;
    return Agreement{std::max<std::size_t>(window->limit, limit),
                     static_cast<std::ptrdiff_t>(sink.at_cut) - static_cast<std::ptrdiff_t>(tokens_before(sink.met.offset))};
}

std::size_t PipelineIntervalEncoder::count(std::size_t start, std::size_t end) const {
    if (start == end) return 0;
    if (units_) return units_->count(start, end);
    Pipeline::Lease const workspace = pipeline_->lease();
    if (splits_)
        if (auto const found = count_by_splits(start, end, *workspace)) return *found;
    return count_scanned(start, end, *workspace);
}

std::size_t PipelineIntervalEncoder::count_scanned(std::size_t start, std::size_t end, Pipeline::Workspace& workspace) const {
    auto const window = std::upper_bound(windows_.begin(), windows_.end(), end, [](std::size_t value, Window const& window) { return value < window.limit; });
    Position const last = window == windows_.begin() ? Position{} : cut_at(std::prev(window)->certain);
    Slice sink{*this, pipeline_->coder(), workspace.pieces};
    Position at{start, Before::nothing};
    if (start == 0 && last.offset > 0) {
        sink.total = sink.at_cut = tokens_before(last.offset);
        at = last;
    }
    sink.looks = last.offset > start && start > 0;
    // The slice may begin inside a character. Its remaining bytes are no letter, so a token that must be a whole word may be found after them.
    if (cuts_character(start) && pipeline_->looks_back()) sink.first = start + 4;
    for (std::size_t size = thresholds::slice_start; at.offset < end;) {
        if (!sink.looks && splits_ && end - at.offset > thresholds::long_tail) return sink.total + count_tail(at, end);
        std::size_t const limit = sink.looks ? std::min(end, at.offset + size) : end;
        std::size_t const from = at.offset;
        pipeline_->scan(text_.data, start, at, limit, limit == end, {}, workspace, sink);
        if (sink.has_met) {
            sink.has_met = sink.looks = false;
            if (last.offset > at.offset) {
                sink.total += tokens_before(last.offset) - tokens_before(at.offset);
                sink.at_cut = sink.total;
                at = last;
            }
            continue;
        }
        if (limit == end) break;
        sink.total = sink.at_cut;
        size = at.offset > from ? slice_window : size * 2;
    }
    return sink.total;
}

std::size_t PipelineIntervalEncoder::count_tail(Position from, std::size_t end) const {
    std::lock_guard const lock(tail_mutex_);
    if (!tail_ || !(tail_->from == from)) tail_.reset(new Tail{from, PipelineAppendingEncoder(pipeline_, from.before)});
    auto& [_, encoder, states] = *tail_;
    auto const end_of = [&](const auto& state) { return from.offset + state.length; };
    if (end_of(encoder.state()) > end) {
        while (end_of(states.back()) > end) states.pop_back();
        encoder.return_to(states.back());
    }
    encoder.append(text_.part(end_of(encoder.state()), end));
    if (end_of(encoder.state()) - end_of(states.back()) > thresholds::open_unit) states.push_back(encoder.state());
    return encoder.count();
}

std::size_t PipelineIntervalEncoder::memory() const {
    if (units_) return units_->memory();
    std::lock_guard const lock(tail_mutex_);
    std::size_t const tail = tail_ ? tail_->encoder.text().size + tail_->states.capacity() * sizeof(tail_->states[0]) : 0;
    return tail + words_.capacity() * sizeof(Word) + counts_.capacity() + large_.size() * 48 + after_tokens_.capacity() * sizeof(std::size_t) +
           windows_.capacity() * sizeof(Window);
}

}  // namespace bpe
