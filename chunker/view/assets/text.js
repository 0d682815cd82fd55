// Text to nodes. Characters that cannot be seen, or that would change how their neighbours are shown, become marks with a name; nothing in
// a text becomes HTML.

const CONTROLS =
  "NUL SOH STX ETX EOT ENQ ACK BEL BS HT LF VT FF CR SO SI DLE DC1 DC2 DC3 DC4 NAK SYN ETB CAN EM SUB ESC FS GS RS US".split(" ");
const NAMES = new Map([
  [0x7f, "DEL"], [0x85, "NEL"], [0xad, "SHY"], [0x61c, "ALM"], [0x200b, "ZWSP"], [0x2028, "LS"], [0x2029, "PS"], [0x202a, "LRE"],
  [0x202b, "RLE"], [0x202c, "PDF"], [0x202d, "LRO"], [0x202e, "RLO"], [0x2060, "WJ"], [0x2066, "LRI"], [0x2067, "RLI"], [0x2068, "FSI"],
  [0x2069, "PDI"], [0xfeff, "BOM"],
]);
// Shown only together with the tokens: they change nothing for a reader.
const QUIET = new Set([0x0d, 0xad, 0x200b, 0x2060]);
// The flags of England, Scotland and Wales are made of tags, which are hidden text anywhere else.
const FLAG = "\\u{1f3f4}[\\u{e0020}-\\u{e007e}]{1,16}\\u{e007f}";
const ODD = "[\\0-\\x08\\x0b-\\x1f\\x7f-\\x9f\\xad\\u061c\\u200b\\u2028-\\u202e\\u2060\\u2066-\\u2069\\ufeff\\ufff9-\\ufffb\\u{e0000}-\\u{e0fff}\\p{Cs}]";
// A run of one such character is one mark, so that a megabyte of NULs is not a million elements.
const SPECIAL = new RegExp(`${FLAG}|(${ODD})\\1*`, "gu");

function element(name, className, content) {
  const made = document.createElement(name);
  if (className) made.className = className;
  if (content !== undefined) made.textContent = content;
  return made;
}

function codePoint(code) {
  return "U+" + code.toString(16).toUpperCase().padStart(4, "0");
}

function markOf(code, times) {
  const mark = element("span", QUIET.has(code) ? "mark quiet" : "mark");
  const name = CONTROLS[code] ?? NAMES.get(code) ?? codePoint(code);
  mark.dataset.name = times > 1 ? `${name}×${times}` : name;
  mark.title = `${codePoint(code)}${times > 1 ? `, ${times} times` : ""}`;
  return mark;
}

// Appends text.slice(start, end) to `parent`.
function appendText(parent, text, start, end) {
  const slice = text.slice(start, end);
  let done = 0;
  SPECIAL.lastIndex = 0;
  for (const match of slice.matchAll(SPECIAL)) {
    if (match[1] === undefined) continue;
    const code = match[1].codePointAt(0);
    parent.append(slice.slice(done, match.index));
    done = match.index + match[0].length;
    if (code !== 0x0d) {
      parent.append(markOf(code, match[0].length / match[1].length));
      continue;
    }
    // A carriage return ends a line, also on its own; before a line feed it is a part of that line end.
    const paired = (done < slice.length ? slice[done] : text[end]) === "\n";
    for (let left = match[0].length; left > 0; left--) {
      const alone = left > 1 || !paired;
      const mark = markOf(code, 1);
      if (alone) mark.classList.remove("quiet");
      parent.append(mark, alone ? "\n" : "");
    }
  }
  parent.append(slice.slice(done));
}

// Where the runs of the syntax end in a text, and their classes; made of lengths and classes by turns when they are first asked for.
function syntaxRuns(text) {
  if (!text.runs) {
    let end = 0;
    text.runs = { ends: [], names: [] };
    for (let at = 0; at < (text.syntax ?? []).length; at += 2) {
      text.runs.ends.push((end += text.syntax[at]));
      text.runs.names.push(text.syntax[at + 1]);
    }
  }
  return text.runs;
}

// Appends whole.slice(start, end) to `parent` in the colours of its syntax; `shift` is how far offsets in the text are from those in `whole`.
function appendColoured(parent, whole, start, end, runs, shift) {
  let [low, high] = [0, runs.ends.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (runs.ends[middle] <= start + shift) low = middle + 1;
    else high = middle;
  }
  for (let at = start; at < end; low++) {
    const stop = low < runs.ends.length ? Math.min(runs.ends[low] - shift, end) : end;
    const name = runs.names[low];
    appendText(name ? parent.appendChild(element("span", name)) : parent, whole, at, stop);
    at = stop;
  }
}

// Where tokens end in the text of a chunk: those that end inside a character are one group with the token that completes it.
function* tokenGroups(lengths) {
  let end = 0;
  let first = 0;
  for (let index = 0; index < lengths.length; index++) {
    end += lengths[index];
    if (lengths[index] === 0 && index + 1 < lengths.length) continue;
    yield { first, last: index, end };
    first = index + 1;
  }
}

// The text of a chunk in nodes: context, what is repeated, the rest; in tokens if they are asked for.
function chunkNodes(chunk, shownText, showTokens) {
  const { text } = shownText;
  const runs = syntaxRuns(shownText);
  const whole = chunk.context + text.slice(chunk.start, chunk.end);
  const bodyAt = chunk.context.length;
  const newAt = bodyAt + (chunk.repeated ?? 0);
  const nodes = document.createDocumentFragment();
  const groups = showTokens && chunk.tokens ? tokenGroups(chunk.tokens) : null;
  let group = groups?.next().value;
  let odd = false;
  let start = 0;
  for (const [end, className] of [[bodyAt, "context"], [newAt, "repeated"], [whole.length, null]]) {
    if (end === start) continue;
    const append = (parent, from, to) =>
      className === "context" ? appendText(parent, whole, from, to) : appendColoured(parent, whole, from, to, runs, chunk.start - bodyAt);
    const zone = className === null ? nodes : nodes.appendChild(element("span", className));
    if (className === "repeated") zone.title = `Repeats the end of the chunk before: ${count(chunk.repeatedTokens, "token")}`;
    if (!group) append(zone, start, end);
    for (let at = start; group && at < end; ) {
      const stop = Math.min(group.end, end);
      const token = zone.appendChild(element("span", odd ? "t odd" : "t"));
      if (group.shown) token.classList.add("rest");
      if (group.last > group.first) token.classList.add("several");
      token.dataset.first = group.first + 1;
      token.dataset.last = group.last + 1;
      append(token, at, stop);
      group.shown = true;
      at = stop;
      if (stop === group.end) {
        group = groups.next().value;
        odd = !odd;
      }
    }
    start = end;
  }
  return nodes;
}
