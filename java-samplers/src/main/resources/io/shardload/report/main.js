// The page, from the answer down to the details.
const answers = data.stepped ? [steps(), overTime()] : [overTime(), steps()];
const parts = [answers, faults(), findings(), transactions(), phases(), errors(), criteria(), machines(), generators(), ledgers(), verificationSection(), evidence(), environment()];
drawPage(header(), contents(), fake(), verdict(), figures(), parts,
  footer('report.html in the run bundle also has charts of single transactions and values at the pointer.'));
