
// The grid of a launch: blocks by core and round, tiles of the chosen block in every tensor.
// common.js and viewer.js stand in front of this file.

const MOST_ROUNDS = 12, MOST_FRAMES = 512;
let grids = 0;

function show(root, model, state) {
  const words = state.labels, id = `tl-grid-${++grids}`, part = (name) => root.querySelector(`.${name}`);
  let block = state.block, chip = 0;
  root.setAttribute("aria-label", state.title);
  root.innerHTML = `
    <header role="group"><h2>${escape(state.title)}</h2><span class="summary"></span>
      <nav><select aria-label="${escape(words.chip)}" title="${escape(words.chip)}">${state.chips
        .map(({ name, count }, k) => `<option value="${k}">${escape(name)}: ${count}</option>`).join("")}</select>
      ${buttonHtml("ArrowLeft", words.previous, "◀")}${buttonHtml("ArrowRight", words.next, "▶")}${stageHtml(words)}</nav></header>
    <div class="pane" tabindex="0" role="group" aria-label="${escape(words.picture)}"><svg class="rounds" role="img" aria-label="${escape(words.picture)}"></svg>
      <p class="muted order">${escape(words.order)}</p><div class="tensors"></div></div>
    <div class="detail" role="status" aria-live="polite" tabindex="0"></div>
    <details><summary>${escape(words.as_table)}</summary><div class="listed" tabindex="0" role="group" aria-label="${escape(words.as_table)}"></div></details>
    <footer role="group">${escape(words.keys)}</footer>`;
  const defs = `<defs>${state.patterns.replaceAll('id="tl-', `id="${id}-`)}</defs>`;
  const fillOf = (key) => `url(#${id}-${key})`;
  const size = () => parseFloat(getComputedStyle(root).fontSize);
  const slots = () => state.chips[chip].count;
  const rect = (x, y, width, height, more) =>
    `<rect x="${x.toFixed(1)}" y="${y.toFixed(1)}" width="${Math.max(width, 1).toFixed(1)}" height="${Math.max(height, 1).toFixed(1)}" ${more}/>`;

  function drawRounds() {
    const em = size(), count = slots(), svg = part("rounds"), left = em * 5.5;
    const wide = Math.max(part("pane").clientWidth - em * 1.6, 320), step = (wide - left) / count;
    const high = Math.min(Math.max(step - 3, em * 1.5), em * 2.4), total = Math.ceil(state.blocks / count);
    const shown = Math.min(total, Math.max(MOST_ROUNDS, 0)), first = Math.min(Math.max(Math.floor(block / count) - shown + 1, 0), total - shown);
    let html = defs;
    for (let k = 0; k < shown; k++) {
      const y = k * (high + 6) + 2, round = first + k;
      html += `<text x="0" y="${y + high / 2 + em * 0.35}" class="muted">${escape(fill(words.round, round + 1))}</text>`;
      for (let slot = 0; slot < count; slot++) {
        const number = round * count + slot, busy = number < state.blocks, x = left + slot * step;
        const look = busy ? `class="cell" data-block="${number}" fill="${number === block ? fillOf("M") : "var(--panel)"}"` : `class="idle" fill="${fillOf("wait")}"`;
        html += rect(x, y, step - 3, high, `rx="2" ${look}`);
        if (busy && String(number).length * em * 0.62 < step - 3)
          html += `<text x="${(x + (step - 3) / 2).toFixed(1)}" y="${(y + high / 2 + em * 0.35).toFixed(1)}" class="mid${number === block ? " on" : ""}" style="pointer-events:none">${number}</text>`;
        if (number === block) html += rect(x - 1.5, y - 1.5, step, high + 3, 'rx="3" class="mark"');
      }
    }
    let bottom = shown * (high + 6) + 4;
    if (shown < total) html += `<text x="${left}" y="${(bottom += em * 1.4) - em * 0.4}" class="muted">${escape(fill(words.more_rounds, total - shown))}</text>`;
    svg.setAttribute("width", wide);
    svg.setAttribute("height", bottom);
    svg.innerHTML = html;
  }

  const boxHtml = (box, tensor, scale, look) => {
    const [, , top, bottom, left, right] = box, across = (tensor.width * scale) / tensor.columns, down = (tensor.height * scale) / tensor.rows;
    return rect(left * across + 1, top * down + 1, (right - left + 1) * across, (bottom - top + 1) * down, look);
  };

  // As large as the pane has room for, where it has a fixed height.
  function tensorScale() {
    const em = size(), pane = part("pane"), room = pane.clientHeight - part("rounds").clientHeight - em * 9;
    if (!root.matches(".lecture, .tl-page *")) return em / 13;
    const widths = state.tensors.reduce((sum, one) => sum + one.width, 1), tallest = Math.max(...state.tensors.map((one) => one.height), 1);
    const across = (pane.clientWidth - state.tensors.length * em * 3) / widths;
    return Math.max(Math.min(across, room / tallest, 3), 0.8);
  }

  function tensorHtml(tensor, place) {
    const scale = tensorScale(), wide = tensor.width * scale, high = tensor.height * scale;
    const frames = new Map();
    state.boxes.forEach((boxes, number) => boxes.forEach((box) => {
      if (box[0] === place && box[1] && !frames.has(box.slice(2).join())) frames.set(box.slice(2).join(), [box, number]);
    }));
    const others = [...frames.values()].slice(0, MOST_FRAMES).map(([box, number]) => boxHtml(box, tensor, scale, `class="edge" data-block="${number}"`));
    const own = (state.boxes[block] || []).filter((box) => box[0] === place).map((box) =>
      boxHtml(box, tensor, scale, `class="${box[1] ? "writes" : "reads"}" fill="${fillOf(box[1] ? "cc" : "cbuf")}"`));
    const about = `${tensor.name} ${tensor.shape}`;
    return `<figure title="${escape(tensor.note)}"><figcaption><b>${escape(tensor.name)}</b> ${escape(tensor.dtype)}<br>${escape(tensor.shape)}</figcaption>
      <svg role="img" aria-label="${escape(about)}" width="${wide + 2}" height="${high + 2}">${rect(1, 1, wide, high, 'class="band"')}${others.join("")}${own.join("")}</svg></figure>`;
  }

  const cut = (box) => {
    const tensor = state.tensors[box[0]], [, , top, bottom, left, right] = box;
    return `${tensor.name}[${tensor.flat ? "" : `${top}:${bottom + 1}, `}${left}:${right + 1}]`;
  };

  function drawDetail() {
    const place = fill(words.place, block, words[`${state.kind}_one`], block % slots(), Math.floor(block / slots()) + 1);
    const boxes = state.boxes[block], said = (writes) => (boxes || []).filter((box) => Boolean(box[1]) === writes).map(cut);
    const swatch = (key) => `<svg class="swatch" viewBox="0 0 18 13" aria-hidden="true">${rect(0.5, 0.5, 17, 12, `fill="${fillOf(key)}" stroke="#111111"`)}</svg>`;
    const row = (writes, key) => {
      const list = said(writes);
      return list.length ? `<p>${swatch(key)} ${words[writes ? "writes" : "reads"]} ${list.map((one) => `<code>${escape(one)}</code>`).join(" ")}</p>` : "";
    };
    const none = state.boxes.length ? fill(words.not_looked, state.boxes.length) : words.no_tiles;
    part("detail").innerHTML = `<p><b>${escape(place)}</b></p>` + (boxes ? row(false, "cbuf") + row(true, "cc") : `<p class="muted">${escape(none)}</p>`);
  }

  function draw() {
    part("summary").textContent = state.chips[chip].summary;
    drawRounds();
    part("tensors").innerHTML = state.tensors.map(tensorHtml).join("");
    drawDetail();
    const [head, rows] = state.table;
    const dealt = rows.map(([number, , , ...rest]) => [number, `${words[`${state.kind}_one`]} ${number % slots()}`, Math.floor(number / slots()) + 1, ...rest]);
    part("listed").innerHTML = tableHtml([head, dealt], block);
  }

  function go(to) {
    if (to < 0 || to >= state.blocks) return;
    block = to;
    draw();
    kept.keep(chip ? `${block};${chip}` : `${block}`);
  }

  function onChip(to) {
    chip = to;
    root.querySelector("select").value = chip;
    go(block);
  }

  const kept = held(model, follow);
  function follow(view) {
    const [number, other] = view.split(";").map(Number);
    if (!view || !(number < state.blocks)) return;
    chip = state.chips[other] ? other : 0;
    root.querySelector("select").value = chip;
    if (number !== block || view.includes(";")) [block] = [number];
    draw();
  }

  const base = stage(root, draw), sized = (key) => () => { base[key](); draw(); };
  const next = () => go(block + 1), before = () => go(block - 1);
  listen(root, {
    ...base, "+": sized("+"), "=": sized("+"), "-": sized("-"), t: base.d,
    ArrowRight: next, j: next, PageDown: next, ArrowLeft: before, k: before, PageUp: before,
    ArrowDown: () => go(block + slots()), ArrowUp: () => go(block - slots()),
    Home: () => go(0), End: () => go(state.blocks - 1), c: () => onChip((chip + 1) % state.chips.length),
  });
  root.querySelector("select").addEventListener("change", (event) => onChip(Number(event.target.value)));
  root.addEventListener("click", (event) => {
    const number = event.target.dataset?.block;
    if (number !== undefined) go(Number(number));
  });
  const watcher = new ResizeObserver(drawRounds);
  watcher.observe(part("pane"));
  draw();
  follow(model.get("view") || "");
  return () => {
    watcher.disconnect();
    kept.close();
  };
}

async function render({ model, el }) {
  const root = viewRoot(el, "tl-grid");
  return show(root, model, await unpack(model.get("data")));
}

export default { render };
