#include "chunker/source_names.hpp"

#include <algorithm>
#include <array>
#include <unordered_map>

#include "chunker/utf8.hpp"

namespace chunker {

namespace {

constexpr bool is_letter(unsigned char byte) { return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || byte == '_'; }
constexpr bool is_of_name(unsigned char byte) { return is_letter(byte) || (byte >= '0' && byte <= '9'); }

class Masker {
public:
    Masker(std::string_view source, const HiddenMarks& marks) : source_(source), marks_(marks) {
        auto const begins = [&](const std::string& mark) {
            if (!mark.empty()) first_[static_cast<unsigned char>(mark.front())] = true;
        };
        begins(marks.block_begin);
        for (auto const& mark : marks.line_comments) begins(mark);
        for (auto const& mark : marks.strings) begins(mark);
    }

    std::string masked() {
        std::string made;
        made.reserve(source_.size());
        for (std::size_t at = 0; at < source_.size();) {
            std::size_t const end = first_[static_cast<unsigned char>(source_[at])] ? hidden_end(at) : at;
            if (end == at) {
                made += source_[at++];
                continue;
            }
            for (; at < end; ++at) {
                char const byte = source_[at];
                if (byte == '\n' || byte == '\r') made += byte;
                else if (!continues(byte)) made += ' ';
            }
        }
        return made;
    }

private:
    bool begins_at(std::size_t at, std::string_view mark) const { return source_.substr(at, mark.size()) == mark; }

    // The end of the comment or string that begins at `at`; `at` if none does.
    std::size_t hidden_end(std::size_t at) const {
        if (!marks_.block_begin.empty() && begins_at(at, marks_.block_begin)) {
            std::size_t const found = source_.find(marks_.block_end, at + marks_.block_begin.size());
            return found == std::string_view::npos ? source_.size() : found + marks_.block_end.size();
        }
        for (auto const& mark : marks_.line_comments)
            if (begins_at(at, mark)) return std::min(source_.find_first_of("\r\n", at + mark.size()), source_.size());
        for (auto const& mark : marks_.strings)
            if (begins_at(at, mark)) return mark.size() > 1 || mark == "`" ? long_string_end(at, mark) : string_end(at, mark.front());
        return at;
    }

    std::size_t long_string_end(std::size_t at, std::string_view mark) const {
        for (at += mark.size(); at < source_.size();) {
            if (source_[at] == '\\') at = after_character(at + 1);
            else if (begins_at(at, mark)) return at + mark.size();
            else ++at;
        }
        return source_.size();
    }

    std::size_t string_end(std::size_t at, char mark) const {
        for (++at; at < source_.size();) {
            char const byte = source_[at];
            if (byte == mark) return at + 1;
            if (byte == '\\') {
                if (at + 1 == source_.size() || source_[at + 1] == '\n') return at;
                at = after_character(at + 1);
            } else if (byte == '\r' || byte == '\n') {
                return at;
            } else {
                ++at;
            }
        }
        return source_.size();
    }

    std::size_t after_character(std::size_t at) const {
        if (at >= source_.size()) return source_.size();
        for (++at; at < source_.size() && continues(source_[at]);) ++at;
        return at;
    }

    std::string_view source_;
    const HiddenMarks& marks_;
    std::array<bool, 256> first_{};
};

}  // namespace

std::string without_comments_and_strings(std::string_view source, const HiddenMarks& marks) { return Masker(source, marks).masked(); }

std::vector<NameLines> names_by_line(std::string_view code, std::size_t most) {
    std::vector<NameLines> found;
    std::unordered_map<std::string_view, std::size_t> known;
    std::size_t line = 1;
    for (std::size_t at = 0; at < code.size();) {
        auto const byte = static_cast<unsigned char>(code[at]);
        if (byte == '\n' || byte == '\r') {
            at += byte == '\r' && at + 1 < code.size() && code[at + 1] == '\n' ? 2 : 1;
            ++line;
        } else if (!is_letter(byte)) {
            ++at;
        } else {
            std::size_t const begin = at;
            while (at < code.size() && is_of_name(static_cast<unsigned char>(code[at]))) ++at;
            if (at - begin < 2) continue;
            auto const [entry, is_new] = known.try_emplace(code.substr(begin, at - begin), found.size());
            if (is_new) found.push_back({entry->first, {}});
            auto& lines = found[entry->second].lines;
            if (lines.size() < most && (lines.empty() || lines.back() != line)) lines.push_back(line);
        }
    }
    return found;
}

}  // namespace chunker
