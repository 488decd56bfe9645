
// A question with choices. What is chosen is written into the code cell that asks.
// common.js and viewer.js stand in front of this file.

// The editor of the notebook cell that an output belongs to; none outside JupyterLab.
function editorOf(node) {
  const content = node.closest(".jp-CodeCell")?.querySelector(".jp-InputArea .cm-content");
  const tile = content?.cmTile || content?.cmView;
  return tile?.view || tile?.root?.view || tile?.rootView?.view || null;
}

// Where the value of a question stands in a text: [from, to, value].
function valueIn(text, question) {
  const name = question.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  const found = new RegExp(`(answer\\(\\s*["']${name}["']\\s*,\\s*)(["'])([^"'\\n]*)\\2`).exec(text);
  if (!found) return null;
  const from = found.index + found[1].length;
  return [from, from + found[3].length + 2, found[3]];
}

function show(root, model, state) {
  const words = state.labels, title = fill(words.title, state.question), letters = state.choices.map(([letter]) => letter);
  const inCell = () => {
    const editor = editorOf(root), place = editor && valueIn(editor.state.doc.toString(), state.question);
    return place && { editor, place };
  };
  root.setAttribute("aria-label", title);
  root.innerHTML = `
    <div class="choices" role="radiogroup" aria-label="${escape(title)}">${state.choices.map(([letter, text]) =>
      `<button role="radio" data-choice="${letter}"><b>${letter}</b> ${escape(text)}</button>`).join("")}</div>
    <p class="muted said" role="status" aria-live="polite">${escape(words.choose)}</p>`;
  const said = root.querySelector(".said"), buttons = [...root.querySelectorAll("[role=radio]")];
  let chosen = "";

  function draw() {
    for (const button of buttons) {
      const on = button.dataset.choice === chosen;
      button.setAttribute("aria-checked", on);
      button.tabIndex = on || (!chosen && button === buttons[0]) ? 0 : -1;
    }
  }

  function choose(letter) {
    chosen = letter;
    draw();
    buttons[letters.indexOf(letter)].focus();
    const found = inCell();
    if (found) {
      const [from, to] = found.place;
      found.editor.dispatch({ changes: { from, to, insert: `"${letter}"` } });
    }
    said.textContent = fill(words[found ? "written" : "by_hand"], letter);
    kept.keep(letter);
  }

  const step = (way) => () => {
    const at = letters.indexOf(chosen);
    choose(letters[at < 0 ? 0 : (at + way + letters.length) % letters.length]);
  };
  const kept = held(model, (letter) => {
    chosen = letters.includes(letter) ? letter : chosen;
    draw();
  });
  const byLetter = Object.fromEntries(letters.map((letter) => [letter, () => choose(letter)]));
  listen(root, {
    ...byLetter, ArrowDown: step(1), ArrowRight: step(1), ArrowUp: step(-1), ArrowLeft: step(-1),
    Escape: () => {
      document.activeElement.blur();
      root.closest(".jp-Cell[tabindex], .jp-Notebook")?.focus();
    },
  });
  root.addEventListener("click", (event) => {
    const letter = event.target.closest("[data-choice]")?.dataset.choice;
    if (letter) choose(letter);
  });
  // The cell is right, whatever was stored of the widget.
  const value = inCell()?.place[2] ?? model.get("view");
  chosen = letters.includes(value) ? value : "";
  draw();
  return kept.close;
}

async function render({ model, el }) {
  const root = viewRoot(el, "tl-quiz");
  root.removeAttribute("tabindex"); // its buttons take the focus
  return show(root, model, await unpack(model.get("data")));
}

export default { render };
