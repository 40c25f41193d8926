// Verdict, key figures, ledger, verification, environment, how to read.

/** Of a run with steps: the step whose figures are the result, or undefined. */
const shownStep = data.summary.steps.find((step) => step.name === data.step);

const VERDICTS = {
  0: ['Ok', null],
  2: ['Interrupted', 'the run did not reach its planned end'],
  3: ['Missed', 'the measurement is valid'],
  5: ['Invalid', 'its figures do not describe the target'],
};
/** What the data consists of: a folder's tables and collections have rows, as on the console. */
const ROWS = (data.config.workload || {}).folder ? 'rows' : 'documents';

/** Of a run with exit code 4, by what was found wrong. */
function wrongness(verification) {
  if (!verification || verification.verdict !== 'wrong') {
    return ['Wrong answers', 'Answers of the target do not match what was asked or what the workload expects.'];
  }
  return hasChecks(verification) ? ['Wrong data', 'A check of the workload found the data wrong.']
    : ['Wrong documents', 'The target lost or changed writes that it had acknowledged.'];
}
const MARKS = {
  good: 'M5 12.5l4.5 4.5L19 7.5',
  bad: 'M7 7l10 10M17 7L7 17',
  warn: 'M12 6v7.5M12 17.2v.3',
};

function mark(look) {
  return s('svg.mark', {viewBox: '0 0 24 24', 'aria-hidden': 'true'}, s('path', {d: MARKS[look]}));
}

/** The user's names for the run; its name is part of the run's id. */
function called({tags, note}) {
  const named = Object.entries(tags || {}).map(([key, value]) => `${key}=${value}`).join(', ');
  return [['tags', named], ['note', note]].filter((pair) => pair[1]);
}

/** Version and commit of the controller; a run without one has neither. */
function madeBy(shardload) {
  return shardload ? `${shardload.version}, commit ${shardload.commit}` : DASH;
}

function header() {
  const {summary} = data;
  const when = summary.started ? summary.started.slice(0, 19).replace('T', ' ') + ' to ' + (summary.ended || '').slice(11, 19) + ' UTC' : 'time unknown';
  const fact = (name, value) => h('div', {}, h('dt', {}, name), h('dd', {}, String(value ?? DASH)));
  return h('header.top', {},
    h('div.brand', {}, s('svg', {viewBox: '0 0 24 24', 'aria-hidden': 'true'},
      s('path', {d: 'M3 17h4v4H3zM10 11h4v10h-4zM17 3h4v18h-4z'})), 'shardload'),
    h('h1', {}, summary.target ?? 'target', h('span', {}, ' · '), summary.workload ?? 'workload', h('span', {}, ' · '), summary.profile ?? 'profile'),
    h('dl.facts', {}, system().map(([name, value]) => fact(name, value)), fact('run', summary.run_id), called(summary).map(([name, value]) => fact(name, value)), fact('time', when), fact('seed', summary.seed),
      fact('schedule', (summary.schedule_hash ?? DASH).slice(0, 12)), fact('shardload', madeBy(summary.shardload))));
}

/** What was measured: the server, where it is, and how much data it held. */
function system() {
  const {server, client, target, data: held} = data.environment || {};
  const size = (target || {}).keeps_data === false ? {} : (held || {}).size || {};
  return [['server', server && server.name && [server.name, server.version].filter(Boolean).join(' ')], ['host', (client || {}).hosts || (target || {}).host],
    ['data', known(size.documents) && `${count(size.documents)} ${ROWS}${known(size.bytes) ? ', ' + bytes(size.bytes) : ''}`]].filter((pair) => pair[1]);
}

/** At the top, before any figure: the server is not the one that the target is named after. */
function fake() {
  const text = data.summary.fake;
  return text ? h('p.fake', {role: 'alert'}, mark('warn'), h('span', {}, h('b', {}, 'Not a real server: '), text)) : null;
}

/** So many reasons are next to the verdict; the section Findings has all of them. */
const REASONS_SHOWN = 3;

const sentence = (text) => text[0].toUpperCase() + text.slice(1) + '.';

/** What an acknowledgement meant. */
function durability() {
  const {level, words} = data.summary.durability;
  return data.keeps_data ? h('p.durability', {}, h('b.' + (level === 'memory' || level === 'unknown' ? 'weak' : 'kept'), {}, level), ` for an acknowledged write: ${words}`) : null;
}

