// What the server reports: how it runs each transaction, and where the documents lie.

const ACCESS = {
  index: 'index', 'tenant-scan': 'whole tenant', 'full-scan': 'whole table', none: 'nothing to find', unknown: 'not known',
};
const KIND = {generic: 'for any values', custom: 'for each call'};

function plans(all) {
  const whole = (plan) => Object.entries(plan.scans || {}).map(([name, read]) => `${name}: ${count(read)} rows`).join(', ');
  const access = (plan) => plan.access === 'full-scan'
    ? [h('span.seal.bad', {}, mark('bad'), ACCESS[plan.access]), ' ', whole(plan)] : ACCESS[plan.access] || plan.access;
  const rows = (plan) => (known(plan.estimated_rows) ? count(plan.estimated_rows) : DASH);
  return [table(['Transaction', 'Finds rows by', 'Indexes', '#Rows expected', 'Plan', 'Shards'], all.map(([name, plan]) =>
    [h('b.op', {}, name), access(plan), plan.indexes.join(', ') || DASH, rows(plan), KIND[plan.kind] || DASH, plan.shards])),
  details('The plans as the server prints them', all.map(([name, plan]) => [h('h3', {}, name), h('pre.plan', {}, plan.text)]).flat())];
}

// A fact's name says whether it is a number of bytes.
function fact([name, value]) {
  return name.includes('bytes') ? `${name.replace('bytes', '').replace(/[-_]+/g, ' ').trim()} ${bytes(Number(value))}`
    : `${name.replace(/_/g, ' ')} ${value}`;
}

function storage(before, after) {
  const unknown = [['before', before], ['after', after]].filter(([_, one]) => one && one.reason)
    .map(([when, one]) => h('p', {}, `Storage ${when} the run is not known: ${one.reason}`));
  const now = [after, before].find((one) => one && one.placements);
  if (!now) return unknown;
  const at = (one, read) => (one && one.placements ? read(one) : null);
  const both = (read, show) => [at(before, read), at(after, read)].map(show);
  const union = (read) => [...new Set([before, after].flatMap((one) => at(one, read) || []))];
  const number = (n) => (known(n) && n >= 0 ? count(n) : DASH);
  const copies = (one, shard) => one.placements.filter((p) => p.shard === shard);
  const names = (one) => [...new Set(one.placements.map((p) => p.shard))];
  const add = (all) => all.reduce((sum, n) => (n < 0 ? NaN : sum + n), 0);
  // Each copy of a shard holds the same documents, as far as its node answered.
  const documents = (one, shard) => copies(one, shard).reduce((a, p) => Math.max(a, p.documents), -1);
  const sum = (one) => add(names(one).map((shard) => documents(one, shard)));
  const indexes = union((one) => Object.keys(one.index_bytes)).map((name) =>
    [h('b.op', {}, name), ...both((one) => one.index_bytes[name], bytes)]);
  const parts = [h('h3', {}, 'Storage'), table(['Part', '#Before', '#After'], [
    ['documents, as counted by the server', ...both(sum, number)],
    ['their size without indexes', ...both((one) => one.table_bytes, bytes)], ...indexes])];
  const shards = union(names).map((shard) => [h('b.op', {}, shard),
    both((one) => copies(one, shard).map((p) => p.node).join(', '), (nodes) => nodes).find(Boolean) || DASH,
    ...both((one) => documents(one, shard), number),
    ...both((one) => (copies(one, shard).length ? add(copies(one, shard).map((p) => p.bytes)) : null), bytes)]);
  if (shards.length > 1) parts.push(h('h3', {}, 'Shards'), table(['Shard', 'Where', '#Documents before', '#after', '#Size before', '#after'], shards));
  const facts = Object.entries(now.facts || {}).map(fact);
  return [...parts, facts.length ? h('p.note', {}, facts.join(' · ')) : null, ...unknown];
}

function evidence() {
  const found = data.evidence;
  if (!found) return null;
  return section('What the server reports', `Query plans of the statements that the run executes, with ${count(found.documents)} documents loaded; the plans were obtained without executing them. `
      + 'Reading a table of a few pages as a whole is correct. A server’s own count of documents is an estimate.',
  plans(Object.entries(found.plans || {})), storage((found.storage || {}).before, (found.storage || {}).after));
}
