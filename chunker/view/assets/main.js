// Starting up: the texts are blocks of JSON in the page, and each is parsed when it is looked at.

function openText(place, chunk = 0) {
  showText(JSON.parse(byId(`text-${place}`).textContent), place, chunk);
}

index = JSON.parse(byId("index").textContent);
listTexts(index);
byId("code-part").hidden = index.code === "";
byId("code").textContent = index.code;
byId("copy-code").addEventListener("click", () => copyFrom("code"));
showTokens(index.settings.show_tokens);
if (index.texts.length) {
  const [, text, chunk] = /^#(\d+)\.(\d+)$/.exec(location.hash) ?? [];
  const place = text >= 1 && text <= index.texts.length ? text - 1 : 0;
  openText(place, chunk >= 1 ? chunk - 1 : 0);
} else {
  byId("nothing").hidden = false;
  byId("nothing").textContent = "There is no text to show.";
  byId("feed").setAttribute("aria-busy", "false");
}
