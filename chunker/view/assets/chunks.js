// The chunks of one text as articles. An article is an empty shell until it comes near the window; a short text is filled in while the browser
// is idle, so that the browser's own search finds all of it, and of a long one what is far away is emptied again.

const FILL_ALL_BELOW = 1_000_000; // code units
const NEAR = "1500px 0px";
const LINE_HEIGHT = 21;
const LINE_LENGTH = 95;
const FRAME_HEIGHT = 78;
const whenIdle = window.requestIdleCallback ?? ((work) => setTimeout(() => work({ timeRemaining: () => 8 }), 16));

const number = new Intl.NumberFormat("en");
const count = (amount, noun) => `${number.format(amount)} ${noun}${amount === 1 ? "" : "s"}`;
const percent = (share) => `${Math.round(share * 100)} %`;

// What is shown now. `near`: numbers of the chunks near the window.
const shown = { text: null, index: 0, articles: [], near: new Set(), current: -1, tokens: false, generation: 0 };

const nearby = new IntersectionObserver(
  (entries) => {
    for (const entry of entries) {
      const place = entry.target.place;
      if (shown.articles[place] !== entry.target) continue;
      if (entry.isIntersecting) {
        shown.near.add(place);
        fill(place);
      } else {
        shown.near.delete(place);
        leave(place);
      }
    }
    highlightSoon();
  },
  { rootMargin: NEAR },
);

function shell(chunk, place, total) {
  const article = element("article", `chunk c${place % 4}`);
  article.place = place;
  article.id = `chunk-${place + 1}`;
  article.tabIndex = -1;
  article.setAttribute("aria-posinset", place + 1);
  article.setAttribute("aria-setsize", total);
  const lines = chunk.lines[1] - chunk.lines[0] + (chunk.end - chunk.start) / LINE_LENGTH;
  article.style.setProperty("contain-intrinsic-block-size", `auto ${Math.round(FRAME_HEIGHT + lines * LINE_HEIGHT)}px`);
  return article;
}

function cutLine(cut) {
  return element("div", `cut g${cut.grade}`, `before ${cut.label}, ${cut.quality}`);
}

function factsLine(chunk, place) {
  const line = element("header", "facts-line");
  const title = element("h2");
  title.id = `title-${place + 1}`;
  title.append(element("span", "number", number.format(place + 1)), element("span", "kind", chunk.kind));
  line.append(title);
  const trail = element("span", "trail");
  trail.dir = "auto";
  chunk.trail.forEach((name, depth) => {
    if (depth) trail.append(element("span", "separator", "›"));
    appendText(trail, name, 0, name.length);
  });
  line.append(trail);
  if (chunk.repeated) line.append(element("span", "overlap", `repeats ${count(chunk.repeatedTokens, "token")}`));
  const [first, last] = chunk.lines;
  line.append(element("span", "lines", first === last ? `line ${first}` : `lines ${first}–${last}`));
  line.lastChild.title = `Characters ${chunk.characters.join("–")}, bytes ${chunk.bytes.join("–")}`;
  const share = chunk.count / shown.text.maxTokens;
  const meter = element("span", "meter");
  meter.setAttribute("aria-hidden", "true");
  meter.append(element("span"));
  meter.firstChild.style.width = `${share * 100}%`;
  const use = element("span", "fill");
  use.append(meter, `${number.format(chunk.count)} of ${count(shown.text.maxTokens, "token")}, ${percent(share)}`);
  line.append(use);
  return line;
}

function fill(place) {
  const article = shown.articles[place];
  const chunk = shown.text.chunks[place];
  if (!article.firstChild) {
    if (chunk.cut) article.append(cutLine(chunk.cut));
    const card = element("div", "card");
    const text = element("pre", "text");
    text.dir = "auto";
    card.append(factsLine(chunk, place), text);
    article.append(card);
    article.setAttribute("aria-labelledby", `title-${place + 1}`);
    article.inTokens = null;
  }
  const inTokens = shown.tokens && shown.near.has(place);
  if (article.inTokens !== inTokens) {
    article.querySelector(".text").replaceChildren(chunkNodes(chunk, shown.text.text, inTokens));
    article.inTokens = inTokens;
  }
}

function leave(place) {
  const article = shown.articles[place];
  if (shown.text.text.length >= FILL_ALL_BELOW && place !== shown.current) article.replaceChildren();
  else if (article.inTokens) fill(place);
}

function fillAll(generation, place) {
  whenIdle((deadline) => {
    if (generation !== shown.generation) return;
    while (place < shown.articles.length && deadline.timeRemaining() > 2) fill(place++);
    if (place < shown.articles.length) fillAll(generation, place);
    else finished();
  });
}

function finished() {
  byId("feed").setAttribute("aria-busy", "false");
}

// Show the text with this index; its data is parsed now.
function showText(index) {
  nearby.disconnect();
  const text = JSON.parse(byId(`text-${index}`).textContent);
  Object.assign(shown, { text, index, articles: [], current: -1, generation: shown.generation + 1 });
  shown.near.clear();
  shown.articles = text.chunks.map((chunk, place) => shell(chunk, place, text.chunks.length));
  const feed = byId("feed");
  feed.setAttribute("aria-busy", "true");
  feed.replaceChildren(...shown.articles);
  // What the first window shows is there with the first paint.
  for (let place = 0; place < Math.min(8, shown.articles.length); place++) fill(place);
  shown.articles.forEach((article) => nearby.observe(article));
  if (text.text.length < FILL_ALL_BELOW) fillAll(shown.generation, 0);
  else finished();
}

function showTokens(wanted) {
  shown.tokens = wanted;
  document.body.classList.toggle("show-tokens", wanted);
  byId("tokens-button").setAttribute("aria-pressed", wanted);
  for (const place of shown.near) fill(place);
  highlightSoon();
}

// Make a chunk the current one; `focus` moves the keyboard there, and the window with it.
function select(place, { focus = true } = {}) {
  const before = shown.articles[shown.current];
  if (before) {
    before.removeAttribute("aria-current");
    before.tabIndex = -1;
  }
  shown.current = place;
  const article = shown.articles[place];
  fill(place);
  article.setAttribute("aria-current", "true");
  article.tabIndex = 0;
  if (focus) {
    article.focus({ preventScroll: true });
    article.scrollIntoView({ block: "start" });
  }
  byId("position").textContent = `${number.format(place + 1)} / ${number.format(shown.articles.length)}`;
  history.replaceState(null, "", `#${shown.index + 1}.${place + 1}`);
  drawMap();
}
