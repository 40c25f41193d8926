// The page, from the verdict down to the details.
add(document.getElementById('page'),
  header(), fake(), verdict(), figures(), steps(), ledgers(), generators(), overTime(), machines(), transactions(), phases(), errors(),
  criteria(), verificationSection(), evidence(), environment(),
  footer('Charts of single transactions, and values at the pointer, are in report.html of the run bundle.'));
// On paper nothing can be opened by a click.
addEventListener('beforeprint', () => document.querySelectorAll('details').forEach((one) => { one.open = true; }));
document.documentElement.dataset.ready = 'true';
