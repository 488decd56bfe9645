
// A model for the explorer without a kernel. The pass shown is kept in the address, #pass=N, and
// the compile if there are two: #pass=N&compile=1.
const inHash = (name, otherwise) => {
  const found = location.hash.match(new RegExp(`${name}=(\\d+)`));
  return found ? Number(found[1]) : otherwise;
};
const read = () => {
  STATE.track = inHash("compile", STATE.track);
  STATE.index = inHash("pass", STATE.index);
};
const listeners = new Set(); // of the pass alone: nothing else changes here
const page = {
  get: (name) => STATE[name],
  set: (name, value) => { STATE[name] = value; },
  on: (event, listener) => event === "change:index" && listeners.add(listener),
  off: (_, listener) => listeners.delete(listener),
  save_changes: () => {
    try {
      const compile = STATE.track ? `&compile=${STATE.track}` : "";
      history.replaceState(null, "", `#pass=${STATE.index}${compile}`);
    } catch {
      // A sandboxed frame has no address of its own; stepping works without it.
    }
  },
};
read();
addEventListener("hashchange", () => {
  read();
  listeners.forEach((listener) => listener());
});
render({ model: page, el: document.getElementById("explorer") }).then(() =>
  document.querySelector(".tl-passes").focus(),
);
