// Parts of the pass explorer: rows of a difference as HTML, with colours for the words of MLIR.

const ROW_SIGNS = { same: "", renamed: "≈", changed: "~", removed: "−", added: "+", moved: "↕" };
const CONTEXT = 3;
const TOKEN =
  /(%[\w$.-]+)|("(?:[^"\\]|\\.)*")|(@[\w$.-]+)|(?<=address_space<)(\w+)|(PIPE_\w+)|([#!][A-Za-z_][\w.]*)|\b(memref|tensor|vector|index|[iu]\d+|b?f\d+)\b|([a-z_]\w*(?:\.[A-Za-z_]\w*)+)|(\/\/.*)/g;
const CLASSES = [, "v", "s", "f", "m", "m", "a", "t", "o", "c"];

const calm = (row) => ["same", "renamed"].includes(row.right?.kind);

function paint(text, colours) {
  let html = "", last = 0;
  for (const match of text.matchAll(TOKEN)) {
    const name = CLASSES[match.findIndex((value, k) => k && value !== undefined)];
    const colour = name === "m" && colours[match[0].replace("PIPE_", "")];
    html += escape(text.slice(last, match.index));
    html += `<b class="${name}"${colour ? ` style="--hue:${colour}"` : ""}>${escape(match[0])}</b>`;
    last = match.index + match[0].length;
  }
  return html + escape(text.slice(last));
}

// Whether the place of a line was carried to it from another op: one number is left over.
const isCarried = (state, line) => (state.places[state.entryOf[line]] || []).length % 2 === 1;

function sideHtml(state, side, cuts, offset) {
  if (!side) return '<i class="n"></i><i class="g"></i><code class="void"></code>';
  const text = state.lines[side.line], sign = ROW_SIGNS[side.kind];
  const indent = text.length - text.trimStart().length;
  const piece = (from, to) => paint(text.slice(from, to), state.colours);
  let html = "", last = indent;
  for (const cut of cuts || []) {
    const [from, to] = [Math.max(cut[offset], indent), cut[offset + 1]];
    if (to <= from) continue;
    const kind = cut[4] ? "renamed" : offset ? "ins" : "del";
    html += `${piece(last, from)}<mark class="${kind}">${piece(from, to)}</mark>`;
    last = to;
  }
  const spoken = sign ? ` role="img" aria-label="${state.labels[side.kind]}"` : "";
  return (
    `<i class="n">${side.number}</i><i class="g"${spoken}>${sign}</i>` +
    `<code data-line="${side.line}"${isCarried(state, side.line) ? ` data-near="${state.labels.near}"` : ""} style="--indent:${indent}">${html}${piece(last)}</code>`
  );
}

function itemHtml(state, item) {
  if (item.count !== undefined)
    return `<button class="fold" data-fold="${item.fold}">⋯ ${fill(state.labels.equal_lines, item.count)}</button>`;
  const name = `l-${item.left?.kind} r-${item.right?.kind}${calm(item) ? " calm" : ""}${item.found ? " found" : ""}`;
  const sides = sideHtml(state, item.left, item.cuts, 0) + sideHtml(state, item.right, item.cuts, 2);
  return `<div class="tl-row ${name}">${sides}</div>`;
}

// Rows to draw; long runs of equal lines become one button that opens them.
function folded(rows, isOpen) {
  const items = [];
  for (let k = 0, end = 0; k < rows.length; k = end) {
    while (end < rows.length && calm(rows[end])) end++;
    const from = k ? k + CONTEXT : k, to = end < rows.length ? end - CONTEXT : end;
    const open = isOpen(k) || rows.slice(from, Math.max(from, to)).some((row) => row.found) || to - from < 2 * CONTEXT || to - from === rows.length;
    items.push(...rows.slice(k, open ? end : from));
    if (!open) items.push({ fold: k, count: to - from }, ...rows.slice(to, end));
    while (end < rows.length && !calm(rows[end])) items.push(rows[end++]);
  }
  return items;
}

// What a difference amounts to, in signs and words.
function effectOf(rows, words) {
  const count = (side, ...kinds) => rows.filter((row) => kinds.includes(row[side]?.kind)).length;
  const plus = count("right", "added", "changed"), minus = count("left", "removed", "changed");
  const moved = count("left", "moved");
  const lines = [plus && `+${plus}`, minus && `−${minus}`, moved && `↕${moved}`].filter(Boolean).join(" ");
  return lines ? `${lines} ${words.lines}` : words.renamed;
}
