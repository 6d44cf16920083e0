"use strict";

const TONES = 8;
const NAMES = {
  text: "Text", text_a: "Text", text_b: "Second text", text_c: "Third text", question: "Question", context: "Context",
  candidates: "Candidates, one a line", word_a: "Word in the text", word_b: "Word in the second text",
};
const PLACES = ["words", "start_a", "end_a", "start_b", "end_b", "id"]; // not asked for by this page
const SHORT = ["question", "word_a", "word_b"];
const by = (id) => document.getElementById(id);
let corpora = {};

function element(tag, text, ...children) {
  const made = document.createElement(tag);
  if (text) made.textContent = text;
  made.append(...children);
  return made;
}

async function call(path, options = {}) {
  const token = by("token").value;
  const headers = { ...options.headers, ...(token ? { Authorization: `Bearer ${token}` } : {}) };
  const answer = await fetch(path, { ...options, headers });
  const content = await answer.json();
  if (answer.status === 401) {
    by("token-field").hidden = false;
    throw new Error(token ? "This is not the server's token." : "The server answers those who give its token.");
  }
  if (!answer.ok) throw new Error(content.error ?? `status ${answer.status}`);
  return content;
}

function showFault(error) {
  const shown = element("p", error.message);
  shown.className = "fault";
  by("answer").replaceChildren(shown);
}

async function loadCorpora() {
  try {
    corpora = (await call("/corpora")).corpora;
  } catch (error) {
    showFault(error);
    return;
  }
  by("corpus").replaceChildren(...Object.keys(corpora).map((name) => element("option", name)));
  by("answer").replaceChildren();
  showFields();
}

function showFields() {
  const corpus = corpora[by("corpus").value];
  if (!corpus) return;
  const about = [corpus.kind, corpus.language, `skills: ${corpus.skills.join(", ")}`];
  if (corpus.labels.length) {
    const more = corpus.labels.length > 12 ? ", …" : "";
    about.push(`labels: ${corpus.labels.slice(0, 12).join(", ")}${more}`);
  }
  by("about").textContent = about.join(" · ");
  const asked = new Set([...corpus.texts, ...corpus.keys].filter((key) => !PLACES.includes(key)));
  if (!corpus.texts.includes("question") && corpus.keys.includes("candidates")) asked.delete("question");
  const before = Object.fromEntries([...by("fields").querySelectorAll("[name]")].map((one) => [one.name, one.value]));
  by("fields").replaceChildren(...[...asked].map((key) => {
    const field = document.createElement(SHORT.includes(key) ? "input" : "textarea");
    field.name = key;
    field.dir = "auto";
    field.value = before[key] ?? "";
    if (field.rows) field.rows = key === "context" ? 8 : 3;
    let name = NAMES[key] ?? key;
    if (key === "text" && corpus.kind === "masked_lm") name = "Text, with <mask> where a word is to be guessed";
    return element("label", name, field);
  }));
}

function readFields() {
  const input = {};
  for (const field of by("fields").querySelectorAll("[name]")) {
    if (field.name === "candidates") input.candidates = field.value.split("\n").filter((line) => line.trim());
    else if (field.name !== "text_b" || field.value) input[field.name] = field.value;
  }
  return input;
}

// Offsets count characters, and those of JavaScript count half of some: texts are cut as arrays of characters.
function highlighted(text, places) {
  const shown = element("p", "");
  shown.className = "text";
  shown.dir = "auto";
  const characters = Array.from(text);
  const tones = new Map();
  let at = 0;
  for (const { start, end, type } of places) {
    shown.append(characters.slice(at, start).join(""));
    const mark = element("mark", characters.slice(start, end).join(""), ...(type ? [element("small", type)] : []));
    if (!tones.has(type)) tones.set(type, tones.size % TONES);
    mark.className = `tone${tones.get(type)}`;
    shown.append(mark);
    at = end;
  }
  shown.append(characters.slice(at).join(""));
  return shown;
}

function bars(rows) {
  const table = element("table");
  for (const [name, value] of rows) {
    const meter = element("meter");
    meter.value = value;
    const cells = [element("td", name), element("td", "", meter), element("td", value.toFixed(4))];
    cells[1].className = "bar";
    cells[2].className = "number";
    table.append(element("tr", "", ...cells));
  }
  return table;
}

const best = (shares) => Object.entries(shares).sort((one, other) => other[1] - one[1]);

// What is shown of an answer, by what is in it.
function shown(answer, input) {
  if (answer.entities) {
    const text = answer.entities.length || answer.tags.every((tag) => tag === "O") ? [highlighted(input.text, answer.entities)] : [];
    const tags = answer.words.map((word, number) => `${word}\t${answer.tags[number]}`).join("\n");
    return [...text, element("details", "", element("summary", "Tags"), element("pre", tags))];
  }
  if (answer.n_best) {
    const found = answer.text ? [answer] : [];
    const rows = answer.n_best.map((one) => [one.text || "(no answer)", one.probability]);
    const places = found.map(({ start, end }) => ({ start, end, type: "" }));
    return [element("h2", answer.text || "No answer"), highlighted(input.context, places), bars(rows)];
  }
  if (answer.fills) return answer.fills.flatMap((fill, number) => [element("h2", `Mask ${number + 1}`), bars(best(fill))]);
  if (answer.order) {
    const score = (number) => answer.scores[number]?.toFixed(4) ?? "no answer";
    const list = answer.order.map((number) => element("li", `${input.candidates[number]} (${score(number)})`));
    return [element("ol", "", ...list)];
  }
  if (answer.score !== undefined) return [element("h2", answer.score.toFixed(4))];
  if (answer.probabilities) {
    const label = answer.label ?? (answer.labels.join(", ") || "(none)");
    return [element("h2", label), bars(best(answer.probabilities))];
  }
  if (answer.texts) return [element("h2", "No answer"), ...answer.texts.map((text) => element("p", text))]; // unreadable
  return [];
}

async function ask(event) {
  event.preventDefault();
  if (!Object.keys(corpora).length) {
    await loadCorpora();
    return;
  }
  const button = by("ask").querySelector("button");
  const input = readFields();
  button.disabled = true;
  try {
    const { predictions } = await call("/predict", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ corpus: by("corpus").value, inputs: [input] }),
    });
    const raw = element("details", "", element("summary", "JSON"), element("pre", JSON.stringify(predictions[0], null, 2)));
    by("answer").replaceChildren(...shown(predictions[0], input), raw);
  } catch (error) {
    showFault(error);
  } finally {
    button.disabled = false;
  }
}

by("corpus").addEventListener("change", () => { by("answer").replaceChildren(); showFields(); });
by("token").addEventListener("change", loadCorpora);
by("ask").addEventListener("submit", ask);
loadCorpora();
