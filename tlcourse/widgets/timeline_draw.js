
// Draws the picture and the strip below it. `view` has from, to, chosen, arrows, size; what is
// drawn last stands in view.drawn, so that a rectangle leads back to its item.

const MOST_ARROWS = 300;

function painter(root, state, view, id) {
  const words = state.labels, part = (name) => root.querySelector(`.${name}`);
  const svg = part("picture"), overview = part("overview"), pane = part("pane");
  const lanes = state.tracks.flatMap((track) => track.lanes.map((lane) => ({ lane, track })));
  const defs = `<defs>${state.patterns.replaceAll('id="tl-', `id="${id}-`)}
    <clipPath id="${id}-clip"><rect class="clip"/></clipPath>
    <marker id="${id}-tip" viewBox="0 0 8 8" refX="7" refY="4" markerUnits="userSpaceOnUse" markerWidth="9" markerHeight="9" orient="auto">
    <path d="M0 0L8 4L0 8z" class="tip"/></marker></defs>`;
  const laneOf = (item) => state.tracks[item.track].lanes[item.lane];

  const left = () => Math.round(view.size * 10.8);
  const plot = () => Math.max(pane.clientWidth - left() - view.size, 50);
  const right = () => left() + plot();
  const xOf = (cycle) => left() + ((cycle - view.from) / (view.to - view.from)) * plot();
  const inside = (x) => Math.min(Math.max(x, left()), right());
  const cycleAt = (x) => view.from + ((x - left()) / plot()) * (view.to - view.from);
  const fillOf = (key) => `url(#${id}-${key})`;
  const box = (x, y, width, height, more) =>
    `<rect x="${x.toFixed(1)}" y="${y.toFixed(1)}" width="${Math.max(width, 0.8).toFixed(1)}" height="${height.toFixed(1)}" ${more}/>`;
  const text = (x, y, words, look) => `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" class="${look}">${escape(words)}</text>`;
  const upright = (x, y0, y1, look) => `<line x1="${x.toFixed(1)}" x2="${x.toFixed(1)}" y1="${y0}" y2="${y1}" class="${look}"/>`;
  const key = (shape) => `data-item="${view.drawn.push(shape) - 1}"`;

  const alike = () => state.tracks.every(({ clock }) => clock === state.tracks[0].clock); // one axis of cycles for all

  // Heads and lanes from top to bottom, `high` being the height of a lane.
  function stacked(high) {
    const spots = [], { size } = view;
    let y = size * (alike() ? 2.1 : 0.6), core = "", title = "";
    for (const { lane, track } of lanes) {
      if (track.title !== title) {
        y += title ? size * 0.9 : 0;
        spots.push({ y, title: fill(words.titled, track.title, track.caption) });
        y += size * 1.6;
        [title, core] = [track.title, ""];
      }
      if (lane.core !== core) {
        spots.push({ y, core: lane.core });
        y += size * 1.35;
        core = lane.core;
      }
      spots.push({ y, lane, high });
      y += high + size * 0.25;
    }
    return { spots, bottom: y };
  }

  // Where there is a fixed height, lanes are as high as fits.
  function places() {
    const { size } = view, many = state.tracks.length > 1;
    const fixed = root.matches(".lecture, .tl-page *");
    if (!fixed) return stacked(size * (many ? 1.4 : 1.9));
    const rest = pane.clientHeight - stacked(0).bottom - size * 2;
    return stacked(Math.min(Math.max(rest / Math.max(lanes.length, 1), size * 1.35), size * 2.7));
  }

  const spotOf = (lane) => places().spots.find((spot) => spot.lane === lane);

  const isLinked = ({ place }) => place && view.linked === `${place[3]}:${place[1]}`;

  function sliceHtml(shape, spot, layer) {
    const [x0, x1] = [inside(xOf(shape.x0)), inside(xOf(shape.x1))], many = shape.count > 1;
    if (!many && ems(shape.item.op) * view.size < x1 - x0 - 4)
      layer.push(text((x0 + x1) / 2, spot.y + spot.high / 2 + view.size * 0.35, shape.item.op, "on"));
    const look = `fill="${fillOf(spot.lane.key)}" class="slice${many ? " many" : ""}${isLinked(shape.item) ? " linked" : ""}" ${key(shape)}`;
    return box(x0, spot.y, x1 - x0, spot.high, look);
  }

  function gapHtml(item, spot, layer) {
    const [x0, x1] = [inside(xOf(item.x0)), inside(xOf(item.x1))];
    if (x1 - x0 < 3) return "";
    const said = [fill(words.waits_for, item.cause), item.cause, item.cause.split(/[ （]/)[0]];
    const fits = said.find((one) => ems(one) * view.size * 0.92 < x1 - x0 - 8);
    if (fits) layer.push(text((x0 + x1) / 2, spot.y + spot.high / 2 + view.size * 0.33, fits, "cause"));
    return box(x0, spot.y + spot.high * 0.14, x1 - x0, spot.high * 0.72, `fill="${fillOf("wait")}" class="gap" ${key({ item, count: 1 })}`);
  }

  function laneHtml(spot, layer) {
    const finest = ((view.to - view.from) / plot()) * 2, base = spot.y + spot.high / 2 + view.size * 0.36;
    const gaps = spot.lane.gaps.filter((item) => item.x1 > view.from && item.x0 < view.to);
    return [
      text(view.size * 1.4, base, spot.lane.pipe, "pipe"),
      text(left() - view.size * 0.6, base, spot.lane.share, "muted end"),
      box(left(), spot.y, plot(), spot.high, 'class="band"'),
      ...gaps.map((item) => gapHtml(item, spot, layer)),
      ...visible(spot.lane.work, view.from, view.to, finest).map((shape) => sliceHtml(shape, spot, layer)),
    ].join("");
  }

  function headHtml(spot) {
    const look = spot.title ? "title" : "muted";
    return text(view.size * 0.7, spot.y + view.size, spot.title || spot.core, look);
  }

  const strong = (edge) => view.chosen && (edge.from === view.chosen || edge.to === view.chosen);

  function shownEdges() {
    const found = state.tracks.flatMap((track) => track.edges).filter(
      (edge) => edge.to.x0 > view.from && edge.from.x1 < view.to &&
        (strong(edge) || view.arrows === 1 || (view.arrows === 0 && edge.stalls)),
    );
    return found.length > MOST_ARROWS ? found.filter(strong) : found;
  }

  function arrowHtml(edge, middle) {
    const [x0, x1] = [xOf(edge.from.x1), xOf(edge.to.x0)], [y0, y1] = [middle(edge.from), middle(edge.to)];
    const bend = Math.max(Math.abs(x1 - x0) * 0.4, view.size), at = (x, y) => `${x.toFixed(1)} ${y.toFixed(1)}`;
    const path = `M${at(x0, y0)}C${at(x0 + bend, y0)} ${at(x1 - bend, y1)} ${at(x1, y1)}`;
    const look = `arrow${strong(edge) ? " strong" : ""}${edge.crosses ? " crosses" : ""}`;
    return `<path d="${path}" class="${look}" marker-end="url(#${id}-tip)"/>`;
  }

  function axisHtml(bottom) {
    const { size, from, to } = view, { clock } = state.tracks[0], most = Math.max(2, Math.floor(plot() / (size * 8)));
    const cycles = !alike() ? [] : ticks(from, to, most).map(([at]) =>
      upright(xOf(at), size * 1.7, bottom, "axis") + text(xOf(at), size * 1.2, plain(at), "muted mid"));
    const times = ticks(from / clock, to / clock, most).map(([at, said]) =>
      upright(xOf(at * clock), bottom, bottom + 5, "axis") + text(xOf(at * clock), bottom + size * 1.5, said, "muted mid"));
    const unit = (y, said) => text(left() - size * 2.4, y, said, "muted end"); // clear of a number at the edge
    return cycles.join("") + times.join("") + (alike() ? unit(size * 1.2, words.length) : "") + unit(bottom + size * 1.5, "us");
  }

  function startsHtml(bottom) {
    const starts = state.tracks.flatMap((track) => (track.starts.length > 1 ? track.starts : []));
    return starts.filter(({ x0 }) => x0 > view.from && x0 < view.to).map(({ block, x0 }) =>
      upright(xOf(x0), view.size * 1.7, bottom, "start") + text(xOf(x0) + 3, bottom - 3, fill(words.block, block), "muted")).join("");
  }

  function chosenHtml(item) {
    const { y, high } = spotOf(laneOf(item));
    return box(xOf(item.x0) - 1, y - 1, xOf(item.x1) - xOf(item.x0) + 2, high + 2, 'class="chosen"');
  }

  function draw() {
    view.drawn = [];
    const { spots, bottom } = places(), layer = [], edges = shownEdges();
    const rows = new Map(spots.filter((spot) => spot.lane).map((spot) => [spot.lane, spot.y + spot.high / 2]));
    const shapes = spots.map((spot) => (spot.lane ? laneHtml(spot, layer) : headHtml(spot))).join("");
    const over = edges.map((edge) => arrowHtml(edge, (item) => rows.get(laneOf(item)))).join("");
    svg.innerHTML = `${defs}${axisHtml(bottom)}${shapes}${startsHtml(bottom)}<g clip-path="url(#${id}-clip)">${over}</g>
      ${layer.join("")}<g clip-path="url(#${id}-clip)">${view.chosen ? chosenHtml(view.chosen) : ""}</g>`;
    set(svg, { width: pane.clientWidth, height: Math.ceil(bottom + view.size * 1.9), "data-arrows": edges.length });
    set(svg.querySelector(".clip"), { x: left() - 1, y: 0, width: plot() + 2, height: bottom });
    drawWindow();
  }

  // The strip below: all lanes thin, and a frame around what is shown above.
  function drawOverview() {
    const scale = plot() / (state.end - state.start), high = Math.max(2, view.size * 0.22);
    const thin = ({ lane }, k) => visible(lane.work, state.start, state.end, 1.5 / scale).map((shape) =>
      box(left() + (shape.x0 - state.start) * scale, 3 + k * high, (shape.x1 - shape.x0) * scale, high - 0.5, `fill="${lane.colour}"`));
    set(overview, { width: pane.clientWidth, height: lanes.length * high + 6 });
    overview.innerHTML = box(left(), 1, plot(), lanes.length * high + 4, 'class="band"') +
      lanes.flatMap(thin).join("") + '<rect class="window"/>';
    drawWindow();
  }

  function drawWindow() {
    const scale = plot() / (state.end - state.start), high = overview.getAttribute("height") - 2;
    const [x0, x1] = [view.from, view.to].map((cycle) => inside(left() + (cycle - state.start) * scale));
    const node = overview.querySelector(".window");
    if (node) set(node, { x: x0, y: 1, width: Math.max(x1 - x0, 3), height: high });
  }

  return { draw, drawOverview, laneOf, spotOf, cycleAt, left, plot, fillOf, box, lanes };
}
