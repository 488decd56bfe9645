
// The timeline of a launch, or of two under one axis: zoom, pan, choose, step through the gaps.
// common.js, timeline_parts.js and timeline_draw.js stand in front of this file.

const ARROWS = ["arrows_stall", "arrows_all", "arrows_none"];
const VIEW = /^(-?\d+)-(-?\d+)(?:;(\d+)\.(\d+))?$/;
let timelines = 0;

function show(root, model, state) {
  const words = state.labels, part = (name) => root.querySelector(`.${name}`);
  const view = { from: 0, to: 1, chosen: null, arrows: 0, size: 13, drawn: [], linked: "" };
  let gap = -1, frame = 0, waiting = 0, kept = "", grip = null, moved = false, pointed = null;
  root.setAttribute("aria-label", state.title);
  root.innerHTML = timelineFrame(state);
  const svg = part("picture"), pane = part("pane"), tip = part("tip");
  const paint = painter(root, state, view, `tl-timeline-${++timelines}`), { laneOf, lanes } = paint;
  const longest = state.tracks.flatMap((track) => track.longest).sort(byLength);
  const nameOf = (lane) => `${lane.core} ${lane.pipe}`;

  const later = () => { frame = frame || requestAnimationFrame(() => { frame = 0; paint.draw(); }); };

  function describe(item) {
    const lane = laneOf(item), length = item.end - item.start, { clock } = state.tracks[item.track];
    const cycles = `${fill(words.cycles_in, plain(length), plain(item.start), plain(item.end))} (${(length / clock).toFixed(3)} us)`;
    if (item.kind === "gap") return [fill(words.stands, nameOf(lane)), cycles, fill(words.waits_for, item.cause)];
    const parts = [item.op, `${nameOf(lane)}${words.colon}${lane.about}`, cycles, fill(words.block, item.block)];
    if (item.bytes) parts.push(fill(words.bytes, plain(item.bytes)));
    if (item.place) parts.push(`${item.place[0]}${words.comma}${fill(words.line, item.place[1])}`);
    return parts;
  }

  function linksHtml(word, edges, end) {
    const buttons = edges.slice(0, 8).map((edge) => {
      const { op, track, id, place } = edge[end];
      const said = [op, nameOf(laneOf(edge[end])), ...(place ? [fill(words.line, place[1])] : [])];
      return `<button data-go="${track}.${id}">${escape(said.join(words.comma))}</button>`;
    });
    return buttons.length ? `<p>${escape(words[word] + words.colon)}${buttons.join(" ")}</p>` : "";
  }

  function drawDetail() {
    const item = view.chosen;
    if (!item) {
      const note = `${words[ARROWS[view.arrows]]}${words.crossing}`;
      part("detail").innerHTML = `<p>${escape(words.nothing)} <span class="muted">${escape(note)}</span></p>`;
      return;
    }
    const [head, ...rest] = describe(item), { title } = state.tracks[item.track];
    const fillKey = item.kind === "gap" ? "wait" : laneOf(item).key;
    const swatch = paint.box(0.5, 0.5, 19, 12, `fill="${paint.fillOf(fillKey)}" class="slice"`);
    const source = item.place?.[2] ? `<code>${escape(item.place[2])}</code>` : "";
    part("detail").innerHTML =
      `<p><svg class="swatch" viewBox="0 0 20 13" aria-hidden="true">${swatch}</svg> <b>${escape(head)}</b> ` +
      `${rest.map((one) => `<span>${escape(one)}</span>`).join(" · ")}${title ? ` <i>${escape(title)}</i>` : ""}</p>${source}` +
      linksHtml("waited_for", item.waits || [], "from") + linksHtml("lets_go", item.lets || [], "to");
  }

  function choose(item, said = "") {
    view.chosen = item;
    if (item && (item.x1 < view.from || item.x0 > view.to)) centre(item, view.to - view.from);
    if (item) revealLane(laneOf(item));
    drawDetail();
    tell(item);
    part("live").textContent = item ? [said, ...describe(item)].filter(Boolean).join(words.comma) : "";
    later();
    keep();
  }

  // The line that an item comes from lights up in the other widgets of the page.
  function tell(item) {
    tellPlace(root, item?.place?.[3] ?? null, item?.place?.[1] ?? 0);
  }

  function link(source, line) {
    const linked = source === null ? "" : `${source}:${line}`;
    if (linked === view.linked) return;
    view.linked = linked;
    later();
  }

  function revealLane(lane) {
    const { y, high } = paint.spotOf(lane), top = pane.scrollTop;
    if (y < top || y + high > top + pane.clientHeight) pane.scrollTop = y - pane.clientHeight / 2;
  }

  // The stretch that is shown: inside the whole, and not so short that nothing is left.
  function look(start, end) {
    const whole = state.end - state.start, margin = whole * 0.01;
    const span = Math.min(Math.max(end - start, 20), whole + 2 * margin);
    view.from = Math.min(Math.max(start, state.start - margin), state.end + margin - span);
    view.to = view.from + span;
    later();
    keep();
  }

  function centre(item, span) {
    const middle = (item.x0 + item.x1) / 2;
    look(middle - span / 2, middle + span / 2);
  }

  const zoom = (factor, at = (view.from + view.to) / 2) =>
    look(at - (at - view.from) * factor, at + (view.to - at) * factor);
  const pan = (share) => look(view.from + (view.to - view.from) * share, view.to + (view.to - view.from) * share);
  const fit = () => look(-Infinity, Infinity);

  // The view goes into the model, a little later, so that a drag is one change.
  function keep() {
    const { from, to, chosen } = view;
    clearTimeout(waiting);
    waiting = setTimeout(() => {
      kept = `${Math.round(from)}-${Math.round(to)}${chosen?.kind === "work" ? `;${chosen.track}.${chosen.id}` : ""}`;
      if (model.get("view") === kept) return;
      model.set("view", kept);
      model.save_changes();
    }, 150);
  }

  function follow() {
    const asked = model.get("view") || "", found = VIEW.exec(asked);
    if (asked && asked === kept) return;
    if (!found) return fit();
    look(Number(found[1]), Number(found[2]));
    const item = found[3] && state.tracks[found[3]]?.byId.get(Number(found[4]));
    if (item) choose(item);
  }

  // Along a lane, or to the item of another lane that is nearest in time.
  function along(way) {
    if (!view.chosen) return choose(lanes[0]?.lane.items.find((item) => item.x1 > view.from) || null);
    const next = laneOf(view.chosen).items[view.chosen.order + way];
    if (next) choose(next);
  }

  function across(way) {
    if (!view.chosen) return along(1);
    const at = lanes.findIndex(({ lane }) => lane === laneOf(view.chosen)), items = lanes[at + way]?.lane.items;
    const middle = (view.chosen.x0 + view.chosen.x1) / 2, far = (item) => Math.max(item.x0 - middle, middle - item.x1, 0);
    if (items) choose(items.reduce((best, item) => (far(item) < far(best) ? item : best)));
  }

  function toGap(way) {
    if (!longest.length) return;
    gap = Math.min(Math.max(gap + way, 0), longest.length - 1);
    const item = longest[gap];
    centre(item, Math.max((item.x1 - item.x0) * 3, (state.end - state.start) * 0.05));
    choose(item, fill(words.gap_of, gap + 1, longest.length));
  }

  function nextArrows() {
    view.arrows = (view.arrows + 1) % ARROWS.length;
    part("live").textContent = words[ARROWS[view.arrows]];
    drawDetail();
    later();
  }

  function resized() {
    view.size = parseFloat(getComputedStyle(root).fontSize);
    paint.drawOverview();
    later();
  }

  const base = stage(root, resized);
  const sized = (key) => () => { base[key](); resized(); };
  const choosing = (action) => () => view.chosen && action(view.chosen);
  const actions = {
    ...base, "+": sized("+"), "=": sized("+"), "-": sized("-"), t: base.d,
    a: () => pan(-0.25), d: () => pan(0.25), w: () => zoom(0.6), s: () => zoom(1 / 0.6), 0: fit,
    ArrowLeft: () => along(-1), ArrowRight: () => along(1), ArrowUp: () => across(-1), ArrowDown: () => across(1),
    Home: choosing((item) => choose(laneOf(item).items[0])), End: choosing((item) => choose(laneOf(item).items.at(-1))),
    Enter: choosing((item) => centre(item, (item.x1 - item.x0) * 4)), x: nextArrows,
    n: () => toGap(1), p: () => toGap(-1), PageDown: () => toGap(1), PageUp: () => toGap(-1),
    Escape: () => (view.chosen && !root.matches(".lecture") ? choose(null) : base.Escape()),
  };

  root.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || !Object.hasOwn(actions, event.key)) return;
    if (event.key === "Enter" && event.target.matches("button, summary")) return;
    event.preventDefault();
    event.stopPropagation();
    actions[event.key]();
  });

  root.addEventListener("click", (event) => {
    const node = event.target.closest("[data-key], [data-go], [data-item]"), { key, go, item } = node?.dataset || {};
    if (key) actions[key]();
    if (item && !moved) choose(view.drawn[item].item);
    if (!go) return;
    const [track, id] = go.split(".").map(Number);
    choose(state.tracks[track].byId.get(id));
    root.focus(); // the button is gone
  });
  svg.addEventListener("dblclick", actions.Enter);

  // Drag moves. The wheel zooms where the viewer has the focus; before that the page scrolls.
  const own = (event) => event.clientX - svg.getBoundingClientRect().left;
  svg.addEventListener("pointerdown", (event) => {
    grip = { x: own(event), from: view.from, to: view.to };
    moved = false;
  });
  root.addEventListener("pointermove", (event) => {
    if (!grip) return;
    const shift = ((grip.x - own(event)) / paint.plot()) * (grip.to - grip.from);
    moved = moved || Math.abs(own(event) - grip.x) > 3;
    if (moved) look(grip.from + shift, grip.to + shift);
  });
  for (const name of ["pointerup", "pointerleave"]) root.addEventListener(name, () => { grip = null; });
  part("overview").addEventListener("pointerdown", (event) => {
    const share = (event.offsetX - paint.left()) / paint.plot(), span = view.to - view.from;
    const at = state.start + share * (state.end - state.start);
    look(at - span / 2, at + span / 2);
  });
  svg.addEventListener("wheel", (event) => {
    if (!root.contains(document.activeElement) && !event.ctrlKey) return;
    event.preventDefault();
    const sideways = event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY);
    if (sideways) pan((event.deltaX || event.deltaY) / 1000);
    else zoom(2 ** (event.deltaY / 400), paint.cycleAt(own(event)));
  }, { passive: false });

  // What is pointed at, in words.
  svg.addEventListener("mousemove", (event) => {
    const shape = view.drawn[event.target.dataset?.item];
    tip.hidden = !shape;
    if (shape?.item !== pointed) tell((pointed = shape?.item));
    if (!shape) return;
    const share = Math.round((100 * shape.busy) / (shape.x1 - shape.x0));
    tip.textContent = shape.count > 1 ? fill(words.many, shape.count, share) : describe(shape.item).join(" · ");
    const { left, top } = root.getBoundingClientRect();
    tip.style.left = `${Math.max(4, Math.min(event.clientX - left + 12, root.clientWidth - tip.offsetWidth - 8))}px`;
    tip.style.top = `${event.clientY - top + 16}px`;
  });
  svg.addEventListener("mouseleave", () => {
    tip.hidden = true;
    tell((pointed = view.chosen));
  });

  const watcher = new ResizeObserver(resized);
  watcher.observe(pane);
  resized();
  follow();
  drawDetail();
  model.on("change:view", follow);
  const deaf = hearPlace(root, link);
  return () => {
    deaf();
    watcher.disconnect();
    clearTimeout(waiting);
    cancelAnimationFrame(frame);
    model.off("change:view", follow);
  };
}

async function render({ model, el }) {
  const root = element("div", { class: "tl-timeline", tabindex: 0, role: "region" });
  root.dataset.lmSuppressShortcuts = "true";
  el.append(root);
  return show(root, model, decode(await unpack(model.get("data"))));
}

export default { render };
