// The switch-board of the pass explorer: what is wanted goes to the kernel, its answer comes back.

const ANSWER_LIMIT_MS = 4000;

function inputHtml(one, name, live) {
  const kind = one.number ? `type="number" min="1" max="99" value="${one.value}"` : 'type="checkbox"';
  const on = !one.number && one.value === "true" ? " checked" : "";
  return `<input ${kind} id="${name}" data-config="${one.config}"${on}${live ? "" : " disabled"}>`;
}

function boardHtml(state, id, live) {
  const words = state.labels;
  const row = (one, k) => {
    const name = `${id}-switch-${k}`, changed = one.value !== one.original;
    const notes = [changed && fill(words.was, one.original), !one.followed && words.not_followed];
    return (
      `<div class="switch${changed ? " changed" : ""}" data-meaning="${escape(one.meaning)}">` +
      `${inputHtml(one, name, live)}<label for="${name}" title="${escape(one.meaning)}"><code>${one.name}</code> ` +
      `<small>${escape(notes.filter(Boolean).join(", "))}</small></label></div>`
    );
  };
  const failure = state.failure
    ? `<b>${words.kept}</b><pre class="failure" role="alert">${escape(state.failure)}</pre>`
    : "";
  const notes = state.notes.map((note) => `<pre>${escape(note)}</pre>`).join("");
  return (
    `${failure}<div class="switches">${state.switches.map(row).join("")}</div>` +
    `<div class="foot"><button type="button" data-key="o">${words.back}</button>` +
    (live ? `<button type="button" data-key="i">${words.measure_time}</button>` : "") +
    (live ? `<button type="button" data-key="m">${words.measure_numbers}</button>` : "") +
    `<span class="said" role="status">${live ? "" : words.read_only}</span>` +
    `<span class="meaning"></span></div>${notes}`
  );
}

// Draws the board and sends what is wanted; `current()` is the state on screen.
function board(root, model, id, current) {
  const form = root.querySelector(".board"), live = Boolean(model.get("wanted"));
  let timer = 0, doing = "", number = model.get("wanted")?.number || 0;
  const say = (text) => { form.querySelector(".said").textContent = text; };

  function draw() {
    const focused = root.contains(document.activeElement) && document.activeElement.id;
    const { switches, failure } = current();
    form.innerHTML = switches.length || failure ? boardHtml(current(), id, live) : "";
    if (focused) form.querySelector(`[id="${focused}"]`)?.focus();
    hear();
  }

  function send(wish, word) {
    clearTimeout(timer);
    model.set("wanted", { number: ++number, ...wish });
    model.save_changes();
    say((doing = current().labels[word]));
    timer = setTimeout(() => say(current().labels.no_kernel), ANSWER_LIMIT_MS);
  }

  // The kernel says at once that it has heard, and again when it is done.
  function hear() {
    const { number: heard, state, seconds } = model.get("answer") || {};
    if (!live || heard !== number || !state) return;
    clearTimeout(timer);
    say(state === "busy" ? doing : state === "failed" ? "" : fill(current().labels.done_in, seconds));
  }

  form.addEventListener("change", () => {
    const inputs = [...form.querySelectorAll("[data-config]")];
    if (!form.checkValidity()) return form.reportValidity();
    const value = (input) => (input.type === "number" ? String(Number(input.value)) : String(input.checked));
    const configs = Object.fromEntries(inputs.map((input) => [input.dataset.config, value(input)]));
    send({ configs }, "compiling");
  });
  const explain = (event) => {
    const one = event.target.closest(".switch");
    if (one) form.querySelector(".meaning").textContent = one.dataset.meaning;
  };
  form.addEventListener("mouseover", explain);
  form.addEventListener("focusin", explain);
  form.addEventListener("submit", (event) => event.preventDefault());
  model.on("change:answer", hear);
  return {
    draw,
    reset: () => {
      const { switches, failure } = current();
      if (live && (failure || switches.some((one) => one.value !== one.original))) send({ configs: {} }, "compiling");
    },
    measure: (what) => live && send({ measure: what }, "measuring"),
    close: () => { clearTimeout(timer); model.off("change:answer", hear); },
  };
}