/** The answer, with the reasons of the verdict. */
function verdict() {
  const {answer, bottleneck, findings, verdict: {code, reasons}} = data.summary;
  const [title, meaning] = code === 4 ? wrongness(data.summary.verification)
    : code === 3 && bottleneck && bottleneck.resource === 'generator' ? ['Missed', 'the generator decided it, not the target'] : VERDICTS[code] || VERDICTS[5];
  const look = code === 0 ? 'good' : code === 3 || code === 2 ? 'warn' : 'bad';
  const others = reasons.filter((reason) => sentence(reason) !== answer);
  const more = others.length - REASONS_SHOWN;
  const notes = [undisturbed(), bottleneck && bottleneck.unless ? `This would be refuted by: ${bottleneck.unless}.` : null,
    findings.length ? h('a', {href: '#findings'}, `${findings.length} finding${findings.length > 1 ? 's' : ''}: read before you use the figures`) : null].filter(Boolean);
  return h('div.verdict.' + look, {role: 'status'}, mark(look),
    h('div', {}, h('h2', {}, title, h('span.exit', {}, `exit ${code}${meaning ? ': ' + meaning : ''}`)),
      h('p.answer' + (code === 5 ? '.void' : ''), {}, answer.replace(/ %/g, '\u00a0%'), bottleneck ? ' ' + sentence(bottleneck.sentence) : null),
      durability(),
      others.length ? h('ul', {}, others.slice(0, REASONS_SHOWN).map((reason) => h('li', {}, reason)), more > 0 ? h('li', {}, `${more} more, under Findings`) : null) : null,
      notes.length ? h('p.note', {}, notes.map((note, i) => [i ? ' ' : '', note])) : null));
}

/** In a run that a generator made invalid: the steps that it did not disturb. */
function undisturbed() {
  const {steps: list, verdict: {reasons}} = data.summary;
  const clean = list.filter((step) => !step.generator_bound && !step.cut).map((step) => step.name);
  const isAlone = data.stepped && clean.length && reasons.length && reasons.every((reason) => reason.startsWith('generator-bound: '));
  return isAlone && clean.length < list.length ? `Not disturbed: ${clean.join(', ')}.` : null;
}

function findings() {
  const {findings: list, verdict: {reasons}} = data.summary;
  const all = [...(reasons.length > REASONS_SHOWN ? reasons : []), ...list];
  return all.length ? section('Findings', 'What to know before you use the figures.', h('ul.findings', {}, all.map((one) => h('li', {}, one)))) : null;
}

function tile(name, value, unit, note, look) {
  return h('div.tile' + (look ? '.' + look : ''), {}, h('span.name', {}, name),
    h('span.value', {}, value, unit ? h('small', {}, unit) : null), h('span.under', {}, note));
}

function latencyTile(name, latency, dropped) {
  const line = [['p50 ', 'p50'], [' · p99.9 ', 'p999']].map(([label, key]) => [label, percentile(latency, key)]);
  return tile(name.replace(/^\w+/, '$& p99'), percentile(latency, 'p99'), null,
    h('span', {}, line.flat(), ' · max ', maximum(latency, dropped)));
}

/** What the target did, where that differs by over 1 % from what was in time, as on the console. */
function answered(perSecond, inTime) {
  return data.open_model && known(perSecond) && Math.abs(perSecond - inTime) > 0.01 * inTime ? ` · answered ${rate(perSecond)}/s whenever due` : '';
}

/** The capacity; of a closed model the rate of its step. Figures of several rates together describe none of them. */
function capacityTile() {
  const {capacity, steps: list} = data.summary;
  const done = shownStep ? `${rate(shownStep.achieved_per_second)}/s done in time${answered(shownStep.answered_per_second, shownStep.achieved_per_second)}` : '';
  if (capacity) {
    return tile(capacity.at_least ? 'Capacity, at least' : 'Capacity', rate(capacity.offered_per_second), '/s',
      `${capacity.step}${capacity.at_least ? ': no step failed, so the target may sustain more' : ', the highest that kept up within the limits'} · ${done}`);
  }
  if (shownStep) return tile(`Throughput ${data.step_place}`, rate(shownStep.achieved_per_second), '/s', done);
  return tile('Capacity', 'none', null, list.some((step) => !step.cut) ? 'no step kept up within the limits' : 'no step was completed', 'warn');
}

