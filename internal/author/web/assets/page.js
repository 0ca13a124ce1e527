// The page works without this script. It answers as you type, and copies.
"use strict";
const status = document.getElementById("status");
const form = document.querySelector("form[data-live]");
let running, timer;

// refresh replaces the results with those of another address.
async function refresh() {
  const url = new URL(form.action);
  for (const [name, value] of new FormData(form)) {
    if (value !== "") url.searchParams.append(name, value);
  }
  running?.abort();
  const mine = (running = new AbortController());
  try {
    const answer = await fetch(url, { signal: mine.signal });
    if (answer.status === 401) return location.reload();
    const next = new DOMParser().parseFromString(await answer.text(), "text/html");
    if (mine.signal.aborted) return;
    document.title = next.title;
    status.textContent = next.getElementById("status").textContent;
    for (const part of ["nav", "#results"]) document.querySelector(part).replaceWith(next.querySelector(part));
    history.replaceState(null, "", document.getElementById("results").dataset.address);
    enhance();
  } catch (error) {
    if (!mine.signal.aborted) status.textContent = "The server does not answer. Is it still running?";
  }
}

function later(delay) {
  clearTimeout(timer);
  timer = setTimeout(refresh, delay);
}

// enhance shows what only works with this script.
function enhance() {
  for (const button of document.querySelectorAll("[data-copy]")) button.hidden = false;
}

form?.addEventListener("input", (event) => {
  if (event.target.type === "range") {
    document.getElementById("tokens").textContent = Number(event.target.value).toLocaleString("en") + " tokens";
  }
  later(event.target.type === "range" ? 60 : 180);
});

form?.addEventListener("submit", (event) => {
  event.preventDefault();
  later(0);
});

document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-copy]");
  if (!button) return;
  const source = document.getElementById(button.dataset.copy);
  try {
    await navigator.clipboard.writeText(source.textContent);
    status.textContent = "Copied.";
  } catch {
    getSelection().selectAllChildren(source); // over plain HTTP, browsers only let people copy
    status.textContent = "Selected: copy it with your keyboard.";
  }
});

document.addEventListener("keydown", (event) => {
  const field = document.getElementById("q") ?? document.getElementById("id");
  if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, select, textarea")) return;
  event.preventDefault();
  field?.focus();
  field?.select();
});

enhance();
