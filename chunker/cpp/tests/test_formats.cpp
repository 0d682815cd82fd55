// The readers of formats: any text at all, broken off anywhere, has boundaries that ascend inside of it, and members that are in it.
#include <algorithm>
#include <cstdio>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "chunker/formats/html.hpp"
#include "chunker/formats/json.hpp"
#include "chunker/formats/latex.hpp"
#include "chunker/formats/line_formats.hpp"
#include "chunker/formats/notebook.hpp"

namespace {

using namespace chunker::formats;

bool is_good(Text text, const Columns& columns) {
    bool const ascends = std::is_sorted(columns.offsets.begin(), columns.offsets.end(), std::less_equal<>());
    return ascends && columns.offsets.front() == 0 && (columns.size() == 1 || columns.offsets.back() < text.size()) &&
           columns.strengths.size() == columns.size() && columns.labels.size() == columns.size();
}

bool is_good(Text text, const std::vector<Member>& members) {
    return std::all_of(members.begin(), members.end(), [&](const Member& member) {
        return member.start < member.end && member.end <= text.size() &&
               (member.kind != Member::key || (member.first <= member.last && member.last <= text.size()));
    });
}

bool is_good(Text text, const MarkupOutline& found) {
    auto const inside = [&](const Region& region) {
        return region.start <= region.end && region.end <= text.size() && region.told_start <= region.told_end && region.told_end <= text.size();
    };
    return is_good(text, found.columns) && std::all_of(found.tables.begin(), found.tables.end(), inside) &&
           std::all_of(found.named.begin(), found.named.end(), inside) &&
           std::all_of(found.headings.begin(), found.headings.end(),
                       [&](const Heading& heading) { return heading.start <= text.size() && heading.text_end <= text.size(); });
}

// The states ascend inside of the text, and tell elements and sections that are there.
bool are_good(Text text, const HtmlStates& states) {
    auto const is_known = [](std::size_t number, std::size_t size) { return number == none || number < size; };
    std::size_t least = 0;
    for (HtmlStates::Place const& place : states.places) {
        if (place.offset < least || place.offset > text.size()) return false;
        if (!is_known(place.element, states.elements.size()) || !is_known(place.section, states.sections.size())) return false;
        least = place.offset;
    }
    for (std::size_t number = 0; number < states.elements.size(); ++number) {
        HtmlStates::OpenElement const& element = states.elements[number];
        if (!is_known(element.parent, number) || element.start > element.end || element.end > text.size()) return false;
    }
    for (std::size_t number = 0; number < states.sections.size(); ++number) {
        HtmlStates::OpenSection const& section = states.sections[number];
        if (!is_known(section.parent, number) || section.start > section.end || section.end > text.size()) return false;
    }
    return true;
}

bool read_all(Text text) {
    static const Elements elements = [] {
        std::vector<Element> made;
        for (const char* const name : {"p", "h1", "h2", "table", "tr", "td", "th", "thead", "pre", "li", "ul", "article", "section", "aside", "hr", "script"}) {
            Element element;
            element.name = element.label = name;
            element.is_raw = element.name == "script";
            element.is_block = !element.is_raw;
            element.is_void = element.name == "hr";
            element.is_table_part = element.name[0] == 't';
            element.is_barrier = element.name == "td";
            element.ends_section = element.name == "section" || element.name == "aside";
            if (element.name == "li") element.ended = {"li"};
            made.push_back(element);
        }
        return Elements(std::move(made));
    }();
    static const Environments environments{{"equation"}, {"tabular"}, {"itemize"}, {"verbatim"}, {"section", "subsection"}};
    CodeInside const code_inside = [](const Code& code, Columns& found) {
        if (code.start % 2) return false;
        found.add(code.start + 1, 60, "line");
        return true;
    };
    JsonScan json(text), lines(text), notebook(text, 0);
    json.run(0, text.size());
    lines.run_records();
    notebook.run(0, text.size());
    for (JsonScan* const scan : {&json, &lines, &notebook}) begin_with(scan->found.columns, text, "document");
    read_cells(text, notebook.found);
    for (const Cell& cell : notebook.found.cells)
        if (cell.end > text.size() || (cell.row != none && cell.row >= notebook.found.columns.size())) return false;
    for (JsonScan* const scan : {&json, &lines, &notebook})
        if (!is_good(text, scan->found.columns) || !is_good(text, scan->found.members)) return false;
    DataOutline const yaml = read_yaml(text);
    DataOutline const toml = read_toml(text);
    if (!are_good(text, html_states(text, elements))) return false;
    return is_good(text, yaml.columns) && is_good(text, yaml.members) && is_good(text, toml.columns) && is_good(text, toml.members) &&
           is_good(text, read_html(text, elements, code_inside)) && is_good(text, read_latex(text, environments, code_inside));
}

}  // namespace

int main() {
    const std::vector<std::u32string> parts = {
        U"{",
        U"}",
        U"[",
        U"]",
        U"\"",
        U"'",
        U"\"\"\"",
        U"'''",
        U"\\",
        U"\\n",
        U":",
        U",",
        U"/*",
        U"*/",
        U"//",
        U"\n",
        U"\r",
        U"\r\n",
        U"\n\n",
        U"  ",
        U"\t",
        U"-",
        U"- ",
        U"---\n",
        U"#",
        U"=",
        U".",
        U"|",
        U"&a ",
        U"!t",
        U"?",
        U"? ",
        U"*",
        U"%",
        U"a",
        U"key: ",
        U"[t.u]\n",
        U"[[t]]\n",
        U"k = [\n",
        U"\"source\": [",
        U"\"cells\": [",
        U"\"outputs\": [{",
        U"\\u0041",
        U"{\"cell_type\": \"markdown\", ",
        U"<p>",
        U"</p",
        U"<h1>",
        U"</h1>",
        U"<table><tr><th>a</th></tr>",
        U"<tr><td>",
        U"</table>",
        U"<!--",
        U"-->",
        U"<script>\n",
        U"</script",
        U"<br>",
        U"<",
        U">",
        U"<section>",
        U"<aside>",
        U"<li>",
        U"<pre>",
        U"One. Two! ",
        U"word ",
        U"\\begin{itemize}",
        U"\\end{itemize}",
        U"\\item ",
        U"\\section{A}",
        U"\\begin{verbatim}\n",
        U"\\end{verbatim}",
        U"\\begin{tabular}\n",
        U"a & b \\\\\n",
        U"\\hline\n",
        U"\\end{tabular}",
        U"\\begin{document}",
        U"\\verb|",
        U"\\label{x}",
        U"% c\n",
        U"\u0301",
        U"\u00e9",
        U"\u3002",
        U"\u2028",
        U"\ufeff",
        std::u32string(1, char32_t{0xD800}),
        std::u32string(1, U'\0'),
        std::u32string(70, U'x'),
        std::u32string(400, U'y') + U"\n",
    };
    std::mt19937 random(7);
    for (int round = 0; round < 20'000; ++round) {
        std::u32string text;
        for (std::size_t count = 1 + random() % 24; count > 0; --count) text += parts[random() % parts.size()];
        // A copy of its own size, so that what is read after it is seen.
        std::vector<char32_t> const whole(text.begin(), text.end());
        if (read_all(Text(whole.data(), whole.size()))) continue;
        std::fprintf(stderr, "round %d\n", round);
        return 1;
    }
    return 0;
}
