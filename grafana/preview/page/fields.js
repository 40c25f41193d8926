"use strict";
/* Series with the settings that apply to them, and tables made of them. */

function matches(matcher, name, ref) {
  if (matcher.id === "byName") return matcher.options === name;
  if (matcher.id === "byNames") return (matcher.options.names || []).includes(name);
  if (matcher.id === "byFrameRefID") return matcher.options === ref;
  if (matcher.id === "byRegexp") return new RegExp(matcher.options.replace(/^\/|\/\w*$/g, "")).test(name);
  return matcher.id === "byType" && matcher.options === "number";
}

function fieldOf(panel, name, ref) {
  const config = panel.fieldConfig || { defaults: {} };
  const field = { ...config.defaults, custom: { ...(config.defaults?.custom || {}) } };
  for (const override of config.overrides || []) {
    if (!matches(override.matcher, name, ref)) continue;
    for (const { id, value } of override.properties) {
      if (id.startsWith("custom.")) field.custom[id.slice(7)] = value;
      else field[id] = value;
    }
  }
  return field;
}

function seriesOf(panel) {
  const found = [];
  for (const answer of panel.answers)
    for (const { name, labels, values } of answer.series) {
      const numbers = values.map(([at, value]) => [at, Number.isFinite(Number(value)) ? Number(value) : null]);
      found.push({ name, labels, ref: answer.ref, values: numbers, field: fieldOf(panel, name, answer.ref) });
    }
  found.forEach((series, at) => {
    const mode = series.field.color || {};
    series.name = series.field.displayName || series.name;
    if (mode.mode === "shades") series.color = shadeOf(mode.fixedColor, found.slice(0, at)
      .filter((other) => other.field.color?.mode === "shades" && other.field.color.fixedColor === mode.fixedColor).length);
    else if (mode.mode === "fixed") series.color = color(mode.fixedColor);
    else if (mode.mode === "thresholds") series.color = thresholdColor(reduce(series.values.map((v) => v[1])), series.field);
    else series.color = color(PALETTE[at % PALETTE.length]);
  });
  return found;
}

/* Each table: column names in order, and rows as objects. Values of several queries have names of their own. */
function tables(panel) {
  return panel.answers.map((answer) => {
    const value = panel.answers.length > 1 ? `Value #${answer.ref}` : "Value";
    const names = [...new Set(answer.series.flatMap((series) => Object.keys(series.labels)))].sort();
    const rows = answer.series.map((series) => {
      const [at, last] = series.values[series.values.length - 1];
      return { Time: at * 1000, ...series.labels, [value]: Number.isFinite(Number(last)) ? Number(last) : null };
    });
    return { columns: ["Time", ...names, value], rows };
  });
}

/* Rows that agree in all columns that they share become one. */
function merged(given) {
  const filled = given.filter((table) => table.rows.length);
  if (!filled.length) return { columns: [], rows: [] };
  const shared = filled.map((table) => table.columns).reduce((left, right) => left.filter((name) => right.includes(name)));
  const byKey = new Map();
  for (const table of filled)
    for (const row of table.rows) {
      const key = JSON.stringify(shared.map((name) => row[name]));
      const same = (byKey.get(key) || []).find((other) =>
        Object.keys(row).every((name) => other[name] === undefined || other[name] === row[name]));
      if (same) Object.assign(same, row);
      else byKey.set(key, [...(byKey.get(key) || []), { ...row }]);
    }
  const columns = [...new Set(filled.flatMap((table) => table.columns))];
  return { columns, rows: [...byKey.values()].flat() };
}

function organized(table, { excludeByName = {}, renameByName = {}, indexByName = {} }) {
  const order = (name) => indexByName[name] ?? Infinity;
  const columns = table.columns.filter((name) => !excludeByName[name])
    .map((name, at) => [order(name), at, name]).sort((a, b) => (a[0] === b[0] ? a[1] - b[1] : a[0] - b[0]))
    .map((each) => each[2]);
  const renamed = (name) => renameByName[name] || name;
  const rows = table.rows.map((row) => Object.fromEntries(columns.map((name) => [renamed(name), row[name]])));
  return { columns: columns.map(renamed), rows };
}

function tableOf(panel) {
  let found = tables(panel);
  for (const { id, options = {} } of panel.transformations || []) {
    if (id === "merge") found = [merged(found)];
    else if (id === "organize") found = found.map((table) => organized(table, options));
    else throw new Error(`the preview lacks the transformation ${id}`);
  }
  const table = found[0] || { columns: [], rows: [] };
  const [sort] = panel.options?.sortBy || [];
  if (sort) {
    const sign = sort.desc ? -1 : 1;
    table.rows.sort((a, b) => sign * (a[sort.displayName] > b[sort.displayName] ? 1 : -1));
  }
  return table;
}
