#include "bpe/pipeline/growing.hpp"

#include <algorithm>
#include <limits>

#include "ids_sink.hpp"

namespace bpe {

namespace {

// Counts tokens, and keeps the sum at the last cut.
struct CutSink {
    const PieceCoder& coder;
    PieceCoder::Workspace& workspace;
    std::size_t total = 0, at_cut = 0;
    void piece(Bytes piece, std::size_t readable, bool is_first, std::size_t) { total += coder.count(piece, readable, is_first, workspace); }
    void expect(Bytes piece, std::size_t readable) { coder.expect(piece, readable, workspace); }
    void unit(std::size_t count) { total += count; }
    void token(std::uint32_t, std::size_t, std::size_t) { ++total; }
    bool cut(Position) {
        at_cut = total;
        return true;
    }
    void again() { total = at_cut; }
};

}  // namespace

void PipelineAppendingEncoder::append(Bytes more) {
    if (more.size == 0) return;
    State const before = state_;
    text_.append(more.data, more.size);
    try {
        Pipeline::Lease const workspace = pipeline_->lease();
        if (count_marks(workspace->pieces) || count_before_nonblank()) return;
        // The part is a text of its own: nothing depends on the text before it.
        std::size_t const base = tokens_.end_of(tokens_.size());
        const Byte* const text = text_.data() + base;
        OpenTail* const tail = tail_from(base);
        struct Sink : CutSink {
            const Pipeline& pipeline;
            OpenTail* tail;
            const Byte* text;
            std::size_t certain = 0;
            double sum = 0;  // before the last cut
            void part_of_region(const UnigramText& units, const UnigramText::Part& part) {
                total += units.count(part, std::numeric_limits<std::size_t>::max());
                sum = part.at.sum;
            }
            void piece(Bytes piece, std::size_t readable, bool is_first, std::size_t raw) {
                bool const is_kept = tail && (OpenTail::is_long(piece.size) || pipeline.goes_on_with_sums()) && tail->holds(text, piece);
                if (auto const count = is_kept ? grown(pipeline.stages(), piece, is_first ? Before::nothing : Before::token) : std::nullopt) total += *count;
                else CutSink::piece(piece, readable, is_first, raw);
            }
            void part(std::size_t stage, Bytes piece, Before before) { total += grown(stage, piece, before).value(); }
            std::optional<std::size_t> grown(std::size_t stage, Bytes piece, Before before) {
                return tail->count(stage, text, piece, [&] { return pipeline.growing(stage, Side::right, before, sum); });
            }
            std::size_t settled = 0;
            bool cut(Position at) {
                settled = total;
                return CutSink::cut(at);
            }
            void settle() { settled = total; }
            void again() { total = settled; }
            void uncertain() { certain = total = settled = at_cut; }  // pieces after the last cut come again
        };
        Sink sink{{pipeline_->coder(), workspace->pieces}, *pipeline_, tail, text, 0, state_.certain.sum};
        state_.certain.offset -= base;
        pipeline_->scan_to_end(text, 0, state_.certain, text_.size() - base, *workspace, sink, before_ != Before::nothing || tokens_.size() > 0, tail);
        state_.certain.offset += base;
        if (tail) tail->note();
        state_.count = state_.certain_count + sink.total;
        state_.certain_count += sink.certain;
        state_.length = text_.size();
    } catch (...) {
        return_to(before);
        throw;
    }
}

bool PipelineAppendingEncoder::count_marks(PieceCoder::Workspace& workspace) {
    if (!pipeline_->orders_marks()) return false;
    std::size_t const base = tokens_.end_of(tokens_.size());
    Bytes const text = this->text().part(base, text_.size());
    Position from = state_.certain;
    from.offset -= base;
    std::size_t const open = text.size - from.offset;
    if (!marks_ || !marks_->extend(text)) {
        // A search in vain takes the time of reading the open end, but for one where a run has just ended.
        bool const is_worth_it = open > thresholds::long_tail && (marks_ || open >= 2 * marks_tried_);
        marks_ = is_worth_it ? MarkRun::make(*pipeline_, text, from, before_ != Before::nothing || tokens_.size() > 0) : nullptr;
        if (!marks_) {
            marks_tried_ = is_worth_it ? open : std::min(marks_tried_, open);
            return false;
        }
    }
    std::optional<std::size_t> count;
    try {
        count = marks_->count(text, workspace);
    } catch (const EncodingError&) {
        // It is thrown again where all is read as one text.
    }
    if (!count) {
        marks_ = nullptr;
        marks_tried_ = open;
        return false;
    }
    state_.count = state_.certain_count + *count;
    state_.length = text_.size();
    return true;
}

// White space at the end of a text is stripped, and is back where bytes that begin a character are added.
bool PipelineAppendingEncoder::count_before_nonblank() {
    std::size_t const start = state_.certain.offset, open = text_.size() - start;
    if (open <= thresholds::long_tail || unfinished_end({text_.data() + start, open}) == 0) return false;
    if (!before_nonblank_.table) before_nonblank_ = {start, state_.certain_count, pipeline_->growing_before_nonblank(state_.certain.before)};
    if (!before_nonblank_.table) return false;
    GrowingPiece& table = *before_nonblank_.table;
    std::size_t count = 0;
    try {
        table.extend(text().part(before_nonblank_.start + table.size(), text_.size()));
        count = table.count();
    } catch (const EncodingError&) {
        // It is thrown again where all is read as one text.
        before_nonblank_ = {};
        return false;
    }
    state_.count = before_nonblank_.tokens_before + count;
    state_.length = text_.size();
    return true;
}

// The memory of a tail that is long enough; null for others.
OpenTail* PipelineAppendingEncoder::tail_from(std::size_t base) {
    std::size_t const length = text_.size() - base, certain = state_.certain.offset - base;
    if (length - certain <= thresholds::long_tail) return nullptr;
    bool const is_there = !tails_.empty() && tails_.back().base == base && tails_.back().tail.covers(certain) &&
                          (!pipeline_->looks_inside() || tails_.back().tail.origin() == certain);
    // One that has become certain for the most part goes on as another.
    if (!is_there || certain - tails_.back().tail.origin() > 2 * (length - certain) + thresholds::read_window)
        tails_.push_back({base, OpenTail(certain, begins_region(state_.certain.before), state_.certain.before == Before::nothing)});
    tails_.back().tail.begin(length);
    return &tails_.back().tail;
}

void PipelineAppendingEncoder::return_to(const State& state) {
    if (marks_) {
        std::size_t const base = tokens_.end_of(tokens_.size());
        bool const goes_on = state.tokens == tokens_.size() && state.certain == state_.certain && state.length >= base + marks_->first_length();
        if (goes_on) marks_->truncate(state.length - base);
        else marks_ = nullptr;
    }
    if (GrowingPiece* const table = before_nonblank_.table.get()) {
        bool const goes_on = state.tokens == tokens_.size() && state.certain.offset >= before_nonblank_.start;
        if (!goes_on) before_nonblank_ = {};
        else if (std::size_t const left = state.length - before_nonblank_.start; table->size() > left) table->truncate(left);
    }
    text_.truncate(state.length);
    tokens_.truncate(state.tokens);
    state_ = state;
    while (!tails_.empty() && tails_.back().base + tails_.back().tail.origin() >= state.length) tails_.pop_back();
    for (auto tail = tails_.rbegin(); tail != tails_.rend() && tail->base + tail->tail.length() > state.length; ++tail)
        tail->tail.cut_back(state.length - tail->base);
}

void PipelineAppendingEncoder::append_token(std::uint32_t id, Bytes text) {
    std::size_t const start = text_.size();
    marks_ = nullptr;
    before_nonblank_ = {};
    text_.append(text.data, text.size);
    // The open pre-token ends here, so its count is known: as if the text ended, unless the normalizer sees a text that goes on.
    std::size_t count = state_.count;
    Position after{text_.size(), Before::token};
    try {
        if (auto const inside = pipeline_->number_inside(id)) {
            Pipeline::Lease const workspace = pipeline_->lease();
            CutSink sink{pipeline_->coder(), workspace->pieces};
            std::size_t const base = tokens_.end_of(tokens_.size());
            Position at{state_.certain.offset - base, state_.certain.before, state_.certain.sum};
            pipeline_->scan_before(text_.data() + base, at, start - base, text_.size() - base, *inside, *workspace, sink,
                                   before_ != Before::nothing || tokens_.size() > 0);
            count = state_.certain_count + sink.total;
            after.before = Before::inside;
        }
        tokens_.push({start, text_.size(), id});
    } catch (...) {
        text_.truncate(start);
        throw;
    }
    state_.length = text_.size();
    state_.certain = after;
    state_.certain_count = state_.count = count + 1;
    state_.tokens = tokens_.size();
}

void PipelineAppendingEncoder::encode_from(const State& state, FreshIds& fresh) {
    if (state.tokens == tokens_.size() && state.certain == state_.certain && read_open(fresh)) return;
    std::vector<std::uint32_t>& ids = fresh.ids;
    Position at = state.certain;
    for (std::size_t number = state.tokens;; ++number) {
        std::size_t const base = tokens_.end_of(number);
        Position const from{at.offset - base, at.before, at.sum};
        bool const after_token = before_ != Before::nothing || number > 0;
        if (number == tokens_.size()) return pipeline_->encode_rest(text().part(base, text_.size()), from, after_token, ids);
        ExplicitToken const token = tokens_[number];
        auto const inside = pipeline_->number_inside(token.id);
        if (inside) pipeline_->encode_before(text().part(base, token.end), from, token.start - base, *inside, after_token, ids);
        else pipeline_->encode_rest(text().part(base, token.start), from, after_token, ids);
        ids.push_back(token.id);
        at = {token.end, inside ? Before::inside : Before::token};
    }
}

bool PipelineAppendingEncoder::read_open(FreshIds& ids) {
    std::size_t const base = tokens_.end_of(tokens_.size());
    if (marks_) return false;
    GrowingPiece* const table = before_nonblank_.table.get();
    bool const ends_inside = unfinished_end(text().part(state_.certain.offset, text_.size())) > 0;
    if (table && ends_inside && before_nonblank_.start + table->size() == text_.size()) {
        if (before_nonblank_.start != state_.certain.offset) return false;
        ids.add(*table, before_nonblank_.known);
        return true;
    }
    OpenTail* const tail = tail_from(base);
    if (!tail) return false;
    struct Sink : IdsSink {
        FreshIds& fresh;
        OpenTail& tail;
        const Byte* text;
        double sum;  // before the last cut
        FreshIds::Place at_cut = fresh.place();
        void part_of_region(const UnigramText& units, const UnigramText::Part& part) {
            IdsSink::part_of_region(units, part);
            sum = part.at.sum;
        }
        void piece(Bytes piece, std::size_t readable, bool is_first, std::size_t raw) {
            bool const is_kept = (OpenTail::is_long(piece.size) || pipeline.goes_on_with_sums()) && tail.holds(text, piece);
            if (!is_kept || !grown(pipeline.stages(), piece, is_first ? Before::nothing : Before::token)) IdsSink::piece(piece, readable, is_first, raw);
        }
        void part(std::size_t stage, Bytes piece, Before before) { grown(stage, piece, before); }
        bool grown(std::size_t stage, Bytes piece, Before before) {
            ids.flush();
            return tail.read(stage, text, piece, [&] { return pipeline.growing(stage, Side::right, before, sum); }, fresh);
        }
        bool cut(Position) {
            ids.flush();
            at_cut = fresh.place();
            return true;
        }
        void again() {
            ids.flush();
            fresh.return_to(at_cut);
        }
        void uncertain() { again(); }  // pieces after the last cut come again
    };
    Pipeline::Lease const workspace = pipeline_->lease();
    const Byte* const text = text_.data() + base;
    Sink sink{{*pipeline_, *workspace, ids.ids}, ids, *tail, text, state_.certain.sum};
    Position at = state_.certain;
    at.offset -= base;
    try {
        pipeline_->scan_to_end(text, 0, at, text_.size() - base, *workspace, sink, before_ != Before::nothing || tokens_.size() > 0, tail);
    } catch (...) {
        tails_.clear();  // one may be half read
        throw;
    }
    sink.ids.flush();
    tail->note();
    return true;
}

void PipelinePrependingEncoder::prepend(Bytes more) {
    if (more.size == 0) return;
    State const before = state_;
    if (state_.length > 0 && UnicodeTable::continues(text()[0])) forget_start();
    text_.prepend(more, state_.length);
    state_.length += more.size;
    totals_.resize(state_.length + 1, unknown);
    try {
        state_.count = total(more.size);
    } catch (...) {
        return_to(before);
        throw;
    }
}

std::size_t PipelinePrependingEncoder::total(std::size_t added) {
    struct Sink : CutSink {
        PipelinePrependingEncoder& encoder;
        std::size_t length;
        struct Link {
            Position at;
            std::size_t tokens;  // up to there
        };
        std::vector<Link> links;
        std::size_t rest = unknown;  // the total of the last link, where it is known
        OpenHead* head = nullptr;
        bool has_lost_marks = false;  // a piece has marks that have to be put in order first

        void piece(Bytes piece, std::size_t readable, bool is_first, std::size_t raw) {
            bool const has_marks = head && head->has_marks(piece);
            if (auto const count = has_marks || (head && OpenTail::is_long(piece.size))
                                       ? grown(encoder.pipeline_->stages(), piece, is_first ? Before::nothing : Before::token)
                                       : std::nullopt)
                total += *count;
            else if (has_marks) has_lost_marks = true;
            else CutSink::piece(piece, readable, is_first, raw);
        }
        void part(std::size_t stage, Bytes piece, Before before) {
            auto const count = grown(stage, piece, before);
            has_lost_marks = has_lost_marks || !count;
            total += count.value_or(0);
        }
        std::optional<std::size_t> grown(std::size_t stage, Bytes piece, Before before) {
            return head->count(stage, piece, before, [&] { return encoder.pipeline_->growing(stage, Side::left, before); });
        }

        bool cut(Position at) {
            if (has_lost_marks) return false;
            at_cut = total;
            links.push_back({at, total});
            if (std::uint32_t const known = encoder.total_at(length - at.offset, at.before); known != unknown) rest = known;
            return rest == unknown;
        }
        void settle() { at_cut = total; }
    };
    Pipeline::Lease const workspace = pipeline_->lease();
    Bytes const whole = text();
    Sink sink{{pipeline_->coder(), workspace->pieces}, *this, whole.size, {}};
    Position at{0, before_};
    auto const tokens_at_last = [&] { return sink.links.empty() ? 0 : sink.links.back().tokens; };
    bool has_tried_head = false;
    for (std::size_t window = added + thresholds::look_ahead;;) {
        Position const from = at;
        if (window > thresholds::long_tail && window > 2 * added && !has_tried_head) {
            std::unique_ptr<OpenHead>& head = head_of(whole.part(at.offset, whole.size));
            if (!head) head = std::make_unique<OpenHead>();
            sink.head = head.get();
            bool const helps = pipeline_->scan_head(whole, at, added, sink, *head, before_ != Before::nothing);
            sink.head = nullptr;
            if (sink.has_lost_marks) {
                sink.has_lost_marks = false;
                head->order_marks();
                at = from;
                std::erase_if(sink.links, [&](auto const& link) { return link.at.offset > from.offset; });
                sink.rest = unknown;
                sink.total = tokens_at_last();
                continue;
            }
            if (sink.rest != unknown) break;
            sink.total = tokens_at_last();
            has_tried_head = at == from;
            if (helps && !has_tried_head) window = added + thresholds::look_ahead;
            if (helps) continue;
        }
        std::size_t const limit = std::min(whole.size, at.offset + window);
        pipeline_->scan(whole.data, 0, at, limit, limit == whole.size, {}, *workspace, sink, before_ != Before::nothing);
        if (sink.rest != unknown) break;
        if (limit == whole.size) {
            sink.links.push_back({{whole.size, Before::region}, sink.total});
            sink.rest = 0;
            break;
        }
        // Pieces after the last cut come again.
        sink.total = tokens_at_last();
        if (at == from) window *= 4;
    }
    std::size_t const count = sink.links.back().tokens + sink.rest;
    for (auto const& link : sink.links) {
        std::size_t const rest = count - link.tokens;
        if (link.at.offset < whole.size) total_at(whole.size - link.at.offset, link.at.before) = static_cast<std::uint32_t>(rest);
    }
    return count;
}

void PipelinePrependingEncoder::forget_start() {
    if (!pipeline_->looks_back()) return;
    // Of the character before a token the last bytes may be there.
    std::size_t const first = state_.length - std::min<std::size_t>(state_.length, 3);
    std::fill(totals_.begin() + static_cast<std::ptrdiff_t>(first), totals_.end(), unknown);
    after_tokens_.erase(after_tokens_.lower_bound(first), after_tokens_.end());
}

void PipelinePrependingEncoder::return_to(const State& state) {
    state_ = state;
    totals_.resize(state.length + 1, unknown);
    after_tokens_.erase(after_tokens_.upper_bound(state.length), after_tokens_.end());
    forget_start();
    for (auto const& head : heads_)
        if (head) head->truncate(state.length);
}

std::size_t PipelinePrependingEncoder::fewest() {
    // Every longer text is cut at the first safe split whose characters on both sides stay what they are.
    for (std::size_t const place : pipeline_->safe_splits(text(), thresholds::long_tail))
        if (std::uint32_t const known = totals_[state_.length - place]; known != unknown) return known;
    return 0;
}

}  // namespace bpe
