#include "chunker/formats/latex.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>

#include "latex_commands.hpp"

namespace chunker::formats {

namespace {

using namespace latex;  // the constants of the format

struct Environment {
    std::string_view name;
    std::size_t start;
    bool whole;                                  // its inside is cut by lines
    std::size_t title_start = 0, title_end = 0;  // of a slide
};

class LatexReader {
public:
    LatexReader(Text text, const Environments& environments, const CodeInside& code_inside)
        : environments_(environments), markup_(text, code_inside), introduction_(environments.sections.size() + 1) {}

    MarkupOutline read() {
        std::string_view const copy = markup_.copy();
        at_ = document_start(copy);
        if (at_ == none) {
            at_ = !copy.empty() && markup_.text()[0] == 0xFEFF;
        } else {
            markup_.put(0, level(), "preamble");
            markup_.verbatim(0, at_);
            if (std::size_t const body = markup_.cut_before(at_)) markup_.put(body, latex::section, "document");
            at_ += std::string_view("\\begin{document}").size();
            glued_ = introduction_;
        }
        Command command{};
        for (CommandReader commands(copy, at_, environments_); commands.next(command);) read(command);
        text_until(copy.size());
        end_run(copy.size());
        end_lead();
        pop_to(0, copy.size());
        return std::move(markup_.found);
    }

private:
    void read(const Command& command) {
        if (whole_ && command.kind != Command::begin && command.kind != Command::end) return;
        if (command.kind == Command::end && places(command.name).empty() && command.name != "document") {
            text_until(command.after);  // it ends nothing: as good as text
            return;
        }
        if (!whole_) {
            text_until(command.start);
            if (command.kind == Command::comment) comment(command);
            else end_run_before(command);
        }
        switch (command.kind) {
        case Command::begin: begin(command); break;
        case Command::end: end(command); break;
        case Command::section: section(command); break;
        case Command::item: item(command); break;
        case Command::verbatim: verbatim(command); break;
        case Command::blank:
            end_lead();
            after_blank_ = true;
            break;
        case Command::comment: break;
        }
        at_ = std::max(at_, command.after);
    }

    // --- blocks

    std::int32_t level() const { return block - depth_step * static_cast<std::int32_t>(std::min<std::size_t>(open_.size(), deepest)); }

    std::vector<std::size_t>& places(std::string_view name) {
        auto const found = places_.find(name);
        return found != places_.end() ? found->second : places_[std::string(name)];
    }

    // A block begins; where, with the comments before it.
    std::size_t put(std::size_t start, Label label, bool whole = false, std::optional<std::int32_t> strength = {}) {
        start = lead_ ? *lead_ : markup_.cut_before(start);
        lead_.reset();
        std::int32_t of_block = strength ? *strength : level();
        if (!strength && !after_blank_ && !glued_) of_block += kept_below;  // in the middle of a paragraph
        if (!glued_) markup_.put(start, of_block, label);
        else if (whole) markup_.put(start, level() + kept_below, label);
        glued_ = 0;
        after_blank_ = false;
        return start;
    }

    void begin(const Command& command) {
        bool const is_table = environments_.tables.contains(command.name);
        Environment environment{command.name, command.start, is_table || environments_.whole.contains(command.name)};
        if (!whole_) {
            Label const label = is_table ? "table" : environments_.lists.contains(command.name) ? "list" : markup_.label_of(command.name);
            environment.start = put(command.start, label, environment.whole);
            glued_ = introduction_;
            if (command.name == "frame") std::tie(environment.title_start, environment.title_end) = title(command.after);
            at_ = std::max(at_, after_arguments(command.after));
        }
        whole_ += environment.whole;
        places(command.name).push_back(open_.size());
        open_.push_back(environment);
    }

    std::size_t after_arguments(std::size_t at) const {
        std::string_view const copy = markup_.copy();
        for (int number = 0; number < latex_commands::most_arguments && at < copy.size() && (copy[at] == '[' || copy[at] == '{'); ++number) {
            std::string_view const rest = copy.substr(at + 1, latex_commands::longest_argument + 1);
            std::size_t const closed = rest.find_first_of(copy[at] == '[' ? "]\n" : "{}\n");
            if (closed == rest.npos || rest[closed] != (copy[at] == '[' ? ']' : '}')) break;
            at += closed + 2;
        }
        return at;
    }

