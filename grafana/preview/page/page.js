"use strict";
/* Lays the panels out on Grafana's grid, draws each, and writes the result into #outcome. */

const data = JSON.parse(document.getElementById("data").textContent);
const CELL = { height: 30, gap: 8 };
const DRAW = { timeseries: drawTimeSeries, heatmap: drawHeatmap, stat: drawStat, gauge: drawStat, bargauge: drawBars,
  table: drawTable, text: drawText };

function place(element, { x, y, w, h }) {
  const column = (document.getElementById("grid").clientWidth + CELL.gap) / 24;
  Object.assign(element.style, {
    left: `${x * column}px`, top: `${y * (CELL.height + CELL.gap)}px`, width: `${w * column - CELL.gap}px`,
    height: `${h * (CELL.height + CELL.gap) - CELL.gap}px`,
  });
}

function drawPanel(panel) {
  const element = document.createElement("section");
  document.getElementById("grid").append(element);
  place(element, panel.gridPos);
  if (panel.type === "row") {
    element.className = "row";
    element.textContent = `⌄ ${panel.title}`;
    return { title: panel.title, type: "row", state: "drawn" };
  }
  element.className = panel.transparent ? "panel clear" : "panel";
  element.innerHTML = `<h2>${escaped(panel.title)}${panel.description ? '<span class="info">i</span>' : ""}</h2><div class="box"></div>`;
  const box = element.querySelector(".box");
  const error = panel.answers.map((answer) => answer.error).find(Boolean);
  if (error) box.innerHTML = `<div class="nothing">${escaped(error)}</div>`;
  else if (!DRAW[panel.type]) throw new Error(`the preview cannot draw a panel of type ${panel.type}`);
  else DRAW[panel.type](panel, box);
  return { title: panel.title, type: panel.type, box, error };
}

/* Ink is a canvas with more than one colour, or text of a height; "No data" is a state of its own. */
function stateOf({ type, box, error }) {
  if (type === "row") return "drawn";
  if (error) return "error";
  if (box.querySelector(".nothing")) return "no data";
  const canvases = [...box.querySelectorAll("canvas")];
  const painted = canvases.some((canvas) => {
    const pixels = new Uint32Array(canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data.buffer);
    return new Set(pixels).size > 1;
  });
  const written = box.innerText.trim() !== "" && (type !== "timeseries" && type !== "heatmap");
  return painted || written ? "drawn" : "blank";
}

function cutOff(box) {
  return box ? box.scrollHeight > box.clientHeight + 2 || box.scrollWidth > box.clientWidth + 2 : false;
}

function drawAll() {
  useTheme(data.theme);
  document.getElementById("title").textContent = data.title;
  document.getElementById("range").textContent = `${moment(data.from)} to ${moment(data.to)} UTC`;
  document.getElementById("variables").innerHTML = data.variables
    .map(({ label, value }) => `<span><em>${escaped(label)}</em>${escaped(value)}</span>`).join("")
    + data.annotations.map((each) => `<span><em style="color:${color(each.color)}">┆ ${escaped(each.name)}</em>${each.events.length}</span>`).join("");
  const bottom = Math.max(...data.panels.map(({ gridPos }) => gridPos.y + gridPos.h));
  document.getElementById("grid").style.height = `${bottom * (CELL.height + CELL.gap)}px`;
  return data.panels.map(drawPanel);
}

const errors = [];
window.addEventListener("error", (event) => errors.push(event.message));
function leave(panels) {
  const outcome = document.createElement("script");
  outcome.type = "application/json";
  outcome.id = "outcome";
  outcome.textContent = JSON.stringify({ errors, panels }).replace(/</g, "\\u003c");
  document.body.append(outcome);
}

try {
  const drawn = drawAll();
  // uPlot draws in a microtask of its own.
  setTimeout(() => leave(drawn.map((each) => ({ title: each.title, type: each.type, state: stateOf(each), cut: cutOff(each.box) }))), 300);
} catch (error) {
  errors.push(String(error));
  leave([]);
}
