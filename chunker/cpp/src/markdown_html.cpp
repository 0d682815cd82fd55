// The kinds of HTML blocks that a line with a "<" begins, by CommonMark (section 4.6).
#include <algorithm>
#include <array>
#include <string>

#include "chunker/formats/text.hpp"
#include "chunker/markdown_lines.hpp"

namespace chunker::markdown {

using formats::is_blank;
using formats::is_letter;

namespace {

// In alphabetical order. Each begins a block wherever it is.
constexpr std::array<std::string_view, 62> block_tags = {
    "address", "article", "aside",    "base",  "basefont", "blockquote", "body",       "caption", "center", "col",    "colgroup", "dd",       "details",
    "dialog",  "dir",     "div",      "dl",    "dt",       "fieldset",   "figcaption", "figure",  "footer", "form",   "frame",    "frameset", "h1",
    "h2",      "h3",      "h4",       "h5",    "h6",       "head",       "header",     "hr",      "html",   "iframe", "legend",   "li",       "link",
    "main",    "menu",    "menuitem", "nav",   "noframes", "ol",         "optgroup",   "option",  "p",      "param",  "search",   "section",  "summary",
    "table",   "tbody",   "td",       "tfoot", "th",       "thead",      "title",      "tr",      "track",  "ul"};
// These go on across blank lines, up to an end of their own.
constexpr std::array<std::string_view, 4> uncertain_tags = {"pre", "script", "style", "textarea"};
constexpr std::size_t longest_tag = 10;

constexpr bool is_alphanumeric(char character) { return is_letter(character) || formats::is_digit(character); }

// Goes over one tag.
class Tag {
public:
    // `at`: after its name.
    Tag(std::string_view line, std::size_t at, bool closing) : line_(line), at_(at), closing_(closing) {}

    Html kind() {
        while (true) {
            bool const spaces = skip_spaces();
            if (ended()) return Html::uncertain;  // the tag may go on in the next line
            if (line_[at_] == '>') break;
            if (closing_) return Html::none;
            if (line_[at_] == '/') {
                ++at_;
                if (ended()) return Html::uncertain;
                if (line_[at_] != '>') return Html::none;
                break;
            }
            if (!spaces) return Html::none;
            Html const attribute = attribute_kind();
            if (attribute != Html::alone) return attribute;
        }
        return is_blank(line_.substr(at_ + 1)) ? Html::alone : Html::none;
    }

private:
    bool ended() const { return at_ == line_.size(); }
    bool skip_spaces() {
        std::size_t const start = at_;
        while (!ended() && is_blank(line_[at_])) ++at_;
        return at_ > start;
    }

    // Goes over name="value". Anything but `alone`: what that makes of the line.
    Html attribute_kind() {
        if (!is_letter(line_[at_]) && line_[at_] != '_' && line_[at_] != ':') return Html::none;
        while (!ended() && (is_alphanumeric(line_[at_]) || line_[at_] == '_' || line_[at_] == ':' || line_[at_] == '.' || line_[at_] == '-')) ++at_;
        std::size_t const name_end = at_;
        skip_spaces();
        if (ended()) return Html::uncertain;
        if (line_[at_] != '=') {
            at_ = name_end;
            return Html::alone;
        }
        ++at_;
        skip_spaces();
        if (ended()) return Html::uncertain;
        char const quote = line_[at_];
        if (quote == '"' || quote == '\'') {
            at_ = line_.find(quote, at_ + 1);
            if (at_ == line_.npos) return Html::uncertain;
            ++at_;
            return Html::alone;
        }
        constexpr std::string_view never = " \t\"'=<>`";
        std::size_t const start = at_;
        while (!ended() && never.find(line_[at_]) == never.npos) ++at_;
        return at_ == start ? Html::none : Html::alone;
    }

    std::string_view line_;
    std::size_t at_;
    bool closing_;
};

}  // namespace

Html html_of(std::string_view line) {
    if (line.size() < 2) return Html::none;
    if (line[1] == '!' || line[1] == '?') {
        if (!line.starts_with("<!--")) return Html::uncertain;
        return line.starts_with("<!-->") || line.starts_with("<!--->") ? Html::uncertain : Html::comment;
    }
    bool const closing = line[1] == '/';
    std::size_t const start = 1 + closing;
    std::size_t at = start;
    while (at < line.size() && (is_alphanumeric(line[at]) || line[at] == '-')) ++at;
    if (at == start || !is_letter(line[start])) return Html::none;
    if (at - start <= longest_tag) {
        std::string name(line.substr(start, at - start));
        for (char& character : name) character = character >= 'A' && character <= 'Z' ? static_cast<char>(character + 32) : character;
        if (std::binary_search(uncertain_tags.begin(), uncertain_tags.end(), name)) return Html::uncertain;
        if (std::binary_search(block_tags.begin(), block_tags.end(), name)) {
            bool const ends = at == line.size() || is_blank(line[at]) || line[at] == '>' || line.substr(at).starts_with("/>");
            if (ends) return Html::block;
        }
    }
    return Tag(line, at, closing).kind();
}

}  // namespace chunker::markdown
