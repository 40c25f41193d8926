// The page, from the sides down to the single runs.
add(document.getElementById('page'),
  header(), differences(false), differences(true), notes(), answers(), forest(), overTime(), latencies(), throughput(),
  statistics(), runs(), method(),
  footer('compare.html of the comparison also has other figures, charts of single transactions and values at the pointer.'));
document.documentElement.dataset.ready = 'true';
