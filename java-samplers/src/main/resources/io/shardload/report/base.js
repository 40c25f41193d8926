'use strict';
// Everything of the run, and helpers that build elements. Text enters the page through textContent
// only: nothing in the data can become markup.
// All scripts of pages run in browsers and, for static pages, in Rhino. It parses neither for (const ... of), f(...list)
// nor (...list) =>, it misreads patterns with a hole, and its const holds for a whole function: loop with forEach, name
// every part of a pattern, declare a name once per function.
addEventListener('error', (event) => {
  document.documentElement.dataset.failure = event.message;
});
const data = JSON.parse(document.getElementById('data').textContent);
const ALL = '';

/** Whether the page is drawn once, for readers without scripts: controls are left out. */
const STATIC = document.isStatic === true;

/** An element: h('p.note', {title: 'x'}, 'text', child). Null children are left out. */
function h(name, attributes, ...children) {
  return fill(document.createElement(name.split('.')[0]), name, attributes, children);
}

/** The same in SVG. */
function s(name, attributes, ...children) {
  const space = 'http://www.w3.org/2000/svg';
  return fill(document.createElementNS(space, name.split('.')[0]), name, attributes, children);
}

function fill(element, name, attributes, children) {
  const classes = name.split('.').slice(1).join(' ');
  if (classes) element.setAttribute('class', classes);
  Object.entries(attributes || {}).forEach(([key, value]) => {
    if (typeof value === 'function') element.addEventListener(key, value);
    else if (value !== null && value !== undefined && value !== false) element.setAttribute(key, value);
  });
  return add(element, children);
}

/** Appends children, of which some may be lists. Null children are left out. */
function add(element, ...children) {
  children.flat(Infinity).forEach((child) => {
    if (child !== null && child !== undefined && child !== false) element.append(child);
  });
  return element;
}

/** The same in place of what the element had. */
function put(element, ...children) {
  element.replaceChildren();
  return add(element, children);
}

/** A choice in a heading: what the reader chooses is drawn. A static page has what is drawn at first. */
function choice(name, options, draw) {
  return STATIC ? null : h('label.choice', {}, name, h('select', {change: (event) => draw(event.currentTarget.value)},
    options.map(([value, text]) => h('option', {value}, text))));
}

const NARROW_SPACE = '\u202f';
const DASH = '–';
const known = (value) => value !== null && value !== undefined && Number.isFinite(value);

/** 30000 as 30,000. */
function count(n) {
  return known(n) ? String(Math.round(n)).replace(/\B(?=(\d{3})+$)/g, ',') : DASH;
}

/** Three significant digits, never in powers of ten. */
function figure(value) {
  if (!known(value)) return DASH;
  const size = Math.abs(value);
  if (size >= 1000) return count(value);
  if (size === 0) return '0';
  return value.toFixed(size >= 100 ? 0 : size >= 10 ? 1 : size >= 1 ? 2 : 3);
}

function rate(perSecond) {
  if (!known(perSecond)) return DASH;
  return perSecond >= 1000 ? count(perSecond) : String(Number(perSecond.toFixed(1)));
}

function percent(value) {
  if (!known(value)) return DASH;
  const text = value !== 0 && Math.abs(value) < 0.01 ? '< 0.01' : String(Number(value.toFixed(2)));
  return text + NARROW_SPACE + '%';
}

/** Nanoseconds in the unit that suits, three significant digits. */
function duration(ns) {
  if (!known(ns)) return DASH;
  const units = [[1e9, 's'], [1e6, 'ms'], [1e3, 'us'], [1, 'ns']];
  const [size, unit] = units.find(([least]) => ns >= least * 0.9995) || [1, 'ns'];
  const value = ns / size;
  const digits = size === 1 || value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
  return value.toFixed(digits) + NARROW_SPACE + unit;
}

/** For axes: 0.5 ms, 2 ms, without digits that say nothing. */
function shortDuration(ns) {
  return ns === 0 ? '0' : duration(ns).replace(/\.0+(?=\D)/, '').replace(/(\.\d*?)0+(?=\D)/, '$1');
}

/** The lower bound of a figure, if only this is known. */
function atLeast(latency, key) {
  return (latency.at_least_ns || {})[key];
}

