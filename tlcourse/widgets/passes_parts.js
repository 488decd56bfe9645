// Parts of the pass explorer: its state (explorer.py) turned back into lines and rows, its frame.

const KINDS = ["same", "removed", "added", "changed", "renamed", "moved", "moved"];
const VALUE = /%[\w$.-]+/g;

function decode(state) {
  const templates = state.templates.map((template) => template.split("\x7f"));
  const line = (filled) => {
    const [number, ...names] = filled.split(" ");
    return templates[number].reduce((text, part, k) => `${text}%${names[k - 1]}${part}`);
  };
  state.lines = state.lines ? state.lines.split("\n").map(line) : [];
  return state;
}

// Line numbers (into state.lines) of a text that is stored as (first, count) stretches.
function linesOf(state, text) {
  const flat = text < 0 ? [] : state.texts[text];
  const lines = [];
  for (let k = 0; k < flat.length; k += 2)
    for (let n = 0; n < flat[k + 1]; n++) lines.push(flat[k] + n);
  return lines;
}

// Rows of the side-by-side view: { left, right, cuts }; a side is { kind, line, number }.
function rowsOf(state, pass) {
  const [before, after] = pass.texts.map((text) => linesOf(state, text));
  if (!pass.rows.length) return after.map((line, k) => ({ right: { kind: "same", line, number: k + 1 } }));
  let i = 0, j = 0, alone = [];
  const rows = [];
  for (const [code, ...rest] of pass.rows) {
    const kind = KINDS[code], start = rows.length, both = [0, 3, 4].includes(code);
    for (let n = code === 3 ? 1 : rest[0]; n > 0; n--) {
      const left = code === 2 || code === 6 ? undefined : { kind, line: before[i], number: ++i };
      const right = code === 1 || code === 5 ? undefined : { kind, line: after[j], number: ++j };
      // A line that came stands beside one that went, where there is one.
      if (!left && alone.length) alone.shift().right = right;
      else rows.push({ left, right });
    }
    if (code === 3) rows[start].cuts = cutsOf(rest);
    if (code === 4) for (const row of rows.slice(start)) row.cuts = renamings(state, row);
    if (both) alone = [];
    else alone.push(...rows.slice(start).filter((row) => !row.right));
  }
  return rows;
}

function cutsOf(flat) {
  const cuts = [];
  let x = 0, y = 0;
  for (let k = 0; k < flat.length; k += 4) {
    const [gap, across, down, renamed] = flat.slice(k, k + 4);
    cuts.push([x + gap, x + gap + across, y + gap, y + gap + down, renamed]);
    [x, y] = [x + gap + across, y + gap + down];
  }
  return cuts;
}

function renamings(state, row) {
  const others = [...state.lines[row.right.line].matchAll(VALUE)];
  return [...state.lines[row.left.line].matchAll(VALUE)].flatMap((one, k) => {
    const other = others[k];
    const ends = [one.index + one[0].length, other.index + other[0].length];
    return one[0] === other[0] ? [] : [[one.index, ends[0], other.index, ends[1], 1]];
  });
}

function frame(words, state) {
  const button = (key, word) =>
    `<button data-key="${key}" title="${escape(words[word])}" aria-label="${escape(words[word])}">`;
  return `
    <header><h2>${escape(state.kernel)} <small>${state.mode} · ${state.target}</small></h2>
      <span class="summary">${escape(state.summary)}</span><nav>
      ${button("k", "previous")}◀</button>${button("j", "next")}▶</button>${button("u", "all")}=</button>
      ${button("e", "expand")}⋯</button>${button("v", "stack")}☰</button>
      ${state.places.length ? `${button("s", "show_source")}py</button>` : ""}
      ${button("-", "smaller")}A−</button>${button("+", "larger")}A+</button>
      ${button("d", "theme")}◐</button>${button("f", "lecture")}⤢</button></nav></header>
    <aside><input class="filter" type="search" placeholder="${escape(words.filter)}"
      aria-label="${escape(words.filter)}"><div class="list" role="listbox" tabindex="0"
      aria-label="${escape(words.pass_list)}"></div></aside>
    <section><div class="head"></div>
      <div class="titles"><span>${words.before}</span><span>${words.after}</span></div>
      <div class="diff" role="region" tabindex="0" aria-label="${words.before}, ${words.after}"></div>
      <div class="source" role="region" tabindex="0" aria-label="${words.source}"></div></section>
    <footer>${escape(words.keys)}</footer><div class="live" role="status" aria-live="polite"></div>`;
}

function sourceHtml(state) {
  const line = (k) => (text, n) =>
    `<div data-source="${k}:${n + 1}"><i class="n">${n + 1}</i><code>${escape(text) || " "}</code></div>`;
  const one = ([title, text], k) => `<h4>${escape(title)}</h4>${text.split("\n").map(line(k)).join("")}`;
  return state.sources.map(one).join("");
}
