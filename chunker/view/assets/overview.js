// The side panel: what the budget is, how full the chunks are, all chunks at a glance, the files.

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
  const [ink, faint, ...colours] = resolved(["--ink", "--line", "--bar-0", "--bar-1", "--bar-2", "--bar-3"]);
  const { chunks, maxTokens } = shown.text;
  const columns = Math.min(chunks.length, Math.floor(width / 2));
  for (let column = 0; column < columns; column++) {
    const first = Math.floor((column * chunks.length) / columns);
    const stop = Math.max(Math.floor(((column + 1) * chunks.length) / columns), first + 1);
    let fullest = 0;
    let visible = false;
    for (let place = first; place < stop; place++) {
      fullest = Math.max(fullest, chunks[place].count);
      visible ||= isShown(place);
    }
    const tall = (fullest / maxTokens) * (height - 4);
    const left = (column * width) / columns;
    const wide = width / columns;
    pen.fillStyle = visible ? colours[column % 4] : faint;
    pen.fillRect(left, height - tall, Math.max(wide - (wide > 3 ? 1 : 0), 1), tall);
    if (shown.current >= first && shown.current < stop) {
      pen.fillStyle = ink;
      pen.fillRect(left, 0, Math.max(wide, 2), 3);
    }
  }
}

let drawing = 0;
function drawMapSoon() {
  drawing ||= requestAnimationFrame(() => {
    drawing = 0;
    drawMap();
  });
}

// The values of custom properties as a canvas understands them.
function resolved(names) {
  const place = document.body.appendChild(element("div", "unseen"));
  for (const name of names) place.appendChild(element("span")).style.color = `var(${name})`;
  const values = [...place.children].map((probe) => getComputedStyle(probe).color);
  place.remove();
  return values;
}

// The folder that all paths have in common, with its slash: what it is need not be said on each line.
function commonFolder(paths) {
  let common = paths[0].slice(0, paths[0].lastIndexOf("/") + 1);
  for (const path of paths) {
    while (!path.startsWith(common)) common = common.slice(0, common.lastIndexOf("/", common.length - 2) + 1);
  }
  return common;
}

function listTexts(index) {
  if (index.texts.length < 2) return;
  const common = commonFolder(index.texts.map((text) => text.path)).length;
  byId("texts").hidden = false;
  const items = index.texts.map((text, place) => {
    const item = element("li");
    const button = item.appendChild(element("button"));
    button.type = "button";
    const path = button.appendChild(element("span", "path"));
    const nameAt = text.path.lastIndexOf("/") + 1;
    appendText(path.appendChild(element("span", "folder")), text.path, common, nameAt);
    appendText(path.appendChild(element("span", "name")), text.path, nameAt, text.path.length);
    button.append(element("span", "number", number.format(text.chunks)));
    button.title = `${text.path}: ${count(text.chunks, "chunk")}, ${count(text.tokens, "token")}, mean fill ${percent(text.meanFill)}`;
    button.addEventListener("click", () => openText(place));
    return item;
  });
  byId("texts-list").replaceChildren(...items);
  byId("texts-filter").addEventListener("input", () => filterTexts(index.texts));
}

// Shows the files whose paths have the words that are asked for, each anywhere.
function filterTexts(texts) {
  const words = byId("texts-filter").value.toLowerCase().split(/\s+/).filter(Boolean);
  const items = [...byId("texts-list").children];
  let left = 0;
  items.forEach((item, place) => {
    item.hidden = !words.every((word) => texts[place].path.toLowerCase().includes(word));
    left += !item.hidden;
  });
  say(count(left, "file"));
}

function markText(place) {
  byId("texts-list")?.querySelectorAll("button").forEach((button, index) => {
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
