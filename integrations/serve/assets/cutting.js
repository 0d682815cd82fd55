// A text, and its chunks as one writes: one request at a time, and the newest text next.

const AFTER = 250; // ms without a key
const editor = byId("text");
// `content`: exactly what is cut. A text field knows one kind of line end, so that of a file is kept in `lineEnd` for what is written later.
const draft = { content: "", name: "", lineEnd: "\n", version: 0, cut: 0 };
let waiting = 0;
let asking = false;

function openText() {} // there is one text

function changed(content, name = draft.name) {
  const isNew = name !== draft.name;
  Object.assign(draft, { content, name, version: draft.version + 1 });
  if (isNew) draft.cut = 0;
  const bytes = new Blob([content]).size;
  byId("size").textContent = content ? `${number.format(bytes)} bytes` : "";
  byId("samples").hidden = content !== "";
  cutSoon();
}

function cutSoon(after = AFTER) {
  document.body.classList.add("outdated");
  clearTimeout(waiting);
  waiting = setTimeout(cutNow, after);
}

const CONTEXT = { context: "breadcrumb", "context-imports": "imports", "context-summary": "summary" };
const numberOrNull = (id) => (Number.isNaN(byId(id).valueAsNumber) ? null : byId(id).valueAsNumber);

function wantedCut() {
  return {
    text: draft.content.toWellFormed?.() ?? draft.content, // half a character has as many code units as what stands for it
    name: draft.name,
    tokenizer: byId("tokenizer").value,
    max_tokens: byId("max-tokens").valueAsNumber,
    min_tokens: numberOrNull("min-tokens"),
    desired_tokens: numberOrNull("desired-tokens"),
    overlap: byId("overlap").valueAsNumber,
    overlap_by: byId("overlap-by").value,
    strategy: byId("strategy").value,
    reserve: numberOrNull("reserve"),
    language: byId("language").value,
    context: Object.keys(CONTEXT).filter((id) => byId(id).checked).map((id) => CONTEXT[id]),
  };
}

async function cutNow() {
  if (asking) return; // the answer will look again
  if (!byId("options").checkValidity()) {
    tell(byId("state"), "A number of tokens is missing, or is none.", true);
    return;
  }
  const { version } = draft;
  const wanted = wantedCut();
  asking = true;
  const started = performance.now();
  try {
    const { data, settings } = await ask("cut", wanted);
    const stay = draft.cut > 0;
    index = { settings, texts: [{ path: draft.name }] };
    data.path = wanted.name || "your text";
    data.text = wanted.text;
    showText(data, 0, stay ? shown.current : 0, { stay });
    draft.cut++;
    showCode(settings);
    tell(byId("state"), `${count(data.chunks.length, "chunk")}${data.language ? `, ${data.language}` : ""}, in ${number.format(Math.round(performance.now() - started))} ms`);
    if (draft.version === version) document.body.classList.remove("outdated");
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    tell(byId("state"), error.message, true);
  } finally {
    asking = false;
  }
  if (draft.version !== version) cutSoon(0);
}

function setText(content, name) {
  const loose = content.replaceAll("\r\n", "");
  draft.lineEnd = content.includes("\r\n") && !/[\r\n]/.test(loose) ? "\r\n" : "\n";
  editor.value = content;
  changed(content, name);
}

// As the command reads files: UTF-8, or UTF-16 with its mark; nothing is replaced, and nothing is guessed.
function decoded(bytes) {
  const marks = { "utf-16le": [0xff, 0xfe], "utf-16be": [0xfe, 0xff] };
  const marked = Object.keys(marks).find((name) => marks[name].every((byte, at) => bytes[at] === byte));
  if (!marked && bytes.subarray(0, 8192).includes(0)) throw new Refused("is binary: it has a NUL byte", 0);
  try {
    return new TextDecoder(marked ?? "utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new Refused(`is not ${marked ?? "UTF-8"}`, 0);
  }
}

async function openFile(file) {
  try {
    if (file.size > state.mostBytes) throw new Refused(`has ${number.format(file.size)} bytes; ${number.format(state.mostBytes)} is the limit`, 0);
    setText(decoded(new Uint8Array(await file.arrayBuffer())), file.name);
  } catch (error) {
    tell(byId("state"), `${file.name} ${error.message}`, true);
  }
}

async function openServed(name) {
  try {
    const file = await ask("file", { name });
    setText(file.text, file.name);
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    tell(byId("state"), error.message, true);
  }
}

async function listServed() {
  if (!state.hasFiles) return;
  try {
    const { files, more, refused } = await ask("files", {});
    byId("files").replaceChildren(...files.map((name) => new Option("", name)));
    byId("files-label").hidden = false;
    const told = [];
    if (more) told.push(`Only the first ${count(files.length, "file")} are listed.`);
    const others = refused.length > 5 ? `, and ${number.format(refused.length - 5)} more` : "";
    if (refused.length) told.push(`Not offered: ${refused.slice(0, 5).map(({ name, why }) => `${name} (${why})`).join(", ")}${others}.`);
    const place = byId("left-out");
    place.replaceChildren();
    appendText(place, told.join(" "), 0, told.join(" ").length);
    place.hidden = told.length === 0;
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    tell(byId("state"), error.message, true);
  }
}

editor.addEventListener("input", () => changed(draft.lineEnd === "\n" ? editor.value : editor.value.replaceAll("\n", draft.lineEnd)));
byId("options").addEventListener("input", () => {
  draft.version++;
  cutSoon();
});
byId("options").addEventListener("submit", (event) => {
  event.preventDefault();
  cutSoon(0);
});
byId("pick").addEventListener("change", () => {
  const [file] = byId("pick").files;
  if (file) openFile(file);
  byId("pick").value = ""; // the same file may be opened again
});
byId("file").addEventListener("change", () => {
  if (byId("file").value) openServed(byId("file").value);
});
for (const kind of ["dragenter", "dragover"]) {
  document.addEventListener(kind, (event) => {
    if (!event.dataTransfer?.types.includes("Files")) return;
    event.preventDefault();
    document.body.classList.add("dropping");
  });
}
document.addEventListener("dragleave", (event) => {
  if (!event.relatedTarget) document.body.classList.remove("dropping");
});
document.addEventListener("drop", (event) => {
  document.body.classList.remove("dropping");
  const [file] = event.dataTransfer?.files ?? [];
  if (!file) return;
  event.preventDefault();
  openFile(file);
});
