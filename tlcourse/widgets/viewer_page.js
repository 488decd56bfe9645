
// A model for a small viewer without a kernel: the view is kept in the address.
const listeners = new Set();
const page = {
  get: (name) => STATE[name],
  set: (name, value) => { STATE[name] = value; },
  on: (_, listener) => listeners.add(listener),
  off: (_, listener) => listeners.delete(listener),
  save_changes: () => {
    try {
      history.replaceState(null, "", `#${STATE.view}`);
    } catch {
      // A sandboxed frame has no address of its own; the viewer works without it.
    }
  },
};
STATE.view = decodeURIComponent(location.hash.slice(1));
addEventListener("hashchange", () => {
  STATE.view = decodeURIComponent(location.hash.slice(1));
  listeners.forEach((listener) => listener());
});
render({ model: page, el: document.getElementById("view") }).then(() =>
  document.querySelector(".tl-view").focus(),
);
