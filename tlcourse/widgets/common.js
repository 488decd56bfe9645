// What every widget needs: state, small DOM helpers, type size, theme, lecture mode.
// It is put in front of a widget's own file; nothing is fetched at run time.

const escape = (text) =>
  text.replace(/[&<>"]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[c]);

const fill = (text, ...values) => text.replace(/\{(\d)[^}]*\}/g, (_, k) => values[k]);

function element(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.append(...children);
  return node;
}

// JSON from base64 of gzip, see explorer.py.
async function unpack(text) {
  const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(stream).text());
}

// Scrolls one pane only, so that the notebook around it stays where it is.
function reveal(pane, node) {
  const [outer, inner] = [pane.getBoundingClientRect(), node.getBoundingClientRect()];
  if (inner.top < outer.top || inner.bottom > outer.bottom)
    pane.scrollTop += inner.top - outer.top - 0.4 * outer.height;
}

// Keeps the notebook from taking keys: it looks at the focused element before the root around it.
function ownKeys(root) {
  root.dataset.lmSuppressShortcuts = "true";
  root.addEventListener("focusin", ({ target }) => { target.dataset.lmSuppressShortcuts = "true"; });
}

// Widgets of one page tell each other which line of which text is pointed at; null is none.
const PLACE = "tlcourse:place";
const tellPlace = (from, source, line) => dispatchEvent(new CustomEvent(PLACE, { detail: { from, source, line } }));
function hearPlace(root, follow) {
  const heard = ({ detail }) => detail.from !== root && follow(detail.source, detail.line);
  addEventListener(PLACE, heard);
  return () => removeEventListener(PLACE, heard);
}

// Type size, theme and lecture mode of a widget's root; returns the actions for its keys.
function stage(root, onLecture) {
  const sizes = { normal: 13, lecture: 20 };
  const lecturing = () => root.classList.contains("lecture");
  const resize = (change) => {
    const mode = lecturing() ? "lecture" : "normal";
    sizes[mode] = Math.min(32, Math.max(10, sizes[mode] + change));
    root.style.setProperty("--size", `${sizes[mode]}px`);
  };
  const lecture = (on) => {
    root.classList.toggle("lecture", on);
    if (on) root.requestFullscreen?.().catch(() => {}); // refused in a sandbox: still covers the page
    else if (document.fullscreenElement === root) document.exitFullscreen();
    resize(0);
    onLecture(on);
    root.focus();
  };
  const theme = () => {
    const light = getComputedStyle(root).backgroundColor.match(/\d+/g).slice(0, 3);
    const bright = light.reduce((sum, value) => sum + Number(value), 0) > 384;
    root.style.colorScheme = bright ? "dark" : "light";
  };
  // Out of lecture mode, else back to the notebook's cell.
  const leave = () => {
    if (lecturing()) return lecture(false);
    root.blur();
    (root.closest(".jp-Cell[tabindex]") || root.closest(".jp-Notebook"))?.focus();
  };
  root.addEventListener("fullscreenchange", () => {
    if (document.fullscreenElement !== root && lecturing()) lecture(false);
  });
  resize(0);
  ownKeys(root);
  return {
    "+": () => resize(1), "=": () => resize(1), "-": () => resize(-1),
    d: theme, f: () => lecture(!lecturing()), Escape: leave,
  };
}
