// A deck of slides: one is shown, keys and buttons step, the address names it.
// WORDS, VIEWERS and STATES stand in front of this file.

const root = document.documentElement, part = (selector) => document.querySelector(selector);
const deck = [...document.querySelectorAll(".slide")], boxes = [...document.querySelectorAll(".widget")];
const [notes, contents] = [part(".notes"), part(".contents")];
const started = Date.now(), mounted = new Set();
let now = -1;

// A model for a widget without a kernel; the address belongs to the deck.
function model(data) {
  const state = { data, index: -1, track: 0, view: "" }, listeners = new Map();
  return {
    get: (name) => state[name],
    set: (name, value) => { state[name] = value; },
    on: (event, listener) => listeners.set(listener, event),
    off: (_, listener) => listeners.delete(listener),
    save_changes: () => {},
  };
}

// A widget measures itself, so it is made when its slide is seen for the first time.
function mount(box) {
  if (mounted.has(box) || !box.offsetParent) return;
  mounted.add(box);
  const [viewer, data] = STATES[boxes.indexOf(box)];
  VIEWERS[viewer]({ model: model(data), el: box });
}

// Code and prose shrink until they fit the slide, down to a size that is still read at the back.
function fit(slide) {
  if (slide.classList.contains("figure")) return;
  const body = slide.querySelector(".body");
  const steps = slide.classList.contains("code") ? [18, 17, 16, 15, 14, 13, 12] : [28, 26, 24, 22, 20, 18];
  for (const size of steps) {
    body.style.setProperty("--size", `${size}px`);
    const parts = [body, ...body.querySelectorAll(".code, .out, pre")];
    if (parts.every((one) => one.scrollHeight <= one.clientHeight + 1 && one.scrollWidth <= one.clientWidth + 1)) return;
  }
}

function drawNotes() {
  if (notes.hidden) return;
  const said = deck[now].querySelector("template")?.content.textContent || WORDS.no_note;
  const minutes = Math.floor((Date.now() - started) / 60000), next = deck[now + 1];
  const title = next ? next.querySelector("h1")?.textContent || next.id : "-";
  notes.replaceChildren(Object.assign(document.createElement("p"), { textContent: said }));
  const foot = `${minutes} min · ${WORDS.then.replace("{0}", title)}`;
  notes.append(Object.assign(document.createElement("small"), { textContent: foot }));
}

function show(number) {
  const wanted = Math.min(deck.length - 1, Math.max(0, number));
  if (wanted === now) return;
  deck[now]?.classList.remove("now");
  now = wanted;
  const slide = deck[now];
  slide.classList.add("now");
  part(".lesson").textContent = slide.dataset.lesson;
  part(".count").textContent = `${now + 1} / ${deck.length}`;
  slide.querySelectorAll(".widget").forEach(mount);
  fit(slide);
  drawNotes();
  part(".other").hash = slide.id;
  try {
    history.replaceState(null, "", `#${slide.id}`);
  } catch {
    // A sandboxed frame has no address of its own.
  }
}

const hidden = () => deck[now].querySelector("details.reveal:not([open])");

// What a cell gave away is opened first; only then the deck goes on.
function forward() {
  const found = hidden();
  if (found) found.open = true;
  else show(now + 1);
}

function listed(on) {
  contents.hidden = !on;
  if (on) contents.querySelector("a").focus();
}

const does = {
  previous: () => show(now - 1),
  next: forward,
  first: () => show(0),
  last: () => show(deck.length - 1),
  contents: () => listed(contents.hidden),
  notes: () => { notes.hidden = !notes.hidden; drawNotes(); fit(deck[now]); },
  other: () => part(".other").click(),
  widget: () => deck[now].querySelector(".widget > [tabindex]")?.focus(),
  theme: () => theme(root.dataset.theme === "dark" ? "light" : "dark"),
  leave: () => { listed(false); document.activeElement?.blur(); },
};
const keys = {
  ArrowLeft: "previous", PageUp: "previous", ArrowRight: "next", PageDown: "next", " ": "next",
  Home: "first", End: "last", o: "contents", s: "notes", l: "other", w: "widget", d: "theme", Escape: "leave",
};

function theme(name) {
  root.dataset.theme = name;
  root.style.colorScheme = name;
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target.closest(".widget") && !event.key.startsWith("Page")) return; // its own keys
  if (event.key === " " && event.target.matches("button, summary, a")) return;
  const name = keys[event.key];
  if (!name) return;
  event.preventDefault();
  does[name]();
});
document.addEventListener("click", ({ target }) => does[target.closest("[data-do]")?.dataset.do]?.());
document.addEventListener("toggle", ({ target }) => {
  target.querySelectorAll?.(".widget").forEach(mount);
  fit(deck[now]);
}, true);
contents.addEventListener("click", ({ target }) => target.closest("a") && listed(false));

const follow = () => show(Math.max(0, deck.findIndex((slide) => slide.id === decodeURIComponent(location.hash.slice(1)))));
addEventListener("hashchange", follow);
addEventListener("resize", () => fit(deck[now]));
root.classList.add("js");
theme(matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
follow();
