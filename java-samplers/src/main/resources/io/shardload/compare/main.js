// The page, from who is compared down to the single runs.
document.getElementById('page').append(...[
  header(), differences(false), differences(true), notes(), answers(), forest(), overTime(), latencies(), throughput(),
  statistics(), runs(), method(), h('footer', {}, 'Made by shardload. This page is one file and asks nothing of any network.'),
].filter(Boolean));
document.documentElement.dataset.ready = 'true';
