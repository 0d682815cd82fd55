// The chunks of one text as articles, in groups. A group has its articles while it is near the window; of a short text all groups are made while
// the browser is idle, and kept, so that the browser's own search finds everything. What is far away in a long text costs one empty element
// a group, whatever its length.

const GROUP = 16;
const KEEP_ALL_BELOW = 1_000_000; // code units
const NEAR = "1500px 0px";
const LINE_HEIGHT = 21;
const LINE_LENGTH = 95;
const FRAME_HEIGHT = 78;
const whenIdle = window.requestIdleCallback ?? ((work) => setTimeout(() => work({ timeRemaining: () => 8 }), 16));

const byId = (id) => document.getElementById(id);
const number = new Intl.NumberFormat("en");
const count = (amount, noun) => `${number.format(amount)} ${noun}${amount === 1 ? "" : "s"}`;
const percent = (share) => `${Math.round(share * 100)} %`;

// What is shown now. `skipped`: for each chunk that fits the filter, how many before it do not; -1 for one that does not fit itself.
// `near`: numbers of the groups near the window. `generation` changes with each text.
const shown = { text: null, index: 0, skipped: null, groups: [], near: new Set(), current: 0, tokens: false, generation: 0 };

const isShown = (place) => shown.skipped[place] >= 0;
const groupOf = (place) => shown.groups[Math.floor(place / GROUP)];
const articleOf = (place) => byId(`chunk-${place + 1}`);

const nearby = new IntersectionObserver(
  (entries) => {
    for (const { target, isIntersecting } of entries) {
      const place = target.first / GROUP;
      if (shown.groups[place] !== target) continue; // of a text or a filter that was shown before
      if (isIntersecting) {
        shown.near.add(place);
        build(target);
      } else {
        shown.near.delete(place);
        leave(target);
      }
    }
    highlightSoon();
  },
  { rootMargin: NEAR },
);

// The cut above a chunk, and why it is there: a button opens that, for mouse, finger and keyboard. Of all chunks only the current one has a stop of the
// Tab key; a screen reader reads the reason with the chunk, open or not.
function cutLine(article, chunk, place) {
  const { grade, label, quality, reason } = chunk.cut;
  const line = element(reason ? "button" : "div", `cut g${grade}`, `before ${label}, ${quality}`);
  article.append(line);
  if (!reason) return;
  const why = element("p", "reason", reason);
  why.id = `reason-${place + 1}`;
  why.hidden = true;
  line.type = "button";
  line.title = reason;
  line.tabIndex = -1;
  line.setAttribute("aria-expanded", "false");
  line.setAttribute("aria-controls", why.id);
  article.setAttribute("aria-describedby", why.id);
  article.append(why);
}

function toggleReason(article) {
  const why = article?.querySelector(".reason");
  if (!why) return;
  why.hidden = !why.hidden;
  article.querySelector(".cut").setAttribute("aria-expanded", !why.hidden);
}

function factsLine(chunk, place) {
  const line = element("header", "facts-line");
  const title = element("h2");
  title.id = `title-${place + 1}`;
  title.append(element("span", "number", number.format(place + 1)), " ", element("span", "kind", chunk.kind));
  line.append(title);
  const breadcrumb = element("span", "breadcrumb");
  breadcrumb.dir = "auto";
  chunk.breadcrumb.forEach((name, depth) => {
    if (depth) breadcrumb.append(element("span", "separator", "›"));
    appendText(breadcrumb, name, 0, name.length);
  });
  line.append(breadcrumb);
  if (chunk.repeated) line.append(element("span", "overlap", `repeats ${count(chunk.repeatedTokens, "token")}`));
  const [first, last] = chunk.lines.map((at) => number.format(at));
  const lines = line.appendChild(element("span", "lines", first === last ? `line ${first}` : `lines ${first}–${last}`));
  lines.title = `Characters ${chunk.characters.join("–")}, bytes ${chunk.bytes.join("–")}`;
  const share = chunk.count / shown.text.maxTokens;
  const meter = element("span", "meter");
  meter.setAttribute("aria-hidden", "true");
  meter.appendChild(element("span")).style.width = `${share * 100}%`;
  const fill = line.appendChild(element("span", "fill"));
  fill.append(meter, `${number.format(chunk.count)} of ${count(shown.text.maxTokens, "token")}, ${percent(share)}`);
  return line;
}

function articleFor(place) {
  const chunk = shown.text.chunks[place];
  const article = element("article", `chunk c${place % 4}`);
  article.place = place;
  article.id = `chunk-${place + 1}`;
  article.tabIndex = -1;
  article.setAttribute("aria-posinset", place + 1);
  article.setAttribute("aria-setsize", shown.text.chunks.length);
  article.setAttribute("aria-labelledby", `title-${place + 1}`);
  if (chunk.cut) cutLine(article, chunk, place);
  const card = article.appendChild(element("div", "card"));
  const text = element("pre", "text");
  text.dir = "auto";
  card.append(factsLine(chunk, place), text);
  if (place === shown.current) markCurrent(article, true);
  return article;
}

