#!/bin/bash
# cluster.sh runs Slurm's daemons. realslurm.sh copies it into the bed and calls it there: see that script for the
# commands. All process numbers here are the bed's own, so nothing outside can be hit.
set -euo pipefail

users="alice bob"
nodes="n1 n2 g1 g2"
run=/run/realslurm
log=/var/log/realslurm

die() { local code=$1; shift; echo "realslurm: $*" >&2; exit "$code"; }

alive() { local pid; pid=$(cat "$run/$1.pid" 2>/dev/null) && kill -0 "$pid" 2>/dev/null; }

# daemon NAME USER COMMAND... starts a daemon that stays in the foreground, unless it runs.
daemon() {
  local name=$1 user=$2
  shift 2
  alive "$name" && return
  # Not the leader of a group, setsid keeps the process number, and so does setpriv. It is written down here and not by
  # the daemon's own process, which on a busy machine may not have begun when somebody asks for it.
  setsid setpriv --reuid "$user" --regid "$user" --init-groups "$@" </dev/null >>"$log/$name.log" 2>&1 &
  echo "$!" >"$run/$name.pid"
}

launch() {
  case $1 in
    munged) daemon "$1" munge munged --foreground ;;
    mariadbd)
      # The accounting may be lost with the machine, so nothing needs to reach a disk.
      daemon "$1" mysql mariadbd --skip-networking --skip-log-bin --innodb-flush-log-at-trx-commit=0 \
        --innodb-buffer-pool-size=128M --init-file=/etc/slurm/accounting.sql ;;
    slurmdbd) daemon "$1" slurm slurmdbd -D ;;
    slurmctld) daemon "$1" slurm slurmctld -D ;;
    slurmd-*) daemon "$1" root slurmd -D -N "${1#*-}" ;;
    slurmrestd-*)
      # Without the limit on arenas large lists of jobs make it grow by gigabytes.
      daemon "$1" "${1#*-}" env MALLOC_ARENA_MAX=2 SLURMRESTD_JSON=compact slurmrestd -a rest_auth/local \
        -s slurmctld,slurmdbd -d v0.0.40,v0.0.41,v0.0.42 "unix:$(socket "$1")" ;;
    relay-*)
      # slurmrestd wants to know the caller's process, and a caller outside of the bed has no number in here.
      daemon "$1" "${1#*-}" socat "UNIX-LISTEN:$(socket "$1"),fork,unlink-early,backlog=128" \
        "UNIX-CONNECT:$(socket "slurmrestd-${1#*-}")" ;;
  esac
}

# socket prints where a user's slurmrestd listens, and, for his relay, the way in from outside.
socket() {
  case $1 in
    relay-*) echo "/run/slurmrestd/${1#*-}.sock" ;;
    *) echo "/run/slurmrestd/inside-${1#*-}.sock" ;;
  esac
}

# ready succeeds when the daemon serves. slurmd has no way to ask but the controller.
ready() {
  case $1 in
    munged) munge -n ;;
    mariadbd) mariadb -e 'SHOW GRANTS FOR slurm@localhost' ;;
    slurmdbd) sacctmgr -n list cluster ;;
    slurmctld) scontrol ping ;;
    slurmd-*) ! sinfo -h -n "${1#*-}" -o %T | grep -qE 'unknown|\*' ;;
    slurmrestd-* | relay-*) curl -sf --unix-socket "$(socket "$1")" http://localhost/slurm/v0.0.42/ping/ ;;
  esac
}

await() {
  local words=
  for _ in {1..600}; do
    words=$(ready "$1" 2>&1) && return
    alive "$1" || break
    sleep 0.05
  done
  tail -n 15 "$log/$1.log" >&2 || true
  die 5 "$1 does not serve: $words"
}

halt() {
  alive "$1" || return 0
  local pid
  pid=$(cat "$run/$1.pid")
  kill -TERM "$pid"
  for _ in {1..400}; do kill -0 "$pid" 2>/dev/null || return 0; sleep 0.05; done
  kill -KILL "$pid"
}

# processes prints what is behind a daemon's name: slurmd runs once for each node, slurmrestd for each user.
processes() {
  local name
  case $1 in
    slurmd) for name in $nodes; do echo "slurmd-$name"; done ;;
    slurmrestd) for name in $users; do echo "slurmrestd-$name relay-$name"; done ;;
    munged | mariadbd | slurmdbd | slurmctld) echo "$1" ;;
    *) die 2 "there is no daemon $1" ;;
  esac
}

start() {
  local list name
  list=$(processes "$1")
  for name in $list; do launch "$name"; done
  for name in $list; do await "$name"; done
  # What happened during an outage of the accounting is delivered now, not at the controller's next try in ten seconds.
  if [ "$1" = slurmdbd ] && alive slurmctld; then scontrol reconfigure; fi
  settle
}

# settle waits until a controller that runs has heard from the nodes that run: until then it starts no job on them.
settle() {
  local name
  alive slurmctld || return 0
  for name in $(processes slurmd); do
    if alive "$name"; then await "$name"; fi
  done
}

stop() {
  local list name
  list=$(processes "$1")
  for name in $list; do halt "$name"; done
}

restart() { stop "$1"; start "$1"; }

folders() {
  local i
  mkdir -p "$run" "$log"
  install -d -o munge -g munge /run/munge
  install -d -o mysql -g mysql /run/mysqld
  install -d -o slurm -g slurm /run/slurm /var/log/slurm /var/spool/slurmctld
  install -d -m 1777 /run/slurmrestd
  install -d /var/spool/slurmd
  for i in {0..7}; do [ -e "/dev/gpu$i" ] || mknod -m 666 "/dev/gpu$i" c 1 3; done # as null
  chown slurm:slurm /etc/slurm/slurmdbd.conf
  chmod 600 /etc/slurm/slurmdbd.conf
}

# accounts registers the cluster and its users. root gets an account for jobs that tests run by exec.
accounts() {
  [ ! -e "$run/accounts" ] || return 0
  sacctmgr -i add cluster realslurm
  sacctmgr -i add account research Description=research Organization=research
  sacctmgr -i add qos high Priority=100
  sacctmgr -i add user "${users// /,},root" Account=research QOS=normal,high DefaultQOS=normal
  touch "$run/accounts"
}

up() {
  folders
  launch munged
  launch mariadbd
  await munged
  await mariadbd
  start slurmdbd
  accounts >/dev/null
  launch slurmctld
  for name in $(processes slurmd) $(processes slurmrestd); do launch "$name"; done
  start slurmctld
  start slurmd
  start slurmrestd
}

status() {
  local d name
  for d in munged mariadbd slurmdbd slurmctld slurmd slurmrestd; do
    for name in $(processes $d); do alive "$name" && echo "$name up" || echo "$name down"; done
  done
}

configure() {
  grep -q "^$1=" /etc/slurm/slurm.conf || die 2 "slurm.conf does not set $1"
  sed -i "s|^$1=.*|$1=$2|" /etc/slurm/slurm.conf
  scontrol reconfigure
  settle
}

# first is process 1: it only collects the processes whose parents have ended.
first() { while :; do sleep infinity & wait $!; done; }

case $1 in
  up | status | start | stop | restart | configure) "$@" ;;
  _first) first ;;
  *) die 2 "unknown command $1" ;;
esac
