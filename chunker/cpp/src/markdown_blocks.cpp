#include "chunker/markdown_blocks.hpp"

#include <algorithm>

namespace chunker::markdown {

namespace {

// A blank line is a line of all items, however many there are: with more of them than this, time would grow faster than the text.
constexpr std::size_t most_open = 64;
// Indented by so much, a line is code, or text.
constexpr std::size_t code_columns = 4;

}  // namespace

std::size_t Blocks::read(std::size_t start) {
    open_.clear();
    leaf_ = Leaf::none;
    next_ = start;
    check_point(start);
    while (next_ < copy_.size()) {
        begin_line();
        Step step = match_containers();
        if (step == Step::next) step = continue_leaf();
        if (step == Step::next) step = begin_blocks();
        if (step == Step::uncertain) return give_back();
        if (open_.empty() && leaf_ == Leaf::none) check_point(next_);
    }
    if (leaf_ == Leaf::fence || leaf_ == Leaf::comment) {
        if (!open_.empty()) return give_back();
        leaf_end_ = copy_.size();  // a block without an end ends with the text
    }
    begin_line();
    close_unmatched();
    return copy_.size();
}

std::size_t Blocks::give_back() {
    sketch_.take_back(checkpoint_);
    return checkpoint_at_;
}

void Blocks::begin_line() {
    start_ = at_ = next_;
    end_ = std::min(copy_.find('\n', start_), copy_.size());
    next_ = std::min(end_ + 1, copy_.size());
    matched_ = 0;
    fresh_ = false;
}

// --- what is open goes on

Blocks::Step Blocks::match_containers() {
    for (; matched_ < open_.size(); ++matched_) {
        Container& container = open_[matched_];
        if (container.kind == Kind::list) continue;
        std::string_view const rest = copy_.substr(at_, end_ - at_);
        Indent const indent = indent_of(rest);
        bool const blank = indent.characters == rest.size();
        if (indent.tabs && !blank) return Step::uncertain;
        if (container.kind == Kind::quote) {
            if (blank || indent.columns >= code_columns || rest[indent.characters] != '>') break;
            at_ += indent.characters + 1;
            if (at_ < end_ && copy_[at_] == ' ') ++at_;
        } else if (blank) {
            if (container.empty) break;
        } else if (indent.columns < container.column) {
            break;
        } else {
            at_ += container.column;
            container.empty = false;
        }
    }
    return Step::next;
}

Blocks::Step Blocks::continue_leaf() {
    if (leaf_ == Leaf::none || leaf_ == Leaf::paragraph) return Step::next;
    if (matched_ < open_.size()) {
        // A parser has to say where such a block ended, if it has no end of its own.
        if (leaf_ == Leaf::fence || leaf_ == Leaf::comment) return Step::uncertain;
        end_leaf();
        return Step::next;
    }
    std::string_view const rest = copy_.substr(at_, end_ - at_);
    if (!open_.empty() && indent_of(rest).tabs && !is_blank(rest)) return Step::uncertain;
    bool ends = false;
    if (leaf_ == Leaf::fence) {
        ends = closes_fence(rest, fence_mark_, fence_length_);
    } else if (leaf_ == Leaf::comment) {
        ends = rest.find("-->") != rest.npos;
    } else {
        bool const goes_on = leaf_ == Leaf::html ? !is_blank(rest) : is_blank(rest) || indent_of(rest).columns >= code_columns;
        if (!goes_on) {
            end_leaf();
            return Step::next;
        }
        if (is_blank(rest)) return Step::done;  // belongs to indented code if more of it follows
    }
    leaf_end_ = next_;
    if (ends) end_leaf();
    return Step::done;
}

// --- what begins

Blocks::Step Blocks::begin_blocks() {
    while (true) {
        std::string_view const rest = copy_.substr(at_, end_ - at_);
        Indent const indent = indent_of(rest);
        if (indent.characters == rest.size()) return blank();
        if (indent.tabs && !open_.empty()) return Step::uncertain;
        std::string_view const content = rest.substr(indent.characters);
        // Whether a table begins with the line before is for a parser to say.
        if (leaf_ == Leaf::paragraph && has_bar_ && could_delimit(content)) return Step::uncertain;
        at_ += indent.characters;
        Step const step = begin_block(content, indent.columns);
        if (step == Step::text) return text(content);
        if (step != Step::next) return step;
    }
}

Blocks::Step Blocks::begin_block(std::string_view rest, std::size_t columns) {
    bool const in_paragraph = leaf_ == Leaf::paragraph;  // or it can go on lazily
    if (columns >= code_columns) {
        if (in_paragraph) return Step::text;
        begin_leaf(Leaf::indented);
        return Step::done;
    }
    switch (rest[0]) {
    case '>': return begin_quote();
    case '#':
        if (int const level = heading_level(rest)) {
            begin_leaf(Leaf::none);
            sketch_.heading(start_, next_, level);
            return Step::done;
        }
        return Step::text;
    case '`':
    case '~':
        if (std::size_t const length = fence_length(rest)) {
            begin_leaf(Leaf::fence);
            fence_mark_ = rest[0];
            fence_length_ = length;
            return Step::done;
        }
        return Step::text;
    case '<': return begin_html(rest);
    default: break;
    }
    if (in_paragraph && matched_ == open_.size() && !fresh_) {
        if (int const level = underline_level(rest)) {
            std::size_t const start = leaf_start_;
            leaf_ = Leaf::none;
            sketch_.heading(start, next_, level);
            return Step::done;
        }
    }
    if (is_rule(rest)) {
        begin_leaf(Leaf::none);
        sketch_.leaf(start_, next_, "rule");
        return Step::done;
    }
    ItemMark const mark = item_mark(rest);
    return mark.kind ? begin_item(mark, columns) : Step::text;
}

Blocks::Step Blocks::begin_quote() {
    if (open_.size() >= most_open) return Step::uncertain;
    close_unmatched();
    sketch_.open(start_, "quote");
    open_.push_back({.kind = Kind::quote});
    fresh_ = true;
    ++at_;
    if (at_ < end_ && copy_[at_] == ' ') ++at_;
    return Step::next;
}

Blocks::Step Blocks::begin_item(const ItemMark& mark, std::size_t columns) {
    bool const sibling = !fresh_ && matched_ > 0 && open_[matched_ - 1].kind == Kind::list && open_[matched_ - 1].mark == mark.kind;
    if (leaf_ == Leaf::paragraph && !sibling && (mark.empty || !mark.one)) {
        // It does not interrupt a paragraph; and in one that only goes on lazily, readers of Markdown differ.
        return matched_ < open_.size() ? Step::uncertain : Step::text;
    }
    if (mark.tab || open_.size() + 2 > most_open) return Step::uncertain;
    close_unmatched(mark.kind);
    if (open_.empty() || open_.back().kind != Kind::list) {
        sketch_.open(start_, "list");
        open_.push_back({.kind = Kind::list, .mark = mark.kind});
    }
    sketch_.item(start_);
    // After five spaces the item begins with indented code.
    bool const narrow = mark.empty || mark.pad > code_columns;
    std::size_t const width = mark.length + (narrow ? 1 : mark.pad);
    open_.push_back({.kind = Kind::item, .column = columns + width, .empty = mark.empty});
    fresh_ = true;
    at_ = mark.empty ? end_ : at_ + width;
    return Step::next;
}

Blocks::Step Blocks::begin_html(std::string_view rest) {
    Html const html = html_of(rest);
    if (html == Html::uncertain) return Step::uncertain;
    if (html == Html::none || (html == Html::alone && leaf_ == Leaf::paragraph)) return Step::text;
    begin_leaf(html == Html::comment ? Leaf::comment : Leaf::html);
    constexpr std::size_t opening = 4;  // characters of "<!--"
    if (html == Html::comment && rest.find("-->", opening) != rest.npos) end_leaf();
    return Step::done;
}

Blocks::Step Blocks::blank() {
    if (fresh_) return Step::done;  // an item or a quote that begins with nothing
    if (leaf_ == Leaf::paragraph) end_leaf();
    close_to(matched_);  // a list goes on after an item that is empty
    return Step::done;
}

Blocks::Step Blocks::text(std::string_view rest) {
    if (leaf_ == Leaf::paragraph) {
        if (rest.starts_with("[^")) return Step::uncertain;
        leaf_end_ = next_;
        has_bar_ = rest.find('|') != rest.npos;
        return Step::done;
    }
    close_unmatched();
    if (open_.empty() && rest.data() == copy_.data() + start_) {
        Step const step = begin_at_margin();
        if (step != Step::text) return step;
    }
    if ((rest[0] == '[' && could_define(rest)) || rest.starts_with("$$")) return Step::uncertain;
    begin_leaf(Leaf::paragraph);
    has_bar_ = rest.find('|') != rest.npos;
    return Step::done;
}

// --- the leaves and containers that are open

void Blocks::begin_leaf(Leaf leaf) {
    close_unmatched();
    leaf_ = leaf;
    leaf_start_ = start_;
    leaf_end_ = next_;
}

void Blocks::end_leaf() {
    switch (leaf_) {
    case Leaf::none: break;
    case Leaf::paragraph: sketch_.paragraph(leaf_start_, leaf_end_); break;
    case Leaf::fence:
    case Leaf::indented: sketch_.code(leaf_start_, leaf_end_, leaf_ == Leaf::fence); break;
    case Leaf::comment:
    case Leaf::html: sketch_.leaf(leaf_start_, leaf_end_, "html"); break;
    }
    leaf_ = Leaf::none;
}

// Closes the containers that end at this line because something else begins: an item with this mark, or anything that is not an item.
void Blocks::close_unmatched(char item_mark) {
    end_leaf();
    if (fresh_) return;
    bool const other_list = matched_ > 0 && open_[matched_ - 1].kind == Kind::list && open_[matched_ - 1].mark != item_mark;
    matched_ -= other_list;
    close_to(matched_);
    if (open_.empty()) check_point(start_);
}

void Blocks::close_to(std::size_t depth) {
    while (open_.size() > depth) {
        if (open_.back().kind != Kind::item) sketch_.close();
        open_.pop_back();
    }
}

void Blocks::check_point(std::size_t at) {
    checkpoint_ = sketch_.mark();
    checkpoint_at_ = at;
}

}  // namespace chunker::markdown
