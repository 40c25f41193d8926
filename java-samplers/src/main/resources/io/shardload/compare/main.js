// The page: the answer and the sides, then what weakens it, the charts, and closed sections with the rest.

/** A part that opens by a click, by the link to its content, and on paper. */
function closed(id, title, content) {
  return [id, title, h('section.closed', {}, h('details', {}, h('summary', {}, h('h2', {}, title)), h('div', {id}, content)))];
}

const PARTS = [
  ['differs', 'Not fully comparable', differences(false)],
  ['varied', 'Varied on purpose', differences(true)],
  ['growth', 'Growth', growth()],
  ['ratios', 'Ratios', forest()],
  ['over-time', 'Over time', overTime()],
  closed('latencies', 'Latency by transaction', latencies()),
  closed('rates', 'Rates, CPU and bytes', throughput()),
  closed('figures', 'Figures', statistics()),
  closed('runs', 'Runs', runs()),
  closed('method', 'How it is judged', h('p.note', {}, data.method)),
].filter((part) => part[2]);
drawPage(header(), answers(), notes(),
  h('nav.contents', {'aria-label': 'contents'}, PARTS.map(([id, title]) => h('a', {href: '#' + id}, title))), PARTS.map((part) => part[2]),
  footer('compare.html of the comparison also has other figures, charts of single transactions and values at the pointer.'));
