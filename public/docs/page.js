// The forms of the reference. Without it, the page is to be read only.

const contents = document.querySelector("nav details");
contents.open = matchMedia("(min-width: 60rem)").matches;

for (const form of document.querySelectorAll("form")) {
  form.hidden = false;
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (form.classList.contains("try")) send(form);
  });
}

for (const choice of document.querySelectorAll("select[data-fills]")) {
  choice.addEventListener("change", () => {
    document.getElementById(choice.dataset.fills).value = choice.value;
  });
}

/** Sends what the form describes, and shows the response in it. */
async function send(form) {
  const status = form.querySelector("output");
  const answer = form.querySelector(".answer");
  const button = form.querySelector("button");
  if (button.ariaDisabled === "true") return;
  // Disabled for good, it would lose the focus.
  button.ariaDisabled = "true";
  status.textContent = "Sending…";
  answer.hidden = true;
  const start = performance.now();
  try {
    const response = await fetch(toUrl(form), toRequest(form));
    const text = await response.text();
    const milliseconds = Math.round(performance.now() - start);
    status.textContent = `${response.status} in ${milliseconds} ms`;
    const headers = [...response.headers].map(([name, value]) => `${name}: ${value}\n`);
    answer.textContent = [...headers, "\n", indent(text)].join("");
    answer.hidden = false;
  } catch (error) {
    status.textContent = `No response: ${error.message}`;
  } finally {
    button.ariaDisabled = null;
  }
}

function toUrl(form) {
  const { path, query } = Object.groupBy(filled(form.querySelectorAll("input[data-in]")), ({ dataset }) => dataset.in);
  const place = (path ?? []).reduce(
    (url, { name, value }) => url.replace(`{${name}}`, encodeURIComponent(value)),
    form.dataset.path,
  );
  const search = new URLSearchParams((query ?? []).map(({ name, value }) => [name, value]));
  return search.size > 0 ? `${place}?${search}` : place;
}

function toRequest(form) {
  const credentials = filled(document.querySelectorAll(".credentials input"));
  const given = filled(form.querySelectorAll("input[data-in=header]"));
  const body = form.querySelector("textarea");
  return {
    method: form.dataset.method,
    cache: "no-store",
    headers: Object.fromEntries([
      ...credentials.map(({ dataset, value }) => [dataset.header, `${dataset.prefix ?? ""}${value.trim()}`]),
      ...given.map(({ name, value }) => [name, value]),
      ...(body ? [["Content-Type", body.dataset.type]] : []),
    ]),
    ...(body ? { body: body.value } : {}),
  };
}

/** What is left empty is not sent. */
function filled(inputs) {
  return [...inputs].filter(({ value }) => value !== "");
}

function indent(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
