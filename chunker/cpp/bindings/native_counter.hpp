// Counts of a text that is cut, by the encoders of bpe_engine.
//
// A text is priced: a window of it is read once, and slices of it cost no more than their ends, however often a chunk begins in it. After a context a slice is
// priced once it has the same tokens as the window; before that it is counted. Where that is not soon, as inside of a long pre-token, or no slice can be
// priced, as of bytes that are in no token, an encoder is appended to or prepended to.
#pragma once

#include <nanobind/nanobind.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "chunker/characters.hpp"
#include "chunker/counter.hpp"
#include "contexts.hpp"
#include "gil.hpp"
#include "interfaces.hpp"
#include "window.hpp"

namespace chunker::bindings {

class NativeCounter : public Counter {
public:
    // `whole`: all of the text will be priced.
    NativeCounter(const Text& text, nb::handle source, nb::handle tokenizer, Encoders encoders, Contexts& contexts, bool whole)
        : text_(text), source_(source), tokenizer_(tokenizer), contexts_(contexts), encoders_(std::move(encoders)), window_(text, encoders_, whole) {}

    std::size_t begin(Context context) override {
        context_ = context;
        origin_ = nowhere;
        end_ = 0;
        appends_ = false;
        return size_of(context);
    }
    std::size_t append(std::size_t start, std::size_t end) override {
        if (origin_ == nowhere) {
            origin_ = end_ = text_.place(start);
            agreed_.reset();
            agreed_in_ = no_window;
        }
        std::size_t const last = text_.place(end);
        if (!appends_) {
            if (auto const found = priced(last)) {
                end_ = last;
                return *found;
            }
            append_from_origin();
        }
        std::size_t const count = grow(end_, last);
        end_ = last;
        return count;
    }
    void keep() override {
        kept_ = end_;
        is_kept_ = appends_;
        if (appends_) right_->keep(right_->encoder);
    }
    void go_back() override {
        if (appends_ && is_kept_) right_->go_back(right_->encoder);
        if (origin_ != nowhere) end_ = std::max(kept_, origin_);
        if (appends_ && !is_kept_) append_from_origin();
    }

    // Whether all of the text has prices.
    bool is_quick() override { return window_.hold(0, text_.place(text_.size())); }
    std::optional<Agreement> agreement(Context context, std::size_t start) override { return found_agreement(context, text_.place(start)); }

    std::size_t reach(std::size_t start, std::size_t tokens) override {
        std::size_t const first = text_.place(start);
        if (!window_.hold(first, std::min(first + tokens * likely_bytes, text_.place(text_.size())))) return start;
        return text_.offset_at(window_.reach(first, tokens));
    }
    std::size_t reach_back(std::size_t end, std::size_t tokens) override {
        std::size_t const last = text_.place(end);
        // From the start of the chunk on, so that what is repeated of it is in the same window.
        return window_.hold(std::min(origin_, last), last) ? text_.offset_at(window_.reach_back(last, tokens)) : end;
    }

    void begin_to_the_left(std::size_t, std::size_t end) override {
        right_end_ = end;  // up to which the next step counts anyway
        prepends_ = false;
    }
    std::size_t prepend(std::size_t start, std::size_t end) override {
        std::size_t const first = text_.place(start), last = text_.place(right_end_);
        // A long slice is priced only if its pre-tokens soon are those of the text. Inside a long pre-token they never are, and a price takes the time of the
        // slice.
        if (!prepends_ && window_.hold(first, last) && (last - first <= slice_worth_a_price || window_.agreement({}, first)))
            if (auto const found = window_.count(first, last)) return *found;
        return grow_to_the_left(first, prepends_ ? text_.place(end) : last);
    }

    std::optional<std::size_t> count_up_to(Context context, std::size_t start, std::size_t end, std::size_t limit) override {
        std::size_t const first = text_.place(start), last = text_.place(end);
        // Nothing but a context, and a slice that is surely too long, are not worth a window; nor is all of a text, of which perhaps nothing else is asked.
        bool const is_all = first == 0 && last == text_.place(text_.size()) && !window_.holds(first, last);
        if (first < last && last - first <= limit * worth_a_window && !is_all && window_.hold(first, last)) {
            std::optional<std::size_t> found;
            auto const agreed = agreement_of(context, first);
            if (agreed && context == 0) found = window_.count(first, last);
            else if (agreed && last >= agreed->from) found = agreed_count(*agreed, last);
            if (found) return *found <= limit ? found : std::nullopt;
        }
        return counted_up_to(context, first, last, limit);
    }
    std::size_t count(Context context, std::size_t start, std::size_t end) override {
        if (start == end) return size_of(context);
        if (std::size_t const first = text_.place(start), last = text_.place(end); context == 0 && window_.holds(first, last))
            if (auto const found = window_.count(first, last)) return *found;
        auto const found = count_up_to(context, start, end, most_limit);
        if (!found) {
            gil::Held const held;
            raise_uncountable(tokenizer_, part_of(source_, start, end));
        }
        return *found;
    }

private:
    static constexpr std::size_t nowhere = std::numeric_limits<std::size_t>::max(), no_window = nowhere;
    // Bytes of a token: as many of the text as are looked at to leap, and so many of a slice that it is surely too long.
    static constexpr std::size_t likely_bytes = 4, worth_a_window = 16;
    // Bytes. A slice up to this length is priced even inside of a long pre-token.
    static constexpr std::size_t slice_worth_a_price = 256;

