#include "html_states.hpp"

#include <utility>

namespace chunker::formats {

std::size_t HtmlStateRecorder::open(std::size_t parent, std::string_view name) {
    found.elements.push_back({parent, std::string(name)});
    sizes_.push_back(name.size() + 2 + (parent == none ? 0 : sizes_[parent]));
    return found.elements.size() - 1;
}

void HtmlStateRecorder::begin_rows(std::size_t number, std::size_t start, std::size_t end, std::string closing) {
    sizes_[number] += end - start + closing.size();
    HtmlStates::OpenElement& element = found.elements[number];
    element.start = start;
    element.end = end;
    element.closing = std::move(closing);
}

void HtmlStateRecorder::begin_section(std::size_t depth, int level, bool in_table) {
    while (section_ != none && found.sections[section_].level >= level) section_ = found.sections[section_].parent;
    in_tables_.push_back(in_table || (section_ != none && in_tables_[section_]));
    found.sections.push_back({section_, depth, level});
    title_sizes_.push_back(0);
    section_ = found.sections.size() - 1;
}

void HtmlStateRecorder::end_title(std::size_t start, std::size_t end) {
    HtmlStates::OpenSection& section = found.sections.back();
    section.start = start;
    section.end = end;
    title_sizes_.back() = end - start + (section.parent == none ? 0 : title_sizes_[section.parent]);
}

void HtmlStateRecorder::close(std::size_t depth) {
    while (section_ != none && found.sections[section_].depth > depth) section_ = found.sections[section_].parent;
}

std::optional<HtmlStates::Place> HtmlStateRecorder::place(std::size_t offset, std::size_t element) const {
    if (section_ != none && (in_tables_[section_] || title_sizes_[section_] > longest)) return std::nullopt;
    if (element != none && sizes_[element] > longest) return std::nullopt;
    return HtmlStates::Place{offset, element, section_};
}

}  // namespace chunker::formats
