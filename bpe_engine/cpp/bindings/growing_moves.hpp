// Definitions of a growing encoder's longer methods: other texts by what both begin with, pieces that fit, halves of surrogate pairs.
#pragma once

#include <algorithm>

#include "bpe/utf8.hpp"
#include "growing.hpp"

namespace bpe::bindings {

template <class Core>
void Growing<Core>::move_to(nb::handle text, nb::handle allowed_special) {
    Target const target(is_none_allowed(allowed_special) ? nb::object(nb::make_tuple(nb::make_tuple(text, nb::none(), nb::none())))
                                                         : parted(text, allowed_special));
    go_to(0, 0, target);
}

// Bytes and characters that this text and another both begin with.
template <class Core>
nb::typed<nb::tuple, int, int> Growing<Core>::common_with(nb::handle text) const {
    Text const other(text);
    Bytes const old = core_.text(), given = other.bytes();
    std::size_t common = common_prefix(old, given);
    while (common > 0 && (continues(old, common) || continues(given, common))) --common;
    bool const is_ascii = other.is_str() && !other.had_surrogates() && static_cast<std::size_t>(PyUnicode_GetLength(text.ptr())) == given.size;
    return nb::make_tuple(common, is_ascii ? common : characters_in(old.part(0, common)));
}

// Bytes and characters that this text and the parts of another both begin with, and the rest of the other. A part is compared while it is in the processor's
// cache, and is not kept.
template <class Core>
nb::typed<nb::tuple, int, int, nb::str> Growing<Core>::common_with_parts(nb::handle parts) const {
    std::size_t size = 0, characters = 0;
    nb::list rest;
    bool differs = false;
    for (nb::handle part : nb::iter(parts)) {
        if (!PyUnicode_Check(part.ptr())) {
            PyErr_Format(PyExc_TypeError, "parts of a text are str, not %R", reinterpret_cast<PyObject*>(Py_TYPE(part.ptr())));
            throw nb::python_error();
        }
        if (differs) {
            rest.append(part);
            continue;
        }
        Text const received(part);
        Bytes const given = received.bytes(), old = core_.text();
        std::size_t const from = std::min(size, old.size);
        std::size_t common = received.had_surrogates() ? 0 : common_prefix(old.part(from, old.size), given);
        auto const length = static_cast<std::size_t>(PyUnicode_GetLength(part.ptr()));
        differs = common < given.size || received.had_surrogates();
        if (!differs) {
            size += common;
            characters += length;
            continue;
        }
        while (common > 0 && (continues(old, from + common) || continues(given, common))) --common;
        std::size_t const same = common == 0 ? 0 : characters_in(given.part(0, common));
        size += common;
        characters += same;
        rest.append(nb::steal(PyUnicode_Substring(part.ptr(), static_cast<Py_ssize_t>(same), static_cast<Py_ssize_t>(length))));
    }
    return nb::make_tuple(size, characters, nb::str("").attr("join")(rest));
}

// The last `characters` characters of the first `length` bytes.
template <class Core>
nb::object Growing<Core>::text_before(nb::handle length, nb::handle characters) const {
    Bytes const all = core_.text();
    auto const end = static_cast<std::size_t>(given::number(given::whole_number(length, "length"), "length", 0, static_cast<std::int64_t>(all.size)));
    auto left = static_cast<std::size_t>(given::number(given::whole_number(characters, "characters"), "characters", 0, static_cast<std::int64_t>(all.size)));
    std::size_t start = end;
    while (start > 0 && left > 0) left -= !continues(all, --start);
    return decoded(all.part(start, end), "replace");
}

// Keeps the first `length` bytes, and goes on with `parts`: (text, id, how the token is written) each.
template <class Core>
void Growing<Core>::replace_tail(nb::handle length, nb::handle parts) {
    Bytes const old = core_.text();
    Py_ssize_t const wanted = given::nearest(length, "length");
    if (!PySequence_Check(parts.ptr())) given::raise_type("parts", "a sequence of parts", parts);
    if (wanted < 0 || static_cast<std::size_t>(wanted) > old.size) {
        PyErr_Format(PyExc_IndexError, "length must be from 0 to %zu, not %zd", old.size, wanted);
        throw nb::python_error();
    }
    auto const common = static_cast<std::size_t>(wanted);
    ExplicitTokens const& old_tokens = core_.explicit_tokens();
    std::size_t tokens = 0, most = old_tokens.size();
    while (tokens < most) {
        std::size_t const middle = (tokens + most) / 2;
        if (old_tokens[middle].end <= common) tokens = middle + 1;
        else most = middle;
    }
    bool const in_token = tokens < old_tokens.size() && old_tokens[tokens].start < common;
    // A token as such may begin inside of a character.
    bool const at_token = tokens < old_tokens.size() && old_tokens[tokens].start == common;
    if (in_token || (!at_token && common > old_tokens.end_of(tokens) && continues(old, common))) {
        PyErr_Format(PyExc_IndexError, "length %zu is inside a character or a token that was appended as such", common);
        throw nb::python_error();
    }
    Target target(parts);
    for (ExplicitToken& token : target.tokens) token.start += common, token.end += common;
    go_to(common, tokens, target);
    // Also where the new text reads as the old one did.
    auto const dropped =
        std::find_if(marks_.begin(), marks_.end(), [&](const Saved& mark) { return mark.state.length > common || mark.state.tokens > tokens; });
    marks_.erase(dropped, marks_.end());
}

// Pieces of `text`, up to the last cut at which the count is at most `limit`; the counts there, and whether it was the count that ended it.
template <class Core>
nb::typed<nb::tuple, nb::typed<nb::list, int>, bool> Growing<Core>::grow_fitting(nb::handle text, nb::handle cuts, nb::handle most, nb::handle more) {
    if (!PyUnicode_Check(text.ptr())) given::raise_type("text", "a str", text);
    auto const length = static_cast<std::size_t>(PyUnicode_GetLength(text.ptr()));
    std::vector<std::size_t> const places = offsets_in(cuts, length);
    Ascii const ascii(nb::borrow<nb::str>(text));
    // No count and no length comes near to a quarter of all numbers: larger ones are the same, and cannot overflow.
    constexpr Py_ssize_t largest = std::numeric_limits<Py_ssize_t>::max() / 4;
    auto const limit = std::clamp(given::nearest(most, "limit"), -largest, largest);
    auto const bound = limit + std::clamp(given::nearest(more, "slack"), -largest, largest);
    auto const stride = static_cast<std::size_t>(std::max<Py_ssize_t>(limit, 16) * 2);  // as in bpe_engine/encoders.py
    auto const exceeds = [this](Py_ssize_t limit) { return static_cast<Py_ssize_t>(core_.count()) > limit; };
    std::vector<std::size_t> counts;
    std::size_t fitting = 0;
    bool overflowed = false;
    State mark = core_.state(), mark_before_waiting = before_waiting_;
    Py_UCS4 mark_waiting = waiting_;
    try {
        for (std::size_t index = 1; index < places.size() && !overflowed; ++index) {
            for (std::size_t at = places[index - 1]; at < places[index] && !overflowed; at += stride) {
                grow_part(text, ascii, at, std::min(places[index], at + stride));
                overflowed = exceeds(bound);
            }
            counts.push_back(core_.count());
            if (overflowed || exceeds(limit)) continue;
            fitting = counts.size();
            mark = core_.state();
            mark_before_waiting = before_waiting_;
            mark_waiting = waiting_;
        }
    } catch (...) {
        restore(mark, mark_before_waiting, mark_waiting);
        throw;
    }
    restore(mark, mark_before_waiting, mark_waiting);
    nb::list made;
    for (std::size_t index = 0; index < fitting; ++index) made.append(counts[index]);
    return nb::make_tuple(made, overflowed);
}

// Keeps the first `start` bytes, with the first `tokens` explicit tokens in them, and all that the text has in common with `target` from there on. The tokens
// of `target` have offsets of the whole.
template <class Core>
void Growing<Core>::go_to(std::size_t start, std::size_t tokens, const Target& target) {
    Bytes const old = core_.text(), wanted = target.bytes();
    ExplicitTokens const& old_tokens = core_.explicit_tokens();
    std::size_t common = start + common_prefix(old.part(start, old.size), wanted);
    std::size_t same = 0;
    for (;; ++same) {
        std::size_t const number = tokens + same;
        bool const any = number < old_tokens.size(), more = same < target.tokens.size();
        if (any && more && old_tokens[number] == target.tokens[same] && old_tokens[number].end <= common) continue;
        if (any) common = std::min(common, old_tokens[number].start);
        if (more) common = std::min(common, target.tokens[same].start);
        break;
    }
    std::size_t const base = std::max(start, old_tokens.end_of(tokens + same));
    while (common > base && (continues(old, common) || continues(wanted, common - start))) --common;
    go_on(common, tokens + same, wanted.part(common - start, wanted.size), target.tokens.data() + same, target.tokens.size() - same, target.unfinished);
}

// Keeps the first `common` bytes, with the first `tokens` explicit tokens in them, and goes on with `after`. `more`: the tokens in it, with offsets of the
// whole.
template <class Core>
void Growing<Core>::go_on(std::size_t common, std::size_t tokens, Bytes after, const ExplicitToken* more, std::size_t count, nb::handle unfinished) {
    Bytes const old = core_.text();
    ExplicitTokens const& old_tokens = core_.explicit_tokens();
    // From the last state that is known of what both begin with.
    auto const is_kept = [&](const State& state) { return state.length <= common && state.tokens <= tokens; };
    auto const stale = std::find_if(marks_.begin(), marks_.end(), [&](const Saved& mark) { return !is_kept(mark.state); });
    Place const old_place = place();
    State start = core_.state();
    if (waiting_ != 0 || !is_kept(start)) {
        while (!checkpoints_.empty() && !is_kept(checkpoints_.back())) checkpoints_.truncate(checkpoints_.size() - 1);
        start = checkpoints_.empty() ? State{} : checkpoints_.back();
        for (auto mark = stale; mark != marks_.begin();)
            if (!(--mark)->waiting) {
                if (mark->state.length > start.length) start = mark->state;
                break;
            }
    }
    std::vector<Byte> rest(old.begin() + start.length, old.begin() + common);
    rest.insert(rest.end(), after.begin(), after.end());
    std::vector<ExplicitToken> rest_tokens;
    for (std::size_t number = start.tokens; number < tokens; ++number) rest_tokens.push_back(old_tokens[number]);
    rest_tokens.insert(rest_tokens.end(), more, more + count);
    // The text that goes comes back where the new one cannot be encoded.
    std::vector<Byte> const lost(old.begin() + start.length, old.end());
    std::vector<ExplicitToken> lost_tokens;
    for (std::size_t number = start.tokens; number < old_tokens.size(); ++number) lost_tokens.push_back(old_tokens[number]);
    restore(start, {}, 0);
    try {
        read({rest.data(), rest.size()}, start.length, rest_tokens.data(), rest_tokens.size());
        if (unfinished.is_valid()) grow(unfinished);
    } catch (...) {
        restore(start, {}, 0);
        Bytes const all{lost.data(), lost.size()};
        std::size_t const waits = old_place.waiting != 0 ? sizeof replacement : 0;
        read(all.part(0, all.size - waits), start.length, lost_tokens.data(), lost_tokens.size());
        if (waits != 0) grow(nb::steal(PyUnicode_FromOrdinal(static_cast<int>(old_place.waiting))));
        throw;
    }
    marks_.erase(stale, marks_.end());
}

// Appends text and tokens, which begin at the offset `begin` of the whole, and notes states on the way.
template <class Core>
void Growing<Core>::read(Bytes text, std::size_t begin, const ExplicitToken* tokens, std::size_t count) {
    std::size_t place = 0;
    for (std::size_t number = 0; number <= count; ++number) {
        std::size_t const stop = number < count ? tokens[number].start - begin : text.size;
        while (place < stop) {
            // Each step reads the open tail again, so steps are at least as long as that tail.
            std::size_t const open = core_.state().length - Core::settled_end(core_.state());
            std::size_t end = std::min(stop, place + std::max(stride, open));
            if (end < stop)
                for (int back = 0; back < 3 && continues(text, end); ++back) --end;
            core_.append(text.part(place, end));
            place = end;
            if (checkpoints_.empty() || core_.state().length >= checkpoints_.back().length + stride) checkpoints_.push_back(core_.state());
        }
        if (number == count) break;
        core_.append_token(tokens[number].id, text.part(stop, tokens[number].end - begin));
        place = tokens[number].end - begin;
    }
}

// Text with lone surrogates, or after one: two that belong together are a character, any other is U+FFFD.
template <class Core>
void Growing<Core>::grow_units(nb::handle text) {
    State const start = core_.state(), start_before_waiting = before_waiting_;
    Py_UCS4 const start_waiting = waiting_;
    std::vector<Py_UCS4> units;
    auto const length = PyUnicode_GetLength(text.ptr());
    units.reserve(static_cast<std::size_t>(length) + 1);
    if (waiting_ != 0 && !Traits<Core>::before) units.push_back(waiting_);
    for (Py_ssize_t place = 0; place < length; ++place) units.push_back(PyUnicode_ReadChar(text.ptr(), place));
    if (waiting_ != 0 && Traits<Core>::before) units.push_back(waiting_);
    Py_UCS4 waits = 0;
    std::size_t first = 0, last = units.size();
    if (Traits<Core>::before && Traits<Core>::waits(units.front())) waits = units[first++];
    if (!Traits<Core>::before && Traits<Core>::waits(units.back())) waits = units[--last];
    std::string utf8;
    for (std::size_t place = first; place < last; ++place) {
        Py_UCS4 unit = units[place];
        if (unit >= 0xD800 && unit <= 0xDBFF && place + 1 < last && units[place + 1] >= 0xDC00 && units[place + 1] <= 0xDFFF)
            unit = 0x10000 + ((unit - 0xD800) << 10) + (units[++place] - 0xDC00);
        else if (unit >= 0xD800 && unit <= 0xDFFF) unit = 0xFFFD;
        put_utf8(utf8, unit);
    }
    try {
        if (waiting_ != 0) go_back(before_waiting_);
        waiting_ = 0;
        Traits<Core>::grow(core_, {reinterpret_cast<const Byte*>(utf8.data()), utf8.size()});
        if (waits != 0) {
            before_waiting_ = core_.state();
            Traits<Core>::grow(core_, {replacement, sizeof replacement});
            waiting_ = waits;
        }
    } catch (...) {
        restore(start, start_before_waiting, start_waiting);
        throw;
    }
}

}  // namespace bpe::bindings
