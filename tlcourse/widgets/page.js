
// A model for the explorer without a kernel: the pass shown is kept in the address, #pass=N.
const asked = () => Number((location.hash.match(/pass=(\d+)/) || [, STATE.index])[1]);
const listeners = new Set();
const page = {
  get: (name) => STATE[name],
  set: (name, value) => { STATE[name] = value; },
  on: (_, listener) => listeners.add(listener),
  off: (_, listener) => listeners.delete(listener),
  save_changes: () => {
    try {
      history.replaceState(null, "", `#pass=${STATE.index}`);
    } catch {
      // A sandboxed frame has no address of its own; stepping works without it.
    }
  },
};
STATE.index = asked();
addEventListener("hashchange", () => {
  STATE.index = asked();
  listeners.forEach((listener) => listener());
});
render({ model: page, el: document.getElementById("explorer") }).then(() =>
  document.querySelector(".tl-passes").focus(),
);
