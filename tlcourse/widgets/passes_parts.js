// Parts of the pass explorer: its state (encoding.py) turned back into lines and rows, its frame.

const KINDS = ["same", "removed", "added", "changed", "renamed", "moved", "moved"];
const VALUE = /%[\w$.-]+/g;

function decode(state) {
  state.templates = state.templates.map((template) => template.split("\x7f"));
  state.entries = state.lines ? state.lines.split("\n").map((entry) => entry.split(" ")) : [];
  let fresh = 0;
  for (const text of state.texts) text[2] = text[2].map((back) => (back ? fresh - back : fresh++));
  return Object.assign(state, { lines: [], entryOf: [], numbers: new Map(), decoded: [], linesOf: [] });
}

const isNew = (word) => !word || "=:".includes(word[0]);
const isDistance = (word) => /^-?\d+$/.test(word);

// Names of the values of an entry. `numbering` knows the number of the next new value and, for a
// line `copied` from the text before, what values of that text are called now.
function namesOf(codes, numbering, copied) {
  let after = numbering.expected;
  const names = codes.map((word, k) => {
    if (word[0] === ":") return word.slice(1);
    if (isNew(word)) return String((after = (word ? Number(word.slice(1)) : after) + 1) - 1);
    if (copied) return numbering.now.get(copied.names[k]) ?? copied.names[k];
    return isDistance(word) ? String(numbering.expected - Number(word)) : word.replace(/^~/, "");
  });
  numbering.expected = after;
  return names;
}

// The lines of a text, each { entry, names }, written from the text before it (encoding.py).
function recordsOf(state, text) {
  if (text < 0) return [];
  if (state.decoded[text]) return state.decoded[text];
  const [from, rows, entries, distances] = state.texts[text], base = recordsOf(state, from);
  const numbering = { expected: 0, now: new Map() }, found = [], odd = new Set();
  distances.reduce((sum, distance) => { odd.add(sum + distance); return sum + distance; }, 0);
  const fresh = ({ entry, names }) => names.filter((_, k) => isNew(state.entries[entry][k + 1]));
  const put = (entry, copied, partner) => {
    const record = { entry, names: namesOf(state.entries[entry].slice(1), numbering, copied) };
    found.push(record);
    if (!partner) return;
    const now = fresh(record);
    fresh(partner).forEach((name, k) => k < now.length && numbering.now.set(name, now[k]));
  };
  let at = 0, row = 0, next = 0;
  for (const [kind, count] of rows) {
    for (const end = row + (kind === 3 ? 1 : count); row < end; row++) {
      if (kind === 1 || kind === 5) at++;
      else if (kind === 2 || kind === 6) put(entries[next++]);
      else if (kind === 3 || odd.has(row)) put(entries[next++], null, base[at++]);
      else put(base[at].entry, base[at], base[at++]);
    }
  }
  return (state.decoded[text] = found);
}

// Numbers into state.lines of the lines of a text; equal lines of one place have one number.
function linesOf(state, text) {
  return (state.linesOf[text] ??= recordsOf(state, text).map(({ entry, names }) => {
    const template = state.templates[state.entries[entry][0]];
    const line = template.reduce((all, part, k) => `${all}%${names[k - 1]}${part}`), key = `${entry} ${line}`;
    if (!state.numbers.has(key)) {
      state.numbers.set(key, state.lines.push(line) - 1);
      state.entryOf.push(entry);
    }
    return state.numbers.get(key);
  }));
}

const has = (state, line, needle) => state.lines[line].toLowerCase().includes(needle);

const oneSided = (lines) => lines.map((line, k) => ({ right: { kind: "same", line, number: k + 1 } }));

// Rows of the side-by-side view: { left, right, cuts }; a side is { kind, line, number }.
function rowsOf(state, texts, packed) {
  const [before, after] = texts.map((text) => linesOf(state, text));
  if (!packed.length) return oneSided(after);
  let i = 0, j = 0, alone = [];
  const rows = [];
  for (const [code, ...rest] of packed) {
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
  const board = state.switches.length ? `${button("w", "switch_board")}⚙</button>` : "";
  return `
    <header><h2>${escape(state.kernel)} <small>${state.mode} · ${state.target}</small></h2>
      <span class="summary"></span><span class="tracks" role="group" aria-label="${words.compiles}"></span><nav>
      ${button("k", "previous")}◀</button>${button("j", "next")}▶</button>${button("u", "all")}=</button>
      ${button("e", "expand")}⋯</button>${button("v", "stack")}☰</button>
      ${state.places.length ? `${button("s", "show_source")}py</button>` : ""}${board}
      ${button("-", "smaller")}A−</button>${button("+", "larger")}A+</button>
      ${button("d", "theme")}◐</button>${button("f", "lecture")}⤢</button></nav></header>
    <form class="board" aria-label="${words.switch_board}"></form>
    <div class="side"><input class="filter" type="search" placeholder="${escape(words.filter)}"
      aria-label="${escape(words.filter)}"><input class="find" type="search" placeholder="${escape(words.find)}"
      aria-label="${escape(words.find)}"><div class="list" role="listbox" tabindex="0"
      aria-label="${escape(words.pass_list)}"></div></div>
    <section><div class="head"></div>
      <div class="titles"><span></span><span></span></div>
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
