// One text and what one does with it: the buttons, the keys. `openText`, which finds the text of a place, comes with the page.

const THEMES = ["auto", "light", "dark"];
// What was asked for, and all texts that there are.
let index = { settings: {}, texts: [] };

// `stay`: the same text, cut anew; the filter, the window and the keyboard stay where they are.
function showText(text, place, chunk = 0, { stay = false } = {}) {
  Object.assign(shown, { text, index: place, skipped: null, current: chunk });
  const { path, chunks, notes } = shown.text;
  // On a phone there is room for the name alone.
  const nameAt = path.lastIndexOf("/") + 1;
  byId("heading").replaceChildren(element("span", "wide-only"), element("span", "name"));
  appendText(byId("heading").firstChild, path, 0, nameAt);
  appendText(byId("heading").lastChild, path, nameAt, path.length);
  byId("heading").title = path;
  showNotes(notes);
  showFacts(index, shown.text);
  showFills(shown.text);
  if (!stay) byId("filter").reset();
  offerFilters(shown.text);
  applyFilter();
  markText(place);
  byId("tokens-button").disabled = chunks.some((item) => item.tokens === null);
  if (!stay) window.scrollTo(0, 0);
  if (chunks.length) select(Math.min(chunk, chunks.length - 1), { focus: chunk > 0 && !stay });
  else byId("position").textContent = "no chunks";
}

// The chunk to go on from: the current one if it can be seen, else the first that can.
function here() {
  const inWindow = (article) => {
    const box = article.getBoundingClientRect();
    return box.bottom > 64 && box.top < window.innerHeight;
  };
  const current = articleOf(shown.current);
  if (current && inWindow(current)) return { place: shown.current, isCurrent: true };
  const groups = [...shown.near].sort((a, b) => a - b).map((place) => shown.groups[place]);
  const seen = groups.flatMap((group) => [...group.querySelectorAll("article")]).find(inWindow);
  return seen ? { place: seen.place, isCurrent: false } : { place: shown.current, isCurrent: true };
}

// The first chunk that is shown from `place` on, in the direction of `by`.
function selectFrom(place, by) {
  const last = shown.text ? shown.text.chunks.length - 1 : -1;
  while (place >= 0 && place <= last && !isShown(place)) place += by;
  if (place >= 0 && place <= last) select(place);
}

function step(by) {
  const { place, isCurrent } = here();
  selectFrom(isCurrent || by < 0 ? place + by : place, by);
}

const goToFirst = () => selectFrom(0, 1);
const goToLast = () => selectFrom(shown.text ? shown.text.chunks.length - 1 : -1, -1);

function stepText(by) {
  const place = shown.index + by;
  if (place >= 0 && place < index.texts.length) openText(place);
}

function setTheme(theme) {
  if (theme === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  byId("theme").textContent = theme;
  drawMapSoon();
}

function nextTheme() {
  const now = document.documentElement.dataset.theme ?? "auto";
  setTheme(THEMES[(THEMES.indexOf(now) + 1) % THEMES.length]);
}

function say(message) {
  byId("said").textContent = message;
}

// Copies the text of an element; the button named after it tells whether that worked.
async function copyFrom(id) {
  const button = byId(`copy-${id}`);
  const before = button.textContent;
  try {
    await navigator.clipboard.writeText(byId(id).textContent);
    button.textContent = "Copied";
  } catch (error) {
    button.textContent = "Not copied";
    say(`Not copied: ${error.message}`);
  }
  setTimeout(() => (button.textContent = before), 1500);
}

async function copyChunk() {
  const chunk = shown.text?.chunks[shown.current];
  if (!chunk) return;
  try {
    await navigator.clipboard.writeText(chunk.context + shown.text.text.slice(chunk.start, chunk.end));
    say(`Chunk ${shown.current + 1} copied.`);
    byId("copy-button").textContent = "Copied";
  } catch (error) {
    say(`Not copied: ${error.message}`);
    byId("copy-button").textContent = "Not copied";
  }
  setTimeout(() => (byId("copy-button").textContent = "Copy"), 1500);
}

function openPanel(wanted) {
  byId("panel").classList.toggle("open", wanted);
  byId("panel-button").setAttribute("aria-expanded", wanted);
  drawMapSoon();
}

const ACTIONS = {
  j: () => step(1),
  ArrowDown: () => step(1),
  k: () => step(-1),
  ArrowUp: () => step(-1),
  Home: goToFirst,
  End: goToLast,
  "[": () => stepText(-1),
  "]": () => stepText(1),
  t: () => byId("tokens-button").click(),
  d: nextTheme,
  c: copyChunk,
  w: () => toggleReason(articleOf(shown.current)),
  "?": () => byId("help").showModal(),
  "/": () => {
    openPanel(true);
    byId("filter-text").focus();
    byId("filter-text").select();
  },
  Escape: () => byId("filter").reset(),
};

// The keys that do not need the chunks to be on the screen.
const EVERYWHERE = new Set(["d", "?"]);

function leaveFilter() {
  openPanel(false);
  goToFirst();
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || byId("help").open) return;
  if (event.target.matches("input, select, textarea")) {
    if (event.key === "Escape") {
      event.preventDefault(); // a search field would empty itself: first leave, then clear
      event.target.blur();
      articleOf(shown.current)?.focus({ preventScroll: true });
    } else if (event.key === "Enter" && event.target.matches("#filter input")) {
      event.preventDefault();
      leaveFilter();
    }
    return;
  }
  const action = Object.hasOwn(ACTIONS, event.key) ? ACTIONS[event.key] : null;
  if (!action || (byId("feed").getClientRects().length === 0 && !EVERYWHERE.has(event.key))) return;
  event.preventDefault();
  action();
});

byId("filter").addEventListener("input", filterSoon);
byId("filter").addEventListener("reset", filterSoon); // the fields change after the event
byId("filter").addEventListener("submit", (event) => event.preventDefault());
byId("tokens-button").addEventListener("click", () => showTokens(!shown.tokens));
byId("theme-button").addEventListener("click", nextTheme);
byId("copy-button").addEventListener("click", copyChunk);
byId("help-button").addEventListener("click", () => byId("help").showModal());
byId("panel-button").addEventListener("click", () => openPanel(!byId("panel").classList.contains("open")));
byId("feed").addEventListener("click", (event) => {
  const article = event.target.closest("article");
  if (event.target.closest("button.cut")) toggleReason(article);
  if (article && window.getSelection().isCollapsed) select(article.place, { focus: false });
});
byId("feed").addEventListener("pointerover", (event) => {
  const token = event.target.closest(".t");
  if (!token) return;
  const { first, last } = token.dataset;
  const total = shown.text.chunks[token.closest("article").place].count;
  const which = first === last ? `Token ${first}` : `Tokens ${first} to ${last}, which share a character,`;
  token.title = `${which} of ${number.format(total)}`;
});
byId("map").addEventListener("click", (event) => {
  const box = byId("map").getBoundingClientRect();
  const place = Math.floor(((event.clientX - box.left) / box.width) * shown.text.chunks.length);
  if (isShown(place)) select(place);
});
window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawMapSoon);
window.addEventListener("resize", drawMapSoon);

for (const [grade, quality] of [[6, "structure"], [5, "between paragraphs"], [4, "between lines"], [3, "between sentences"], [2, "inside a sentence"], [1, "inside a word"]]) {
  byId("legend").append(element("li", `cut g${grade}`, quality));
}
setTheme("auto");
