#include "chunker/formats/html.hpp"

#include <algorithm>
#include <optional>

#include "chunker/segmentation.hpp"
#include "html_states.hpp"
#include "html_tags.hpp"

namespace chunker::formats {

namespace {

using namespace html;  // the constants of the format

// An open block. `start` is where it would be cut, `state` its number in the recorded states; the rest is for tables: where the header ends, how
// many rows were met, what cells they have, whether one after the header was met, and whether a section begins inside. The rows of a table header
// are those of the table before it.
struct Open {
    std::size_t element, start;
    std::size_t header_end = 0, rows = 0, data_cells = 0, header_cells = 0;
    bool kept = false, tangled = false;
    std::size_t state = none;
};

// Tags that have opened blocks, without anything inside yet: they are not cut from each other.
struct Opening {
    std::size_t start;
    std::int32_t strength;
    Label label;
    bool is_kept_whole;
    bool glued;                              // a heading, or the header of a table, stands directly before
    std::optional<HtmlStates::Place> place;  // the state before them, if reading can resume there
};

class HtmlReader {
public:
    HtmlReader(Text text, const Elements& elements, const CodeInside& code_inside)
        : elements_(elements),
          markup_(text, code_inside),
          places_(elements.size()),
          table_(elements.needed("table")),
          row_(elements.needed("tr")),
          head_(elements.needed("thead")),
          paragraph_(elements.needed("p")),
          verbatim_(elements.needed("pre")),
          data_cell_(elements.needed("td")),
          header_cell_(elements.needed("th")),
          article_(elements.needed("article")),
          section_(elements.needed("section")) {}

    // Read the text. Returns all that was found; the states are in `states`.
    MarkupOutline read() {
        Tag tag{};
        for (TagReader tags(markup_.copy(), elements_); tags.next(tag); at_ = tag.end) {
            quoted_ = tags.is_quoted();
            read(tag);
        }
        text_until(markup_.size());
        end_run(markup_.size());
        pop_to(0, markup_.size());
        flush();
        return std::move(markup_.found);
    }

    HtmlStateRecorder states;

private:
    void read(const Tag& tag) {
        text_until(tag.start);
        if (tag.kind == Tag::block && !is_stray(tag)) {
            end_run(tag.start);
            after_break_ = false;
            if (tag.closes) close(tag);
            else begin(tag);
        } else if (tag.kind == Tag::raw) {
            end_run(tag.start);
            raw(tag);
        } else if (tag.kind == Tag::comment) {
            comment(tag);
        } else if (tag.kind == Tag::line_break) {
            line_break(tag);
        } else if (!run_ && !tag.closes) {
            begin_run(tag.start);
        }
    }

    // --- blocks

    void begin(const Tag& tag) {
        Element const& element = elements_[tag.element];
        if (heading_start_ && !element.is_in_headings) pop_to(heading_place_, tag.start);
        if (!open_.empty() && open_.back().element == paragraph_) pop_to(open_.size() - 1, tag.start);
        std::size_t keep = open_.size();
        while (keep && elements_.ends(tag.element, open_[keep - 1].element)) --keep;
        pop_to(keep, tag.start);
        std::size_t const start = markup_.cut_before(tag.start);
        Open const* table = tag.element == row_ || tag.element == head_ ? this->table() : nullptr;
        std::size_t const rows = table ? table->rows : 0;
        if (int const heading = element.heading_level()) {
            begin_heading(heading, start, tag.end);
        } else if (tag.element == row_) {
            begin_row(start);
        } else {
            cell(tag.element);
            opens(start, level(), element.label, element.is_kept_whole);
        }
        if (element.is_void) {
            flush();
            return;
        }
        places_[tag.element].push_back(open_.size());
        if (element.is_barrier) barriers_.push_back(open_.size());
        if (element.ends_section) sectioning_.push_back(open_.size());
        std::size_t const state = states.open(innermost_state(), element.name);
        Open& open = open_.emplace_back(Open{tag.element, opening_ ? std::min(start, opening_->start) : start});
        open.state = state;
        if (tag.element == table_) {
            open.start = start;
            open.tangled = markup_.nonblank(start, tag.start) < tag.start;  // it is not cut there
        } else if (tag.element == head_) {
            open.rows = rows;
        } else if (tag.element == row_) {
            begin_rows(tag.end);
        }
    }

    // After the tag of a row, which ends at `end`: it may be the first one after the header of its table.
    void begin_rows(std::size_t end) {
        Open const* const table = this->table();
        if (!table || !table->kept || states.has_rows(table->state)) return;
        std::string closing;
        for (std::size_t place = open_.size() - 1; place > places_[table_].back(); --place) closing += "</" + elements_[open_[place].element].name + ">";
        states.begin_rows(table->state, table->start, end, std::move(closing));
    }

    std::size_t innermost_state() const { return open_.empty() ? none : open_.back().state; }