function throughputTile(of) {
  const {throughput} = data.summary;
  const share = throughput.offered ? 100 * throughput.achieved / throughput.offered : null;
  return tile('Throughput' + of, rate(throughput.achieved), '/s', data.open_model
    ? `of ${rate(throughput.offered)}/s offered · ${percent(share)}${answered(throughput.answered, throughput.achieved)}` : 'as fast as the workers could', share !== null && share < 98 ? 'warn' : null);
}

/** A generator that stalls delays its measurements. */
function hiccups() {
  const latency = data.summary.hiccup_ns;
  if (!latency || !latency.count) return null;
  return h('p.note.hiccups', {}, `Hiccups of the generator${data.summary.generators.length > 1 ? 's' : ''} during ${data.stepped ? 'all steps' : data.staged ? 'all stages' : 'these measurements'}: `,
    [['p50 ', 'p50'], [' · p99 ', 'p99'], [' · p99.9 ', 'p999']].map(([label, key]) => [label, percentile(latency, key)]).flat(), ' · max ', duration(latency.max));
}

/** What verification found, in a few words. */
function verified(verification) {
  const failed = hasChecks(verification) ? verification.checks.filter((one) => one.verdict === 'wrong').length : 0;
  const checks = hasChecks(verification) ? `${count(verification.checks.length)} checks, ${failed ? count(failed) : 'none'} found the data wrong` : null;
  if (checks && !readsRows(verification)) return checks + '; single rows were not verified';
  if (!wasVerified(verification)) return data.keeps_data ? ROWS + ' not verified' : null;
  const wrong = sum(Object.values(verification.counts || {}));
  return `${count(verification.walked)} ${ROWS} ${verification.mode === 'written' ? 'written by the run, read back' : 'verified'}, ${wrong ? count(wrong) : 'none'} wrong`
    + (checks ? `; ${checks}` : '');
}

/** Three figures, or four with prices, of the segments that verdict and criteria judge; the section Ledger covers the ramp, too. */
function figures() {
  const {latencies, summary: {cost}, total: {ledger}} = data;
  const errors = errorsOf(ledger);
  const of = data.stepped ? ', all steps' : data.staged ? ', all stages' : data.summary.faults.length ? ', with the faults' : '';
  const place = shownStep ? ' ' + data.step_place : of;
  const [name, key] = data.open_model ? ['Response', 'response_ns'] : ['Service', 'service_ns'];
  const dropped = !data.open_model ? null : `${ledger.dropped ? count(ledger.dropped) : 'none'} dropped`;
  const notes = [`${count(errors)} of ${count(ledger.started)} started`, ledger.refused ? `${count(ledger.refused)} refused` : null, dropped, verified(data.summary.verification)].filter(Boolean);
  const tiles = [data.stepped ? capacityTile() : throughputTile(of),
    data.stepped && !shownStep ? null : latencyTile(name + place, latencies[key], (shownStep || {ledger}).ledger.dropped),
    tile('Errors' + of, percent(ledger.started ? 100 * errors / ledger.started : 0), null,
      notes.join(' · '), errors ? 'warn' : null),
    cost ? tile('Cost per million transactions', cost.amount, cost.currency, cost.detail) : null];
  return h('div.tiles' + (data.summary.verdict.code === 5 ? '.invalid' : ''), {'data-columns': cost ? 4 : 3}, tiles);
}

const TERMS = [['scheduled', 'arrivals that were due'], ['started', 'begun by a worker'],
  ['dropped', 'due, never begun'], ['done', 'answered as expected'], ['missing', 'nothing found, legitimately'], ['refused', 'a guard was not met: rolled back'],
  ['failed', 'rejected by the server, no effect'], ['unknown', 'may have happened']];

function term(ledger, name) {
  return h('div.term.' + name, {title: TERMS.find(([key]) => key === name)[1]}, h('b', {}, count(ledger[name])), h('span', {}, name));
}

function equation(ledger, left, parts) {
  const row = [term(ledger, left)];
  parts.forEach((part, i) => row.push(h('span.operator', {}, i ? '+' : '='), term(ledger, part)));
  const total = sum(parts.map((part) => ledger[part])) || 1;
  let from = 0;
  const bar = s('svg.share', {viewBox: '0 0 1000 10', preserveAspectRatio: 'none', 'aria-hidden': 'true'}, parts.map((part) => {
    // Every part is visible, however small.
    const width = ledger[part] ? Math.max(4, 1000 * ledger[part] / total) : 0;
    const rect = s('rect.' + part, {x: Math.min(from, 1000 - width), y: 0, width, height: 10});
    from += width;
    return rect;
  }));
  return h('div.equation', {}, h('div.terms', {}, row), bar);
}

