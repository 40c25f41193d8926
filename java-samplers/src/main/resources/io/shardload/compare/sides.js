// The first screen: the answer in a sentence, the sides, and what was found over all transactions; then what weakens it.
const SIDES = data.sides.map((side, index) => ({...side, look: `side-${Math.min(index, 5)}`}));
const BASE = SIDES[0];

const letter = (side) => h('span.letter.' + side.look, {}, side.label);
const counted = (side) => side.runs.filter((run) => !run.left_out);
// The base, and the sides with figures. A side without counted runs has only its card.
const SHOWN = SIDES.filter((side) => side === BASE || counted(side).length);
const OTHERS = counted(BASE).length ? SHOWN.slice(1) : [];
const PER_OPERATION = [['server_cpu_seconds_per_operation', 'server CPU per operation'],
  ['server_io_per_operation', 'server I/O per operation'], ['server_io_bytes_per_operation', 'server I/O bytes per operation']];
const COST = 'cost_per_million_transactions';
// Where the costs hold and what they lack; sides with other terms have no ratio.
const COST_TERMS = (BASE.cost || '').split('transactions ')[1];
// By name, in the order in which the answer looks for a difference.
const FIGURES = [['service_ns.mean', 'service mean'], ['response_ns.p50', 'response p50'], ['service_ns.p50', 'service p50'],
  ['response_ns.p99', 'response p99'], ['service_ns.p99', 'service p99'], ['achieved_per_second', 'achieved rate'], ...PER_OPERATION, [COST, 'cost per million transactions']];
const PHASES = [['search_ns.mean', 'search mean'], ['fetch_ns.mean', 'fetch mean']];
const isTime = (figure) => figure.includes('_ns.') || figure.endsWith('_latency_seconds');