    // The state before a boundary at `start`, if reading can resume there.
    std::optional<HtmlStates::Place> place_at(std::size_t start) const {
        if (start <= markup_.found.columns.offsets.back() || glued_ || after_break_ || heading_start_) return std::nullopt;
        if (!quoted_ || !places_[head_].empty() || !std::ranges::all_of(places_[table_], [this](std::size_t place) { return is_known(open_[place]); }))
            return std::nullopt;
        return states.place(start, innermost_state());
    }

    // Whether the header of an open table is known, or that it has none.
    bool is_known(const Open& table) const {
        if (table.tangled || (table.header_end && !states.has_rows(table.state))) return false;
        return table.header_end || table.rows > 1 || (table.rows == 1 && table.data_cells);
    }

    Opening& opens(std::size_t start, std::int32_t strength, Label label, bool kept_whole = false, bool glued = false) {
        if (!opening_) {
            opening_ = {start, strength, label, kept_whole, glued_ != 0, place_at(start)};
        } else if (strength > opening_->strength || kept_whole) {
            opening_->strength = std::max(strength, opening_->strength);
            opening_->label = label;
            opening_->is_kept_whole = kept_whole;
        }
        opening_->glued |= glued;
        return *opening_;
    }

    // Something is inside the tags that have opened: they begin where the first of them does.
    void flush() {
        if (!opening_) return;
        Opening const opening = *opening_;
        opening_.reset();
        if (!opening.glued) {
            markup_.put(opening.start, opening.strength, opening.label);
            if (opening.place) states.found.places.push_back(*opening.place);
        } else if (opening.is_kept_whole) {
            markup_.put(opening.start, opening.strength + kept_below, opening.label);
        }
    }

    // Whether the tag closes nothing: no element of its name is open, or it is outside the table of this cell.
    bool is_stray(const Tag& tag) const {
        if (!tag.closes) return false;
        std::vector<std::size_t> const& places = places_[tag.element];
        if (places.empty()) return true;
        return !barriers_.empty() && !elements_[tag.element].is_table_part && places.back() < barriers_.back();
    }

    void close(const Tag& tag) {
        flush();
        pop_to(places_[tag.element].back(), tag.end);
    }

    // Close all but the outermost `keep` blocks; what is closed ends at `end`.
    void pop_to(std::size_t keep, std::size_t end) {
        while (open_.size() > keep) {
            Open const open = open_.back();
            open_.pop_back();
            std::size_t const place = open_.size();
            places_[open.element].pop_back();
            states.close(place);
            if (!barriers_.empty() && barriers_.back() == place) barriers_.pop_back();
            if (!sectioning_.empty() && sectioning_.back() == place) sectioning_.pop_back();
            if (heading_start_ && elements_[open.element].name[0] == 'h') end_heading(end);
            while (!section_ends_.empty() && section_ends_.back().first >= place) {
                markup_.found.headings[section_ends_.back().second].end = end;
                section_ends_.pop_back();
            }
            if (elements_[open.element].is_table_part) end_part(open, end);
        }
    }

    std::int32_t level() const { return block - depth_step * static_cast<std::int32_t>(std::min<std::size_t>(open_.size(), deepest)); }

    // --- headings

    void begin_heading(int heading_level, std::size_t start, std::size_t text_start) {
        std::optional<std::size_t> place;
        if (!sectioning_.empty()) place = sectioning_.back();
        if (place && open_[*place].element != article_ && open_[*place].element != section_) {
            opens(start, level(), "heading");
            return;
        }
        Opening& opening = opens(start, html::section - heading_level, "section");
        opening.glued = 0 < glued_ && glued_ < heading_level;
        markup_.found.headings.push_back({opening.start, heading_level});
        if (place) section_ends_.emplace_back(*place, markup_.found.headings.size() - 1);
        std::vector<std::size_t> const& tables = places_[table_];
        states.begin_section(place ? *place + 1 : 0, heading_level, !tables.empty());
        if (!tables.empty()) open_[tables.front()].tangled = true;
        heading_start_ = text_start;
        heading_place_ = open_.size();
    }

    void end_heading(std::size_t end) {
        Heading& heading = markup_.found.headings.back();
        heading.text_start = *heading_start_;
        heading.text_end = end;
        states.end_title(*heading_start_, end);
        glued_ = heading.level;
        heading_start_.reset();
    }

    // --- tables

    Open* table() { return places_[table_].empty() ? nullptr : &open_[places_[table_].back()]; }

    void begin_row(std::size_t start) {
        bool glued = false;
        if (Open* const table = this->table()) {
            ++table->rows;
            bool const below_header = table->header_end > 0 && !table->kept;
            table->kept |= below_header;
            // The first row stays with the caption, the one below the header with that.
            glued = below_header || (table->rows == 1 && !opening_);
        }
        opens(start, level(), "row", false, glued);
    }

    void cell(std::size_t element) {
        Open* const table = this->table();
        if (!table) return;
        table->data_cells += element == data_cell_;
        table->header_cells += element == header_cell_;
    }