function ledgerCard(title, ledger, closed) {
  return h('div.ledger', {}, h('h3', {}, title, h('span.seal.' + (closed ? 'good' : 'bad'), {}, mark(closed ? 'good' : 'bad'), closed ? 'closed' : 'open')),
    equation(ledger, 'scheduled', ['started', 'dropped']),
    equation(ledger, 'started', ['done', 'missing', ...(ledger.refused ? ['refused'] : []), 'failed', 'unknown']),
    h('p.note', {}, `In addition: ${count(ledger.unasked)} calls did not reach the database (no key was available, or preparing failed), ${count(ledger.retries)} retries, ${count(ledger.stale_reads)} stale reads.`));
}

function closes(ledger) {
  return ledger.scheduled === ledger.started + ledger.dropped
    && ledger.started === answeredOf(ledger) + errorsOf(ledger);
}

function warmUpTitle({seconds, prolonged_seconds: prolonged}) {
  return `Warm-up: ${seconds} s${prolonged ? `, prolonged by ${prolonged} s` : ''}; not part of the results`;
}

function ledgers() {
  const {ledger, warmup_ledger: warmUp} = data.summary;
  const hasWarmUp = warmUp.started + warmUp.dropped > 0;
  return section('Ledger', 'Every arrival is accounted for, or the run is invalid. Checked per generator, segment and transaction. It includes the ramp, which the figures at the top leave out.',
    h('div.ledgers', {}, ledgerCard('Run', ledger, closes(ledger) && (data.ledger_closed || !closes(warmUp))),
      hasWarmUp ? ledgerCard(warmUpTitle(data.summary.warm_up), warmUp, closes(warmUp)) : null));
}

function wasVerified(verification) {
  return verification && verification.verdict !== 'not run' && verification.verdict !== 'skipped';
}

/** The workload's own checks; then single documents are not tracked. */
function hasChecks(verification) {
  return verification && (verification.checks || []).length > 0;
}

/** Whether single rows or documents were read back; the checks may have run besides. */
const readsRows = (verification) => ['all', 'written'].includes(verification.mode);

function checksTable(verification) {
  return hasChecks(verification) ? table(['Check', 'When', 'Result', '#Rows', 'What was found'], verification.checks.map((one) =>
      [h('b.op', {}, one.name), one.when,
        h('span.seal.' + (one.verdict === 'clean' ? 'good' : 'bad'), {}, mark(one.verdict === 'clean' ? 'good' : 'bad'), one.verdict),
        count(one.rows), h('span.text', {}, one.detail || '')])) : null;
}

function verificationSection() {
  const {verification} = data.summary;
  if (hasChecks(verification) && !readsRows(verification)) {
    const said = [verification.scope, verification.caveat].filter(Boolean).join('; ');
    return section('Verification', `The workload's checks ran before and after the run and took ${figure(verification.seconds)} s. Note: ${said}.`, checksTable(verification));
  }
  if (!wasVerified(verification)) {
    const asked = verification && verification.checks ? '' : ' (verification: none)';
    const what = verification && verification.verdict === 'skipped' ? 'Not verified' + asked : 'Not run';
    return section('Verification', null, h('p', {}, what + (verification && verification.reason ? ': ' + verification.reason : '.')));
  }
  const notes = [verification.scope, verification.estimated_documents != null ? `the server estimates ${count(verification.estimated_documents)} documents` : '',
    verification.caveat].filter(Boolean).join('; ');
  const meaning = {lost: 'acknowledged, but not found', resurrected: 'deleted, but still found', doubled: 'one document in two rows',
    foreign: 'rows that the run did not write', corrupted: 'content differs', stale: 'an older edition'};
  const findings = verification.findings || [];
  return section('Verification', `Verification: ${verification.mode || 'all'}. ${count(verification.walked)} ${ROWS} read, ${count(verification.expected)} expected, in ${figure(verification.seconds)} s. `
      + (verification.verdict === 'clean' && verification.walked > verification.expected
        ? `The other ${count(verification.walked - verification.expected)} come from calls with an unknown outcome. ` : '')
      + `${count(verification.settled_unknown || 0)} unknown outcomes settled.` + (notes ? ` Note: ${notes}.` : ''),
    h('div.counts', {}, Object.entries(verification.counts || {}).map(([kind, n]) =>
      h('div' + (n ? '.bad' : ''), {}, h('b', {}, count(n)), h('span', {}, kind), h('small', {}, meaning[kind] || '')))),
    findings.length ? table(['Kind', '#' + (data.config.workload.folder ? 'Row' : 'Document'), 'What was found'],
      findings.slice(0, 20).map((f) => [f.kind, f.name || count(f.ordinal), h('span.text', {}, f.detail || '')]),
      findings.length > 20 ? `${findings.length - 20} more in verification.json` : null) : null,
    hasChecks(verification) ? h('h3', {}, 'Checks of the workload') : null, checksTable(verification));
}

