// The numbers behind the charts, and the runs.
const COLUMNS = [...FIGURES, ['errors_percent', 'errors'], ['refused_percent', 'refused'], ...PHASES, ['generator_cpu_percent', 'generator CPU'], ['table_bytes', 'table'],
  ['index_bytes', 'indexes'], ['server_cpu_ratio', 'CPU of the busiest server machine'],
  ['server_io_per_second', 'server IOPS'], ['server_read_bytes_per_second', 'servers read'], ['server_written_bytes_per_second', 'servers wrote'],
  ['server_read_latency_seconds', 'disk read latency'], ['server_write_latency_seconds', 'disk write latency']];

function scrolled(table) {
  return h('div.scroll', {tabindex: 0}, table);
}

/** Median and variation of every figure in sum, and what follows. */
function statistics() {
  const figures = data.sum.figures;
  // Errors and refused calls are shown where there are any.
  const isShown = (key, cell) => known(cell.at_least) || known(cell.value) && (!['errors_percent', 'refused_percent'].includes(key) || cell.value > 0);
  const shown = COLUMNS.filter(([key]) => SHOWN.some((side) => isShown(key, (figures[side.label] || {})[key] || {})));
  const repeated = SHOWN.some((side) => counted(side).length > 1);
  const head = h('tr', {}, h('th', {}, 'all transactions'), h('th', {}, 'side'), h('th.number', {}, 'together'),
    repeated ? [h('th.number', {}, 'median'), h('th.number', {}, 'variation')] : null,
    h('th.number', {}, 'ratio [95 % interval]'), h('th.number', {}, 'detectable'), h('th', {}, 'verdict'));
  const body = shown.flatMap(([key, name]) => SHOWN.map((side, index) => {
    const cell = (figures[side.label] || {})[key] || {runs: []};
    const effect = index ? data.sum.effects[side.label][key] : null;
    return h('tr', {}, h('th', {scope: 'row'}, name), h('td', {}, letter(side)),
      h('td.number', {}, showCell(key, cell)),
      repeated ? [h('td.number', {}, showCell(key, {value: cell.median, at_least: cell.median_at_least})), h('td.number', {}, percent(cell.variation_percent))] : null,
      h('td.number', {}, effect ? ratioOf(effect) + interval(effect) : ''),
      h('td.number', {}, effect && known(effect.minimum_detectable_ratio)
        ? percent(100 * (effect.minimum_detectable_ratio - 1)) : ''),
      h('td', {title: effect ? effect.reason : null}, effect ? verdictCell(effect, key) : 'base'));
  }));
  return scrolled(h('table', {}, h('thead', {}, head), h('tbody', {}, body)));
}

/** How service times change with the number of documents; null unless it was varied, or grew. */
function growth() {
  const {growth: all, drift} = data;
  const cells = (figures) => ['service_ns.mean', 'service_ns.p50'].map((key) => [
    h('td.number', {}, ratioOf(figures[key]) + interval(figures[key])), h('td', {}, verdictCell(figures[key], key))]);
  const grown = (one) => [one.of ? h('h3', {}, one.of) : null, scrolled(h('table', {},
    h('thead', {}, h('tr', {}, h('th', {}, 'transaction'), h('th.number', {}, 'mean, per doubling'), h('th', {}, 'verdict'),
      h('th.number', {}, 'p50, per doubling'), h('th', {}, 'verdict'))),
    h('tbody', {}, [['all transactions', one.sum]].concat(Object.entries(one.transactions)).map(([name, figures]) =>
      h('tr', {}, h('th', {scope: 'row'}, name), cells(figures))))))];
  const drifts = drift.map((one) => one.sentence).filter(Boolean);
  return all.length || drifts.length ? h('section', {id: 'growth'}, h('h2', {}, 'Growth with the documents'),
    all.length ? h('p.note', {}, 'Ratios of service times per doubling of the documents at the start, with 95 % intervals: 2 is in proportion to the documents, 1 independent of them.') : null,
    all.map(grown), drifts.length ? [h('h3', {}, 'Drift within a run'), h('ul', {}, drifts.map((text) => h('li', {}, text))),
      h('p.note', {}, 'The documents are not the only cause of a drift: caches fill, checkpoints come, and dead rows remain.')] : null) : null;
}

function verdictCell(effect, key) {
  return [h(isFound(effect) ? 'span.found' : 'span', {}, verdictWords(effect, key)), effect.reason ? h('small.note', {}, ': ' + effect.reason) : null];
}

/** Tags and note of a run, as the user gave them. */
function calledNote({tags, note}) {
  const words = Object.entries(tags || {}).map(([key, value]) => `${key}=${value}`).concat(note ? [note] : []).join(', ');
  return words ? h('small.note', {}, ' ' + words) : null;
}

function runs() {
  const rows = SIDES.flatMap((side) => side.runs.map((run) => ({side, run})))
    .sort((a, b) => compareText(a.run.started || '', b.run.started || ''));
  return [h('p.note', {}, 'In the order in which they ran.'),
    scrolled(h('table', {}, h('thead', {}, h('tr', {}, ['side', 'round', 'run', 'verdict', 'rows at start', 'rows at end']
      .map((name) => h(name.startsWith('rows') ? 'th.number' : 'th', {}, name)))),
    h('tbody', {}, rows.map(({side, run}) => h('tr', {}, h('td', {}, letter(side)), h('td', {}, run.round ? String(run.round) : DASH),
      h('td', {}, h('span.text', {}, run.run_id), calledNote(run)),
      h('td', {}, h('span.text', {}, run.left_out ? `left out: ${run.left_out}` : (run.verdict || {}).name || DASH)),
      h('td.number', {}, count(run.rows_at_start)), h('td.number', {}, count(run.rows_at_end)))))))];
}