    // The tokens of the context and text[origin:last], in bytes; none where they have to be counted by appending.
    std::optional<std::size_t> priced(std::size_t last) {
        if (!window_.hold(origin_, last)) return std::nullopt;
        if (agreed_in_ != window_.number()) {
            agreed_in_ = window_.number();
            agreed_ = agreement_of(context_, origin_);
        }
        if (!agreed_) return std::nullopt;
        if (last >= agreed_->from) return agreed_count(*agreed_, last);
        return context_ == 0 ? window_.count(origin_, last) : counted_up_to(context_, origin_, last, most_limit);
    }
    // Asked for once of a chunk, of a unit in it that may be a chunk alone, and of the chunk that begins with this unit.
    std::optional<Agreement> const& agreement_of(Context context, std::size_t first) {
        Asked& asked = asked_[(first + context) % asked_.size()];
        if (asked.first != first || asked.context != context || asked.window != window_.number())
            asked = {first, context, window_.number(), found_agreement(context, first)};
        return asked.agreed;
    }
    std::optional<Agreement> found_agreement(Context context, std::size_t first) {
        std::string_view const before = contexts_.bytes(context);
        if (before.empty() || before.back() != '\n' || !window_.begins_after_line(first)) return window_.agreement(before, first);
        // Most contexts are lines, and most chunks begin with a line: then a context is counted once, and not again with each text after it.
        auto agreed = window_.agreement({}, first);
        if (agreed) agreed->shift += static_cast<std::ptrdiff_t>(size_of(context));
        return agreed;
    }
    std::optional<std::size_t> agreed_count(const Agreement& agreed, std::size_t last) const {
        auto const sum = window_.count(window_.start(), last);
        return sum ? std::optional(static_cast<std::size_t>(static_cast<std::ptrdiff_t>(*sum) + agreed.shift)) : std::nullopt;
    }
    std::optional<std::size_t> counted_up_to(Context context, std::size_t first, std::size_t last, std::size_t limit) {
        const unsigned char* text = text_.data() + first;
        std::size_t size = last - first;
        if (context != 0) {
            together_ = contexts_.bytes(context);
            together_.append(reinterpret_cast<const char*>(text), size);
            text = reinterpret_cast<const unsigned char*>(together_.data());
            size = together_.size();
        }
        std::size_t count = 0;
        return encoders_.fits(text, size, limit, count) ? std::optional(count) : std::nullopt;
    }

    [[noreturn]] void refuse(Context context) const {
        gil::Held const held;  // to make a str of it
        raise_uncountable(tokenizer_, contexts_.string(context));
    }

    std::size_t size_of(Context context) {
        return contexts_.size(context, [&] {
            auto const found = counted_up_to(context, 0, 0, most_limit);
            if (!found) refuse(context);
            return *found;
        });
    }

    void append_from_origin() {
        appends_ = true;
        is_kept_ = false;
        if (right_) right_->restart(right_->encoder);
        else right_ = encoders_.appending();
        std::string_view const bytes = contexts_.bytes(context_);
        std::size_t count = 0;
        if (!bytes.empty() && !right_->grow(right_->encoder, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(), &count)) refuse(context_);
        if (end_ > origin_) grow(origin_, end_);
    }
    std::size_t grow_to_the_left(std::size_t first, std::size_t last) {
        if (!left_) left_ = encoders_.prepending();
        else if (!prepends_) left_->restart(left_->encoder);
        prepends_ = true;
        std::size_t count = 0;
        if (!left_->grow(left_->encoder, text_.data() + first, last - first, &count)) raise_uncountable(tokenizer_, source_);
        return count;
    }
    // Append bytes of the text.
    std::size_t grow(std::size_t first, std::size_t last) {
        std::size_t count = 0;
        if (!right_->grow(right_->encoder, text_.data() + first, last - first, &count)) raise_uncountable(tokenizer_, source_);
        return count;
    }

    const Text& text_;
    nb::handle source_, tokenizer_;
    Contexts& contexts_;
    Encoders encoders_;
    Window window_;
    Dropped<GrowingInterface> right_, left_;  // once they are needed
    std::string together_;                    // a context and what it stands before

    // The text that grows to the right, in bytes: its start, its end, and its end at the last mark.
    Context context_ = 0;
    std::size_t origin_ = nowhere, end_ = 0, kept_ = 0;
    std::optional<Agreement> agreed_;
    std::size_t agreed_in_ = no_window;  // the window that this is of
    struct Asked {
        std::size_t first = nowhere;
        Context context = 0;
        std::size_t window = no_window;
        std::optional<Agreement> agreed;
    };
    std::array<Asked, 16> asked_;  // the agreements last asked for, by offset and context
    bool appends_ = false, is_kept_ = false;
    // The text that grows to the left: its end in characters.
    std::size_t right_end_ = 0;
    bool prepends_ = false;
};

}  // namespace chunker::bindings
