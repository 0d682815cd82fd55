// The side panel: what the budget is, how full the chunks are, all chunks at a glance, the files.

const byId = (id) => document.getElementById(id);
const BINS = 10;

function showFacts(index, text) {
  const sizes = text.chunks.map((chunk) => chunk.count);
  const total = sizes.reduce((sum, size) => sum + size, 0);
  const { settings } = index;
  const facts = [
    ["Tokenizer", settings.tokenizer],
    ["At most", count(settings.max_tokens, "token")],
    ["At least, if possible", count(settings.min_tokens, "token")],
    ["Overlap", settings.overlap ? `up to ${number.format(settings.overlap)}` : "none"],
    ["Chunks", number.format(sizes.length)],
    ["Tokens", number.format(total)],
  ];
  if (sizes.length) {
    const least = sizes.reduce((a, b) => Math.min(a, b));
    const most = sizes.reduce((a, b) => Math.max(a, b));
    facts.push(["Smallest, largest", `${number.format(least)}, ${number.format(most)}`]);
    facts.push(["Mean fill", percent(total / (sizes.length * text.maxTokens))]);
  }
  byId("facts").replaceChildren(...facts.flatMap(([name, value]) => [element("dt", "", name), element("dd", "", value)]));
}

function binOf(chunk) {
  return Math.min(Math.floor((chunk.count / shown.text.maxTokens) * BINS), BINS - 1);
}

function showFills(text) {
  const bins = new Array(BINS).fill(0);
  for (const chunk of text.chunks) bins[binOf(chunk)]++;
  const most = bins.reduce((a, b) => Math.max(a, b), 1);
  const bars = bins.map((amount, bin) => {
    const bar = element("button");
    const label = `${bin * BINS} to ${(bin + 1) * BINS} %: ${count(amount, "chunk")}`;
    bar.type = "button";
    bar.title = label;
    bar.setAttribute("aria-label", label);
    bar.setAttribute("aria-pressed", "false");
    const column = bar.appendChild(element("span"));
    column.style.height = `${(amount / most) * 100}%`;
    if (amount) column.style.minHeight = "3px";
    bar.addEventListener("click", () => filterByBin(bar.getAttribute("aria-pressed") === "true" ? null : bin));
    return bar;
  });
  byId("fills").replaceChildren(...bars);
}

// One column a chunk, as high as it is full; where there are more chunks than columns, a column stands for the fullest of its share.
function drawMap() {
  const map = byId("map");
  const width = map.clientWidth;
  if (!width || !shown.text) return;
  const scale = window.devicePixelRatio || 1;
  const height = map.clientHeight;
  map.width = Math.round(width * scale);
  map.height = Math.round(height * scale);
  const pen = map.getContext("2d");
  pen.scale(scale, scale);
  const style = getComputedStyle(map);
  const colours = [0, 1, 2, 3].map((index) => resolved(map, `var(--bar-${index})`));
  const faint = resolved(map, "var(--line)");
  const { chunks, maxTokens } = shown.text;
  const columns = Math.min(chunks.length, Math.floor(width / 2));
  for (let column = 0; column < columns; column++) {
    const first = Math.floor((column * chunks.length) / columns);
    const behind = Math.max(Math.floor(((column + 1) * chunks.length) / columns), first + 1);
    let fullest = 0;
    let visible = false;
    for (let place = first; place < behind; place++) {
      fullest = Math.max(fullest, chunks[place].count);
      visible ||= !shown.articles[place].hidden;
    }
    const tall = (fullest / maxTokens) * (height - 4);
    const left = (column * width) / columns;
    const wide = width / columns;
    pen.fillStyle = visible ? colours[(columns === chunks.length ? first : column) % 4] : faint;
    pen.fillRect(left, height - tall, Math.max(wide - (wide > 3 ? 1 : 0), 1), tall);
    if (shown.current >= first && shown.current < behind) {
      pen.fillStyle = style.color;
      pen.fillRect(left, 0, Math.max(wide, 2), 3);
    }
  }
}

function resolved(place, colour) {
  const probe = document.createElement("span");
  probe.style.color = colour;
  place.parentNode.append(probe);
  const value = getComputedStyle(probe).color;
  probe.remove();
  return value;
}

function listTexts(index) {
  if (index.texts.length < 2) return;
  byId("texts").hidden = false;
  const items = index.texts.map((text, place) => {
    const item = element("li");
    const button = item.appendChild(element("button"));
    button.type = "button";
    const path = button.appendChild(element("span", "path"));
    appendText(path, text.path, 0, text.path.length);
    button.append(element("span", "number", number.format(text.chunks)));
    button.title = `${text.path}: ${count(text.chunks, "chunk")}, ${count(text.tokens, "token")}, mean fill ${percent(text.meanFill)}`;
    button.addEventListener("click", () => openText(place));
    return item;
  });
  byId("texts-list").replaceChildren(...items);
}

function markText(place) {
  byId("texts-list").querySelectorAll("button").forEach((button, index) => {
    if (index === place) {
      button.setAttribute("aria-current", "true");
      button.scrollIntoView({ block: "nearest" });
    } else {
      button.removeAttribute("aria-current");
    }
  });
}

function showNotes(notes) {
  const lines = Object.entries(notes).map(([name, value]) => `${name}: ${value}`);
  byId("notes").hidden = lines.length === 0;
  byId("notes").textContent = lines.join("; ");
}