    void end(const Command& command) {
        end_lead();
        std::vector<std::size_t> const& open = places(command.name);
        pop_to(open.empty() ? 0 : open.back(), command.after);
        after_blank_ = false;
    }

    // End all but the outermost `keep` environments at `end`.
    void pop_to(std::size_t keep, std::size_t end) {
        while (open_.size() > keep) {
            Environment const environment = open_.back();
            open_.pop_back();
            places(environment.name).pop_back();
            whole_ -= environment.whole;
            glued_ = 0;
            if (environment.title_start < environment.title_end && end > environment.start)
                markup_.found.named.push_back({environment.start, end, environment.title_start, environment.title_end});
            if (environment.whole && !whole_) lines(environment.start, end);
        }
    }

    void section(const Command& command) {
        std::size_t const level_before = glued_;
        glued_ = level_before && level_before < command.level ? level_before : 0;
        std::size_t const start = put(command.start, "section", false, latex::section - static_cast<std::int32_t>(command.level));
        auto const [first, last] = title(command.after);
        markup_.found.headings.push_back({start, static_cast<int>(command.level), first, last});
        glued_ = command.level;
    }

    // The span of the argument after a command, which is read then.
    std::pair<std::size_t, std::size_t> title(std::size_t start) {
        auto const [first, last] = argument(markup_.copy(), start, environments_);
        at_ = last > first ? last + 1 : first;
        return {first, last};
    }

    void item(const Command& command) {
        if (glued_ != introduction_) glued_ = 0;
        put(command.start, "item", false, level() + latex::item_above);
        glued_ = introduction_;
    }

    // --- what is kept whole

    void verbatim(const Command& command) {
        put(command.start, command.name == "comment" ? "comment" : "code", true);
        // The line of \begin stays with the first line, that of \end with the last one.
        std::size_t const feed = markup_.line_feed(command.body, command.after);
        if (feed == none) return;
        std::size_t const first = feed + 1;
        std::size_t last = command.after;
        while (markup_.copy()[last - 1] != '\n') --last;
        if (first < last) markup_.code({first, last, command.start, first});
    }

    // The lines of what is kept whole, and the rows of a table in it.
    void lines(std::size_t start, std::size_t end) {
        std::string_view const copy = markup_.copy().substr(0, end);
        std::size_t const table = table_in(copy, start);
        if (table == none) {
            markup_.verbatim(start, end);
            return;
        }
        std::vector<std::pair<std::size_t, std::size_t>> rows;  // the end mark of each row, and the end of its line
        for (std::size_t at = table; at < end;) {
            std::size_t const mark = row_mark(copy, at);
            std::size_t const feed = mark == none ? none : copy.find('\n', mark);
            if (feed == copy.npos) break;
            rows.emplace_back(mark, feed + 1);
            at = feed + 1;
        }
        std::size_t const rule = rows.empty() ? none : after_rule(copy.substr(0, rows.size() > 1 ? rows[1].second : end), rows[0].first);
        // The first row stays with the header.
        auto const first = std::find_if(rows.begin(), rows.end(), [&](auto const& row) { return rule == none || row.second > rule; });
        markup_.verbatim((first == rows.end() ? end : first->second) - 1, end);
        if (rule != none && first != rows.end()) markup_.found.tables.push_back({start, end, table, rule});
    }

    // The first \begin of a table from `start` on.
    std::size_t table_in(std::string_view copy, std::size_t start) const {
        constexpr std::string_view mark = "\\begin{";
        for (std::size_t at = copy.find(mark, start); at != copy.npos; at = copy.find(mark, at + 1)) {
            std::size_t const first = at + mark.size(), last = copy.substr(first, latex_commands::longest_name).find('}');
            if (last == copy.npos) continue;
            std::string_view name = copy.substr(first, last);
            if (name.ends_with('*')) name.remove_suffix(1);
            if (environments_.tables.contains(name)) return at;
        }
        return none;
    }

    // The first mark from `at` on that ends a row.
    static std::size_t row_mark(std::string_view copy, std::size_t at) {
        constexpr std::string_view name = "tabularnewline";
        for (at = copy.find('\\', at); at != copy.npos; at = copy.find('\\', at + 1)) {
            std::string_view const rest = copy.substr(at + 1);
            if (rest.starts_with('\\')) return at;
            if (rest.starts_with(name) && (rest.size() == name.size() || !is_letter(rest[name.size()]))) return at;
        }
        return none;
    }

