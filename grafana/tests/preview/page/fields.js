"use strict";
/* Series with the settings that apply to them, and tables made of them. */

function fieldOf(panel, name) {
  const { defaults, overrides } = panel.fieldConfig;
  const field = { ...defaults, custom: { ...defaults.custom } };
  for (const { matcher, properties } of overrides) {
    const isMeant = matcher.id === "byName" ? matcher.options === name
      : new RegExp(matcher.options.replace(/^\/|\/$/g, "")).test(name);
    for (const { id, value } of isMeant ? properties : []) {
      if (id.startsWith("custom.")) field.custom[id.slice(7)] = value;
      else field[id] = value;
    }
  }
  return field;
}

const numberOf = (value) => (Number.isFinite(Number(value)) ? Number(value) : null);

function seriesOf(panel) {
  const found = panel.answers.flatMap(({ series }) => series.map(({ name, values }) => (
    { name, values: values.map(([at, value]) => [at, numberOf(value)]), field: fieldOf(panel, name) })));
  const before = {};
  found.forEach((series, at) => {
    const { mode, fixedColor } = series.field.color || {};
    if (mode === "shades") {
      before[fixedColor] = (before[fixedColor] ?? -1) + 1;
      series.color = shadeOf(fixedColor, before[fixedColor]);
    } else series.color = mode === "fixed" ? fixedColor : PALETTE[at % PALETTE.length];
  });
  return found;
}

/* Each table: column names in order, and rows as objects. Values of several queries have names of their own. */
function tables({ answers }) {
  return answers.map(({ ref, series }) => {
    const value = answers.length > 1 ? `Value #${ref}` : "Value";
    const names = [...new Set(series.flatMap(({ labels }) => Object.keys(labels)))].sort();
    const rows = series.map(({ labels, values }) => ({ ...labels, [value]: numberOf(values[values.length - 1][1]) }));
    return { columns: [...names, value], rows };
  });
}

/* Rows that agree in all columns that they share become one. */
function merged(given) {
  const filled = given.filter((table) => table.rows.length);
  if (!filled.length) return { columns: [], rows: [] };
  const shared = filled.map((table) => table.columns).reduce((left, right) => left.filter((name) => right.includes(name)));
  const byKey = new Map();
  for (const row of filled.flatMap((table) => table.rows)) {
    const key = JSON.stringify(shared.map((name) => row[name]));
    const group = byKey.get(key) || [];
    const same = group.find((other) => Object.keys(row).every((name) => other[name] === undefined || other[name] === row[name]));
    if (same) Object.assign(same, row);
    else byKey.set(key, [...group, { ...row }]);
  }
  return { columns: [...new Set(filled.flatMap((table) => table.columns))], rows: [...byKey.values()].flat() };
}

function organized(table, { excludeByName, renameByName, indexByName }) {
  const order = (name) => indexByName[name] ?? table.columns.length;
  const columns = table.columns.filter((name) => !excludeByName[name]).sort((a, b) => order(a) - order(b));
  const renamed = (name) => renameByName[name] || name;
  const rows = table.rows.map((row) => Object.fromEntries(columns.map((name) => [renamed(name), row[name]])));
  return { columns: columns.map(renamed), rows };
}

function tableOf(panel) {
  let found = tables(panel);
  for (const { id, options } of panel.transformations) {
    if (id === "merge") found = [merged(found)];
    else if (id === "organize") found = found.map((table) => organized(table, options));
    else throw new Error(`the preview lacks the transformation ${id}`);
  }
  for (const { displayName, desc } of panel.options.sortBy)
    found[0].rows.sort((a, b) => (desc ? -1 : 1) * (a[displayName] > b[displayName] ? 1 : -1));
  return found[0];
}
