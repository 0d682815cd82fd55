// Starting up: what may be chosen, the token, the tabs.

const TABS = ["cut", "search"];

function showTab(name, { focus = false } = {}) {
  for (const one of TABS) {
    const tab = byId(`${one}-tab`);
    tab.setAttribute("aria-selected", one === name);
    tab.tabIndex = one === name ? 0 : -1;
    byId(`${one}-view`).hidden = one !== name;
  }
  for (const id of ["tokens-button", "copy-button", "panel-button", "heading"]) byId(id).hidden = name !== "cut";
  document.body.dataset.view = name;
  if (focus) byId(`${name}-tab`).focus();
  else if (name === "search") byId("query").focus();
  drawMapSoon();
}

for (const name of TABS) byId(`${name}-tab`).addEventListener("click", () => showTab(name));
byId("tabs").addEventListener("keydown", (event) => {
  if (!["ArrowLeft", "ArrowRight"].includes(event.key)) return;
  event.preventDefault();
  event.stopPropagation();
  showTab(byId("cut-tab").getAttribute("aria-selected") === "true" ? "search" : "cut", { focus: true });
});

byId("token-form").addEventListener("submit", (event) => {
  event.preventDefault();
  token = byId("token").value;
  byId("token-form").hidden = true;
  listServed();
  cutSoon(0);
});

byId("tokenizer").append(...state.tokenizers.map((name) => new Option(name, name)));
byId("language").append(...state.formats.map((name) => new Option(name, name)));
byId("tabs").hidden = !state.hasIndex;
// A token comes after the # of the address, which is sent to nobody, and does not stay there.
const given = /^#token=(.+)$/.exec(location.hash);
if (given) {
  token = decodeURIComponent(given[1]);
  history.replaceState(null, "", location.pathname);
}
if (state.needsToken && !token) {
  askForToken();
} else {
  listServed();
  changed(editor.value, "");
}