    // After the line of the first rule below a header from `at` on; none if there is none.
    static std::size_t after_rule(std::string_view copy, std::size_t at) {
        for (at = copy.find('\\', at); at != copy.npos; at = copy.find('\\', at + 1)) {
            std::size_t after = at + 1;
            while (after < copy.size() && is_letter(copy[after])) ++after;
            std::string_view const name = copy.substr(at + 1, after - at - 1);
            if (name != "hline" && name != "midrule" && name != "endfirsthead" && name != "endhead") continue;
            std::size_t const feed = copy.find('\n', after);
            return feed == copy.npos ? copy.size() : feed + 1;
        }
        return none;
    }

    // --- paragraphs

    bool has_text_before(std::size_t end) const { return markup_.nonblank(at_, end) < end; }

    void text_until(std::size_t end) {
        if (run_ || whole_) return;
        if (std::size_t const nonblank = markup_.nonblank(at_, end); nonblank < end) begin_run(nonblank);
    }

    void begin_run(std::size_t start) {
        run_ = lead_ ? *lead_ : start;
        std::size_t const glued = glued_;
        put(start, "paragraph");
        glued_ = glued;
    }

    void end_run(std::size_t end) {
        if (!run_) return;
        std::size_t const start = *run_;
        run_.reset();
        if (is_label(start, end)) return;  // of a section
        glued_ = 0;
        markup_.prose(start, markup_.trimmed(start, end));
    }

    // Whether there is nothing but labels and comments.
    bool is_label(std::size_t start, std::size_t end) const {
        std::string_view const copy = markup_.copy().substr(0, end);
        for (std::size_t at = start;;) {
            while (at < end && is_space(copy[at])) ++at;
            if (at == end) return true;
            if (copy[at] == '%') {
                at = std::min(copy.find('\n', at), end);
                continue;
            }
            constexpr std::string_view mark = "\\label{";
            if (!copy.substr(at).starts_with(mark)) return false;
            at = copy.find_first_of("{}", at + mark.size());
            if (at == copy.npos || copy[at] == '{') return false;
            ++at;
        }
    }

    // A comment on a line of its own belongs to what the next line begins.
    void comment(const Command& command) {
        std::size_t const start = markup_.cut_before(command.start);
        if (!run_) {
            if (!lead_) lead_ = start;
        } else if (start == 0 || markup_.copy()[start - 1] != '\n') {
            trailing_.reset();
        } else if (!trailing_ || has_text_before(command.start)) {
            trailing_ = start;
        }
    }

    // A paragraph ends before a command, or before the comments above that, if it begins a block.
    void end_run_before(const Command& command) {
        std::optional<std::size_t> const start = trailing_;
        trailing_.reset();
        if (!run_ || !start || command.kind == Command::blank || command.kind == Command::end || has_text_before(command.start)) {
            end_run(command.start);
            return;
        }
        end_run(*start);
        lead_ = start;
    }

    // Comments that nothing follows directly are a block of their own.
    void end_lead() {
        if (lead_) put(*lead_, "comment");
    }

    const Environments& environments_;
    Markup markup_;
    std::vector<Environment> open_;
    std::map<std::string, std::vector<std::size_t>, std::less<>> places_;  // of the environments of a name, in `open_`
    std::size_t whole_ = 0;                                                // how many of the open ones are kept whole
    std::optional<std::size_t> run_;                                       // where the paragraph began that goes on
    std::optional<std::size_t> lead_;                                      // where the comments begin that stand directly before
    std::optional<std::size_t> trailing_;                                  // where the comments begin that the paragraph ends with so far
    std::size_t introduction_;                                             // the level of what introduces, but is no title
    std::size_t glued_ = 0;                                                // the level of the title that stands directly before, 0 if none does
    bool after_blank_ = true;
    std::size_t at_ = 0;  // all before is read
};

}  // namespace

MarkupOutline read_latex(Text text, const Environments& environments, const CodeInside& code_inside) {
    return LatexReader(text, environments, code_inside).read();
}

}  // namespace chunker::formats
