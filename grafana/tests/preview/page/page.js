"use strict";
/* Lays the panels out on Grafana's grid, draws each, and writes the result into #outcome. */

const data = JSON.parse(document.getElementById("data").textContent);
const CELL = { height: 30, gap: 8 };
const DRAW = { timeseries: drawTimeSeries, heatmap: drawHeatmap, stat: drawStat, table: drawTable };

function place(element, { x, y, w, h }) {
  const column = (document.getElementById("grid").clientWidth + CELL.gap) / 24;
  Object.assign(element.style, {
    left: `${x * column}px`, top: `${y * (CELL.height + CELL.gap)}px`, width: `${w * column - CELL.gap}px`,
    height: `${h * (CELL.height + CELL.gap) - CELL.gap}px`,
  });
}

/* Draws a panel and returns the box of its content; a row has none. */
function drawPanel(panel) {
  const element = document.createElement("section");
  document.getElementById("grid").append(element);
  place(element, panel.gridPos);
  if (panel.type === "row") {
    element.className = "row";
    element.textContent = `⌄ ${panel.title}`;
    return null;
  }
  element.className = "panel";
  element.innerHTML = `<h2>${escaped(panel.title)}<span class="info">i</span></h2><div class="box"></div>`;
  const box = element.querySelector(".box");
  const error = panel.answers.map((answer) => answer.error).find(Boolean);
  if (error) box.innerHTML = `<div class="error">${escaped(error)}</div>`;
  else if (!DRAW[panel.type]) throw new Error(`the preview lacks the panel ${panel.type}`);
  else DRAW[panel.type](panel, box);
  return box;
}

/* A panel is blank that has neither a canvas of more than one colour nor a text of its own. */
function stateOf({ type }, box) {
  if (!box) return "drawn";
  if (box.querySelector(".error")) return "error";
  if (box.querySelector(".nothing")) return "no data";
  const isPainted = [...box.querySelectorAll("canvas")].some((canvas) => {
    const pixels = new Uint32Array(canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data.buffer);
    return new Set(pixels).size > 1;
  });
  const isWritten = box.innerText.trim() !== "" && (type === "stat" || type === "table");
  return isPainted || isWritten ? "drawn" : "blank";
}

function drawAll() {
  document.getElementById("title").textContent = data.title;
  document.getElementById("range").textContent = `${moment(data.from)} to ${moment(data.to)} UTC`;
  document.getElementById("variables").innerHTML = data.variables
    .map(({ label, value }) => `<span><em>${escaped(label)}</em>${escaped(value)}</span>`).join("")
    + data.annotations.map((each) => `<span><em style="color:${each.color}">┆ ${escaped(each.name)}</em>${each.times.length}</span>`).join("");
  const bottom = Math.max(...data.panels.map(({ gridPos }) => gridPos.y + gridPos.h));
  document.getElementById("grid").style.height = `${bottom * (CELL.height + CELL.gap)}px`;
  return data.panels.map(drawPanel);
}

const errors = [];
window.addEventListener("error", (event) => errors.push(event.message));
function leave(boxes) {
  const panels = boxes.map((box, at) => ({ title: data.panels[at].title, state: stateOf(data.panels[at], box) }));
  const outcome = document.createElement("script");
  outcome.type = "application/json";
  outcome.id = "outcome";
  outcome.textContent = JSON.stringify({ errors, panels }).replace(/</g, "\\u003c");
  document.body.append(outcome);
}

try {
  const boxes = drawAll();
  // uPlot draws in a microtask of its own.
  setTimeout(() => leave(boxes), 300);
} catch (error) {
  errors.push(String(error));
  leave([]);
}
