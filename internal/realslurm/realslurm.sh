#!/bin/bash
# realslurm.sh brings a real Slurm 24.11 with accounting and slurmrestd up on this machine, and down again.
#
#   realslurm.sh up                  start what is not running; unpack it first if need be
#   realslurm.sh down                end all of it; only the unpacked packages stay
#   realslurm.sh status              what runs, and where its sockets are
#   realslurm.sh root                the path under which this machine sees the bed's files
#   realslurm.sh start|stop|restart DAEMON    one of slurmctld slurmdbd slurmrestd slurmd mariadbd munged
#   realslurm.sh configure NAME VALUE         set a line of slurm.conf, such as MinJobAge
#   realslurm.sh exec COMMAND...     run a command beside the daemons as root: exec squeue
#
# Exit codes: 2 usage, 3 no root or too few rights, 4 cannot get the packages, 5 a daemon does not start, 6 not up.
# Any other comes from exec's command.
#
# REALSLURM_DIR (/var/tmp/trainingclusters-realslurm) keeps the packages between runs, about 700 MB.
# REALSLURM_MIRROR is where they come from, by default debootstrap's own choice. Slurm comes from Debian trixie, whatever
# Debian this machine runs, so trixie is unpacked into a folder of its own.
#
# The bed has namespaces of its own: processes, mounts, network and host name. Its network is a loopback that nothing
# outside can reach, and its files are a memory layer above the unpacked packages. So nothing can be left behind:
# when its first process ends, the kernel ends all the others and drops layer, mounts and network with them.
set -euo pipefail

here=$(dirname "$(readlink -f "$0")")
dir=$(readlink -m "${REALSLURM_DIR:-/var/tmp/trainingclusters-realslurm}")
mirror=${REALSLURM_MIRROR:-}
packages="slurmctld slurmd slurmdbd slurmrestd slurm-client slurm-wlm-basic-plugins slurm-wlm-mysql-plugin
  mariadb-server munge iproute2 socat curl"
recipe="trixie $mirror $packages 1" # the last number counts changes of unpack()

say() { echo "realslurm: $*" >&2; }
die() { local code=$1; shift; say "$*"; exit "$code"; }

# first_process prints the number of the bed's process 1. The number alone could be some later process's.
first_process() {
  local pid
  pid=$(cat "$dir/pid" 2>/dev/null) && grep -qs realslurm "/proc/$pid/cmdline" && echo "$pid"
}

running() { local pid; pid=$(first_process) && [ -e "/proc/$pid/root/realslurm/cluster.sh" ]; }
need_running() {
  [ "$(id -u)" = 0 ] || die 3 "needs root"
  [ ! -d "$dir" ] || need_own_dir
  running || die 6 "not up: run $here/realslurm.sh up"
}

# enter runs a command inside the bed. It must not inherit the lock of this script.
enter() {
  env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 \
    nsenter --target "$(first_process)" --mount --uts --ipc --net --pid --root --wd -- "$@" 9>&-
}
cluster() { enter bash /realslurm/cluster.sh "$@"; }

# need_own_dir refuses a folder that somebody else may have filled, in a place where everybody can make one: root runs the
# programs in it, and enters the process that it names.
need_own_dir() {
  mkdir -p -m 755 "$dir"
  [ -O "$dir" ] && [ -z "$(find "$dir" -maxdepth 0 -perm /022)" ] ||
    die 4 "$dir belongs to somebody else, or others can write to it: remove it, or set REALSLURM_DIR to another"
}

need_rights() {
  [ "$(id -u)" = 0 ] || die 3 "needs root: daemons of several users, mounts and namespaces"
  unshare --mount --uts --ipc --net --pid --fork true 2>/dev/null ||
    die 3 "root may not make namespaces here: a container needs CAP_SYS_ADMIN (docker run --privileged)"
}

need_packages() {
  [ "$(cat "$dir/root/recipe" 2>/dev/null)" != "$recipe" ] || return 0
  local log=$dir/unpack.log
  say "unpacking Slurm into $dir, once"
  if ! command -v debootstrap >/dev/null; then
    { apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends debootstrap; } \
      >"$log" 2>&1 || die 4 "cannot install debootstrap from Debian's registry: $(tail -1 "$log") (all of it: $log)"
  fi
  # In namespaces as well: an install script may leave daemons, and debootstrap leaves mounts when it fails.
  unshare --mount --pid --fork --kill-child "$here/realslurm.sh" _unpack >"$log" 2>&1 9>&- ||
    die 4 "cannot unpack trixie from ${mirror:-the registry of Debian}: $(grep -E '^(E|W):' "$log" | tail -1) (all of it: $log)"
}

