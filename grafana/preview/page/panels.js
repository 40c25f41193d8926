"use strict";
/* Panels without axes: stat, gauge as bars, table, text. */

const escaped = (text) => String(text).replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);

function tableRow(cells, tag) {
  const row = document.createElement("tr");
  row.innerHTML = cells.map((cell) => `<${tag}>${cell}</${tag}>`).join("");
  return row;
}

function noData(box) {
  box.innerHTML = '<div class="nothing">No data</div>';
}

function statColor(value, series) {
  const found = mapped(value, series.field.mappings);
  if (found && found.color) return color(found.color);
  return (series.field.color?.mode || "thresholds") === "thresholds" && typeof value === "number"
    ? thresholdColor(value, series.field) : series.color;
}

/* The label whose value is shown as text, where the panel says one: options.reduceOptions.fields is its name. */
function textField(panel) {
  const found = /^\/\^(\w+)\$\/$/.exec(panel.options?.reduceOptions?.fields || "");
  return found ? found[1] : null;
}

function statsOf(panel) {
  const [how] = panel.options?.reduceOptions?.calcs || ["lastNotNull"];
  const label = textField(panel);
  return seriesOf(panel).map((series) => {
    const numbers = series.values.map(([, number]) => number);
    const isText = label && series.labels[label] !== undefined;
    return { series, numbers, value: isText ? series.labels[label] : reduce(numbers, how) };
  });
}

function drawStat(panel, box) {
  const found = statsOf(panel);
  if (!found.length) return noData(box);
  const options = panel.options || {};
  const mode = options.textMode || "auto";
  box.style.flexDirection = options.orientation === "horizontal" ? "column" : "row";
  const room = (box.clientWidth / (options.orientation === "horizontal" ? 1 : found.length)) - 10;
  for (const { series, numbers, value } of found) {
    const cell = document.createElement("div");
    cell.className = "stat";
    const text = mode === "name" ? series.name : shown(value, series.field);
    const named = mode === "value_and_name" || (mode === "auto" && found.length > 1);
    const share = named ? 0.4 : 0.55;
    const size = Math.max(12, Math.min(64, box.clientHeight * share, room / (text.length * 0.68)));
    const ink = statColor(value, series);
    if (options.colorMode === "background" || options.colorMode === "background_solid") {
      cell.style.background = ink;
      cell.style.color = readableOn(ink);
    } else cell.style.color = options.colorMode === "none" ? theme.text : ink;
    cell.innerHTML = `${named ? `<small>${escaped(series.name)}</small>` : ""}<b style="font-size:${size}px">${escaped(text)}</b>`;
    if (options.graphMode === "area" && numbers.length > 2 && options.colorMode !== "background") cell.append(spark(numbers, ink, room));
    box.append(cell);
  }
  return null;
}

function readableOn(background) {
  const parts = /^#(..)(..)(..)/.exec(background);
  if (!parts) return theme.text;
  const [red, green, blue] = parts.slice(1).map((part) => parseInt(part, 16));
  return red * 0.299 + green * 0.587 + blue * 0.114 > 140 ? "#111217" : "#ffffff";
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

function drawBars(panel, box) {
  const found = statsOf(panel);
  if (!found.length) return noData(box);
  box.style.flexDirection = "column";
  const most = Math.max(...found.map(({ value, series }) => series.field.max ?? (Number(value) || 0)), 1e-9);
  for (const { series, value } of found) {
    const line = document.createElement("div");
    line.className = "bar";
    const share = Math.max(0, Math.min(1, (value || 0) / most)) * 100;
    line.innerHTML = `<span>${escaped(series.name)}</span><div><div style="width:${share}%;background:${statColor(value, series)}">`
      + `</div></div><b>${escaped(shown(value, series.field))}</b>`;
    box.append(line);
  }
  return null;
}

function drawTable(panel, box) {
  const table = tableOf(panel);
  if (!table.rows.length) return noData(box);
  const element = document.createElement("table");
  element.className = "table";
  const fields = table.columns.map((name) => fieldOf(panel, name, ""));
  const visible = table.columns.map((name, at) => at).filter((at) => !fields[at].custom.hidden);
  element.append(tableRow(visible.map((at) => escaped(fields[at].displayName || table.columns[at])), "th"));
  for (const row of table.rows)
    element.append(tableRow(visible.map((at) => tableCell(row[table.columns[at]], fields[at], table.columns[at])), "td"));
  box.append(element);
  return null;
}

function tableCell(value, field, name) {
  const isTime = name === "Time" && typeof value === "number" && !(field.unit || "").startsWith("dateTime");
  const found = mapped(value, field.mappings);
  const colored = (field.custom.cellOptions?.type || "auto").startsWith("color");
  const ink = found?.color ? color(found.color) : colored && typeof value === "number" ? thresholdColor(value, field) : "";
  const text = escaped(isTime ? moment(value / 1000) : shown(value ?? null, field));
  const place = typeof value === "number" && !found && !isTime ? "text-align:right;" : "";
  const paint = ink && field.custom.cellOptions?.type === "color-background" ? `background:${ink};color:${readableOn(ink)};padding:0 6px` : ink ? `color:${ink}` : "";
  const link = field.links?.length ? "text-decoration:underline;" : "";
  return `<div style="${place}${link}${paint}">${text}</div>`;
}

function drawText(panel, box) {
  const content = document.createElement("div");
  content.className = "text";
  content.textContent = panel.options?.content || "";
  box.append(content);
}
