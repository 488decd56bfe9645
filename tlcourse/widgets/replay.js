// The replay of a block: its instructions, and buffers and flags before and after one of them.
// common.js and viewer.js stand in front of this file.

let replays = 0;

function show(root, model, state) {
  const words = state.labels, id = `tl-replay-${++replays}`, part = (name) => root.querySelector(`.${name}`);
  const { steps, tiles } = state, last = steps.length - 1;
  let at = state.step;
  root.setAttribute("aria-label", state.title);
  root.innerHTML = `
    <header role="group"><h2>${escape(state.title)}</h2><span class="summary"></span>
      <nav>${buttonHtml("k", words.previous, "◀")}${buttonHtml("j", words.next, "▶")}${buttonHtml("l", words.list, "☰")}${stageHtml(words)}</nav></header>
    <div class="split"><div class="list" role="listbox" tabindex="0" aria-label="${escape(words.instructions)}">${steps.map(optionHtml).join("")}</div>
      <section><div class="pane" tabindex="0" role="group" aria-label="${escape(words.buffers)}"></div>
      <div class="flags" tabindex="0" role="group" aria-label="${escape(words.flags)}"></div></section></div>
    <details><summary>${escape(state.count)}</summary><div tabindex="0" role="group" aria-label="${escape(state.count)}">${tableHtml(state.table)}</div></details>
    <footer role="group">${escape(words.keys)}</footer><div class="live" role="status" aria-live="polite"></div>
    <svg width="0" height="0" aria-hidden="true"><defs>${state.patterns.replaceAll('id="tl-', `id="${id}-`)}</defs></svg>`;

  function swatch(key) {
    return `<svg class="swatch" viewBox="0 0 14 13" aria-hidden="true"><rect x="0.5" y="0.5" width="13" height="12" rx="2" fill="url(#${id}-${key})" stroke="#111111"/></svg>`;
  }

  function turnOf(one) {
    return one.turn ? ` [${one.turn}]` : "";
  }

  function optionHtml(one, k) {
    return `<div role="option" id="${id}-${k}" data-step="${k}"><i>${k}</i><i>${one.core}</i>${swatch(one.key)}<i>${one.pipe}</i><b>${escape(one.op)}${turnOf(one)}</b><i>${one.writes.length ? "✎" : ""}</i></div>`;
  }

  // What a tile holds after a step: [shape, before, after] of the write that came last. Global
  // memory holds something from the start; a tile on the chip may share its place with another.
  function valueOf(tile, step) {
    const found = (k) => steps[k].writes.find(([number]) => number === tile);
    for (let k = step; k >= 0; k--) if (found(k)) return found(k).slice(1);
    for (let k = step + 1; k <= last; k++) if (found(k)) return [found(k)[1], "", tiles[tile][0] ? "–" : found(k)[2]];
  }

  // Elements that an instruction changed stand out from those that it wrote anew.
  function valueHtml(text, other) {
    const others = other.split(", ");
    return text.split(", ").map((one, k) => (one === others[k] ? escape(one) : `<mark>${escape(one)}</mark>`)).join(", ");
  }

  function bufferHtml([core, memory, key, name], tile) {
    const one = steps[at], written = one.writes.some(([number]) => number === tile), read = one.reads.includes(tile);
    const [shape, before, after] = valueOf(tile, at);
    const sign = written ? `✎ ${words.written}` : read ? `→ ${words.read}` : "";
    const values = written
      ? `<td class="mono">${escape(before)}</td><td class="mono">${valueHtml(after, before)}</td>`
      : `<td class="mono" colspan="2">${escape(after)}</td>`;
    return `<tr class="${written ? "written" : read ? "read" : "rest"}"><td class="sign">${sign}</td><td>${core}</td><td>${swatch(key)} ${memory}</td>` +
      `<td><b>${escape(name)}</b> <small>${shape}</small></td>${values}</tr>`;
  }

  function flagHtml(flag, before, after) {
    const sign = before === after ? "" : after > before ? `▲ ${words.raised}` : `▼ ${words.lowered}`;
    const said = (count) => (count > 1 ? fill(words.up_often, count) : words[count ? "up" : "down"]);
    return `<tr class="${sign ? "written" : "rest"}"><td class="sign">${sign}</td><td>${escape(flag)}</td><td>${said(before)}</td><td>${said(after)}</td></tr>`;
  }

  function flagsHtml() {
    const before = new Map(at ? steps[at - 1].flags : []), after = new Map(steps[at].flags);
    const both = [...new Set([...before.keys(), ...after.keys()])].sort((one, other) => one - other);
    if (!both.length) return `<p class="muted">${escape(words.no_flags)}</p>`;
    const rows = both.map((k) => flagHtml(state.flags[k], before.get(k) || 0, after.get(k) || 0));
    return headedHtml([words.this_step, words.flag, words.before, words.after], rows);
  }

  function headedHtml(head, rows) {
    return `<table><thead><tr>${head.map((one) => `<th scope="col">${escape(one)}</th>`).join("")}</tr></thead><tbody>${rows.join("")}</tbody></table>`;
  }

  function drawStep() {
    const one = steps[at], pane = part("pane"), top = pane.scrollTop;
    const head = [words.this_step, words.core, words.memory, words.buffer, words.before, words.after];
    const place = one.line ? `<p class="place">${escape(fill(words.at_line, one.line))} <code>${escape(one.code)}</code></p>` : "";
    pane.innerHTML = `<h3>${swatch(one.key)} ${escape(one.core)} ${one.pipe} <code>${escape(one.op)}</code>${turnOf(one)}</h3>
      <p>${escape(one.said)}</p>${place}<h4>${escape(words.buffers)}</h4>${headedHtml(head, tiles.map(bufferHtml))}
      <p class="muted">${escape(words.note)}</p>`;
    part("flags").innerHTML = `<h4>${escape(words.flags)}</h4>${flagsHtml()}`;
    pane.scrollTop = top;
    const row = pane.querySelector(".written, .read");
    if (row) reveal(pane, row);
  }

  function draw() {
    part("summary").textContent = fill(words.at_step, at, last);
    for (const option of root.querySelectorAll("[role=option]")) {
      const chosen = Number(option.dataset.step) === at;
      option.setAttribute("aria-selected", chosen);
      if (chosen) reveal(part("list"), option);
    }
    part("list").setAttribute("aria-activedescendant", `${id}-${at}`);
    drawStep();
    const one = steps[at];
    part("live").textContent = `${at}: ${one.core} ${one.pipe} ${one.op}. ${one.said}`;
  }

  function go(to) {
    if (!steps[to]) return;
    at = to;
    draw();
    tellPlace(root, steps[at].source, steps[at].line);
    kept.keep(`${at}`);
  }

  const step = (way) => () => go(at + way);
  const writing = (way) => () => {
    for (let k = at + way; steps[k]; k += way) if (steps[k].writes.length) return go(k);
  };

  // Steps of a line that another widget of the page points at.
  function link(source, line) {
    for (const option of root.querySelectorAll("[role=option]")) {
      const one = steps[option.dataset.step];
      option.classList.toggle("linked", Boolean(source) && one.source === source && one.line === line);
    }
  }

  const kept = held(model, (view) => {
    if (view !== "" && steps[Number(view)]) at = Number(view);
    draw();
  });
  const fold = (on) => root.classList.toggle("no-list", on);
  const base = stage(root, fold), next = step(1), before = step(-1);
  listen(root, {
    ...base, t: base.d, l: () => fold(),
    ArrowRight: next, ArrowDown: next, j: next, PageDown: next, ArrowLeft: before, ArrowUp: before, k: before, PageUp: before,
    n: writing(1), p: writing(-1), Home: () => go(0), End: () => go(last),
  });
  root.addEventListener("click", (event) => {
    const option = event.target.closest("[role=option]");
    if (option) go(Number(option.dataset.step));
  });
  const asked = model.get("view") || "";
  if (asked !== "" && steps[Number(asked)]) at = Number(asked);
  draw();
  const deaf = hearPlace(root, link);
  return () => {
    deaf();
    kept.close();
  };
}

async function render({ model, el }) {
  const root = viewRoot(el, "tl-replay");
  return show(root, model, await unpack(model.get("data")));
}

export default { render };
