// What the server says: how it runs each transaction, and where the documents lie.

const ACCESS = {index: 'index', 'full-scan': 'whole table', none: 'nothing to find', unknown: 'not told'};

function bytes(n) {
  if (!known(n) || n < 0) return DASH;
  const [size, unit] = [[2 ** 40, 'TiB'], [2 ** 30, 'GiB'], [2 ** 20, 'MiB'], [2 ** 10, 'KiB'], [1, 'B']].find(([least]) => n >= least) || [1, 'B'];
  return figure(n / size) + NARROW_SPACE + unit;
}

function plans(all) {
  const access = (plan) => plan.access === 'full-scan'
    ? h('span.seal.bad', {}, mark('bad'), ACCESS[plan.access]) : ACCESS[plan.access] || plan.access;
  return [table(['Transaction', 'Finds rows by', 'Indexes', 'Shards'], all.map(([name, plan]) =>
    [h('b.op', {}, name), access(plan), plan.indexes.join(', ') || DASH, plan.shards])),
  details('The plans in the server’s own words', all.map(([name, plan]) => [h('h3', {}, name), h('pre.plan', {}, plan.text)]).flat())];
}

function storage(before, after) {
  const now = after || before;
  if (!now || !now.placements) return now && now.reason ? h('p', {}, 'Storage is not known: ' + now.reason) : null;
  const at = (one, read) => (one && one.placements ? read(one) : null);
  const size = (read) => [at(before, read), at(after, read)].map((n) => bytes(n));
  const names = [...new Set([before, after].flatMap((one) => at(one, (s) => s.placements.map((p) => p.shard)) || []))];
  const of = (name) => (one) => one.placements.find((p) => p.shard === name);
  const rows = names.map((name) => {
    const places = [at(before, of(name)), at(after, of(name))];
    const documents = (place) => (place && place.documents >= 0 ? count(place.documents) : DASH);
    return [h('b.op', {}, name), (places[1] || places[0]).node, ...places.map((p) => bytes(p && p.bytes)), ...places.map(documents)];
  });
  const indexes = [...new Set([before, after].flatMap((one) => at(one, (s) => Object.keys(s.index_bytes)) || []))];
  rows.push([h('b.op', {}, 'documents without indexes'), 'all', ...size((one) => one.table_bytes), '', '']);
  indexes.forEach((name) => rows.push([h('b.op', {}, name), 'index', ...size((one) => one.index_bytes[name]), '', '']));
  const facts = Object.entries(now.facts || {});
  return [table(['Shard', 'Where', '#Before', '#After', '#Documents before', '#Documents after'], rows),
    facts.length ? h('p.note', {}, facts.map(([name, value]) => `${name} ${value}`).join(' · ')) : null];
}

function evidence() {
  const told = data.evidence;
  if (!told) return null;
  return section('What the server says', `Plans of the very statements, with ${count(told.documents)} documents loaded; nothing was executed for them. `
      + 'A table of a few pages is rightly read as a whole, and a server’s own count of documents is an estimate.',
  ...plans(Object.entries(told.plans || {})), storage((told.storage || {}).before, (told.storage || {}).after));
}
