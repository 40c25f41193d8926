// The page, from the verdict down to the details.
document.getElementById('page').append(...[
  header(), fake(), verdict(), figures(), steps(), ledgers(), generators(), overTime(), machines(), transactions(), phases(), errors(),
  criteria(), verificationSection(), evidence(), environment(),
  h('footer', {}, 'Made by shardload. This page is one file and asks nothing of any network.'),
].filter(Boolean));
// On paper nothing can be opened by a click.
addEventListener('beforeprint', () => document.querySelectorAll('details').forEach((one) => { one.open = true; }));
document.documentElement.dataset.ready = 'true';