    void end_part(const Open& open, std::size_t end) {
        if (open.element == table_) {
            if (open.header_end && open.kept) markup_.found.tables.push_back({open.start, end, open.start, open.header_end});
            return;
        }
        Open* const table = this->table();
        if (!table || table->header_end) return;
        bool const only_headers = table->rows == 1 && table->header_cells && !table->data_cells;
        // A table header after a row is like any other row.
        bool const is_first = open.element == head_ && !open.rows;
        if (is_first || (open.element == row_ && only_headers && places_[head_].empty())) table->header_end = end;
    }

    // --- text

    void text_until(std::size_t end) {
        if (run_) return;
        if (std::size_t const nonblank = markup_.nonblank(at_, end); nonblank < end) begin_run(nonblank);
    }

    void begin_run(std::size_t start) {
        if (after_break_ && !opening_) markup_.put(markup_.cut_before(start), strength::line, "line");
        else if (!opening_ && !glued_) markup_.put(markup_.cut_before(start), level(), "text");
        after_break_ = false;
        flush();
        run_ = start;
        if (!heading_start_) glued_ = 0;
    }

    void end_run(std::size_t end) {
        if (!run_) return;
        std::size_t const start = *run_;
        run_.reset();
        if (!places_[verbatim_].empty()) {
            markup_.verbatim(start, end);
            return;
        }
        end = markup_.trimmed(start, end);
        Text const text = markup_.text().substr(start, end - start);
        if (text.find('<') == none) {
            markup_.prose(start, end);
            return;
        }
        // A tag after a full stop does not keep the sentence from ending, nor does what stands inside a tag end one.
        without_tags_.assign(text);
        for (std::size_t at = text.find('<'); at != none;) {
            std::size_t const last = text.find_first_of(U"<>", at + 1);
            if (last != none && text[last] == '>')
                std::fill(without_tags_.begin() + static_cast<std::ptrdiff_t>(at), without_tags_.begin() + static_cast<std::ptrdiff_t>(last + 1), U')');
            at = last == none || text[last] == '<' ? last : text.find('<', last);
        }
        markup_.prose(start, end, prose_sentence_ends(without_tags_));
    }

    void line_break(const Tag& tag) {
        if (heading_start_ || !places_[verbatim_].empty()) return;
        if (!run_) begin_run(tag.start);
        end_run(tag.end);
        after_break_ = true;
    }

    // Belongs to what follows, if that begins a block.
    void comment(const Tag& tag) {
        if (run_) return;
        opens(markup_.cut_before(tag.start), level(), "comment");
        if (tag.end - tag.start < short_comment) return;
        flush();
        markup_.verbatim(tag.start, tag.end);
        glued_ = 0;
    }

    // A script or style sheet, to its end.
    void raw(const Tag& tag) {
        Element const& element = elements_[tag.element];
        opens(markup_.cut_before(tag.start), level(), element.label, element.is_kept_whole);
        flush();
        glued_ = 0;
        // The tag stays with the first line.
        std::size_t const feed = markup_.line_feed(tag.content_start, tag.content_end);
        if (element.name == "textarea" || feed == none) {
            markup_.verbatim(tag.content_start, tag.content_end);
            return;
        }
        std::size_t const first = feed + 1;
        std::size_t last = tag.content_end;
        while (last > first && markup_.copy()[last - 1] != '\n') --last;
        markup_.code({first, last, tag.start, tag.content_start});
    }

    const Elements& elements_;
    Markup markup_;
    std::vector<Open> open_;
    std::vector<std::vector<std::size_t>> places_;  // of the open blocks of an element, in `open_`
    std::vector<std::size_t> barriers_, sectioning_;
    std::optional<Opening> opening_;
    std::optional<std::size_t> run_;  // where the text began that goes on
    bool after_break_ = false;
    bool quoted_ = true;                                             // whether the tags so far have all their quotation marks
    std::size_t at_ = 0;                                             // all before is read
    std::optional<std::size_t> heading_start_;                       // where the text of an open heading begins
    std::size_t heading_place_ = 0;                                  // of that heading in `open_`
    std::vector<std::pair<std::size_t, std::size_t>> section_ends_;  // places of elements that end the sections of headings, and these
    int glued_ = 0;                                                  // the level of the heading that stands directly before, 0 if none does
    std::u32string without_tags_;
    std::size_t table_, row_, head_, paragraph_, verbatim_, data_cell_, header_cell_, article_, section_;
};

}  // namespace

MarkupOutline read_html(Text text, const Elements& elements, const CodeInside& code_inside) { return HtmlReader(text, elements, code_inside).read(); }

HtmlStates html_states(Text text, const Elements& elements) {
    CodeInside const no_code = [](const Code&, Columns&) { return false; };
    HtmlReader reader(text, elements, no_code);
    reader.read();
    return std::move(reader.states.found);
}

}  // namespace chunker::formats
