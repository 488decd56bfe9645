// Parts of the pass explorer: a pass in the list and above its IR, as HTML.

const SIGNS = { input: "▸", changed: "~", unchanged: "=", failed: "✗", skipped: "–" };
const CHECKS = { same: "✓", differs: "✗", unchanged: "" };

const milliseconds = (pass) => (pass.seconds == null ? "" : `${(1000 * pass.seconds).toFixed(1)} ms`);

function checkWords(pass, words) {
  if (!CHECKS[pass.numbers]) return "";
  const worst = (pass.worst ?? 0).toPrecision(2);
  return `${CHECKS[pass.numbers]} ${fill(words[`numbers_${pass.numbers}`], worst)}`;
}

// `apart`: 1 where the IR differs from the other compile's, -1 where that has no such pass.
function passHtml(pass, k, attributes, apart, words) {
  const sum = (way) => pass.ops.reduce((total, [, n]) => total + Math.max(way * n, 0), 0);
  const counts = `${sum(1) ? `+${sum(1)}` : ""} ${sum(-1) ? `−${sum(-1)}` : ""}`.trim();
  const other = apart ? words[apart < 0 ? "only_here" : "differs"] : "";
  const said = [words[pass.status], words[pass.origin], counts && `${words.ops} ${counts}`];
  const spoken = [...said, milliseconds(pass), checkWords(pass, words), other].filter(Boolean).join(", ");
  return (
    `<div role="option" ${attributes} class="${pass.status}" title="${escape(spoken)}">` +
    `<i>${k}</i><i class="sign">${SIGNS[pass.status]}</i><span>${escape(pass.name)}</span><small>` +
    `${counts} ${milliseconds(pass)}${other && ` <b class="apart">${apart < 0 ? "◇" : "≠"}</b>`}` +
    `${CHECKS[pass.numbers] ? ` <b class="${pass.numbers}">${CHECKS[pass.numbers]}</b>` : ""}</small></div>`
  );
}

function headHtml(pass, k, place, effect, words) {
  const chip = (text, name = "") => (text ? `<span class="chip ${name}">${escape(text)}</span>` : "");
  const ops = pass.ops.map(([op, n]) => `${n > 0 ? "+" : "−"}${Math.abs(n)} ${op}`);
  if (ops.length > 5) ops.splice(5, ops.length, `… ${ops.length - 5}`);
  return (
    `<h3><i>${k}</i> ${escape(pass.name)} <small>${escape(pass.options)} ${place}</small></h3>` +
    chip(`${SIGNS[pass.status]} ${words[pass.status]}`, pass.status) + chip(words[pass.phase]) +
    chip(milliseconds(pass)) + chip(checkWords(pass, words), pass.numbers) + `<b>${effect}</b>` +
    ops.map((op) => chip(op)).join("") + pass.notes.map((note) => `<p>${escape(note)}</p>`).join("")
  );
}
