"use strict";
// Search: shows only the checks and messages that hold the words, and opens what holds them.
const input = document.getElementById("search");
const found = document.getElementById("found");
const items = [...document.querySelectorAll(".searchable")];
const texts = items.map((item) => item.textContent.toLowerCase());
const folds = [...document.querySelectorAll("details.journey, details.passed")];
const openBefore = new Map(folds.map((fold) => [fold, fold.open]));

function search() {
  const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
  let hits = 0;
  const holding = new Set();
  items.forEach((item, index) => {
    const hit = words.length > 0 && words.every((word) => texts[index].includes(word));
    item.classList.toggle("is-hit", hit);
    item.classList.toggle("is-hidden", words.length > 0 && !hit);
    if (!hit) return;
    hits += 1;
    for (let fold = item.parentElement; fold; fold = fold.parentElement) holding.add(fold);
  });
  for (const fold of folds) {
    fold.open = words.length > 0 ? holding.has(fold) : openBefore.get(fold);
  }
  found.textContent = words.length > 0 ? `${hits} found` : "";
}

// A link into a closed part opens it.
function openTarget() {
  const target = location.hash && document.getElementById(location.hash.slice(1));
  if (!target) return;
  for (let fold = target; fold; fold = fold.parentElement) {
    if (fold.tagName === "DETAILS") fold.open = true;
  }
  target.scrollIntoView({ block: target.classList.contains("row") ? "center" : "start" });
}

input.addEventListener("input", search);
addEventListener("hashchange", openTarget);
addEventListener("keydown", (event) => {
  if (event.key === "/" && document.activeElement !== input) {
    event.preventDefault();
    input.focus();
  } else if (event.key === "Escape" && document.activeElement === input) {
    input.value = "";
    search();
    input.blur();
  }
});
// page.html?q=words opens the page with that search.
input.value = new URLSearchParams(location.search).get("q") ?? "";
search();
openTarget();
