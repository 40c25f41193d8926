// What a reader does with a page: a crosshair over all charts of one axis, zoom, the keyboard, and tables that sort and are
// copied. Charts and tables only draw. A static page has none of this.
{
  const tip = h('div.tip', {role: 'status', hidden: ''});
  let current = null;
  let drag = null;

  const viewOf = (target) => target.closest && (target.closest('figure.chart') || {}).view;

  /** The view and those that share its axis. */
  function linked(view) {
    const all = [...document.querySelectorAll('figure.chart')].map((figure) => figure.view).filter(Boolean);
    return view.options.x.link ? all.filter((one) => one.options.x.link === view.options.x.link) : [view];
  }

  /** Where a view has points, in the order of x. */
  function xsOf(view) {
    const [low, high] = view.range || [-Infinity, Infinity];
    const all = view.options.series.flatMap((one) => one.points.map((p) => p[0])).filter((x) => x >= low && x <= high);
    return [...new Set(all)].sort((a, b) => a - b);
  }

  const pixel = (view, event) => {
    const box = view.svg.getBoundingClientRect();
    return (event.clientX - box.left) * view.width / box.width;
  };

  const nearest = (view, at) => xsOf(view).reduce((a, b) => Math.abs(view.x.at(b) - at) < Math.abs(view.x.at(a) - at) ? b : a);

  /** An element of a drawing that is made when it is first needed; a new drawing has none. */
  function overlay(view, kind, name) {
    return view.svg.querySelector('.' + kind) || view.svg.appendChild(s(`${name}.${kind}`, {}));
  }

  function hide() {
    if (!current) return;
    linked(current.view).forEach((view) => overlay(view, 'hair', 'path').setAttribute('d', ''));
    tip.hidden = true;
    current = null;
  }

  function show(view, x, byKey) {
    hide();
    current = {view, x, byKey};
    linked(view).forEach((one) => overlay(one, 'hair', 'path').setAttribute('d', `M${one.x.at(x).toFixed(1)} ${MARGIN.top}V${one.bottom}`));
    put(tip, view.options.tip(x).map(([name, value]) => h('div', {}, h('span', {}, name), h('b', {}, value))));
    view.canvas.append(tip);
    tip.hidden = false;
    const left = view.x.at(x) * view.canvas.clientWidth / view.width;
    const room = tip.offsetWidth + 24;
    tip.style.left = (left + room > view.canvas.clientWidth ? Math.max(0, left - room + 12) : left + 12) + 'px';
  }

  /** Draws a part of the x axis, or all of it. */
  function zoom(view, range) {
    hide();
    linked(view).forEach((one) => {
      one.range = range;
      one.draw();
    });
  }

  document.addEventListener('pointermove', (event) => {
    if (drag) {
      const [from, to] = [drag.at, pixel(drag.view, event)].sort((a, b) => a - b);
      const place = {x: from, y: MARGIN.top, width: to - from, height: drag.view.bottom - MARGIN.top};
      Object.entries(place).forEach(([key, value]) => overlay(drag.view, 'selected', 'rect').setAttribute(key, value));
      return;
    }
    const view = event.target.closest && event.target.closest('.canvas > svg') ? viewOf(event.target) : null;
    if (view && xsOf(view).length) show(view, nearest(view, pixel(view, event)));
    else if (current && !current.byKey) hide();
  });

  document.addEventListener('pointerdown', (event) => {
    const view = event.pointerType === 'mouse' && event.button === 0 && event.target.closest('.canvas > svg') ? viewOf(event.target) : null;
    if (view && xsOf(view).length > 2) drag = {view, at: pixel(view, event)};
  });

  document.addEventListener('pointerup', (event) => {
    if (!drag) return;
    const {view, at} = drag;
    drag = null;
    overlay(view, 'selected', 'rect').remove();
    const ends = [at, pixel(view, event)].map((one) => nearest(view, one)).sort((a, b) => a - b);
    if (ends[0] < ends[1] && Math.abs(pixel(view, event) - at) > 5) zoom(view, ends);
  });

  document.addEventListener('dblclick', (event) => {
    const view = viewOf(event.target);
    if (view) zoom(view, null);
  });

  document.addEventListener('click', (event) => {
    if (event.target.matches('.whole')) zoom(viewOf(event.target), null);
  });

  document.addEventListener('focusout', hide);

  document.addEventListener('keydown', (event) => {
    const view = viewOf(event.target);
    if (!view || event.target !== view.canvas || event.ctrlKey || event.metaKey || event.altKey) return;
    const xs = xsOf(view);
    const i = current && current.view === view ? xs.indexOf(current.x) : -1;
    const to = {ArrowRight: i + 1, ArrowLeft: i < 0 ? xs.length - 1 : i - 1, PageDown: i + 10, PageUp: i - 10, Home: 0, End: xs.length - 1}[event.key];
    const quarter = Math.max(1, Math.floor(xs.length / 4));
    if (to !== undefined && xs.length) show(view, xs[Math.min(xs.length - 1, Math.max(0, to))], true);
    else if (event.key === '+' && xs.length > 4) zoom(view, [xs[Math.max(0, i - quarter)], xs[Math.min(xs.length - 1, Math.max(0, i) + quarter)]]);
    else if (event.key === '-' || event.key === 'Escape') zoom(view, null);
    else return;
    event.preventDefault();
  });

  // Tables.
  const UNITS = {ns: 1e-9, us: 1e-6, ms: 1e-3, KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30, TiB: 2 ** 40, kB: 1e3, MB: 1e6, GB: 1e9};
  const plain = (text) => text.replace(/(\d),(?=\d{3})/g, '$1').replaceAll(NARROW_SPACE, ' ').trim();

  /** What a cell is sorted by: a number in its base unit, or null. */
  function numberOf(cell) {
    const found = /^(?:[≥<] ?)?([+−-]?[\d.]+) ?([µ\w]*)/.exec(plain(cell.textContent));
    return found ? Number(found[1].replace('−', '-')) * (UNITS[found[2]] || 1) : null;
  }

  /** Cells without a number are last, in either direction. */
  function sort(body, head, i) {
    // A line of text below a row moves with it.
    const rows = [];
    [...body.rows].forEach((row) => (row.matches('.why') ? rows[rows.length - 1].push(row) : rows.push([row])));
    const numeric = head.matches('.number');
    const first = numeric ? 'descending' : 'ascending';
    const isTurned = head.getAttribute('aria-sort') === first;
    const sign = isTurned === numeric ? 1 : -1;
    const key = ([row]) => (numeric ? numberOf(row.cells[i]) : plain(row.cells[i].textContent));
    rows.sort((a, b) => {
      const [one, other] = [key(a), key(b)];
      return one === null || other === null ? (one === null) - (other === null) : sign * (numeric ? one - other : one.localeCompare(other, 'en', {numeric: true}));
    });
    [...head.parentElement.cells].forEach((cell) => cell.removeAttribute('aria-sort'));
    head.setAttribute('aria-sort', isTurned ? (numeric ? 'ascending' : 'descending') : first);
    add(body, rows);
  }

  function copy(table, button) {
    const rows = [...table.rows].map((row) => [...row.cells].map((cell) => plain(cell.textContent)).join('\t'));
    // Without a selection there is nothing to copy. The listener below replaces what was selected.
    getSelection().selectAllChildren(table);
    copied = rows.join('\n');
    document.execCommand('copy');
    getSelection().removeAllRanges();
    button.textContent = 'copied';
  }

  let copied = null;
  document.addEventListener('copy', (event) => {
    event.clipboardData.setData('text/plain', copied ?? plain(String(getSelection())));
    copied = null;
    event.preventDefault();
  });

  document.querySelectorAll('thead').forEach((head) => {
    const table = head.parentElement;
    [...head.rows[0].cells].filter((cell) => cell.textContent && table.tBodies[0].rows.length > 1).forEach((cell) => {
      put(cell, h('button.sort', {type: 'button', click: () => sort(table.tBodies[0], cell, cell.cellIndex)}, [...cell.childNodes]));
    });
    const button = h('button.copy', {type: 'button', click: () => copy(table, button)}, 'copy as TSV');
    table.parentElement.after(button);
  });
}
