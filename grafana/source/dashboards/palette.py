"""The colours: those of Okabe and Ito, which colour-blind people tell apart, each with one meaning everywhere."""

from __future__ import annotations

BLUE = "#0072B2"
SKY = "#56B4E9"
GREEN = "#009E73"
ORANGE = "#E69F00"
VERMILION = "#D55E00"
PURPLE = "#CC79A7"
GREY = "#8C8C8C"
# Okabe and Ito's yellow is hardly seen on white, so it is darker here.
YELLOW = "#C8B400"
# Two more for mixes of ten transactions.
BROWN = "#8C6D31"
INDIGO = "#7570B3"

GOOD, WARN, BAD, NEUTRAL = GREEN, ORANGE, VERMILION, GREY

_TRANSACTIONS = {
    "insert": GREEN,
    "update": ORANGE,
    "delete": VERMILION,
    "find-by-id-and-filter1": YELLOW,
    "find-by-id-and-filter2": SKY,
    "find-by-id-and-filter2-list": BLUE,
    "find-by-id-and-filter3-lte": BROWN,
    "find-by-id-and-filter4-list": PURPLE,
    "find-by-id-and-filter4-and-filter5-list": GREY,
    "find-by-id-and-filter5": INDIGO,
}
# By the series' name, with what follows it in a legend ("insert, offered"). Other workloads get Grafana's colours.
TRANSACTIONS = {f"/^{name}(,.*)?$/": colour for name, colour in _TRANSACTIONS.items()}

RATES = {"/^offered/": GREY, "/^limit/": VERMILION, "/^answered/": BLUE, "/^dropped/": PURPLE}
OUTCOMES = {
    "/^done/": GREEN,
    "/^missing/": SKY,
    "/^refused/": BLUE,
    "/^failed/": VERMILION,
    "/^unknown/": ORANGE,
    "/^dropped/": PURPLE,
}
PERCENTILES = {
    "/^p50(,.*)?$/": SKY,
    "/^p95(,.*)?$/": ORANGE,
    "/^p99(,.*)?$/": VERMILION,
    "/^p99.9(,.*)?$/": PURPLE,
    "/^limit/": VERMILION,
}
PHASES = {"/^wait/": GREY, "/^connect/": SKY, "/^search/": ORANGE, "/^fetch/": BLUE}
# What a session does.
_DOING = ("processor", "lock", "flush", "disk", "send", "worker", "inner", "transaction")
DOING = {
    f"/^{word}$/": colour for word, colour in zip(_DOING, (GREEN, VERMILION, PURPLE, ORANGE, SKY, BLUE, YELLOW, GREY))
}
RUNS = {"/^run/": BLUE, "/^baseline/": ORANGE}
# One hue per role; the servers of a role get shades of it. A host with several servers has several roles.
ROLES = {
    f"/[(,]{role}[,)]/": colour
    for role, colour in {
        "router": PURPLE,
        "config": GREY,
        "shard": BLUE,
        "coordinator": VERMILION,
        "worker": SKY,
        "primary": ORANGE,
        "replica": GREEN,
        "generator": YELLOW,
    }.items()
}
GENERATORS = {
    f"/^generator {number}(,.*)?$/": colour
    for number, colour in enumerate([BLUE, ORANGE, GREEN, VERMILION, SKY, PURPLE, YELLOW, BROWN])
}
