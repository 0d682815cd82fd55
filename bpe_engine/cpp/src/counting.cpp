#include "bpe/counting.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <exception>
#include <string_view>
#include <system_error>
#include <thread>

#include "bpe/grammar.hpp"
#include "bpe/thresholds.hpp"
#include "bpe/unicode.hpp"

namespace bpe {

namespace {

// Characters that no grammar includes in a word: bpe_engine/text/safe_splits.py has the same list.
constexpr std::string_view ascii_after_words = " \t\n\r!\"#$%&()*+,-./:;<=>?@[\\]^_`{|}~";

constexpr std::array<bool, 256> make_after_words() {
    std::array<bool, 256> found{};
    for (char const character : ascii_after_words) found[static_cast<Byte>(character)] = true;
    return found;
}
constexpr std::array<bool, 256> after_words = make_after_words();

bool is_after_words(Bytes text, std::size_t place) {
    Byte const lead = text[place];
    if (lead < 0x80) return after_words[lead];
    if (lead != 0xE3 && lead != 0xEF) return false;
    switch (UnicodeTable::instance().at(text.data, place, text.size).code) {
    case U'。':
    case U'，':
    case U'、':
    case U'！':
    case U'？':
    case U'：':
    case U'；':
    case U'」':
    case U'』':
    case U'）': return true;
    default: return false;
    }
}

// The first safe split in text[from:], or its end.
std::size_t next_safe_split(Bytes text, std::size_t from) {
    while (from < text.size && !is_safe_split(text, from)) ++from;
    return from;
}

// The last safe split in text[text.size - reach:]; 0 if there is none.
std::size_t last_safe_split(Bytes text, std::size_t reach) {
    std::size_t const first = text.size - std::min(reach, text.size);
    for (std::size_t place = text.size; place-- > first;)
        if (is_safe_split(text, place)) return place;
    return 0;
}

void count_part(const Scanner& scanner, Bytes text, std::uint64_t place, PretokenCounts& table) {
    for_each_pretoken(scanner, text.data, 0, text.size,
                      [&](std::size_t start, std::size_t end) { table.add(text.part(start, end), text.size - start, place + start); });
}

}  // namespace

bool is_safe_split(Bytes text, std::size_t place) {
    if (place == 0 || place >= text.size || !is_after_words(text, place)) return false;
    std::size_t const before = character_before(text.data, place, 0);
    return (UnicodeTable::instance().at(text.data, before, place).flags & (letter_class | number_class)) != 0;
}

PretokenCounter::PretokenCounter(const Scanner* scanner, std::size_t threads) : scanner_(scanner), tables_(std::max<std::size_t>(threads, 1)) {}

void PretokenCounter::divide(Bytes text, std::vector<Part>& parts) {
    if (!scanner_) {
        if (text.size > 0) parts.push_back({text, place_});
    } else {
        for (std::size_t start = 0; start < text.size;) {
            std::size_t const end =
                text.size - start <= thresholds::counted_part || tables_.size() == 1 ? text.size : next_safe_split(text, start + thresholds::counted_part);
            parts.push_back({text.part(start, end), place_ + start});
            start = end;
        }
    }
    place_ += text.size + 1;  // the empty place between two texts
}

void PretokenCounter::add(const std::vector<Bytes>& texts) {
    std::vector<Part> parts;
    for (Bytes const text : texts) divide(text, parts);
    count(parts);
}

std::size_t PretokenCounter::add_open(Bytes block) {
    if (!scanner_) return 0;  // the one pre-token ends with the text
    std::vector<Part> parts;
    if (std::size_t const cut = last_safe_split(block, thresholds::cut_reach)) {
        divide(block.part(0, cut), parts);
        --place_;
        count(parts);
        return cut;
    }
    // There is no safe split: read pre-token by pre-token, and count each when `lookback` others have followed it. An incomplete character at
    // the end is not read.
    Bytes const whole = block.part(0, block.size - unfinished_end(block));
    std::size_t ends[4] = {};  // the last ones: ends[0] is after the last pre-token that was counted
    auto const lookback = static_cast<std::size_t>(scanner_->lookback);
    std::size_t waiting = 0;
    for_each_pretoken(*scanner_, whole.data, 0, whole.size, [&](std::size_t, std::size_t end) {
        ends[++waiting] = end;
        if (waiting <= lookback) return;
        tables_[0].add(whole.part(ends[0], ends[1]), whole.size - ends[0], place_ + ends[0]);
        std::copy(ends + 1, ends + waiting + 1, ends);
        --waiting;
    });
    place_ += ends[0];
    return ends[0];
}

void PretokenCounter::count(const std::vector<Part>& parts) {
    std::atomic<std::size_t> next{0};
    std::vector<std::exception_ptr> errors(tables_.size());
    auto const run = [&](std::size_t thread) {
        try {
            for (std::size_t index; (index = next.fetch_add(1)) < parts.size();) {
                Part const& part = parts[index];
                if (scanner_) count_part(*scanner_, part.text, part.place, tables_[thread]);
                else tables_[thread].add(part.text, part.text.size, part.place);
            }
        } catch (...) {
            errors[thread] = std::current_exception();
        }
    };
    std::size_t bytes = 0;
    for (Part const& part : parts) bytes += part.text.size;
    // A thread costs as much as counting some ten kilobytes.
    std::size_t const useful = std::min({tables_.size(), parts.size(), bytes / thresholds::worth_a_thread + 1});
    std::vector<std::thread> others;
    try {
        for (std::size_t thread = 1; thread < useful; ++thread) others.emplace_back(run, thread);
    } catch (const std::system_error&) {
        // The system starts no more threads: the existing ones do the work.
    }
    run(0);
    for (std::thread& other : others) other.join();
    for (std::exception_ptr const& error : errors)
        if (error) std::rethrow_exception(error);
}

PretokenCounts& PretokenCounter::result() {
    for (std::size_t thread = 1; thread < tables_.size(); ++thread) tables_[0].absorb(tables_[thread]);
    return tables_[0];
}

}  // namespace bpe
