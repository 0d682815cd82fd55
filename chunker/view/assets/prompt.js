// A prompt: the bar, the sections, the items, the text. An item that is kept has one colour in all of them, of four that take turns.

const THEMES = ["auto", "light", "dark"];
const byId = (id) => document.getElementById(id);
const number = new Intl.NumberFormat("en");
const count = (amount, noun) => `${number.format(amount)} ${noun}${amount === 1 ? "" : "s"}`;
const prompt = JSON.parse(byId("prompt").textContent);

const colours = new Map();
prompt.items.forEach((item, place) => {
  if (item.status !== "dropped") colours.set(place, `c${colours.size % 4}`);
});

function segment(className, tokens, name) {
  const share = (100 * tokens) / prompt.budget;
  if (share <= 0) return;
  const part = byId("bar").appendChild(element("span", className));
  part.style.width = `${share}%`;
  part.title = `${name}: ${count(tokens, "token")}, ${share.toFixed(1)} %`;
}

function drawBar() {
  const free = prompt.budget - prompt.reserve - prompt.tokens;
  // What joins save may make the items together more than the whole; then each gets a little less.
  const alone = prompt.items.reduce((sum, item) => sum + item.tokens, 0);
  const scale = prompt.between < 0 ? prompt.tokens / alone : 1;
  prompt.items.forEach((item, place) => {
    if (colours.has(place)) segment(`item ${colours.get(place)}`, item.tokens * scale, item.id);
  });
  segment("between", prompt.between, "between items");
  segment("free", free, "free");
  segment("reserve", prompt.reserve, "reserve");
  const facts = [
    `${count(prompt.tokens, "token")} of ${prompt.tokenizer}`,
    `${number.format(free)} free`,
    `${number.format(prompt.reserve)} in reserve`,
    `${number.format(prompt.between)} between items`,
    `${number.format(prompt.stable)} stable`,
  ];
  byId("legend").replaceChildren(...facts.map((fact) => element("li", "", fact)));
}

function cell(row, text, className) {
  const made = row.appendChild(element("td", className));
  appendText(made, text, 0, text.length);
  return made;
}

function rowHead(row) {
  const head = row.appendChild(element("th"));
  head.scope = "row";
  return head;
}

function listSections() {
  byId("sections-part").hidden = prompt.sections.length === 0;
  for (const section of prompt.sections) {
    const row = byId("sections").appendChild(element("tr"));
    appendText(rowHead(row), section.name, 0, section.name.length);
    for (const tokens of [section.given, section.used, section.passed_on]) cell(row, number.format(tokens), "right");
  }
}

function listItems() {
  prompt.items.forEach((item, place) => {
    const row = byId("items").appendChild(element("tr", item.status));
    const head = rowHead(row);
    head.append(element("span", `swatch ${colours.get(place) ?? ""}`));
    const name = head.appendChild(element(colours.has(place) ? "a" : "span"));
    if (colours.has(place)) name.href = `#item-${place + 1}`;
    appendText(name, item.id, 0, item.id.length);
    cell(row, item.section);
    cell(row, item.status, "status");
    cell(row, item.reason);
    cell(row, item.status === "dropped" ? "" : number.format(item.tokens), "right");
    cell(row, number.format(item.before), "right");
  });
}

function showText() {
  for (const [place, text] of prompt.parts) {
    const part = byId("text").appendChild(element("span", place < 0 ? "between" : `item ${colours.get(place)}`));
    if (place >= 0) {
      const item = prompt.items[place];
      part.id = `item-${place + 1}`;
      part.title = `${item.id}: ${item.status}, ${count(item.tokens, "token")}`;
    }
    appendText(part, text, 0, text.length);
  }
}

function nextTheme() {
  const { dataset } = document.documentElement;
  const theme = THEMES[(THEMES.indexOf(dataset.theme ?? "auto") + 1) % THEMES.length];
  if (theme === "auto") delete dataset.theme;
  else dataset.theme = theme;
  byId("theme").textContent = theme;
}

byId("theme-button").addEventListener("click", nextTheme);
document.addEventListener("keydown", (event) => {
  if (event.key === "d" && !event.ctrlKey && !event.metaKey && !event.altKey) nextTheme();
});
appendText(byId("heading"), prompt.title, 0, prompt.title.length);
byId("position").textContent = `${number.format(prompt.tokens)} of ${count(prompt.budget - prompt.reserve, "token")}`;
drawBar();
listSections();
listItems();
showText();
// The text was not there when the browser looked for what the address names.
if (location.hash.startsWith("#item-")) location.replace(location.hash);
