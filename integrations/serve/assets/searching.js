// The index: a question, and the chunks that answer it best.

let searched = 0;

function hitFor(hit, place) {
  const item = element("li", "chunk");
  const line = item.appendChild(element("div", "facts-line"));
  line.append(element("span", "number", number.format(place + 1)));
  const source = line.appendChild(element("span", "source"));
  appendText(source, hit.source, 0, hit.source.length);
  const [first, last] = [hit.span.start_line, hit.span.end_line].map((at) => number.format(at));
  line.append(element("span", "lines", first === last ? `line ${first}` : `lines ${first}–${last}`));
  line.append(element("span", "kind", hit.kind), element("span", "", count(hit.token_count, "token")));
  if (hit.similarity !== null) line.append(element("span", "", `cosine ${hit.similarity.toFixed(3)}`));
  const text = item.appendChild(element("pre", "text"));
  text.dir = "auto";
  text.tabIndex = 0;
  text.setAttribute("aria-label", `Text of hit ${place + 1}`);
  if (hit.context) appendText(text.appendChild(element("span", "context")), hit.context, 0, hit.context.length);
  appendText(text, hit.text, hit.context.length, hit.text.length);
  if (hit.cut) text.append("…");
  if (hit.also.length) {
    const also = item.appendChild(element("p", "also", "Also in "));
    const places = hit.also.join(", ");
    appendText(also, places, 0, places.length);
  }
  return item;
}

function nothing(unmatched) {
  const told = unmatched.map(({ value, nearest }) => (nearest.length ? `${value} (the nearest: ${nearest.join(", ")})` : value));
  return told.length ? `Nothing found: no file in the index matches ${told.join("; ")}.` : "Nothing found.";
}

async function search() {
  const mine = ++searched;
  const sources = byId("sources").value.trim();
  tell(byId("found"), "Searching …");
  const started = performance.now();
  try {
    const { hits, unmatched } = await ask("search", { query: byId("query").value, by: byId("by").value, sources: sources ? [sources] : [] });
    if (mine !== searched) return; // another question was asked meanwhile
    byId("hits").replaceChildren(...hits.map(hitFor));
    tell(byId("found"), hits.length ? `${count(hits.length, "hit")}, in ${number.format(Math.round(performance.now() - started))} ms` : nothing(unmatched));
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    if (mine === searched) tell(byId("found"), error.message, true);
  }
}

byId("search").addEventListener("submit", (event) => {
  event.preventDefault();
  search();
});