unpack() {
  local root=$dir/root
  mount -t proc proc /proc
  rm -rf --one-file-system "$root" # an incomplete or older one
  debootstrap --variant=minbase trixie "$root" ${mirror:+"$mirror"}
  mount -t proc proc "$root/proc"
  apt-config dump | grep ^Acquire >"$root/etc/apt/apt.conf.d/10host" # proxies and the like
  echo force-unsafe-io >"$root/etc/dpkg/dpkg.cfg.d/fast"
  printf '#!/bin/sh\nexit 101\n' >"$root/usr/sbin/policy-rc.d" # no install script starts a daemon
  chmod 755 "$root/usr/sbin/policy-rc.d"
  chroot "$root" apt-get update
  # shellcheck disable=SC2086 # a list
  DEBIAN_FRONTEND=noninteractive chroot "$root" apt-get install -y --no-install-recommends $packages
  chroot "$root" apt-get clean
  chroot "$root" useradd --create-home --shell /bin/bash --uid 2001 alice
  chroot "$root" useradd --create-home --shell /bin/bash --uid 2002 bob
  echo "$recipe" >"$root/recipe" # last: says that all the rest is there
}

# first is process 1 of the bed.
first() {
  local pid new=$dir/layer/root
  read -r pid _ </proc/self/stat # /proc is still the machine's, so this is its number there
  echo "$pid" >"$dir/pid"
  mount -t tmpfs -o mode=755 realslurm "$dir/layer"
  mkdir "$dir"/layer/{upper,work,root}
  mount -t overlay -o "lowerdir=$dir/root,upperdir=$dir/layer/upper,workdir=$dir/layer/work" realslurm "$new"
  mount -t proc proc "$new/proc"
  mount -t sysfs -o ro sysfs "$new/sys"
  mount -t tmpfs -o mode=1777 realslurm "$new/dev/shm"
  echo slurm >"$new/proc/sys/kernel/hostname"
  echo "127.0.0.1 localhost slurm" >"$new/etc/hosts"
  chroot "$new" ip link set lo up
  # The C library looks up no names, for those who ask it as Slurm does, where 127.0.0.1 is the only address.
  chroot "$new" ip address add 127.0.0.2/32 dev lo
  cp "$here"/etc/* "$new/etc/slurm/"
  mkdir "$new/realslurm"
  cp "$here/cluster.sh" "$new/realslurm/"
  exec chroot "$new" bash /realslurm/cluster.sh _first
}

up() {
  need_own_dir
  need_rights
  mkdir -p "$dir/layer"
  exec 9>"$dir/lock"
  flock -w 300 9 || die 5 "another up or down has been at work in $dir for 5 minutes"
  trap 'kill_bed' EXIT
  trap 'exit 130' INT TERM
  if ! running; then
    kill_bed
    need_packages
    setsid unshare --mount --uts --ipc --net --pid --fork --kill-child \
      "$here/realslurm.sh" _first </dev/null >"$dir/first.log" 2>&1 9>&- &
    for _ in {1..200}; do running && break; sleep 0.05; done
    running || die 5 "the namespaces do not come up: $(tail -1 "$dir/first.log")"
  fi
  cluster up || die 5 "Slurm does not come up, and was taken down again; its words are above"
  trap - EXIT INT TERM
}

kill_bed() {
  local pid state
  if pid=$(first_process); then
    kill -KILL "$pid"
    # It stays, and is no zombie, until all others of its namespace have gone.
    for _ in {1..200}; do
      state=$(awk '{ print $3 }' "/proc/$pid/stat" 2>/dev/null) || break
      [ "$state" != Z ] || break
      sleep 0.05
    done
  fi
  rm -f "$dir/pid"
}

down() {
  [ -d "$dir" ] || return 0
  need_own_dir
  need_rights
  exec 9>"$dir/lock"
  flock -w 300 9 || die 5 "another up or down has been at work in $dir for 5 minutes"
  kill_bed
}

usage() { sed -n '2,/^set /{/^#/s/^# \{0,1\}//p}' "$0" >&2; exit 2; }

[ $# -gt 0 ] || usage
command=$1
shift
case $command in
  up | down) "$command" ;;
  status) need_running; echo "root $(first_process | sed 's|.*|/proc/&/root|')"; cluster status ;;
  root) need_running; echo "/proc/$(first_process)/root" ;;
  start | stop | restart | configure) need_running; cluster "$command" "$@" ;;
  exec) need_running; enter "$@" ;;
  _unpack) unpack ;;
  _first) first ;;
  *) usage ;;
esac
