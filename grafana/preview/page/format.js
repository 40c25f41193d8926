"use strict";
/* Values with their units, rounded as Grafana rounds them. */

const SCALES = {
  s: [[1e-9, "ns", 1e-9], [1e-6, "ns", 1e-9], [1e-3, "µs", 1e-6], [1, "ms", 1e-3], [60, "s", 1], [3600, "min", 60],
    [86400, "hour", 3600], [Infinity, "day", 86400]],
};
const THOUSANDS = ["", " K", " Mil", " Bil", " Tri"];
const RATES = { ops: " ops/s", reqps: " req/s", rps: " rd/s", wps: " wr/s", iops: " io/s", cps: " c/s", eps: " evt/s",
  mps: " msg/s", opm: " ops/min", rowsps: " rows/s", pps: " p/s", hertz: " Hz", watt: " W", celsius: " °C" };
const PREFIXES = ["", "k", "M", "G", "T", "P"];

function digits(value, decimals) {
  if (decimals !== undefined && decimals !== null) return value.toFixed(decimals);
  const size = Math.abs(value);
  if (size === 0) return "0";
  const places = size >= 100 ? 0 : size >= 10 ? 1 : size >= 1 ? 2 : Math.min(6, 2 - Math.floor(Math.log10(size)));
  return String(Number(value.toFixed(places)));
}

function scaled(value, base, names, decimals) {
  let power = 0;
  while (Math.abs(value) >= base && power < names.length - 1) {
    value /= base;
    power += 1;
  }
  return digits(value, decimals) + names[power];
}

function time(value, decimals) {
  const size = Math.abs(value);
  if (size === 0) return "0 s";
  const [, name, divisor] = SCALES.s.find(([limit]) => size < limit);
  const amount = value / divisor;
  const plural = (name === "hour" || name === "day") && Math.abs(amount) !== 1 ? "s" : "";
  return `${digits(amount, decimals)} ${name}${plural}`;
}

function moment(seconds) {
  return new Date(seconds * 1000).toISOString().slice(0, 19).replace("T", " ");
}

function unit(value, name, decimals) {
  const binary = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"].map((each) => ` ${each}`);
  const decimal = PREFIXES.map((each) => ` ${each}B`);
  if (name === "s") return time(value, decimals);
  if (name === "ms") return time(value / 1e3, decimals);
  if (name === "µs") return time(value / 1e6, decimals);
  if (name === "ns") return time(value / 1e9, decimals);
  if (name === "bytes") return scaled(value, 1024, binary, decimals);
  if (name === "decbytes") return scaled(value, 1000, decimal, decimals);
  if (name === "binBps") return scaled(value, 1024, binary.map((each) => `${each}/s`), decimals);
  if (name === "Bps") return scaled(value, 1000, decimal.map((each) => `${each}/s`), decimals);
  if (name === "bps") return scaled(value, 1000, PREFIXES.map((each) => ` ${each}b/s`), decimals);
  if (name === "percentunit") return `${digits(value * 100, decimals)}%`;
  if (name === "percent") return `${digits(value, decimals)}%`;
  if (name === "short") return scaled(value, 1000, THOUSANDS, decimals);
  if (name === "locale") return value.toLocaleString("en-US");
  if (name in RATES) return scaled(value, 1000, ["", "k", "M", "G"].map((each) => each + RATES[name]), decimals);
  return other(value, name || "none", decimals);
}

function other(value, name, decimals) {
  if (name.startsWith("dateTime")) return name === "dateTimeFromNow" ? `${time(Date.now() / 1e3 - value / 1e3)} ago`
    : moment(value / 1000);
  if (name === "dtdurations") return time(value, decimals);
  if (name.startsWith("bool")) return { bool: ["False", "True"], bool_yes_no: ["No", "Yes"] }[name]?.[value ? 1 : 0]
    ?? (value ? "On" : "Off");
  const custom = /^(suffix|prefix|si):(.*)$/.exec(name);
  if (custom && custom[1] === "prefix") return custom[2] + digits(value, decimals);
  if (custom && custom[1] === "suffix") return digits(value, decimals) + custom[2];
  if (custom) return scaled(value, 1000, PREFIXES.map((each) => ` ${each}${custom[2]}`), decimals);
  return digits(value, decimals) + (name === "none" ? "" : ` ${name}`);
}

function mapped(value, mappings) {
  for (const mapping of mappings || []) {
    const given = mapping.options;
    if (mapping.type === "value" && given[String(value)]) return given[String(value)];
    if (mapping.type === "range" && value !== null && value >= (given.from ?? -Infinity)
      && value <= (given.to ?? Infinity)) return given.result;
    if (mapping.type === "regex" && new RegExp(given.pattern.replace(/^\/|\/$/g, "")).test(String(value)))
      return given.result;
    if (mapping.type === "special" && (given.match === "null" || given.match === "null+nan")
      && (value === null || Number.isNaN(value))) return given.result;
  }
  return null;
}

function shown(value, field) {
  const found = mapped(value, field.mappings);
  if (found && found.text) return found.text;
  if (value === null || value === undefined) return field.noValue || "-";
  return typeof value === "number" ? unit(value, field.unit, field.decimals) : String(value);
}

function thresholdColor(value, field) {
  const steps = field.thresholds?.steps || [{ color: "green", value: null }];
  let chosen = steps[0].color;
  for (const step of steps) if (step.value === null || step.value === undefined || value >= step.value) chosen = step.color;
  return color(chosen);
}

function reduce(values, how) {
  const real = values.filter((value) => value !== null && Number.isFinite(value));
  if (how === "count") return real.length;
  if (how === "last") return values.length ? values[values.length - 1] : null;
  if (!real.length) return null;
  const sum = real.reduce((left, right) => left + right, 0);
  const made = { lastNotNull: real[real.length - 1], firstNotNull: real[0], first: real[0], max: Math.max(...real),
    min: Math.min(...real), mean: sum / real.length, sum, range: Math.max(...real) - Math.min(...real) };
  return made[how] ?? made.lastNotNull;
}
