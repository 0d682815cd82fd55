#include "latex_commands.hpp"

#include <algorithm>

#include "chunker/formats/text.hpp"

namespace chunker::formats {

namespace {

std::size_t after_gap(std::string_view copy, std::size_t at) {
    while (at < copy.size() && is_blank(copy[at])) ++at;
    return at;
}

// After blank lines below the line end at `at`; `at` if there are none.
std::size_t after_blank_lines(std::string_view copy, std::size_t at) {
    std::size_t end = at;
    for (std::size_t next = after_gap(copy, at + 1); next < copy.size() && copy[next] == '\n'; next = after_gap(copy, next + 1)) end = next + 1;
    return end;
}

}  // namespace

std::size_t after_command(std::string_view copy, std::size_t at) {
    while (at < copy.size() && is_of_command(copy[at])) ++at;
    return at;
}

std::size_t document_start(std::string_view copy) {
    constexpr std::string_view mark = "\\begin{document}";
    for (std::size_t at = 0; at < copy.size();) {
        char const character = copy[at];
        if (character == '%') {
            at = std::min(copy.find('\n', at), copy.size());
        } else if (character != '\\') {
            ++at;
        } else if (copy.substr(at).starts_with(mark)) {
            return at;
        } else {
            at += at + 1 < copy.size() && copy[at + 1] != '\n' ? 2 : 1;
        }
    }
    return none;
}

std::pair<std::size_t, std::size_t> argument(std::string_view copy, std::size_t start, const Environments& environments) {
    std::pair<std::size_t, std::size_t> const missing{start, start};
    std::size_t at = after_gap(copy, start);
    if (at < copy.size() && copy[at] == '[') {
        std::size_t const closed = copy.find_first_of("[]{}", at + 1);
        if (closed == copy.npos || copy[closed] != ']' || closed - at - 1 > latex_commands::longest_argument) return missing;
        at = after_gap(copy, closed + 1);
    }
    if (at >= copy.size() || copy[at] != '{') return missing;
    std::size_t const begin = ++at;
    std::string_view const text = copy.substr(0, begin + latex_commands::longest_argument);
    for (std::size_t depth = 1; at < text.size(); ++at) {
        char const character = text[at];
        if (character == '{') {
            ++depth;
        } else if (character == '}') {
            if (--depth == 0) return {begin, at};
        } else if (character == '\n') {
            std::size_t const next = after_gap(text, at + 1);
            if (next < text.size() && text[next] == '\n') break;
        } else if (character == '\\') {
            std::string_view const name = text.substr(at + 1, after_command(text, at + 1) - at - 1);
            if (name == "begin" || std::find(environments.sections.begin(), environments.sections.end(), name) != environments.sections.end()) break;
            if (at + 1 < text.size()) ++at;
        }
    }
    return missing;
}

bool CommandReader::next(Command& command) {
    for (; (at_ = copy_.find_first_of("\\%\n", at_)) != copy_.npos;) {
        std::size_t const start = at_;
        if (copy_[start] == '%') {
            at_ = std::min(copy_.find('\n', start), copy_.size());
            command = {Command::comment, start, at_};
            return true;
        }
        if (copy_[start] == '\n') {
            at_ = after_blank_lines(copy_, start);
            if (at_ > start) {
                command = {Command::blank, start, at_};
                return true;
            }
            ++at_;
        } else if (read(start, command)) {
            return true;
        }
    }
    return false;
}

// Moves past what begins with the backslash at `start`; whether that matters.
bool CommandReader::read(std::size_t start, Command& command) {
    std::size_t const first = start + 1, after = after_command(copy_, first);
    std::string_view const name = copy_.substr(first, after - first);
    if ((name.starts_with("begin") || name.starts_with("end")) && read_edge(start, first + (name[0] == 'b' ? 5 : 3), command)) return true;
    auto const section = std::find(environments_.sections.begin(), environments_.sections.end(), name);
    if (section != environments_.sections.end()) {
        at_ = after + (after < copy_.size() && copy_[after] == '*');
        command = {Command::section, start, at_, name, 0, static_cast<std::size_t>(section - environments_.sections.begin()) + 1};
        return true;
    }
    at_ = after;
    if (name == "item") {
        command = {Command::item, start, at_, name};
        return true;
    }
    if (name.starts_with("verb")) {
        if (std::size_t const shown = after_verb(first + 4); shown != none) at_ = shown;
    } else if (name.empty()) {
        at_ = std::min(first + 1, copy_.size());
    }
    return false;
}

// A \begin or \end whose name is in braces after `at`.
bool CommandReader::read_edge(std::size_t start, std::size_t at, Command& command) {
    bool const begins = copy_[start + 1] == 'b';
    at = after_gap(copy_, at);
    if (at >= copy_.size() || copy_[at] != '{') return false;
    std::size_t const first = at + 1, last = copy_.find_first_of("{}\\\n", first);
    if (last == copy_.npos || copy_[last] != '}' || last == first || last - first > latex_commands::longest_name) return false;
    std::string_view name = copy_.substr(first, last - first);
    while (!name.empty() && is_space(name.front())) name.remove_prefix(1);
    while (!name.empty() && is_space(name.back())) name.remove_suffix(1);
    std::string_view const plain = name.substr(0, name.find_last_not_of('*') + 1);
    at_ = last + 1;
    command = {begins ? Command::begin : Command::end, start, at_, plain};
    if (!begins || !environments_.verbatim.contains(plain) || missing_.contains(name)) return true;
    std::string const mark = "\\end{" + std::string(name) + "}";
    std::size_t const end = copy_.find(mark, at_);
    if (end == copy_.npos) {
        missing_.emplace(name);
        return true;
    }
    command.kind = Command::verbatim;
    command.body = at_;
    command.after = at_ = end + mark.size();
    return true;
}

// After what \verb shows, between two marks or up to the end of the line; none if there is no mark.
std::size_t CommandReader::after_verb(std::size_t at) const {
    if (at < copy_.size() && copy_[at] == '*') ++at;
    if (at >= copy_.size()) return none;
    char const mark = copy_[at];
    if ((is_of_command(mark) && mark != '@') || mark == '*' || mark == '\\' || is_space(mark)) return none;
    for (++at; at < copy_.size() && copy_[at] != '\n'; ++at)
        if (copy_[at] == mark) return at + 1;
    return at;
}

}  // namespace chunker::formats
