#include "bpe/pipeline/pipeline.hpp"

#include <algorithm>

#include "count_sink.hpp"
#include "ids_sink.hpp"

namespace bpe {

namespace {

// The special tokens of a text, without its pieces.
struct SpecialSink {
    static constexpr bool takes_tokens_alone = true;
    const std::vector<AddedToken>& tokens;
    std::vector<Pipeline::Written> found;
    std::size_t at_cut = 0;
    void piece(Bytes, std::size_t, bool, std::size_t) {}
    void token(std::uint32_t number, std::size_t start, std::size_t end) {
        if (tokens[number].special) found.push_back({number, start, end});
    }
    bool cut(Position) {
        at_cut = found.size();
        return true;
    }
    void again() { found.erase(found.begin() + static_cast<std::ptrdiff_t>(at_cut), found.end()); }
};

// The numbers of all added tokens of a text, without its pieces.
struct AddedSink {
    static constexpr bool takes_tokens_alone = true;
    std::vector<std::uint32_t>& numbers;
    std::size_t at_cut = numbers.size();
    void piece(Bytes, std::size_t, bool, std::size_t) {}
    void token(std::uint32_t number, std::size_t, std::size_t) { numbers.push_back(number); }
    bool cut(Position) {
        at_cut = numbers.size();
        return true;
    }
    void again() { numbers.resize(at_cut); }
};

}  // namespace

std::size_t Pipeline::count(Bytes text, const AddedTokens::Wanted& wanted) const {
    Lease const workspace = lease();
    CountSink sink{coder(), workspace->pieces};
    Position at;
    scan(text.data, 0, at, text.size, true, wanted, *workspace, sink);
    return sink.total;
}

void Pipeline::encode(Bytes text, std::vector<std::uint32_t>& ids, const AddedTokens::Wanted& wanted) const {
    Lease const workspace = lease();
    ids.reserve(ids.size() + text.size / 3 + 16);
    IdsSink sink(*this, *workspace, ids);
    Position at;
    scan(text.data, 0, at, text.size, true, wanted, *workspace, sink);
    sink.ids.flush();
}

void Pipeline::encode_rest(Bytes text, Position from, bool after_token, std::vector<std::uint32_t>& ids) const {
    Lease const workspace = lease();
    IdsSink sink(*this, *workspace, ids);
    scan(text.data, 0, from, text.size, true, {}, *workspace, sink, after_token);
    sink.ids.flush();
}

void Pipeline::encode_before(Bytes text, Position from, std::size_t start, std::uint32_t number, bool after_token, std::vector<std::uint32_t>& ids) const {
    Lease const workspace = lease();
    IdsSink sink(*this, *workspace, ids);
    scan_before(text.data, from, start, text.size, number, *workspace, sink, after_token);
    sink.ids.flush();
}

std::optional<std::uint32_t> Pipeline::number_inside(std::uint32_t id) const {
    auto const found = inside_.find(id);
    return found == inside_.end() ? std::nullopt : std::optional(found->second);
}

// Mostly the text ends with the token as it is looked for. What the normalizer puts before a text may be a part of that:
//
//     raw "<s>"      made "▁<s>"     nothing stands before it
//     raw " <s>"     made "▁▁<s>"    "▁", though the raw text before the token is empty
//     raw "hi<s>"    made "▁hi<s>"   "▁hi", though no "▁<s>" is there: somebody appended the token by its id
std::size_t Pipeline::size_before(const Normalized& made, const AddedToken& token, std::size_t start) const {
    auto const is_space = [&](std::size_t from, std::size_t to) { return UnicodeTable::instance().at(made.text.data(), from, to).flags & space_class; };
    std::size_t const size = token.sought.size();
    for (std::size_t end = made.text.size(); end >= size;) {
        std::size_t place = end - size;
        if (std::equal(token.sought.begin(), token.sought.end(), made.text.begin() + static_cast<std::ptrdiff_t>(place),
                       [](char left, Byte right) { return static_cast<Byte>(left) == right; })) {
            if (made.origin[place] < start) break;
            while (token.lstrip && place > 0) {
                std::size_t const last = character_before(made.text.data(), place, 0);
                if (made.origin[last] < start || !is_space(last, place)) break;
                place = last;
            }
            return place;
        }
        if (!token.rstrip || end == 0) break;
        std::size_t const last = character_before(made.text.data(), end, 0);
        if (!is_space(last, end)) break;
        end = last;
    }
    auto const first = std::find_if(made.origin.begin(), made.origin.end(), [&](std::uint32_t origin) { return origin >= start; });
    return std::min(made.text.size(), static_cast<std::size_t>(first - made.origin.begin()));
}

std::vector<Pipeline::Written> Pipeline::find_special(Bytes text, const AddedTokens::Wanted& wanted) const {
    Lease const workspace = lease();
    SpecialSink sink{added_tokens(), {}, 0};
    Position at;
    scan(text.data, 0, at, text.size, true, wanted, *workspace, sink);
    return std::move(sink.found);
}

void Pipeline::encode_with_offsets(Bytes text, std::vector<std::uint32_t>& ids, std::vector<std::uint32_t>& offsets, const AddedTokens::Wanted& wanted) const {
    Lease const workspace = lease();
    struct Sink {
        const Pipeline& pipeline;
        const Normalized& normalized;
        Bytes text;
        std::vector<std::uint32_t>& ids;
        std::vector<std::uint32_t>& offsets;
        std::size_t base = 0;
        std::vector<std::uint32_t> inner;
        std::size_t at_cut = ids.size();
        void part_of_region(const UnigramText& units, const UnigramText::Part& part) { units.encode_with_offsets(part, ids, offsets); }
        void piece(Bytes piece, std::size_t, bool is_first, std::size_t raw) {
            inner.clear();
            pipeline.coder().encode_with_offsets(piece, is_first, ids, inner);
            bool const is_raw = piece.data >= text.data && piece.data < text.data + text.size;
            const std::uint32_t* const origin = is_raw ? nullptr : normalized.origin.data() + (piece.data - normalized.text.data());
            for (std::uint32_t const place : inner) offsets.push_back(static_cast<std::uint32_t>(is_raw ? raw + place : raw + (origin[place] - origin[0])));
        }
        void token(std::uint32_t number, std::size_t start, std::size_t) {
            ids.push_back(pipeline.added_tokens()[number].id);
            offsets.push_back(static_cast<std::uint32_t>(start));
        }
        bool cut(Position) {
            at_cut = ids.size();
            return true;
        }
        void again() {
            ids.resize(at_cut);
            offsets.resize(at_cut);
        }
    };
    Sink sink{*this, workspace->normalized, text, ids, offsets, 0, {}};
    Position at;
    scan(text.data, 0, at, text.size, true, wanted, *workspace, sink);
    // A token that starts inside of a character has the offset of that character.
    for (std::uint32_t& offset : offsets)
        while (offset > 0 && offset < text.size && UnicodeTable::continues(text[offset])) --offset;
}

void Pipeline::split(Bytes text, std::vector<std::string>& pieces) const {
    Lease const workspace = lease();
    struct Sink {
        const Pipeline& pipeline;
        std::vector<std::string>& pieces;
        std::size_t at_cut = pieces.size();
        void piece(Bytes piece, std::size_t, bool is_first, std::size_t) { pipeline.coder().split(piece, is_first, pieces); }
        void token(std::uint32_t number, std::size_t, std::size_t) { pieces.push_back(pipeline.added_tokens()[number].text); }
        bool cut(Position) {
            at_cut = pieces.size();
            return true;
        }
        void again() { pieces.resize(at_cut); }
    };
    Sink sink{*this, pieces};
    Position at;
    scan(text.data, 0, at, text.size, true, {}, *workspace, sink);
}

void Pipeline::find_added(Bytes text, std::vector<std::uint32_t>& numbers) const {
    Lease const workspace = lease();
    AddedSink sink{numbers};
    Position at;
    scan(text.data, 0, at, text.size, true, AddedTokens::Wanted(tokens_.size(), 1), *workspace, sink);
}

std::optional<Pipeline::Places> Pipeline::places_of_tokens(Bytes text) const {
    Places places;
    AddedTokens::Wanted const all(tokens_.size(), 1);
    for (AddedTokens const* const tokens : {&outer_, &regions_.inner()}) {
        if (!tokens->finds({}) || (looks_inside() && tokens != &outer_)) continue;
        if (tokens->looks_back()) return std::nullopt;
        AddedTokens::Match match;
        for (std::size_t from = 0; (match = tokens->find(text.data, 0, from, text.size, true, all)).is_found(); from = match.end)
            places.emplace_back(match.start, match.end);
    }
    std::sort(places.begin(), places.end());
    Places apart;
    for (auto const& [start, end] : places) {
        if (apart.empty() || start > apart.back().second) apart.emplace_back(start, end);
        else apart.back().second = std::max(apart.back().second, end);
    }
    return apart;
}

std::vector<std::size_t> Pipeline::safe_splits(Bytes text, std::size_t limit) const {
    std::vector<std::size_t> found;
    SafeSplits const* const known = regions_.splits(thresholds::worth_splits);
    if (!known || (regions_.looks_inside() && regions_.inner().finds({}))) return found;
    std::array<std::size_t, 256> splits;
    SafeSplits::Search search(*known, text.data, 0, std::min(text.size, limit), false);
    std::size_t const first = text.size > 0 ? character_size(text.data, text.size) : 0;
    auto const stays = [&](std::size_t split) {
        if (split <= first + 3) return false;  // text before the first character may change it
        // Added tokens must leave the characters that make the split: the one before it and two after it.
        std::size_t const from = split - std::min<std::size_t>(split, 4), to = std::min(split + 8, text.size);
        auto const are_away = [&](const AddedTokens& tokens) { return !tokens.finds({}) || tokens.are_away(text.data, from, to, text.size); };
        return are_away(outer_) && are_away(regions_.inner());
    };
    for (std::size_t count; found.empty() && (count = search.next(splits.data(), splits.size())) > 0;)
        std::copy_if(splits.begin(), splits.begin() + static_cast<std::ptrdiff_t>(count), std::back_inserter(found), stays);
    return found;
}

bool Pipeline::has_token_with_mark() const {
    return std::any_of(tokens_.begin(), tokens_.end(), [](AddedToken const& token) {
        Bytes const text{reinterpret_cast<const Byte*>(token.text.data()), token.text.size()};
        for (std::size_t place = 0; place < text.size;) {
            Character const character = UnicodeTable::instance().at(text.data, place, text.size);
            if (character.flags & mark_class) return true;
            place += character.size;
        }
        return false;
    });
}

std::size_t Pipeline::most_bytes_a_token() const {
    std::size_t most = coder().most_bytes();
    for (AddedToken const& token : tokens_) {
        if (token.special) continue;
        if (token.lstrip || token.rstrip) return 0;
        most = most == 0 ? 0 : std::max({most, token.text.size(), token.sought.size()});
    }
    for (Normalizer const* const normalizer : {normalizer(), regions_.second().get()})
        if (normalizer) most *= normalizer->most_shrunk();
    return chain().leaves_out() ? 0 : most;
}

std::optional<std::size_t> Pipeline::count_up_to(Bytes text, std::size_t limit) const {
    if (bytes_a_token_ > 0 && text.size / bytes_a_token_ > limit) return std::nullopt;
    Lease const workspace = lease();
    struct Sink : CountSink {
        bool cut(Position at) {
            CountSink::cut(at);
            return total <= most;
        }
    };
    Sink sink{{.coder = coder(), .workspace = workspace->pieces, .most = limit}};
    Position at;
    scan(text.data, 0, at, text.size, true, {}, *workspace, sink);
    return sink.total <= limit ? std::optional(sink.total) : std::nullopt;
}

}  // namespace bpe
