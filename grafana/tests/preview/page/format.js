"use strict";
/* Colours, and values with the units of the dashboards, rounded as Grafana rounds them. */

const STYLE = getComputedStyle(document.documentElement);
const THEME = Object.fromEntries(["text", "dim", "grid"].map((name) => [name, STYLE.getPropertyValue(`--${name}`).trim()]));
const PALETTE = ["#73BF69", "#F2CC0C", "#8AB8FF", "#FF780A", "#F2495C", "#5794F2", "#B877D9", "#705DA0", "#37872D",
  "#FADE2A", "#447EBC", "#C15C17", "#890F02", "#0A437C", "#6D1F62", "#584477", "#B7DBAB", "#F4D598"];
const TIMES = [[1e-6, "ns", 1e-9], [1e-3, "µs", 1e-6], [1, "ms", 1e-3], [60, "s", 1], [3600, "min", 60], [86400, "hour", 3600],
  [Infinity, "day", 86400]];
/* The base of each unit, and its names from the smallest. */
const UNITS = {
  short: [1000, ["", " K", " Mil", " Bil"]],
  bytes: [1024, [" B", " KiB", " MiB", " GiB", " TiB"]],
  Bps: [1000, [" B/s", " kB/s", " MB/s", " GB/s"]],
  ops: [1000, [" ops/s", "k ops/s", "M ops/s"]],
  iops: [1000, [" io/s", "k io/s", "M io/s"]],
  pps: [1000, [" p/s", "k p/s", "M p/s"]],
};

const escaped = (text) => String(text).replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
const moment = (seconds) => new Date(seconds * 1000).toISOString().slice(0, 19).replace("T", " ");

function digits(value, decimals) {
  if (decimals !== undefined) return value.toFixed(decimals);
  const size = Math.abs(value);
  if (size === 0) return "0";
  const places = size >= 100 ? 0 : size >= 10 ? 1 : size >= 1 ? 2 : Math.min(6, 2 - Math.floor(Math.log10(size)));
  return String(Number(value.toFixed(places)));
}

function time(value, decimals) {
  if (value === 0) return "0 s";
  const [, name, divisor] = TIMES.find(([limit]) => Math.abs(value) < limit);
  const amount = value / divisor;
  const plural = (name === "hour" || name === "day") && Math.abs(amount) !== 1 ? "s" : "";
  return `${digits(amount, decimals)} ${name}${plural}`;
}

function inUnit(value, { unit, decimals }) {
  if (unit === "s") return time(value, decimals);
  if (unit === "percentunit") return `${digits(value * 100, decimals)}%`;
  if (unit === "dateTimeAsIso") return moment(value / 1000);
  if (!UNITS[unit]) throw new Error(`the preview lacks the unit ${unit}`);
  const [base, names] = UNITS[unit];
  let power = 0;
  for (; Math.abs(value) >= base && power < names.length - 1; power += 1) value /= base;
  return digits(value, decimals) + names[power];
}

/* The text and the colour that the panel gives to a value. */
function mapped(value, { mappings = [] }) {
  return mappings.map((mapping) => mapping.options[String(value)]).find(Boolean);
}

function shown(value, field) {
  const found = mapped(value, field);
  if (found) return found.text;
  if (value === null || value === undefined) return field.noValue;
  return typeof value === "number" ? inUnit(value, field) : value;
}

function thresholdColor(value, { thresholds }) {
  return (thresholds?.steps || []).filter((step) => step.value === null || value >= step.value).pop()?.color || PALETTE[0];
}

/* The colour of one of several series of a role: the same hue, lighter and darker in turn. */
function shadeOf(color, index) {
  const toward = index % 2 === 1 ? 255 : 0;
  const share = [0, 0.45, 0.3, 0.7, 0.5][index % 5];
  const parts = [1, 3, 5].map((at) => parseInt(color.slice(at, at + 2), 16));
  return `#${parts.map((part) => Math.round(part + (toward - part) * share).toString(16).padStart(2, "0")).join("")}`;
}

function reduced(values, how) {
  const real = values.filter((value) => value !== null);
  if (!real.length) return null;
  if (how === "mean") return real.reduce((left, right) => left + right, 0) / real.length;
  return { lastNotNull: real[real.length - 1], max: Math.max(...real), min: Math.min(...real) }[how];
}
