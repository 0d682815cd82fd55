// What one takes along: a file of the chunks, and the code that makes them.

function showCode(settings) {
  byId("code").textContent = settings.code;
  byId("command").textContent = settings.command ?? "";
  byId("command-part").hidden = settings.command === null;
}

async function saveChunks() {
  const format = byId("export-format").value;
  try {
    const answer = await answerTo("export", { ...wantedCut(), file_format: format });
    const link = element("a");
    link.href = URL.createObjectURL(await answer.blob());
    link.download = `${draft.name.split("/").at(-1) || "chunks"}.${format}`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
    say("The chunks are saved.");
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    tell(byId("state"), error.message, true);
  }
}

byId("export").addEventListener("submit", (event) => {
  event.preventDefault();
  if (byId("options").reportValidity()) saveChunks();
});
for (const id of ["code", "command"]) byId(`copy-${id}`).addEventListener("click", () => copyFrom(id));
byId("export-format").append(...state.exports.map((name) => new Option(name, name)));
for (const { name, title, text } of state.samples) {
  const button = byId("samples-list").appendChild(element("button", "tool", title));
  button.type = "button";
  button.addEventListener("click", () => {
    setText(text, name);
    editor.focus();
  });
}