function criteria() {
  const list = data.summary.criteria || [];
  if (!list.length) return null;
  const look = (one) => one.verdict === 'met' ? 'good' : one.passed ? 'warn' : 'bad';
  return section('Criteria', null, table(['Criterion', 'Result', 'Measured'], list.map((one) =>
    [h('span', {title: one.text}, one.words), h('span.seal.' + look(one), {}, mark(look(one)), one.verdict), h('span.text', {}, one.detail || DASH)])));
}

/** Nested settings as rows of dotted names. */
function flatten(value, name) {
  if (value === null || typeof value !== 'object') return [[name, String(value)]];
  return Object.entries(value).flatMap(([key, inner]) => flatten(inner, name ? `${name}.${key}` : key));
}

function details(title, ...content) {
  return h('details', {}, h('summary', {}, title), content);
}

function environment() {
  const rows = (value) => h('div', {}, h('table.plain', {}, h('tbody', {}, flatten(value, '').map(([name, text]) =>
    h('tr', {}, h('th', {scope: 'row'}, name), h('td', {}, text))))));
  const {load, target, workload} = data.config;
  return section('Environment and method', null,
    details('Environment', data.environment ? rows(data.environment) : h('p', {}, 'environment.json is missing.')),
    details('Target, workload and load', rows({target, workload, load})),
    details('How to read the numbers', h('dl.reading', {}, READING.flatMap(([name, text]) => [h('dt', {}, name), h('dd', {}, text)]))));
}

const READING = [
  ['What the result covers', 'Steps and hold; a ramp only if the run has neither. The warm-up is not part of any result. With steps the result is the capacity; rate and latency come from the capacity step. The ledger covers everything except the warm-up.'],
  ['Response and service', 'Response time counts from the moment an operation was due: wait + service. Service time is the call alone, with all its attempts; connect, search and fetch are the parts of the last attempt. A stall of the target is visible in response time and mostly hidden in service time. In a closed model both are equal. All latencies cover answered calls only.'],
  ['Failed calls', 'Failed and unknown calls have their own figures, next to the errors: a call that is rejected at once must not make the target look fast.'],
  ['Phases', 'Each driver defines connect, search and fetch by its own protocol. Compare only service and response across systems.'],
  ['Percentiles', 'Percentiles come from histograms with three significant digits. Histograms of seconds and generators are added, never averaged. A percentile p needs 10/(1-p) samples; with fewer the page shows “too few”. The maximum is exact.'],
  ['Hiccups', 'Every 2 ms a thread of each generator that only sleeps records how late it woke. Whatever delays this thread (garbage collection, too few cores) also delays the operations. The run is invalid if these delays, or late starts while a worker was ready, exceed both 1 ms and a tenth of the response time at p50, p90, p95 or p99. The limits are 10 ms and a half if the server shares the machine. A response percentile that late starts decide by more than that is marked as the generator’s.'],
  ['Dropped arrivals', 'Arrivals that were due, but not begun by the end. Their response times are unknown, so they take the highest ranks. A percentile among them is a lower bound: each dropped arrival counts with the time that it had waited. A mean is a lower bound, too.'],
  ['Over 60 s', 'The histograms end at 60 s. A percentile among longer values, and a mean that includes them, is a lower bound (≥).'],
  ['Achieved', 'Operations per second that were answered before their segment ended. Operations in flight at the end of the segment count up to the number in flight at its beginning. A rate counts as reached at 98 % of the offered rate.'],
  ['Unknown', 'Timed out or cut off: the operation may or may not have happened. Verification accepts both and determines which one happened.'],
];
