// Starting up, the buttons, the keys.

const THEMES = ["auto", "light", "dark"];
const index = JSON.parse(byId("index").textContent);

function openText(place, chunk = 0) {
  showText(place);
  byId("heading").replaceChildren();
  appendText(byId("heading"), shown.text.path, 0, shown.text.path.length);
  byId("heading").title = shown.text.path;
  showNotes(shown.text.notes);
  showFacts(index, shown.text);
  showFills(shown.text);
  offerFilters(shown.text);
  applyFilter();
  markText(place);
  byId("tokens-button").disabled = shown.text.chunks.some((item) => item.tokens === null);
  window.scrollTo(0, 0);
  if (shown.articles.length) select(Math.min(chunk, shown.articles.length - 1), { focus: chunk > 0 });
  else byId("position").textContent = "no chunks";
}

function isShown(place) {
  return !shown.articles[place].hidden;
}

// The chunk to go on from: the current one if it can be seen, else the first that can.
function here() {
  const top = byId("feed").getBoundingClientRect().top;
  const inWindow = (place) => {
    const box = shown.articles[place].getBoundingClientRect();
    return isShown(place) && box.bottom > Math.max(top, 60) && box.top < window.innerHeight;
  };
  if (shown.current >= 0 && inWindow(shown.current)) return { place: shown.current, current: true };
  const seen = [...shown.near].filter(inWindow);
  return seen.length ? { place: Math.min(...seen), current: false } : { place: shown.current, current: true };
}

function step(by) {
  const from = here();
  let place = from.place;
  if (from.current || by < 0) place += by;
  while (place >= 0 && place < shown.articles.length && !isShown(place)) place += by;
  if (place >= 0 && place < shown.articles.length) select(place);
}

function goToEnd(by) {
  let place = by > 0 ? 0 : shown.articles.length - 1;
  while (place >= 0 && place < shown.articles.length && !isShown(place)) place += by;
  if (place >= 0 && place < shown.articles.length) select(place);
}

function stepText(by) {
  const place = shown.index + by;
  if (place >= 0 && place < index.texts.length) openText(place);
}

function setTheme(theme) {
  if (theme === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  byId("theme-button").textContent = `Theme: ${theme}`;
  drawMap();
}

function nextTheme() {
  const now = document.documentElement.dataset.theme ?? "auto";
  setTheme(THEMES[(THEMES.indexOf(now) + 1) % THEMES.length]);
}

function say(message) {
  byId("said").textContent = message;
}

async function copyChunk() {
  const chunk = shown.text.chunks[shown.current];
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
  drawMap();
}

const ACTIONS = {
  j: () => step(1),
  ArrowDown: () => step(1),
  k: () => step(-1),
  ArrowUp: () => step(-1),
  Home: () => goToEnd(1),
  End: () => goToEnd(-1),
  "[": () => stepText(-1),
  "]": () => stepText(1),
  t: () => byId("tokens-button").click(),
  d: nextTheme,
  c: copyChunk,
  "?": () => byId("help").showModal(),
  "/": () => {
    openPanel(true);
    byId("filter-text").focus();
    byId("filter-text").select();
  },
  Escape: () => byId("filter").reset(),
};

function leaveFilter() {
  openPanel(false);
  goToEnd(1);
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || byId("help").open) return;
  if (event.target.matches("input, select, textarea")) {
    if (event.key === "Escape") {
      event.preventDefault(); // a search field would empty itself: first leave, then clear
      event.target.blur();
      if (shown.current >= 0 && isShown(shown.current)) shown.articles[shown.current].focus();
    } else if (event.key === "Enter" && event.target.matches("input")) {
      event.preventDefault();
      leaveFilter();
    }
    return;
  }
  const action = Object.hasOwn(ACTIONS, event.key) ? ACTIONS[event.key] : null;
  if (!action) return;
  event.preventDefault();
  action();
});

byId("filter").addEventListener("input", applyFilter);
byId("filter").addEventListener("reset", () => setTimeout(applyFilter)); // the fields change after the event
byId("filter").addEventListener("submit", (event) => event.preventDefault());
byId("tokens-button").addEventListener("click", () => showTokens(!shown.tokens));
byId("theme-button").addEventListener("click", nextTheme);
byId("copy-button").addEventListener("click", copyChunk);
byId("help-button").addEventListener("click", () => byId("help").showModal());
byId("panel-button").addEventListener("click", () => openPanel(!byId("panel").classList.contains("open")));
byId("feed").addEventListener("click", (event) => {
  const article = event.target.closest("article");
  if (article && window.getSelection().isCollapsed) select(article.place, { focus: false });
});
byId("feed").addEventListener("pointerover", (event) => {
  const { first, last } = event.target.dataset ?? {};
  if (!first) return;
  const total = shown.text.chunks[event.target.closest("article").place].count;
  const which = first === last ? `Token ${first}` : `Tokens ${first} to ${last}, which share a character,`;
  event.target.title = `${which} of ${number.format(total)}`;
});
byId("map").addEventListener("click", (event) => {
  const box = byId("map").getBoundingClientRect();
  const place = Math.floor(((event.clientX - box.left) / box.width) * shown.articles.length);
  if (shown.articles[place] && isShown(place)) select(place);
});
window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawMap);
window.addEventListener("resize", drawMap);

for (const [grade, quality] of [[6, "structure"], [5, "between paragraphs"], [4, "between lines"], [3, "between sentences"], [2, "inside a sentence"], [1, "inside a word"]]) {
  byId("legend").append(element("li", `cut g${grade}`, quality));
}
listTexts(index);
setTheme("auto");
showTokens(index.settings.show_tokens);
if (index.texts.length) {
  const [, text, chunk] = /^#(\d+)\.(\d+)$/.exec(location.hash) ?? [];
  const place = text >= 1 && text <= index.texts.length ? text - 1 : 0;
  openText(place, chunk >= 1 ? chunk - 1 : 0);
} else {
  byId("nothing").hidden = false;
  byId("nothing").textContent = "There is no text to show.";
  finished();
}
