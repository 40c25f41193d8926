// A curve per figure over the runs of a target, workload and profile: the measured values, joined where they are comparable, the values
// expected from earlier runs, and where it became worse. Runs are equally far apart, whatever the time between them.
const FIGURES = [
  ['rps', 'RPS', 'operations done in time per second', 'low'],
  ['p99_ns', 'p99', 'response time; in a closed model, service time', 'high'],
  ['capacity_per_second', 'Capacity', 'highest sustained rate', 'low']];

const show = (key, value) => key === 'p99_ns' ? duration(value) : known(value) ? rate(value) + '/s' : DASH;
const shortOf = (key) => key === 'p99_ns' ? shortDuration : rate;
const SIGNS = {exact: '', at_least: '≥ ', below: '< '};
const showReading = (key, one) => one ? SIGNS[one.bound] + show(key, one.value) : DASH;
const buildOf = (point) => point.build && point.build.number ? '#' + point.build.number : null;
const startOf = (point) => (point.started || DASH).replace('T', ' ').slice(0, 16);
const signed = (value) => (value > 0 ? '+' : value < 0 ? '−' : '') + Math.abs(value).toFixed(1) + NARROW_SPACE + '%';

/** The runs from which the interval of each point was made, as an outline to be filled, for each stretch without a gap. */
function ranges(key, points) {
  const stretches = [];
  points.forEach((point, i) => {
    const one = point.figures[key];
    if (!one || !known(one.low)) return;
    const last = stretches[stretches.length - 1];
    if (last && last.until === i && one.after === i - 1) last.members.push([i + 1, one]);
    else stretches.push({members: [[i + 1, one]]});
    stretches[stretches.length - 1].until = i + 1;
  });
  return stretches.map(({members}) => {
    const wide = members.length > 1 ? members : [[members[0][0] - 0.3, members[0][1]], [members[0][0] + 0.3, members[0][1]]];
    const upper = wide.map(([x, one]) => [x, one.high]);
    return {name: 'expected range', look: 'range', points: upper.concat(wide.map(([x, one]) => [x, one.low]).reverse(), [upper[0]])};
  });
}

/** Dots of the points that a condition holds for; null without any. */
function dotsOf(key, points, name, look, holds) {
  const dots = points.map((point, i) => [i + 1, point]).filter(([x, point]) => point.figures[key] && holds(point.figures[key], point));
  return dots.length ? {name, look, dots: true, points: dots.map(([x, point]) => [x, point.figures[key].value])} : null;
}

/** The lines of a figure, as places of points: each joins a point to the last earlier one that it is comparable with. */
function lines(key, points) {
  const all = [];
  points.forEach((point, i) => {
    const one = point.figures[key];
    if (!one || one.bound !== 'exact') return;
    const joined = all.find((line) => known(one.after) && line[line.length - 1] === one.after);
    if (joined) joined.push(i);
    else all.push(known(one.after) ? [one.after, i] : [i]);
  });
  return all;
}

/** About six, the newest among them. */
function ticksOf(points) {
  const each = Math.max(1, Math.ceil(points.length / 6));
  return points.map((point, i) => i + 1).filter((x) => (points.length - x) % each === 0);
}

/** The day of a point; its time if the tick before it has the same day. */
function dateOf(points, x) {
  const started = (at) => (points[at - 1] || {}).started || '';
  const ticks = ticksOf(points);
  const isNewDay = started(x).slice(0, 10) !== started(ticks[ticks.indexOf(x) - 1]).slice(0, 10);
  return (isNewDay ? started(x).slice(5, 10) : started(x).slice(11, 16)) || DASH;
}

/** A chart of one figure; null where no run has it. */
function curve(key, title, note, points) {
  const values = points.map((point) => point.figures[key]);
  if (!values.some((one) => one)) return null;
  const exact = (one) => one.bound === 'exact';
  const joined = lines(key, points).map((each) => ({name: title, look: 'm0', points: each.map((i) => [i + 1, values[i].value])}));
  const series = ranges(key, points).concat(joined, [
    dotsOf(key, points, 'verdict ok', 'ok', (one, point) => exact(one) && point.verdict.code === 0 && !one.regression),
    dotsOf(key, points, 'criteria missed', 'missed', (one, point) => exact(one) && point.verdict.code === 3 && !one.regression),
    dotsOf(key, points, 'only a bound is known', 'bound', (one) => !exact(one) && !one.regression),
    dotsOf(key, points, 'regression', 'regression', (one) => one.regression)].filter(Boolean));
  return h('figure.history', {'data-figure': key}, h('figcaption', {}, title, h('small', {}, note)), chart({
    label: spoken(key, title, points), series, height: 260,
    x: {kind: 'linear', low: 0.5, high: points.length + 0.5, ticks: ticksOf(points), format: (x) => dateOf(points, x), name: 'start (UTC, month-day)'},
    y: {kind: key === 'p99_ns' ? 'log' : 'linear', format: shortOf(key)},
    tip: (x) => tipOf(key, points[Math.min(points.length, Math.max(1, Math.round(x))) - 1])}));
}

function tipOf(key, point) {
  const one = point.figures[key];
  const rows = [['run', buildOf(point) || point.name], ['started', startOf(point)], ['verdict', point.verdict.name], ['value', showReading(key, one)]];
  return one && known(one.change_percent) ? rows.concat([['change', signed(one.change_percent)]]) : rows;
}

/** A curve in words. */
function spoken(key, title, points) {
  const all = points.map((point) => (point.figures[key] || {}).value).filter(known);
  const [low, high] = [all.reduce((a, b) => Math.min(a, b)), all.reduce((a, b) => Math.max(a, b))];
  const found = points.filter((point) => (point.figures[key] || {}).regression).length;
  return `${title} of ${all.length} runs, from ${show(key, low)} to ${show(key, high)}; ${found} regressions.`;
}
