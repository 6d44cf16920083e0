"use strict";

// Shows /openapi.json: a section for each address.

function element(tag, text, ...children) {
  const made = document.createElement(tag);
  if (text) made.textContent = text;
  made.append(...children);
  return made;
}

function schema(title, content) {
  const shown = content?.["application/json"]?.schema;
  if (!shown || !Object.keys(shown).length) return [];
  const summary = element("summary", title);
  return [element("details", "", summary, element("pre", JSON.stringify(shown, null, 2)))];
}

function section(method, path, operation) {
  const made = element("section", "", element("h2", `${method.toUpperCase()} ${path}`), element("p", operation.summary));
  if (operation.security) made.append(element("p", "Bears the server's token: Authorization: Bearer TOKEN"));
  made.append(...schema("Body", operation.requestBody?.content));
  const list = element("dl");
  for (const [status, response] of Object.entries(operation.responses)) {
    const content = status === "200" ? schema("Content", response.content) : []; // refusals are alike: {"error": LINE}
    list.append(element("dt", status), element("dd", response.description, ...content));
  }
  made.append(list);
  return made;
}

async function show() {
  const answer = await fetch("/openapi.json");
  const described = await answer.json();
  const example = document.querySelector("pre code");
  example.textContent = example.textContent.replace("http://127.0.0.1:8000", location.origin);
  for (const [path, methods] of Object.entries(described.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      document.getElementById("paths").append(section(method, path, operation));
    }
  }
}

show();
