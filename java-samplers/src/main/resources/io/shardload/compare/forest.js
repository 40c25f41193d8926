// Ratios to the base with their intervals, one line per transaction and side, around 1.
const FOREST = {left: 26, row: 20, head: 18, foot: 8, axis: 24, text: 285, most: 8};

function forest() {
  if (!OTHERS.length) return null;
  const canvas = h('div.canvas.forest', {});
  // The figure of the answer first.
  const [lead] = ratios(OTHERS[0]).map((one) => one.key);
  const ofCalls = FIGURES.filter(([name]) => !name.startsWith('server_') && name !== COST).concat(PHASES);
  const options = ofCalls.filter(([name]) => name === lead).concat(ofCalls.filter(([name]) => name !== lead));
  let key = options[0][0];
  const draw = () => canvas.replaceChildren(drawForest(key, Math.max(300, canvas.clientWidth || 1100)));
  const show = (chosen) => {
    key = chosen;
    draw();
  };
  redrawn(canvas, draw);
  return h('section', {id: 'ratios'},
    h('div.heading', {}, h('h2', {}, 'Ratio to ', letter(BASE)), choice('figure', options, show)),
    h('p.note', {}, 'The line at 1 is the base. Bars are 95 % intervals. Decide by “all transactions”.'), canvas,
    h('p.keys', {}, h('span', {}, '● difference found'), h('span', {}, '○ no difference shown, or not judged'),
      h('span', {}, '┅ within one run only'), h('span', {}, '●▶ a lower bound'),
      h('span', {}, '▶ extends beyond the scale; the line shows its figures')));
}

function forestRows(key) {
  const figureName = FIGURES.concat(PHASES).find((one) => one[0] === key)[1];
  return [[`${figureName}, all transactions`, data.sum], ...Object.entries(data.transactions)].map(([name, one]) => (
    {name, effects: OTHERS.map((side) => ({side, effect: one.effects[side.label][key]}))}));
}

/** From 1/reach to reach on a log scale, wide enough for most intervals. */
function reachOf(rows) {
  const ends = rows.flatMap((row) => row.effects.flatMap(({effect}) => [effect.ratio, effect.low, effect.high]))
    .filter((value) => known(value) && value > 0).map((value) => Math.exp(Math.abs(Math.log(value))));
  const widest = ends.reduce((a, b) => Math.max(a, b), 1.02);
  return Math.min(FOREST.most, 1 + (widest - 1) * 1.15);
}

function ticksOf(reach) {
  const all = [1.01, 1.02, 1.05, 1.1, 1.2, 1.5, 2, 3, 5, 8].filter((tick) => tick <= reach);
  const kept = all.length > 3 ? [all[all.length - 3], all[all.length - 1]] : all;
  return [1, ...kept.flatMap((tick) => [tick, 1 / tick])];
}

function drawForest(key, width) {
  const rows = forestRows(key);
  const reach = reachOf(rows);
  const narrow = width < 620;
  const right = width - (narrow ? 10 : FOREST.text);
  const step = FOREST.row + (narrow ? 14 : 0);
  const height = FOREST.axis + rows.reduce((sum, row) => sum + FOREST.head + row.effects.length * step + FOREST.foot, 0);
  const within = (value) => Math.min(reach, Math.max(1 / reach, value));
  const x = (value) => FOREST.left + (right - FOREST.left) * (Math.log(within(value)) / Math.log(reach) + 1) / 2;
  const isBeyond = (value) => known(value) && value > 0 && within(value) !== value;
  const svg = s('svg', {viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': 'ratios to the base with intervals'});
  ticksOf(reach).forEach((tick) => {
    svg.append(s(tick === 1 ? 'path.one' : 'path.grid', {d: `M${x(tick).toFixed(1)} ${FOREST.axis - 6}V${height}`}),
      s('text', {x: x(tick), y: 12, 'text-anchor': 'middle'}, String(Number(tick.toFixed(3)))));
  });
  let y = FOREST.axis;
  rows.forEach((row) => {
    svg.append(s('path.row-rule', {d: `M0 ${y}H${width}`}), s('text.group', {x: 0, y: y + 14}, row.name));
    y += FOREST.head;
    row.effects.forEach((one) => {
      svg.append(drawEffect(one, key, {x, isBeyond}, y, narrow, right));
      y += step;
    });
    y += FOREST.foot;
  });
  return svg;
}

/** Between which ratios the line of an effect runs; that of a bound runs on. */
function endsOf(effect) {
  if (effect.bound === 'at_least') return [effect.ratio, Number.MAX_VALUE];
  return effect.bound === 'at_most' ? [Number.MIN_VALUE, effect.ratio] : [effect.low, effect.high];
}

function drawEffect({side, effect}, key, {x, isBeyond}, y, narrow, right) {
  const middle = y + FOREST.row / 2;
  const group = s('g.' + side.look, {'data-verdict': effect.verdict},
    s('text.mark-letter', {x: 4, y: middle + 4}, side.label));
  const [low, high] = endsOf(effect);
  if (known(low)) {
    group.append(s('path.whisker' + (effect.interval === 'within run' ? '.weak' : ''),
      {d: `M${x(low).toFixed(1)} ${middle}H${x(high).toFixed(1)}`}));
  }
  new Set([low, effect.ratio, high].filter(isBeyond).map((value) => value > 1 ? 1 : -1)).forEach((sign) => {
    const end = x(sign > 0 ? Infinity : 0).toFixed(1);
    group.append(s('path.arrow', {d: `M${end} ${middle - 6}l${9 * sign} 6l${-9 * sign} 6z`}));
  });
  if (known(effect.ratio) && effect.ratio > 0 && !isBeyond(effect.ratio)) {
    group.append(s('circle.point' + (isFound(effect) ? '' : '.hollow'), {cx: x(effect.ratio).toFixed(1), cy: middle, r: 4}));
  }
  group.append(s('text.value' + (isFound(effect) ? '.found' : ''),
    narrow ? {x: 22, y: middle + 19} : {x: right + 14, y: middle + 4},
    `${ratioOf(effect)}${interval(effect)} ${verdictWords(effect, key)}`));
  return group;
}
