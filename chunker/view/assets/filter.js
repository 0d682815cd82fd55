// The filter: which chunks are shown, and where the text that was asked for stands in them.

const ANY = "";
const MOST_FOUND = 2000;

function options(select, values, anything) {
  const counts = new Map();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  const names = [...counts.keys()].sort();
  const made = names.map((name) => new Option(`${name} (${number.format(counts.get(name))})`, name));
  const wanted = counts.has(select.value) ? select.value : ANY;
  select.replaceChildren(new Option(anything, ANY), ...made);
  select.value = wanted;
}

function offerFilters(text) {
  options(byId("filter-kind"), text.chunks.map((chunk) => chunk.kind), "any");
  const cuts = text.chunks.filter((chunk) => chunk.cut).map((chunk) => chunk.cut.quality);
  options(byId("filter-cut"), cuts, "any");
}

function asked() {
  const share = (id, otherwise) => (Number.isNaN(byId(id).valueAsNumber) ? otherwise : byId(id).valueAsNumber / 100);
  return {
    words: byId("filter-text").value.toLowerCase(),
    kind: byId("filter-kind").value,
    cut: byId("filter-cut").value,
    least: share("filter-least", 0),
    most: share("filter-most", 1),
  };
}

function matches(chunk, text, wanted) {
  const fill = chunk.count / text.maxTokens;
  if (wanted.kind !== ANY && chunk.kind !== wanted.kind) return false;
  if (wanted.cut !== ANY && chunk.cut?.quality !== wanted.cut) return false;
  if (fill < wanted.least || fill > wanted.most) return false;
  if (wanted.words === "") return true;
  return [chunk.context + text.text.slice(chunk.start, chunk.end), ...chunk.breadcrumb].some((part) => part.toLowerCase().includes(wanted.words));
}

function applyFilter() {
  const { text } = shown;
  const wanted = asked();
  const before = shown.skipped;
  let left = 0;
  let passed = 0;
  shown.skipped = text.chunks.map((chunk) => {
    if (!matches(chunk, text, wanted)) {
      passed++;
      return -1;
    }
    // Chunks that are not neighbours may have the same colour: say that something stands between them.
    const skipped = passed;
    passed = 0;
    left++;
    return skipped;
  });
  if (!before || before.length !== shown.skipped.length || before.some((skipped, place) => skipped !== shown.skipped[place])) layOut();
  const all = left === text.chunks.length;
  byId("outcome").textContent = all ? count(left, "chunk") : `${number.format(left)} of ${count(text.chunks.length, "chunk")}`;
  byId("nothing").hidden = left > 0;
  byId("feed").role = left > 0 ? "feed" : "region"; // a feed has articles
  byId("nothing").textContent = text.chunks.length ? "No chunk matches the filter." : "This text is empty.";
  const [low, high] = [Math.round(wanted.least * BINS * 10) / 10, Math.round(wanted.most * BINS * 10) / 10];
  byId("fills").querySelectorAll("button").forEach((bar, bin) => bar.setAttribute("aria-pressed", low === bin && high === bin + 1));
  highlightSoon();
  drawMapSoon();
}

let filtering = 0;
function filterSoon() {
  filtering ||= requestAnimationFrame(() => {
    filtering = 0;
    if (shown.text) applyFilter();
  });
}

function filterByBin(bin) {
  byId("filter-least").value = bin === null ? 0 : bin * BINS;
  byId("filter-most").value = bin === null ? 100 : (bin + 1) * BINS;
  applyFilter();
}

let highlighting = 0;
function highlightSoon() {
  if (!("highlights" in CSS) || highlighting) return;
  highlighting = requestAnimationFrame(() => {
    highlighting = 0;
    const words = byId("filter-text").value.toLowerCase();
    CSS.highlights.delete("found");
    if (words === "") return;
    const ranges = [];
    for (const place of shown.near) {
      for (const article of shown.groups[place].querySelectorAll("article")) findIn(article, words, ranges);
    }
    CSS.highlights.set("found", new Highlight(...ranges));
  });
}

// A match may go over several nodes: tokens, marks.
function findIn(article, words, ranges) {
  const walker = document.createTreeWalker(article, NodeFilter.SHOW_TEXT);
  const nodes = [];
  let content = "";
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    nodes.push({ node, at: content.length });
    content += node.data;
  }
  const lower = content.toLowerCase();
  if (lower.length !== content.length) return; // a letter whose small form is longer: offsets would be wrong
  let from = 0;
  const place = (offset) => {
    while (from + 1 < nodes.length && nodes[from + 1].at <= offset) from++;
    return [nodes[from].node, Math.min(offset - nodes[from].at, nodes[from].node.length)];
  };
  for (let at = lower.indexOf(words); at >= 0 && ranges.length < MOST_FOUND; at = lower.indexOf(words, at + words.length)) {
    const range = document.createRange();
    range.setStart(...place(at));
    range.setEnd(...place(at + words.length));
    ranges.push(range);
  }
}