function groupFor(first) {
  const group = element("div", "group");
  group.setAttribute("role", "presentation");
  group.first = first;
  group.stop = Math.min(first + GROUP, shown.text.chunks.length);
  return group;
}

// Give a group its articles, if it has none, and their text as it is to be shown now.
function build(group) {
  if (!group.firstChild) {
    for (let place = group.first; place < group.stop; place++) {
      if (!isShown(place)) continue;
      if (shown.skipped[place]) group.append(hiddenLine(shown.skipped[place]));
      group.append(articleFor(place));
    }
  }
  const inTokens = shown.tokens && shown.near.has(group.first / GROUP);
  for (const article of group.querySelectorAll("article")) {
    if (article.inTokens === inTokens) continue;
    article.querySelector(".text").replaceChildren(chunkNodes(shown.text.chunks[article.place], shown.text, inTokens));
    article.inTokens = inTokens;
  }
}

function leave(group) {
  const isLong = shown.text.text.length >= KEEP_ALL_BELOW;
  if (isLong && groupOf(shown.current) !== group) group.replaceChildren();
  else if (group.firstChild && shown.tokens) build(group);
}

// Before its articles are there, a group is as high as they will be, more or less.
function guessHeight(group) {
  let height = 0;
  for (let place = group.first; place < group.stop; place++) {
    const chunk = shown.text.chunks[place];
    const lines = chunk.lines[1] - chunk.lines[0] + (chunk.end - chunk.start) / LINE_LENGTH;
    if (isShown(place)) height += FRAME_HEIGHT + lines * LINE_HEIGHT;
  }
  group.hidden = height === 0;
  group.style.setProperty("contain-intrinsic-block-size", `auto ${Math.round(height)}px`);
}

// Make all groups anew: another text, or another filter.
function layOut() {
  const { chunks, text } = shown.text;
  shown.generation++;
  nearby.disconnect();
  shown.near.clear();
  shown.groups = [];
  for (let first = 0; first < chunks.length; first += GROUP) shown.groups.push(groupFor(first));
  shown.groups.forEach(guessHeight);
  const feed = byId("feed");
  feed.setAttribute("aria-busy", "true");
  feed.replaceChildren(...shown.groups);
  let trailing = 0;
  while (trailing < chunks.length && !isShown(chunks.length - 1 - trailing)) trailing++;
  if (trailing && trailing < chunks.length) feed.append(hiddenLine(trailing));
  // What the window shows is there with the first paint.
  const first = shown.groups.find((group) => !group.hidden);
  if (first) build(first);
  shown.groups.forEach((group) => nearby.observe(group));
  if (text.length < KEEP_ALL_BELOW) buildAll(shown.generation, 0);
  else feed.setAttribute("aria-busy", "false");
}

function buildAll(generation, place) {
  whenIdle((deadline) => {
    if (generation !== shown.generation) return;
    while (place < shown.groups.length && deadline.timeRemaining() > 2) build(shown.groups[place++]);
    if (place < shown.groups.length) buildAll(generation, place);
    else byId("feed").setAttribute("aria-busy", "false");
  });
}

function hiddenLine(amount) {
  return element("p", "hidden-before", `${count(amount, "chunk")} not shown`);
}

function showTokens(wanted) {
  shown.tokens = wanted;
  document.body.classList.toggle("show-tokens", wanted);
  byId("tokens-button").setAttribute("aria-pressed", wanted);
  for (const place of shown.near) build(shown.groups[place]);
  highlightSoon();
}

function markCurrent(article, current) {
  if (current) article.setAttribute("aria-current", "true");
  else article.removeAttribute("aria-current");
  article.tabIndex = current ? 0 : -1;
  const cut = article.querySelector("button.cut");
  if (cut) cut.tabIndex = article.tabIndex;
}

// Make a chunk the current one; `focus` moves the keyboard there, and the window with it.
function select(place, { focus = true } = {}) {
  const before = articleOf(shown.current);
  if (before) markCurrent(before, false);
  shown.current = place;
  build(groupOf(place));
  const article = articleOf(place);
  markCurrent(article, true);
  if (focus) {
    article.focus({ preventScroll: true });
    article.scrollIntoView({ block: "start" });
  }
  byId("position").textContent = `${number.format(place + 1)} / ${number.format(shown.text.chunks.length)}`;
  // In a frame of a notebook or beside another page there is no address to change.
  if (location.protocol !== "about:") history.replaceState(null, "", `#${shown.index + 1}.${place + 1}`);
  drawMapSoon();
}
