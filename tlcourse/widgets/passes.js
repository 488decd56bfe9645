// The pass explorer: list of passes, IR before and after, the learner's source, two compiles.
// common.js and the other passes_*.js stand in front of this file.

const SHOWN = ["input", "changed", "failed"];
let instances = 0;

function show(root, model, first) {
  const words = first.labels, id = `tl-passes-${++instances}`, unfolded = new Set();
  let state = first, track = 0, current = -1, comparing = false, rows = [];
  let waiting = [], timer = 0, start = 0, allPasses = false, allLines = false;
  let query = "", needle = "", pinned = null, hovered = null, lit = [];
  const part = (name) => root.querySelector(`.${name}`);
  root.innerHTML = frame(words, state);
  drawSource();
  root.classList.toggle("no-source", !state.places.length);
  root.classList.toggle("no-board", !state.failure);
  const switches = board(root, model, id, () => state);

  const passes = () => state.tracks[track].passes;
  // The rows of a pass are those of the text that it made, if it was the first to make it.
  const changes = (pass) => pass.rows ?? state.texts[pass.texts[1]][1];
  const pairOf = (k) => state.pairs.find((pair) => pair[track] === k);
  // Whether the IR after a pass differs from the other compile's; -1 where that has no such pass.
  const apart = (k) => {
    const pair = pairOf(k);
    return pair && (pair[1 - track] < 0 ? -1 : pair[2].length ? 1 : 0);
  };
  // The pass of the other compile that stands for one of this; the one before it where none does.
  function partner(k) {
    for (let near = k; near >= 0; near--) {
      const other = pairOf(near)?.[1 - track] ?? -1;
      if (other >= 0) return other;
    }
    return 0;
  }

  // The learner's text, from the first line on that an op comes from.
  function drawSource() {
    const pane = part("source"), top = pane.scrollTop;
    pane.innerHTML = `<p class="nowhere" hidden>${words.nowhere}</p>${sourceHtml(state)}`;
    const lines = state.places.map((flat) => (flat[0] === 0 ? flat[1] : Infinity));
    const first = pane.querySelector(`[data-source="0:${lines.reduce((a, b) => Math.min(a, b), Infinity)}"]`);
    const above = first ? pane.querySelector("h4").offsetHeight + first.offsetHeight : 0;
    pane.scrollTop = top || !first ? top : first.offsetTop - pane.offsetTop - above;
  }

  // The first screen with a change at once, the rest when the browser has time.
  function drawRows() {
    clearTimeout(timer);
    part("diff").textContent = "";
    for (const row of rows)
      row.found = Boolean(needle) && [row.left, row.right].some((side) => side && has(state, side.line, needle));
    waiting = folded(rows, (k) => allLines || unfolded.has(k));
    drawMore(Math.max(0, waiting.findIndex((item) => item.count === undefined && !calm(item))) + 48);
  }

  function drawMore(count) {
    const html = waiting.splice(0, count).map((item) => itemHtml(state, item)).join("");
    part("diff").insertAdjacentHTML("beforeend", html);
    timer = waiting.length ? setTimeout(() => drawMore(200)) : 0;
  }

  const contains = (text) => linesOf(state, text).some((line) => has(state, line, needle));

  function visible() {
    const wanted = (pass, k) =>
      (allPasses || SHOWN.includes(pass.status) || (comparing && apart(k))) &&
      pass.name.toLowerCase().includes(query) && (!needle || contains(pass.texts[1]));
    return passes().flatMap((pass, k) => (wanted(pass, k) ? [k] : []));
  }

  const optionHtml = (k) => {
    const pass = passes()[k], attributes = `id="${id}-${k}" data-pass="${k}"`;
    return passHtml(pass, k, attributes, apart(k), words);
  };

  function drawList() {
    const shown = visible();
    const phases = [...new Set(shown.map((k) => passes()[k].phase))];
    const group = (phase) =>
      `<div role="group" aria-label="${words[phase]}"><div class="phase" aria-hidden="true">${words[phase]}</div>` +
      `${shown.filter((k) => passes()[k].phase === phase).map(optionHtml).join("")}</div>`;
    part("list").innerHTML = phases.map(group).join("") || `<p>${words.no_match}</p>`;
    select();
  }

  function drawTracks() {
    const { summary } = state.tracks[track], many = state.tracks.length > 1;
    const tab = ({ title }, k) =>
      `<button data-track="${k}" aria-pressed="${k === track && !comparing}">${escape(title)}</button>`;
    part("summary").textContent = summary;
    part("tracks").innerHTML = many
      ? `${state.tracks.map(tab).join("")}<button data-key="c" aria-pressed="${comparing}">${words.compare}</button>`
      : "";
    part("tracks").hidden = !many;
    root.classList.toggle("measured", passes().some((pass) => pass.seconds != null));
    root.setAttribute("aria-label", `${state.kernel}: ${summary}`);
  }

  function select() {
    for (const option of root.querySelectorAll("[role=option]")) {
      const chosen = Number(option.dataset.pass) === current;
      option.setAttribute("aria-selected", chosen);
      if (chosen) reveal(part("list"), option);
    }
    part("list").setAttribute("aria-activedescendant", `${id}-${current}`);
  }

  // Before and after the pass, or after it in one compile and in the other.
  function readRows() {
    const pass = passes()[current], pair = comparing && pairOf(current);
    if (!pair) return (rows = rowsOf(state, pass.texts, changes(pass)));
    const text = (k) => state.tracks[k].passes[pair[k]]?.texts[1] ?? -1;
    rows = pair[2].length ? rowsOf(state, [text(0), text(1)], pair[2]) : oneSided(linesOf(state, text(track)));
  }

  function effect() {
    const pass = passes()[current], differs = comparing ? apart(current) : changes(pass).length;
    if (differs > 0) return effectOf(rows, words);
    if (comparing) return words[differs < 0 ? "only_here" : "alike"];
    return pass.status === "unchanged" ? words.same_text : "";
  }

  function drawPass() {
    const pass = passes()[current], said = effect(), double = rows.some((row) => row.left);
    const shown = visible(), at = shown.indexOf(current);
    const place = at < 0 ? "" : `${at + 1} / ${shown.length}`;
    part("head").innerHTML = headHtml(pass, current, place, said, words);
    part("live").textContent = `${current} ${pass.name}: ${words[pass.status]} ${said}`;
    const titles = comparing ? state.tracks.map((one) => `${one.title}: ${words.after}`) : [words.before, words.after];
    [...part("titles").children].forEach((node, k) => { node.textContent = titles[k]; });
    part("titles").hidden = !double;
    part("diff").classList.toggle("single", !double);
    drawRows();
    pinned = null;
    light([]);
  }

  // To the n-th stretch of changed rows, or of rows with what is looked for.
  function jump(to) {
    clearTimeout(timer);
    if (to || needle) drawMore(waiting.length);
    const loud = (row) => row?.matches(needle ? ".found" : ".tl-row:not(.calm)");
    const starts = [...part("diff").children].filter((row) => loud(row) && !loud(row.previousElementSibling));
    start = Math.max(0, Math.min(to, starts.length - 1));
    const pane = part("diff"), row = starts[start];
    let first = row; // whole lines stand above it, for a quarter of the pane
    while (first?.previousElementSibling && row.offsetTop - first.previousElementSibling.offsetTop < 0.25 * pane.clientHeight)
      first = first.previousElementSibling;
    pane.scrollTop = first ? first.offsetTop - pane.offsetTop : 0;
    const mark = row?.querySelector("mark.del, mark.ins"); // what changed may stand far behind the start of a long line
    if (mark) reveal(pane, mark);
    if (waiting.length) timer = setTimeout(() => drawMore(200));
  }

  function go(index, { held = false } = {}) {
    if (!passes()[index]) return;
    const pane = part("diff"), top = held && pane.scrollTop; // reading it lays the page out
    current = index;
    readRows();
    unfolded.clear();
    drawPass();
    if (held) {
      drawMore(waiting.length);
      pane.scrollTop = top;
    } else jump(0);
    select();
    if (model.get("index") === current && model.get("track") === track) return;
    model.set("index", current);
    model.set("track", track);
    model.save_changes();
  }

  function step(way) {
    const shown = visible();
    go(way > 0 ? shown.find((k) => k > current) : shown.findLast((k) => k < current));
  }

  // The same pass in another compile, at the same place of the text.
  function look(to, compare) {
    if (!state.tracks[to]) return;
    const index = to === track ? current : partner(current);
    [track, comparing] = [to, compare && state.tracks.length > 1];
    drawTracks();
    drawList();
    go(index, { held: true });
  }

  // After a compile: the pass stays, and the place in its text.
  function renew(next) {
    const anchor = track ? partner(current) : current, lines = state.places.length;
    state = next;
    track = 0;
    current = Math.min(anchor, passes().length - 1);
    if (!lines !== !state.places.length) root.classList.toggle("no-source", !state.places.length);
    drawSource();
    switches.draw();
    look(state.shown, comparing);
  }

  function original() {
    look(0, false);
    switches.reset();
  }

  // Source lines and IR lines that come from one place light up together.
  function places(node) {
    if (node.dataset.source) return [node.dataset.source];
    const flat = state.places[state.entryOf[node.dataset.line]] || [];
    return flat.flatMap((value, k) => (k % 2 ? [`${flat[k - 1]}:${value}`] : []));
  }

  // A line of the source says so where the op pointed at has it from a neighbour.
  function light(keys, near) {
    for (const node of lit) node.classList.remove("hit");
    for (const node of part("source").querySelectorAll("[data-near]")) node.removeAttribute("data-near");
    const nodes = keys.length ? [...root.querySelectorAll("[data-line], [data-source]")] : [];
    lit = nodes.filter((node) => places(node).some((key) => keys.includes(key)));
    for (const node of lit) {
      node.classList.add("hit");
      if (near && node.dataset.source) node.lastChild.dataset.near = near;
    }
  }

  function point(node, pin) {
    if (!state.places.length) return;
    if (pin) pinned = pinned === node ? null : node;
    const chosen = pinned || node;
    light(chosen ? places(chosen) : [], chosen?.dataset.near);
    const [text, line] = (chosen ? places(chosen)[0] || "" : "").split(":").map(Number);
    tellPlace(root, state.source_ids?.[text] ?? null, line);
    part("nowhere").hidden = !chosen?.dataset.line || lit.some((one) => one.dataset.source);
    const partner = lit.find((one) => Boolean(one.dataset.source) !== Boolean(chosen?.dataset.source));
    if (partner && (pin || partner.dataset.source)) reveal(partner.closest(".diff, .source"), partner);
  }

  // A line that another widget of the page points at.
  function link(source, line) {
    if (pinned || !state.places.length) return;
    const text = state.source_ids?.indexOf(source) ?? -1;
    light(text < 0 ? [] : [`${text}:${line}`]);
    for (const one of [".source", ".diff"]) {
      const node = lit.find((found) => found.closest(one));
      if (node) reveal(node.closest(one), node);
    }
  }

  function onLecture(on) {
    root.classList.toggle("no-list", on);
    root.classList.toggle("no-source", on || !state.places.length);
    jump(start);
  }

  const steps = (way) => () => step(way);
  const toggle = (name) => () => root.classList.toggle(name);
  const actions = {
    ArrowDown: steps(1), ArrowRight: steps(1), j: steps(1), PageDown: steps(1),
    ArrowUp: steps(-1), ArrowLeft: steps(-1), k: steps(-1), PageUp: steps(-1),
    Home: () => go(visible()[0]), End: () => go(visible().at(-1)),
    n: () => jump(start + 1), p: () => jump(start - 1), "/": () => part("filter").focus(),
    "?": () => { root.classList.remove("no-list"); part("find").focus(); },
    u: () => { allPasses = !allPasses; drawList(); drawPass(); jump(start); },
    e: () => { allLines = root.classList.toggle("all-lines"); unfolded.clear(); drawPass(); jump(start); },
    v: toggle("stacked"), l: toggle("no-list"), s: toggle("no-source"), w: toggle("no-board"),
    i: () => switches.measure("time"), m: () => switches.measure("numbers"), o: original, t: () => look(1 - track, comparing), c: () => look(track, !comparing),
    ...stage(root, onLecture),
  };

  function act(key) {
    actions[key]();
    const off = (name) => !root.matches(`.${name}`);
    const on = { u: allPasses, e: allLines, v: !off("stacked"), s: off("no-source"), w: off("no-board") };
    for (const [name, pressed] of Object.entries(on))
      root.querySelector(`nav [data-key="${name}"]`)?.setAttribute("aria-pressed", pressed);
  }

  root.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const filtering = event.target.matches("[type=search]"), typing = event.target.matches("[type=number]");
    if (filtering && !["Escape", "Enter", "ArrowDown"].includes(event.key)) return;
    if (typing && event.key !== "Escape" && !event.key.startsWith("Page")) return;
    if (!filtering && !actions[event.key]) return;
    event.preventDefault();
    event.stopPropagation();
    if (event.target.matches(".find") && event.key === "Enter") jump(start + 1);
    else if (filtering || (typing && event.key === "Escape")) root.focus();
    else act(event.key);
  });

  root.addEventListener("click", (event) => {
    const kinds = ["key", "pass", "fold", "line", "source", "track"].map((kind) => `[data-${kind}]`);
    const node = event.target.closest(kinds.join());
    const { key, pass, fold, track: other } = node?.dataset || {};
    if (key) act(key);
    else if (pass) go(Number(pass));
    else if (other) look(Number(other), false);
    else if (fold) {
      const pane = part("diff"), top = pane.scrollTop;
      unfolded.add(Number(fold));
      drawPass();
      drawMore(waiting.length);
      pane.scrollTop = top;
    } else if (node) point(node, true);
    if (other || fold || key === "c") root.focus(); // the button was drawn anew
  });

  root.addEventListener("mouseover", (event) => {
    const node = event.target.closest("[data-line], [data-source]");
    if (node !== hovered) point((hovered = node), false);
  });
  part("filter").addEventListener("input", (event) => {
    query = event.target.value.trim().toLowerCase();
    drawList();
  });

  part("find").addEventListener("input", (event) => {
    needle = event.target.value.trim().toLowerCase();
    drawList();
    drawPass();
    jump(0);
  });

  const followModel = () => {
    const [index, other] = [model.get("index"), model.get("track") ?? track];
    if (other !== track) look(other, comparing);
    if (index !== current) go(index);
  };
  const followData = async () => renew(decode(await unpack(model.get("data"))));
  const firstChange = passes().findIndex((pass) => pass.status === "changed");
  const asked = model.get("index");
  track = state.tracks[model.get("track")] ? model.get("track") : state.shown;
  drawTracks();
  drawList();
  switches.draw();
  act("s");
  act("s");
  go(passes()[asked] ? asked : Math.max(0, firstChange));
  model.on("change:index", followModel);
  model.on("change:data", followData);
  const deaf = hearPlace(root, link);
  return () => {
    deaf();
    clearTimeout(timer);
    switches.close();
    model.off("change:index", followModel);
    model.off("change:data", followData);
  };
}

async function render({ model, el }) {
  const root = element("div", { class: "tl-passes", tabindex: 0, role: "region" });
  root.dataset.lmSuppressShortcuts = "true";
  el.append(root);
  return show(root, model, decode(await unpack(model.get("data"))));
}

export default { render };
