"use strict";
/* Panels without axes: stat and table. */

function tableRow(cells, tag) {
  const row = document.createElement("tr");
  row.innerHTML = cells.map((cell) => `<${tag}>${cell}</${tag}>`).join("");
  return row;
}

function noData(panel, box) {
  box.innerHTML = `<div class="nothing">${escaped(panel.fieldConfig.defaults.noValue)}</div>`;
}

function drawStat(panel, box) {
  const { reduceOptions, textMode, graphMode } = panel.options;
  const found = seriesOf(panel);
  if (!found.length) return noData(panel, box);
  const room = box.clientWidth / found.length - 10;
  for (const { name, values, field } of found) {
    const numbers = values.map((each) => each[1]);
    const value = reduced(numbers, reduceOptions.calcs[0]);
    const text = shown(value, field);
    const isNamed = textMode === "value_and_name";
    const size = Math.max(12, Math.min(64, box.clientHeight * (isNamed ? 0.4 : 0.55), room / (text.length * 0.68)));
    const cell = document.createElement("div");
    cell.className = box.clientHeight < 60 ? "stat low" : "stat";
    const fixed = field.color?.mode === "fixed" && field.color.fixedColor;
    cell.style.color = mapped(value, field)?.color || fixed || thresholdColor(value, field);
    cell.innerHTML = `${isNamed ? `<small>${escaped(name)}</small>` : ""}<b style="font-size:${size}px">${escaped(text)}</b>`;
    if (graphMode === "area" && numbers.length > 2) cell.append(spark(numbers, cell.style.color, room));
    box.append(cell);
  }
}

function spark(numbers, ink, width) {
  const canvas = document.createElement("canvas");
  canvas.width = Math.max(20, Math.floor(width));
  canvas.height = 24;
  const context = canvas.getContext("2d");
  const real = numbers.filter((number) => number !== null);
  const [low, high] = [Math.min(...real, 0), Math.max(...real)];
  context.strokeStyle = ink;
  context.beginPath();
  numbers.forEach((number, at) => {
    if (number === null) return;
    context.lineTo((at / (numbers.length - 1)) * canvas.width, 22 - ((number - low) / (high - low || 1)) * 20);
  });
  context.stroke();
  return canvas;
}

function drawTable(panel, box) {
  const { columns, rows } = tableOf(panel);
  if (!rows.length) return noData(panel, box);
  const table = document.createElement("table");
  table.className = "table";
  table.append(tableRow(columns.map(escaped), "th"));
  const fields = columns.map((name) => fieldOf(panel, name));
  for (const row of rows) table.append(tableRow(columns.map((name, at) => tableCell(row[name], fields[at])), "td"));
  box.append(table);
}

function tableCell(value, field) {
  const found = mapped(value, field);
  const isNumber = typeof value === "number" && !found;
  const ink = found?.color || (isNumber && field.custom.cellOptions?.type === "color-text" ? thresholdColor(value, field) : "");
  return `<div style="${isNumber ? "text-align:right;" : ""}${ink ? `color:${ink}` : ""}">${escaped(shown(value, field))}</div>`;
}
