// Adapters between what cuts a text into pieces and who counts or encodes them: pieces of raw text, of normalized text, and of the open head of a text.
#pragma once

#include <algorithm>
#include <iterator>
#include <optional>
#include <vector>

#include "bpe/pipeline/added_tokens.hpp"
#include "bpe/pipeline/chain.hpp"
#include "bpe/pipeline/normalizer.hpp"
#include "bpe/pipeline/open_head.hpp"
#include "bpe/pipeline/position.hpp"

namespace bpe {

// Sinks that count a long piece which later stages cut: `part(stage, Bytes, before)`.
template <class Sink>
inline constexpr bool takes_parts = requires(Sink& sink) { sink.part(std::size_t{}, Bytes{}, Before::nothing); };

// Sinks that count what is between safe splits.
template <class Sink>
inline constexpr bool counts_units = requires(Sink& sink) { sink.unit(std::size_t{}); };

// Sinks that need the added tokens of a text, but none of its pieces.
template <class Sink>
inline constexpr bool takes_tokens_alone = requires { Sink::takes_tokens_alone; };

// Sinks to which some cuts may not be told.
template <class Sink>
inline constexpr bool refuses_cuts = requires(Sink& sink) { sink.refuses(std::size_t{}); };

// Sink for a text with added tokens that are found, but not wanted: there is no cut inside of them. It takes nothing but pieces.
template <class Sink>
struct UncutSink {
    Sink& sink;
    // Of raw and of normalized tokens, each in ascending order and without overlaps: a text may have as many as it has cuts.
    std::vector<AddedTokens::Span> raw = {}, normalized = {};

    bool refuses(std::size_t offset) const { return is_inside(raw, offset) || is_inside(normalized, offset); }
    static bool is_inside(const std::vector<AddedTokens::Span>& spans, std::size_t offset) {
        auto const next = std::lower_bound(spans.begin(), spans.end(), offset, [](auto const& span, std::size_t place) { return span.start < place; });
        return next != spans.begin() && offset < std::prev(next)->end;
    }
    void piece(Bytes piece, std::size_t readable, bool is_first, std::size_t raw) { sink.piece(piece, readable, is_first, raw); }
    void token(std::uint32_t number, std::size_t start, std::size_t end) { sink.token(number, start, end); }
    bool cut(Position at) {
        last.reset();
        return sink.cut(at);
    }
    void again() { sink.again(); }
    std::optional<Position> last{};  // the last cut, where the reading has gone on after it to a place that is none
};

// Sink for the pieces of raw text. `begin`: the piece from there on is the first of the text.
template <class Sink>
struct RawSink {
    Sink& sink;
    Position& at;
    const Byte* text;
    std::size_t begin, limit;
    std::size_t last_cut = no_match;  // none after it counts
    bool has_ended = false;
    static constexpr bool parts = true;

    void uncertain() { sink.uncertain(); }
    void part(std::size_t stage, std::size_t start, std::size_t end)
        requires takes_parts<Sink>
    {
        sink.part(stage, Bytes{text + start, end - start}, start == begin ? Before::nothing : Before::token);
    }
    void piece(std::size_t start, std::size_t end) { sink.piece(Bytes{text + start, end - start}, limit - start, start == begin, start); }
    void expect(std::size_t start, std::size_t end) {
        if constexpr (requires { sink.expect(Bytes{}, start); }) sink.expect(Bytes{text + start, end - start}, limit - start);
    }
    bool cut(std::size_t offset) {
        if (offset > last_cut) return true;
        if constexpr (refuses_cuts<Sink>)
            if (sink.refuses(offset)) return true;
        at = {offset, Before::region};
        if (!sink.cut(at)) has_ended = true;
        return !has_ended;
    }
};

// Sink for the pieces of normalized text.
template <class Sink>
struct NormalizedSink {
    Sink& sink;
    Position& at;
    const Normalized& text;
    std::size_t base, begin;
    std::size_t last_cut = no_match;
    bool parts = true;  // whether it takes any: several pieces may come from the first character of the text
    bool has_ended = false;

    void part(std::size_t stage, std::size_t start, std::size_t end)
        requires takes_parts<Sink>
    {
        sink.part(stage, Bytes{text.text.data() + start, end - start}, base + text.origin[start] == begin ? Before::nothing : Before::token);
    }
    void piece(std::size_t start, std::size_t end) {
        std::size_t const raw = base + text.origin[start];
        sink.piece(Bytes{text.text.data() + start, end - start}, text.text.size() - start, raw == begin, raw);
    }
    void expect(std::size_t start, std::size_t end) {
        if constexpr (requires { sink.expect(Bytes{}, start); }) sink.expect(Bytes{text.text.data() + start, end - start}, text.text.size() - start);
    }
    bool cut(std::size_t offset) {
        if (!text.is_cut(offset) || base + text.cuts[offset] > last_cut) return true;
        if constexpr (refuses_cuts<Sink>)
            if (sink.refuses(base + text.cuts[offset])) return true;
        at = {base + text.cuts[offset], Before::region};
        if (!sink.cut(at)) has_ended = true;
        return !has_ended;
    }
};

// Sink for the pieces of the normalized text of an open head.
template <class Sink>
struct HeadSink {
    Sink& sink;
    Position& at;
    const OpenHead& head;
    Bytes text;
    std::size_t begin, end;  // where the first piece begins, and the region ends
    bool parts;              // as above

    void part(std::size_t stage, std::size_t start, std::size_t stop)
        requires takes_parts<Sink>
    {
        sink.part(stage, text.part(start, stop), end - head.distance(start) == begin ? Before::nothing : Before::token);
    }
    void piece(std::size_t start, std::size_t stop) {
        std::size_t const raw = end - head.distance(start);
        sink.piece(text.part(start, stop), text.size - start, raw == begin, raw);
    }
    bool cut(std::size_t offset) {
        if (!head.is_cut(offset)) return true;
        at = {end - head.cut(offset), Before::region};
        return sink.cut(at);
    }
};

}  // namespace bpe
