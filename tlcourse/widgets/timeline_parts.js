// Parts of the timeline viewer: its state (timeline_state.py) as lanes of items, ticks, frame.

const byLength = (one, other) => other.x1 - other.x0 - (one.x1 - one.x0);

const set = (node, attributes) => Object.entries(attributes).forEach(([name, value]) => node.setAttribute(name, value));

const plain = (number) => Math.round(number).toLocaleString("en-US");

// Columns back to items: { kind, start, end, ... } in the order of time, gaps among them.
function decodeTrack(track, number, first) {
  const scale = first.clock / track.clock;
  const byId = new Map();
  track.lanes.forEach((lane, laneNumber) => {
    let id = 0, block = 0, end = 0;
    const work = lane.skips.map((skip, k) => {
      const start = end + skip;
      end = start + lane.lengths[k];
      id += lane.ids[k];
      block += lane.blocks[k];
      const item = {
        kind: "work", id, block, start, end, lane: laneNumber, track: number, op: track.ops[lane.ops[k]],
        bytes: lane.bytes[k], place: track.places[lane.places[k]], waits: [], lets: [],
      };
      byId.set(id, item);
      return item;
    });
    const gaps = lane.gaps.map(([start, length, cause]) => ({
      kind: "gap", start, end: start + length, lane: laneNumber, track: number, cause: track.causes[cause],
    }));
    lane.work = work;
    lane.gaps = gaps;
    lane.items = [...work, ...gaps].sort((one, other) => one.start - other.start);
    lane.items.forEach((item, k) => (item.order = k));
  });
  // All times in cycles of the first timeline's clock, so that both share one axis.
  for (const item of track.lanes.flatMap((lane) => lane.items))
    Object.assign(item, { x0: item.start * scale, x1: item.end * scale });
  track.byId = byId;
  track.number = number;
  track.starts = [];
  for (const item of track.lanes.flatMap((lane) => lane.work)) {
    const start = track.starts.find((one) => one.block === item.block);
    if (!start) track.starts.push({ block: item.block, x0: item.x0 });
    else start.x0 = Math.min(start.x0, item.x0);
  }
  track.edges = track.edges.map(([from, to, flags]) => {
    const edge = { from: byId.get(from), to: byId.get(to), stalls: flags & 1, crosses: flags & 2 };
    edge.from.lets.push(edge);
    edge.to.waits.push(edge);
    return edge;
  });
  track.longest = track.lanes.flatMap((lane) => lane.gaps);
  return track;
}

function decode(state) {
  state.tracks.forEach((track, number) => decodeTrack(track, number, state.tracks[0]));
  const works = state.tracks.flatMap((track) => track.lanes.flatMap((lane) => lane.work));
  state.start = works.reduce((least, item) => Math.min(least, item.x0), Infinity);
  state.end = works.reduce((most, item) => Math.max(most, item.x1), -Infinity);
  if (!works.length) [state.start, state.end] = [0, 1];
  return state;
}

// What is drawn of a lane between two times: neighbours too short to be told apart are one.
function visible(work, from, to, finest) {
  let low = 0, high = work.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (work[middle].x1 < from) low = middle + 1;
    else high = middle;
  }
  const shapes = [];
  for (let k = low; k < work.length && work[k].x0 <= to; k++) {
    const item = work[k], last = shapes.at(-1);
    const short = item.x1 - item.x0 < finest;
    if (last && short && last.short && item.x0 - last.x1 < finest) {
      Object.assign(last, { x1: item.x1, count: last.count + 1, busy: last.busy + item.x1 - item.x0 });
    } else shapes.push({ item, x0: item.x0, x1: item.x1, count: 1, busy: item.x1 - item.x0, short });
  }
  return shapes;
}

// Round numbers between two ends, at most `most` steps.
function ticks(from, to, most) {
  const span = Math.max(to - from, 1e-9), power = 10 ** Math.floor(Math.log10(span / most));
  const step = [1, 2, 5, 10].map((f) => f * power).find((one) => span / one <= most);
  const decimals = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  const found = [];
  for (let k = Math.ceil(from / step); k * step <= to; k++) found.push([k * step, (k * step).toFixed(decimals)]);
  return found;
}

// Rough width of a text in ems; a Chinese sign takes a whole one.
const ems = (text) => [...text].reduce((sum, sign) => sum + (sign.charCodeAt(0) > 0x2e80 ? 1 : 0.58), 0);

function timelineFrame(state) {
  const words = state.labels;
  const button = (key, word, sign) =>
    `<button data-key="${key}" title="${escape(words[word])}" aria-label="${escape(words[word])}">${sign}</button>`;
  const facts = state.tracks.map(
    (track) => `${track.title ? `<b>${escape(track.title)}</b> ` : ""}${escape(track.caption)}`,
  );
  return `
    <header role="group"><h2>${escape(state.title)}</h2>
      <span class="summary">${state.comparison ? `<b>${escape(state.comparison)}</b>` : facts[0]}</span>
      <nav>${button("a", "left", "◀")}${button("d", "right", "▶")}${button("w", "zoom_in", "+")}
      ${button("s", "zoom_out", "−")}${button("0", "fit", "↔")}${button("p", "previous_gap", "▨◂")}
      ${button("n", "next_gap", "▸▨")}${button("x", "arrows", "↷")}${button("-", "smaller", "A−")}
      ${button("+", "larger", "A+")}${button("t", "theme", "◐")}${button("f", "lecture", "⤢")}</nav></header>
    <div class="pane"><svg class="picture" role="img" aria-label="${escape(words.picture)}"></svg></div>
    <svg class="overview" role="img" aria-label="${escape(words.overview)}"></svg>
    <div class="detail" role="region" aria-label="${escape(words.detail)}"></div>
    <div class="tip" aria-hidden="true" hidden></div>
    <details><summary>${escape(state.table_title)}</summary>${state.tables}</details>
    <footer role="group">${escape(words.keys)}</footer><div class="live" role="status" aria-live="polite"></div>`;
}
