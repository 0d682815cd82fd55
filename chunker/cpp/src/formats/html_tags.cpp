#include "html_tags.hpp"

#include <algorithm>
#include <stdexcept>

#include "chunker/formats/text.hpp"

namespace chunker::formats {

namespace {

char lower(char character) { return character >= 'A' && character <= 'Z' ? static_cast<char>(character | 0x20) : character; }

}  // namespace

Elements::Elements(std::vector<Element> elements) : elements_(std::move(elements)), ended_(elements_.size() * elements_.size()) {
    for (std::size_t number = 0; number < elements_.size(); ++number) numbers_[elements_[number].name] = number;
    for (std::size_t number = 0; number < elements_.size(); ++number)
        for (const std::string& other : elements_[number].ended)
            if (std::size_t const found = number_of(other); found != unknown) ended_[number * elements_.size() + found] = true;
}

std::size_t Elements::number_of(std::string_view name) const {
    auto const found = numbers_.find(name);
    return found == numbers_.end() ? unknown : found->second;
}

std::size_t Elements::needed(std::string_view name) const {
    std::size_t const number = number_of(name);
    if (number == unknown) throw std::invalid_argument("an element is missing that the reader asks for");
    return number;
}

bool TagReader::next(Tag& tag) {
    while ((at_ = copy_.find('<', at_)) != copy_.npos && at_ + 1 < copy_.size()) {
        if (!may_begin(at_)) {
            ++at_;
        } else if (read(at_, tag)) {
            at_ = tag.end;
            return true;
        } else if (quotes_) {
            // Either the text ends inside this tag, or a quotation mark is missing. To look for the end once is enough.
            quotes_ = false;
        } else {
            ++at_;
        }
    }
    return false;
}

bool TagReader::may_begin(std::size_t start) const {
    char const first = copy_[start + 1];
    if (first == '/') return start + 2 < copy_.size() && is_letter(copy_[start + 2]);
    return is_letter(first) || first == '!' || first == '?';
}

bool TagReader::read(std::size_t start, Tag& tag) {
    bool const closes = copy_[start + 1] == '/';
    std::size_t const first = start + 1 + closes;
    tag = {Tag::inline_tag, Elements::unknown, start, start, closes};
    if (is_letter(copy_[first])) {
        std::size_t last = first;
        while (last < copy_.size() && !is_space(copy_[last]) && copy_[last] != '/' && copy_[last] != '>' && (quotes_ || copy_[last] != '<')) ++last;
        std::size_t const after = after_attributes(last);
        if (after == none) return false;
        tag.end = after;
        read_name(first, last, tag);
        return true;
    }
    tag.kind = Tag::comment;
    std::string_view const rest = copy_.substr(start);
    if (rest.starts_with("<!--") || rest.starts_with("<![CDATA[")) {
        std::size_t const end = copy_.find(rest[2] == '-' ? "-->" : "]]>", start + 4);
        tag.end = end == copy_.npos ? copy_.size() : end + 3;
        return true;
    }
    std::size_t const end = copy_.find_first_of(quotes_ ? ">" : "<>", start + 2);
    if (end == copy_.npos || copy_[end] != '>') return false;
    tag.end = end + 1;
    return true;
}

// After the end of a tag; none if it has no end.
std::size_t TagReader::after_attributes(std::size_t at) const {
    if (!quotes_) {
        at = copy_.find_first_of("<>", at);
        return at == copy_.npos || copy_[at] != '>' ? none : at + 1;
    }
    for (; at < copy_.size(); ++at) {
        char const character = copy_[at];
        if (character == '>') return at + 1;
        if (character != '"' && character != '\'') continue;
        at = copy_.find(character, at + 1);
        if (at == copy_.npos) return none;
    }
    return none;
}

void TagReader::read_name(std::size_t first, std::size_t last, Tag& tag) {
    name_.assign(copy_.substr(first, last - first));
    std::transform(name_.begin(), name_.end(), name_.begin(), lower);
    tag.element = elements_.number_of(name_);
    if (tag.element == Elements::unknown) {
        if (name_ == "br") tag.kind = Tag::line_break;
    } else if (elements_[tag.element].is_raw) {
        tag.kind = Tag::raw;
        if (!tag.closes) find_content(tag);
    } else {
        tag.kind = Tag::block;
    }
}

// A script or style sheet is one tag with all its content.
void TagReader::find_content(Tag& tag) {
    tag.content_start = tag.end;
    for (std::size_t at = copy_.find("</", tag.end); at != copy_.npos; at = copy_.find("</", at + 2)) {
        std::size_t const after = at + 2 + name_.size();
        if (after >= copy_.size()) break;
        if (!std::equal(name_.begin(), name_.end(), copy_.begin() + static_cast<std::ptrdiff_t>(at + 2),
                        [](char one, char other) { return one == lower(other); }))
            continue;
        if (!is_space(copy_[after]) && copy_[after] != '/' && copy_[after] != '>') continue;
        std::size_t const end = copy_.find('>', after);
        tag.content_end = at;
        tag.end = end == copy_.npos ? copy_.size() : end + 1;
        return;
    }
    tag.content_end = tag.end = copy_.size();
}

}  // namespace chunker::formats