/** The mean; with values over 60 s only a lower bound. */
function mean(latency) {
  return known(latency.mean) ? duration(latency.mean) : known(atLeast(latency, 'mean')) ? '≥ ' + duration(atLeast(latency, 'mean')) : DASH;
}

/** A percentile: its value, or what is known instead, with the reason as a hint. */
function percentile(latency, key) {
  if (!latency || latency.count === 0) return DASH;
  const without = (latency.without_generators_ns || {})[key];
  if (known(without)) {
    return h('span.own', {title: `Decided by delays of the generator itself, not by the target: ${duration(without)} without them.`},
      duration(latency[key]), h('small', {}, ' (the generator’s)'));
  }
  if (known(latency[key])) return duration(latency[key]);
  if (known(atLeast(latency, key))) {
    return h('span', {title: 'A lower bound: this percentile lies among dropped arrivals or values over 60 s.'},
      '≥ ' + duration(atLeast(latency, key)));
  }
  const needed = {p50: 20, p90: 100, p95: 200, p99: 1000, p999: 10000}[key];
  return h('abbr.few', {title: `not enough samples: ${count(latency.count)} of ${count(needed)}`}, 'too few');
}

/** The measured maximum; with dropped arrivals only a lower bound. */
function maximum(latency, dropped) {
  if (!latency || !known(latency.max)) return DASH;
  return (dropped > 0 ? '≥ ' : '') + duration(latency.max);
}

/** The sections that were made so far, in their order. */
const SECTIONS = [];

/** A section with an anchor. The title may be a pair, with what is at its right side. */
function section(title, note, ...content) {
  const [text, beside] = [title].flat();
  const name = text.toLowerCase().replace(/[^a-z0-9]+/g, '-');
  const id = SECTIONS.some((one) => one.id === name) ? `${name}-${SECTIONS.length}` : name;
  SECTIONS.push({id, text});
  const heading = h('h2', {}, text);
  return h('section', {id}, beside ? h('div.heading', {}, heading, beside) : heading, note ? h('p.note', {}, note) : null, content);
}

/** Links to the sections that were made so far. */
function contents() {
  return h('nav.contents', {'aria-label': 'Contents'}, SECTIONS.map(({id, text}) => h('a', {href: '#' + id}, text)));
}

/** Fills the page. Its tables are named by the heading before them, for readers who go from table to table. */
function drawPage(...content) {
  const ids = new Map();
  let heading = null;
  const name = (element) => {
    if (/^(h[1-3]|summary)$/.test(element.localName)) heading = element;
    if (element.localName === 'table') {
      ids.set(heading, ids.get(heading) || `heading-${ids.size + 1}`);
      heading.setAttribute('id', ids.get(heading));
      element.setAttribute('aria-labelledby', ids.get(heading));
    }
    [...(element.children || [])].forEach(name);
  };
  name(add(document.getElementById('page'), content));
  document.documentElement.dataset.ready = 'true';
}

/** The footer: what a static page leaves out, or that this page is complete. */
function footer(elsewhere) {
  return h('footer', {}, 'Made by shardload. ', STATIC ? elsewhere : 'This page is one file and needs no network.');
}

const errorsOf = (ledger) => ledger.failed + ledger.unknown;
const answeredOf = (ledger) => ledger.done + ledger.missing + ledger.refused;
const compareText = (a, b) => (a < b ? -1 : a > b ? 1 : 0);
const sum = (numbers) => numbers.reduce((a, b) => a + b, 0);

/** A size, in powers of 1024. */
function bytes(n) {
  if (!known(n) || n < 0) return DASH;
  const [size, unit] = [[2 ** 40, 'TiB'], [2 ** 30, 'GiB'], [2 ** 20, 'MiB'], [2 ** 10, 'KiB'], [1, 'B']].find(([least]) => n >= least) || [1, 'B'];
  return figure(n / size) + NARROW_SPACE + unit;
}

/** Powers of ten, so that the ticks of an axis are round. */
function byteRate(perSecond) {
  if (!known(perSecond)) return DASH;
  const [size, unit] = [[1e9, 'GB'], [1e6, 'MB'], [1e3, 'kB'], [1, 'B']].find(([least]) => perSecond >= least) || [1, 'B'];
  return Number((perSecond / size).toPrecision(3)) + NARROW_SPACE + unit + '/s';
}
