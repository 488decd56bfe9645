// The pass explorer: list of passes, IR before and after, the learner's source.
// common.js and passes_parts.js stand in front of this file.

const SIGNS = { input: "▸", changed: "~", unchanged: "=", failed: "✗", skipped: "–" };
const ROW_SIGNS = { same: "", renamed: "≈", changed: "~", removed: "−", added: "+", moved: "↕" };
const SHOWN = ["input", "changed", "failed"];
const CONTEXT = 3;
const TOKEN =
  /(%[\w$.-]+)|("(?:[^"\\]|\\.)*")|(@[\w$.-]+)|(?<=address_space<)(\w+)|(PIPE_\w+)|([#!][A-Za-z_][\w.]*)|\b(memref|tensor|vector|index|[iu]\d+|b?f\d+)\b|([a-z_]\w*(?:\.[A-Za-z_]\w*)+)|(\/\/.*)/g;
const CLASSES = [, "v", "s", "f", "m", "m", "a", "t", "o", "c"];
let instances = 0;

const calm = (row) => ["same", "renamed"].includes(row.right?.kind);

function show(root, model, state) {
  const words = state.labels, id = `tl-passes-${++instances}`, unfolded = new Set();
  let rows = [], waiting = [], timer = 0, start = 0, current = -1, allPasses = false, allLines = false;
  let query = "", pinned = null, hovered = null, lit = [];
  const part = (name) => root.querySelector(`.${name}`);
  root.setAttribute("aria-label", `${state.kernel}: ${state.summary}`);
  root.innerHTML = frame(words, state);
  part("source").innerHTML = sourceHtml(state);
  root.classList.toggle("no-source", !state.places.length);

  function paint(text) {
    let html = "", last = 0;
    for (const match of text.matchAll(TOKEN)) {
      const name = CLASSES[match.findIndex((value, k) => k && value !== undefined)];
      const colour = name === "m" && state.colours[match[0].replace("PIPE_", "")];
      html += escape(text.slice(last, match.index));
      html += `<b class="${name}"${colour ? ` style="--hue:${colour}"` : ""}>${escape(match[0])}</b>`;
      last = match.index + match[0].length;
    }
    return html + escape(text.slice(last));
  }

  function sideHtml(side, cuts, offset) {
    if (!side) return '<i class="n"></i><i class="g"></i><code class="void"></code>';
    const text = state.lines[side.line], sign = ROW_SIGNS[side.kind];
    const indent = text.length - text.trimStart().length;
    let html = "", last = indent;
    for (const cut of cuts || []) {
      const [from, to] = [Math.max(cut[offset], indent), cut[offset + 1]];
      if (to <= from) continue;
      const kind = cut[4] ? "renamed" : offset ? "ins" : "del";
      html += `${paint(text.slice(last, from))}<mark class="${kind}">${paint(text.slice(from, to))}</mark>`;
      last = to;
    }
    const spoken = sign ? ` role="img" aria-label="${words[side.kind]}"` : "";
    return (
      `<i class="n">${side.number}</i><i class="g"${spoken}>${sign}</i>` +
      `<code data-line="${side.line}" style="--indent:${indent}">${html}${paint(text.slice(last))}</code>`
    );
  }

  function rowHtml(row) {
    const name = `l-${row.left?.kind} r-${row.right?.kind}${calm(row) ? " calm" : ""}`;
    return `<div class="tl-row ${name}">${sideHtml(row.left, row.cuts, 0)}${sideHtml(row.right, row.cuts, 2)}</div>`;
  }

  // Rows to draw; long runs of equal lines become one button that opens them.
  function folded() {
    const items = [];
    for (let k = 0, end = 0; k < rows.length; k = end) {
      while (end < rows.length && calm(rows[end])) end++;
      const from = k ? k + CONTEXT : k, to = end < rows.length ? end - CONTEXT : end;
      const open = allLines || unfolded.has(k) || to - from < 2 * CONTEXT || to - from === rows.length;
      items.push(...rows.slice(k, open ? end : from));
      if (!open) items.push({ fold: k, count: to - from }, ...rows.slice(to, end));
      while (end < rows.length && !calm(rows[end])) items.push(rows[end++]);
    }
    return items;
  }

  function itemHtml(item) {
    if (item.count === undefined) return rowHtml(item);
    return `<button class="fold" data-fold="${item.fold}">⋯ ${fill(words.equal_lines, item.count)}</button>`;
  }

  // The first screens at once, the rest when the browser has time.
  function drawRows() {
    clearTimeout(timer);
    part("diff").textContent = "";
    waiting = folded();
    drawMore(120);
  }

  function drawMore(count) {
    part("diff").insertAdjacentHTML("beforeend", waiting.splice(0, count).map(itemHtml).join(""));
    timer = waiting.length ? setTimeout(() => drawMore(200)) : 0;
  }

  function visible() {
    const wanted = (pass) =>
      (allPasses || SHOWN.includes(pass.status)) && pass.name.toLowerCase().includes(query);
    return state.passes.flatMap((pass, k) => (wanted(pass) ? [k] : []));
  }

  function optionHtml(k) {
    const pass = state.passes[k], sum = (way) => pass.ops.reduce((s, [, n]) => s + Math.max(way * n, 0), 0);
    const counts = `${sum(1) ? `+${sum(1)}` : ""} ${sum(-1) ? `−${sum(-1)}` : ""}`;
    const spoken = `${words[pass.status]}, ${words[pass.origin]}, ${words.ops} ${counts}`;
    return (
      `<div role="option" id="${id}-${k}" data-pass="${k}" class="${pass.status}" title="${spoken}">` +
      `<i>${k}</i><i class="sign">${SIGNS[pass.status]}</i><span>${escape(pass.name)}</span><small>${counts}</small></div>`
    );
  }

  function drawList() {
    const shown = visible();
    const phases = [...new Set(shown.map((k) => state.passes[k].phase))];
    const group = (phase) =>
      `<div role="group" aria-label="${words[phase]}"><div class="phase" aria-hidden="true">${words[phase]}</div>` +
      `${shown.filter((k) => state.passes[k].phase === phase).map(optionHtml).join("")}</div>`;
    part("list").innerHTML = phases.map(group).join("") || `<p>${words.no_match}</p>`;
    select();
  }

  function select() {
    for (const option of root.querySelectorAll("[role=option]")) {
      const chosen = Number(option.dataset.pass) === current;
      option.setAttribute("aria-selected", chosen);
      if (chosen) reveal(part("list"), option);
    }
    part("list").setAttribute("aria-activedescendant", `${id}-${current}`);
  }

  function drawPass() {
    const pass = state.passes[current], changed = pass.rows.length > 0;
    const count = (side, ...kinds) => rows.filter((row) => kinds.includes(row[side]?.kind)).length;
    const [plus, minus, moved] = [count("right", "added", "changed"), count("left", "removed", "changed"), count("left", "moved")];
    const lines = [plus && `+${plus}`, minus && `−${minus}`, moved && `↕${moved}`].filter(Boolean).join(" ");
    const otherwise = changed ? words.renamed : pass.status === "unchanged" ? words.same_text : "";
    const effect = lines ? `${lines} ${words.lines}` : otherwise;
    const chips = pass.ops.map(([op, n]) => `${n > 0 ? "+" : "−"}${Math.abs(n)} ${op}`);
    if (chips.length > 5) chips.splice(5, chips.length, `… ${chips.length - 5}`);
    const shown = visible(), at = shown.indexOf(current);
    const place = at < 0 ? "" : `${at + 1} / ${shown.length}`;
    const status = `${SIGNS[pass.status]} ${words[pass.status]}`;
    part("head").innerHTML =
      `<h3><i>${current}</i> ${escape(pass.name)} <small>${escape(pass.options)} ${place}</small></h3>` +
      `<span class="chip ${pass.status}">${status}</span><span class="chip">${words[pass.phase]}</span>` +
      `<b>${effect}</b>${chips.map((chip) => `<span class="chip">${escape(chip)}</span>`).join("")}` +
      pass.notes.map((note) => `<p>${escape(note)}</p>`).join("");
    part("live").textContent = `${current} ${pass.name}: ${words[pass.status]} ${effect}`;
    part("titles").hidden = !changed;
    part("diff").classList.toggle("single", !changed);
    drawRows();
    pinned = null;
    light([]);
  }

  // To the n-th stretch of changed rows.
  function jump(to) {
    clearTimeout(timer);
    if (to) drawMore(waiting.length);
    const loud = (row) => row?.matches(".tl-row:not(.calm)");
    const starts = [...part("diff").children].filter((row) => loud(row) && !loud(row.previousElementSibling));
    start = Math.max(0, Math.min(to, starts.length - 1));
    const pane = part("diff"), row = starts[start];
    pane.scrollTop = row ? row.offsetTop - pane.offsetTop - 0.25 * pane.clientHeight : 0;
    if (waiting.length) timer = setTimeout(() => drawMore(200));
  }

  function go(index) {
    if (!state.passes[index]) return;
    current = index;
    rows = rowsOf(state, state.passes[current]);
    unfolded.clear();
    drawPass();
    jump(0);
    select();
    if (model.get("index") === current) return;
    model.set("index", current);
    model.save_changes();
  }

  function step(way) {
    const shown = visible();
    go(way > 0 ? shown.find((k) => k > current) : shown.findLast((k) => k < current));
  }

  // Source lines and IR lines that come from one place light up together.
  function places(node) {
    if (node.dataset.source) return [node.dataset.source];
    const flat = state.places[node.dataset.line] || [];
    return flat.flatMap((value, k) => (k % 2 ? [`${flat[k - 1]}:${value}`] : []));
  }

  function light(keys) {
    for (const node of lit) node.classList.remove("hit");
    const nodes = keys.length ? [...root.querySelectorAll("[data-line], [data-source]")] : [];
    lit = nodes.filter((node) => places(node).some((key) => keys.includes(key)));
    for (const node of lit) node.classList.add("hit");
  }

  function point(node, pin) {
    if (!state.places.length) return;
    if (pin) pinned = pinned === node ? null : node;
    const chosen = pinned || node;
    light(chosen ? places(chosen) : []);
    const partner = lit.find((one) => Boolean(one.dataset.source) !== Boolean(chosen?.dataset.source));
    if (partner && (pin || partner.dataset.source)) reveal(partner.closest(".diff, .source"), partner);
  }

  function onLecture(on) {
    root.classList.toggle("no-list", on);
    root.classList.toggle("no-source", on || !state.places.length);
    jump(start);
  }

  const steps = (way) => () => step(way);
  const actions = {
    ArrowDown: steps(1), ArrowRight: steps(1), j: steps(1), PageDown: steps(1),
    ArrowUp: steps(-1), ArrowLeft: steps(-1), k: steps(-1), PageUp: steps(-1),
    Home: () => go(visible()[0]), End: () => go(visible().at(-1)),
    n: () => jump(start + 1), p: () => jump(start - 1), "/": () => part("filter").focus(),
    u: () => { allPasses = !allPasses; drawList(); drawPass(); jump(start); },
    e: () => { allLines = root.classList.toggle("all-lines"); unfolded.clear(); drawPass(); jump(start); },
    v: () => root.classList.toggle("stacked"), l: () => root.classList.toggle("no-list"),
    s: () => root.classList.toggle("no-source"), ...stage(root, onLecture),
  };

  function act(key) {
    actions[key]();
    const on = { u: allPasses, e: allLines, v: root.matches(".stacked"), s: !root.matches(".no-source") };
    for (const [name, pressed] of Object.entries(on))
      root.querySelector(`[data-key="${name}"]`)?.setAttribute("aria-pressed", pressed);
  }

  root.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const typing = event.target.matches(".filter");
    if (typing && !["Escape", "Enter", "ArrowDown"].includes(event.key)) return;
    if (!typing && !actions[event.key]) return;
    event.preventDefault();
    event.stopPropagation();
    if (typing) root.focus();
    else act(event.key);
  });

  root.addEventListener("click", (event) => {
    const node = event.target.closest("[data-key], [data-pass], [data-fold], [data-line], [data-source]");
    const { key, pass, fold } = node?.dataset || {};
    if (key) act(key);
    else if (pass) go(Number(pass));
    else if (fold) {
      const pane = part("diff"), top = pane.scrollTop;
      unfolded.add(Number(fold));
      drawPass();
      drawMore(waiting.length);
      pane.scrollTop = top;
      root.focus(); // the button is gone
    } else if (node) point(node, true);
  });

  root.addEventListener("mouseover", (event) => {
    const node = event.target.closest("[data-line], [data-source]");
    if (node !== hovered) point((hovered = node), false);
  });
  part("filter").addEventListener("input", (event) => {
    query = event.target.value.trim().toLowerCase();
    drawList();
  });

  const followModel = () => model.get("index") !== current && go(model.get("index"));
  const firstChange = state.passes.findIndex((pass) => pass.status === "changed");
  const asked = model.get("index");
  drawList();
  act("s");
  act("s");
  go(state.passes[asked] ? asked : Math.max(0, firstChange));
  model.on("change:index", followModel);
  return () => {
    clearTimeout(timer);
    model.off("change:index", followModel);
  };
}

async function render({ model, el }) {
  const root = element("div", { class: "tl-passes", tabindex: 0, role: "region" });
  root.dataset.lmSuppressShortcuts = "true";
  el.append(root);
  return show(root, model, decode(await unpack(model.get("data"))));
}

export default { render };
