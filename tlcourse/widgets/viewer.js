
// What small viewers share: header with buttons, keys, a view that goes into the model.

const buttonHtml = (key, words, sign) =>
  `<button data-key="${key}" title="${escape(words)}" aria-label="${escape(words)}">${sign}</button>`;

const stageHtml = (words) =>
  buttonHtml("-", words.smaller, "A−") + buttonHtml("+", words.larger, "A+") +
  buttonHtml("t", words.theme, "◐") + buttonHtml("f", words.lecture, "⤢");

// Keys of a root, and the buttons that stand for them. Fields keep the keys that they need.
function listen(root, actions) {
  root.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || !Object.hasOwn(actions, event.key)) return;
    if (event.target.matches("select, input") && event.key !== "Escape" && !event.key.startsWith("Page")) return;
    if (["Enter", " "].includes(event.key) && event.target.matches("button, summary")) return;
    event.preventDefault();
    event.stopPropagation();
    actions[event.key]();
  });
  root.addEventListener("click", (event) => {
    const key = event.target.closest("[data-key]")?.dataset.key;
    if (key) actions[key]();
  });
}

// Writes the view into the model, and calls `follow` when somebody else did.
function held(model, follow) {
  const heard = () => follow(model.get("view") || "");
  model.on("change:view", heard);
  return {
    keep(view) {
      if (model.get("view") === view) return;
      model.set("view", view);
      model.save_changes();
    },
    close: () => model.off("change:view", heard),
  };
}

function viewRoot(el, name) {
  const root = element("div", { class: `tl-view ${name}`, tabindex: 0, role: "region" });
  ownKeys(root);
  el.append(root);
  return root;
}

const tableHtml = ([head, rows], marked = -1) => {
  const cells = (row, tag) => row.map((cell) => `<${tag}>${escape(String(cell))}</${tag}>`).join("");
  const lines = rows.map((row, k) => `<tr${k === marked ? ' class="chosen"' : ""}>${cells(row, "td")}</tr>`);
  return `<table><thead><tr>${cells(head, "th")}</tr></thead><tbody>${lines.join("")}</tbody></table>`;
};
