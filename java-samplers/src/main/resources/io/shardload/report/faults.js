// What was done to the servers during the load, and what it cost.

const FAULT_HEADINGS = ['Fault', ['#At', 'since the start of the load'], ['#For', 'until its end was called'], ['#First error', 'since its begin, as all times to the right'],
  ['#No success', 'the longest time in which no call was answered'], ['#Silent', 'the sum of all such times of at least 100 ms'],
  ['#Answered', 'the server answered checks again'], ['#Recovered', 'rate and p99 were back'], ['#Backlog drained', 'as few arrivals waited as before'],
  ['#Failed', 'calls, until it had recovered'], ['#Unknown', 'calls whose outcome is not known, until it had recovered'],
  ['#Lost writes', 'acknowledged, but not found'], ['#Lost from', 'when the first of them was acknowledged; negative is before its begin'], '#To'];

/** A time with at most two decimals: 5.31 s. */
const faultTime = (value) => known(value) ? Number(value.toFixed(2)) + NARROW_SPACE + 's' : DASH;

function faultRow(one) {
  if (!one.injected) return {cells: [h('b.op', {}, one.name), ...FAULT_HEADINGS.slice(1).map(() => DASH)], why: one.words};
  const never = h('span.seal.bad', {}, mark('bad'), 'never');
  const kinds = Object.entries(one.outcomes).map(([kind, n]) => `${kind} ${count(n)}`).join(', ');
  const times = [one.begin_seconds, known(one.end_seconds) ? one.end_seconds - one.begin_seconds : null, one.first_error_seconds, one.without_success_seconds,
    one.silent_seconds, one.answers_after_seconds].map(faultTime);
  return {cells: [h('b.op', {}, one.name), ...times, known(one.recovered_after_seconds) ? faultTime(one.recovered_after_seconds) : never,
    faultTime(one.backlog_drained_after_seconds), h('span', {title: kinds}, count(one.failed)), h('span', {title: kinds}, count(one.unknown)),
    count(one.lost_writes), faultTime(one.lost_from_seconds), faultTime(one.lost_to_seconds)], why: kinds ? `${one.words}. Errors by kind: ${kinds}` : one.words};
}

function faults() {
  const list = data.summary.faults;
  return list.length ? section('Faults', 'Times count from the begin of a fault. Recovered: three windows in a row in which at least 98 % of what was due was answered (in a closed model: of the rate before), with a p99 of at most 1.5 times the p99 before. '
    + 'A window has whole seconds with at least 1,000 calls. Criteria, limits and the offered rate are judged outside of the time from begin to recovery; all other figures of this page cover it.',
    table(FAULT_HEADINGS, list.map(faultRow))) : null;
}