/** A figure in its unit, by its key. */
function show(key, value) {
  if (key === COST) return known(value) ? String(Number(value.toPrecision(3))) : DASH;
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

/** A ratio in a sentence, with as many decimals as its interval resolves and as separate its ends from 1. */
function times({ratio: value, low, high, bound, interval: kind}) {
  if (!known(low)) return `${SIGNS[bound] || ''}${figure(value)} times`;
  const digits = [1, 2, 3].find((n) => 10 ** -n < high - low && Math.min(Math.abs(low - 1), Math.abs(high - 1)) >= 10 ** -n / 2) || 4;
  return `${value.toFixed(digits)} times (${kind === 'within run' ? 'within these runs, ' : ''}95 %: ${low.toFixed(digits)} to ${high.toFixed(digits)})`;
}

/** The figures of a side over all transactions that have a ratio; those with a difference come first. */
function ratios(side) {
  const all = FIGURES.map(([key, name]) => ({key, name, effect: data.sum.effects[side.label][key]})).filter((one) => known(one.effect.ratio));
  return all.filter((one) => isFound(one.effect)).concat(all.filter((one) => !isFound(one.effect)));
}

/** A side against the base, such as: B is slower: mean service time 1.8 times (95 %: 1.5 to 2.2). */
function sentence(side) {
  const all = ratios(side);
  if (!all.length) return 'has no figure in common with ' + BASE.label;
  return found(all) + side.promises;
}

function found(all) {
  const {key, name, effect} = all[0];
  const said = `${name.replace(/^(\w+) mean$/, 'mean $1 time')} ${times(effect)}${key === COST ? ', ' + COST_TERMS : ''}`;
  if (!isFound(effect)) return `${effect.reason ? 'is not judged' : 'shows no difference'}: ${said}`;
  const against = all.filter((one) => isTime(key) && isTime(one.key) && isFound(one.effect) && one.effect.verdict !== effect.verdict);
  const verb = isTime(key) ? 'is' : key === 'achieved_per_second' ? 'does' : key === COST ? 'costs' : 'uses';
  return `${verb} ${verdictWords(effect, key)}: ${said}`
    + (against.length ? `; but ${verdictWords(against[0].effect, key)} by ${against.map((one) => one.name).join(', ')}` : '');
}

function verdict() {
  const loud = data.not_comparable.filter((one) => !one.asked_for).map((one) => one.aspect);
  const all = OTHERS.flatMap(ratios);
  const found = all.filter((one) => isFound(one.effect)).length;
  return h('div.verdict.' + (loud.length || !found ? 'warn' : 'plain'), {role: 'status'}, h('div', {},
    data.growth.map((one) => h('h2', {}, h('span', {}, 'Growth: ' + one.sentence))),
    OTHERS.length ? OTHERS.map((side) => h('h2', {}, letter(side), h('span', {}, sentence(side)))) : h('h2', {}, 'There are no two sides with runs that count'),
    loud.length ? h('p', {}, 'Not fully comparable: ', h('a', {href: '#differs'}, loud.join(', '))) : null,
    found ? h('p.note', {}, `${found} of ${all.length} figures over all transactions show a difference. Of twenty without one, about one looks different by chance.`) : null));
}

function header() {
  return h('header', {},
    h('p.brand', {}, s('svg', {viewBox: '0 0 24 24', 'aria-hidden': 'true'}, s('path', {d: 'M3 17h4v4H3zM10 11h4v10h-4zM17 3h4v18h-4z'})), 'shardload'),
    h('h1', {}, `${SIDES.length} sides compared `, h('span', {}, `${data.sides.flatMap((side) => side.runs).length} runs`)),
    verdict(), h('div.cast', {}, SIDES.map(card)));
}

function card(side) {
  const used = counted(side).length;
  const rows = [['target', side.target], ['server', side.server], ['durability', side.durability],
    ['profile', side.profile && `${side.profile}, ${side.model} model`], ['bound by', side.bound],
    ['cost', side.cost && `${showCell(COST, data.sum.figures[side.label][COST])} ${side.cost}`],
    ['runs', used === side.runs.length ? String(used) : `${used} of ${side.runs.length}, the others are left out`]];
  return h('div.one.' + side.look, {}, h('h2', {}, letter(side), side.name),
    h('dl', {}, rows.filter((row) => row[1]).flatMap(([name, value]) => [h('dt', {}, name), h('dd', {}, value)])));
}

function differences(asked) {
  const shown = data.not_comparable.filter((one) => one.asked_for === asked);
  if (!shown.length) return null;
  return h('section.differs' + (asked ? '' : '.loud'), {id: asked ? 'varied' : 'differs'},
    h('h2', {}, asked ? 'Varied on purpose' : 'Not fully comparable'),
    h('ul', {}, shown.map((one) => h('li', {}, h('b', {}, one.aspect), asked ? null : ': ' + one.why,
      h('dl', {}, SIDES.flatMap((side) => [h('dt', {}, letter(side)), h('dd', {}, one.values[side.label] || DASH)]))))));
}

function notes() {
  return data.notes.length ? h('ul.findings', {}, data.notes.map((note) => h('li', {}, note))) : null;
}

/** What was found over all transactions. */
function answers() {
  if (!OTHERS.length) return null;
  return h('div.answers', {}, OTHERS.map((side) => {
    const all = ratios(side);
    const reasons = [...new Set(all.map((one) => one.effect.reason))].filter(Boolean);
    return h('div.answer', {}, h('h3', {}, letter(side), 'against', letter(BASE), 'all transactions'),
      all.map(answer), reasons.map((reason) => h('small', {}, 'Not judged: ' + reason + '.')));
  }));
}

function answer({key, name, effect}) {
  const shared = SIDES.filter((side) => side.servers.shared).map((side) => side.label);
  const small = [effect.interval === 'within run' ? 'interval covers a single run only' : null, detectable(effect),
    key === COST ? COST_TERMS : null, key.startsWith('server_') && shared.length ? `including the use by generators (${shared.join(', ')})` : null];
  return h('p', {}, h('span', {}, name),
    h(isFound(effect) ? 'b' : 'span', {}, `${ratioOf(effect)}${interval(effect)} ${verdictWords(effect, key)}`),
    h('small', {}, small.filter(Boolean).join('; ')));
}
