// The top of the page: the sides, what prevents a comparison, and the overall results.
const SIDES = data.sides.map((side, index) => ({...side, look: `side-${Math.min(index, 5)}`}));
const BASE = SIDES[0];

const letter = (side) => h('span.letter.' + side.look, {}, side.label);
const counted = (side) => side.runs.filter((run) => !run.left_out);
// The base, and the sides with figures. A side without counted runs has only its card.
const SHOWN = SIDES.filter((side) => side === BASE || counted(side).length);
const OTHERS = counted(BASE).length ? SHOWN.slice(1) : [];
const isTime = (figure) => figure.includes('_ns.') || figure.endsWith('_latency_seconds');

/** A figure in its unit, by its key. */
function show(key, value) {
  if (key.includes('_ns.')) return duration(value);
  if (key.includes('_seconds')) return known(value) ? duration(value * 1e9) : DASH;
  if (key.endsWith('_bytes_per_second')) return byteRate(value);
  if (key.endsWith('_bytes') || key.endsWith('_bytes_per_operation')) return bytes(value);
  if (key.endsWith('_ratio')) return known(value) ? percent(100 * value) : DASH;
  if (key.endsWith('_io_per_operation')) return figure(value);
  return key.endsWith('_percent') ? percent(value) : known(value) ? rate(value) + '/s' : DASH;
}

/** A figure as far as it is known: a percentile among dropped arrivals is a lower bound. */
function showCell(key, cell) {
  return known(cell.at_least) ? '≥ ' + show(key, cell.at_least) : show(key, cell.value);
}

const ratio = (value) => known(value) ? value.toFixed(value >= 10 ? 1 : value >= 0.1 ? 3 : 4) : DASH;

const SIGNS = {at_least: '≥ ', at_most: '≤ '};

/** The ratio of an effect, with the sign of a bound. */
const ratioOf = (effect) => (SIGNS[effect.bound] || '') + ratio(effect.ratio);

/** The verdict of an effect in words. */
function verdictWords(effect, key) {
  if (effect.verdict === 'higher') return isTime(key) ? 'slower' : 'more';
  if (effect.verdict === 'lower') return isTime(key) ? 'faster' : 'less';
  return effect.verdict;
}

const interval = (effect) => known(effect.low) ? ` [${ratio(effect.low)}, ${ratio(effect.high)}]` : '';
const isFound = (effect) => effect.verdict === 'higher' || effect.verdict === 'lower';

/** The smallest difference that this many rounds would show. */
function detectable(effect) {
  const least = effect.minimum_detectable_ratio;
  if (!known(least)) return null;
  const rounds = known(effect.rounds_for_5_percent) ? `about ${effect.rounds_for_5_percent}` : 'over 1000';
  const isTooNoisy = effect.verdict === 'no difference shown' && least > 1.05;
  return `detectable from ${figure(100 * (least - 1))}${NARROW_SPACE}%` +
    (isTooNoisy ? `; 5${NARROW_SPACE}% would take ${rounds} rounds` : '');
}

function header() {
  return h('header', {},
    h('p.brand', {}, s('svg', {viewBox: '0 0 18 18', 'aria-hidden': 'true'},
      s('rect', {x: 1, y: 9, width: 4, height: 8, rx: 1}), s('rect', {x: 7, y: 5, width: 4, height: 12, rx: 1}),
      s('rect', {x: 13, y: 1, width: 4, height: 16, rx: 1})), 'shardload'),
    h('h1', {}, `${SIDES.length} sides compared `, h('span', {}, `${data.sides.flatMap((side) => side.runs).length} runs`)),
    h('div.cast', {}, SIDES.map(card)));
}

function card(side) {
  const used = counted(side).length;
  const rows = [['target', side.target], ['server', side.server], ['durability', side.durability],
    ['profile', side.profile && `${side.profile}, ${side.model} model`], ['bound by', side.bound],
    ['runs', used === side.runs.length ? String(used) : `${used} of ${side.runs.length}, the others are left out`]];
  return h('div.one.' + side.look, {}, h('h2', {}, letter(side), side.name),
    h('dl', {}, rows.filter((row) => row[1]).flatMap(([name, value]) => [h('dt', {}, name), h('dd', {}, value)])));
}

function differences(asked) {
  const shown = data.not_comparable.filter((one) => one.asked_for === asked);
  if (!shown.length) return null;
  return h('section.differs' + (asked ? '' : '.loud'), {},
    h('h2', {}, asked ? 'Varied on purpose' : 'Not fully comparable'),
    h('ul', {}, shown.map((one) => h('li', {}, h('b', {}, one.aspect), asked ? null : ': ' + one.why,
      h('dl', {}, SIDES.flatMap((side) => [h('dt', {}, letter(side)), h('dd', {}, one.values[side.label] || DASH)]))))));
}

function notes() {
  return data.notes.length ? h('ul.findings', {}, data.notes.map((note) => h('li', {}, note))) : null;
}

const PER_OPERATION = [['server_cpu_seconds_per_operation', 'server CPU per operation'],
  ['server_io_per_operation', 'server I/O per operation'], ['server_io_bytes_per_operation', 'server I/O bytes per operation']];

/** What was found over all transactions. */
function answers() {
  if (!OTHERS.length) return null;
  const keys = [['achieved_per_second', 'rate'], ['service_ns.mean', 'service mean'], ['service_ns.p99', 'service p99'],
    ['response_ns.p99', 'response p99'], ...PER_OPERATION];
  return h('div.answers', {}, OTHERS.map((side) => {
    const effects = data.sum.effects[side.label];
    const reasons = [...new Set(keys.map(([key]) => effects[key]).filter((one) => known(one.ratio)).map((one) => one.reason))];
    return h('div.answer', {}, h('h3', {}, letter(side), 'against', letter(BASE), 'all transactions'),
      keys.map(([key, name]) => answer(name, key, effects[key])),
      reasons.filter(Boolean).map((reason) => h('small', {}, 'Not judged: ' + reason + '.')));
  }));
}

function answer(name, key, effect) {
  if (!known(effect.ratio)) return null;
  const shared = SIDES.filter((side) => side.servers.shared).map((side) => side.label);
  const small = [effect.interval === 'within run' ? 'interval covers a single run only' : null, detectable(effect),
    key.startsWith('server_') && shared.length ? `including the use by generators (${shared.join(', ')})` : null];
  return h('p', {}, h('span', {}, name), h('span', {},
    h(isFound(effect) ? 'b' : 'span', {}, `${ratioOf(effect)}${interval(effect)} ${verdictWords(effect, key)}`),
    h('small', {}, small.filter(Boolean).join('; '))));
}
