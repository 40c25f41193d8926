// The page, from the verdict down to the details.
add(document.getElementById('page'),
  header(), fake(), verdict(), figures(), steps(), ledgers(), generators(), overTime(), machines(), transactions(), phases(), errors(),
  criteria(), verificationSection(), evidence(), environment(),
  footer('report.html in the run bundle also has charts of single transactions and values at the pointer.'));
// On paper nothing can be opened by a click.
addEventListener('beforeprint', () => document.querySelectorAll('details').forEach((one) => { one.open = true; }));
document.documentElement.dataset.ready = 'true';
