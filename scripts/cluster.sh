#!/usr/bin/env bash
# Runs a sweep of the lab on a cluster, breaks the cluster while it runs, and compares the results with those of the same sweep
# without a cluster. The cluster is Slurm from Debian's packages, with two nodes that are both this machine, as the user who runs
# the script. Its settings, keys, ports and files are its own, so a Slurm that runs here already is left alone. Whatever happens, it
# stops what it has started. `make cluster` runs it; docs/SCALE.md says what it kills.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=scripts/apt.sh
. scripts/apt.sh

kept=$PWD/bin/cluster # the plan, the results and the reports
plan=$kept/plan
flags=(-gogc '50,200' -runs 4 -warmup 1 -complete)
depths=(60 80 100)
sessions=4
shards=$((${#depths[@]} * sessions))

say() { echo "cluster: $SECONDS s: $*"; }
fail() {
	echo "cluster: $*" >&2
	exit 1
}

# quietly runs a command and keeps the packages that it installs from starting daemons.
quietly() {
	local policy=/usr/sbin/policy-rc.d own=no code=0
	if [ ! -e $policy ]; then
		own=yes
		printf '#!/bin/sh\nexit 101\n' | as_root tee $policy >/dev/null
		as_root chmod +x $policy
	fi
	"$@" || code=$?
	[ $own = no ] || as_root rm -f $policy
	return $code
}

PATH=$PATH:/usr/sbin:/sbin
missing=()
for pair in munged:munge slurmctld:slurmctld slurmd:slurmd sbatch:slurm-client; do
	command -v "${pair%:*}" >/dev/null || missing+=("${pair#*:}")
done
[ ${#missing[@]} = 0 ] || quietly install "${missing[@]}"

# What the daemons need. The path of a socket must be short, and nobody else may write to its folder.
run=$(mktemp -d /tmp/coppice-cluster-XXXXXX)
chmod 755 "$run"
export SLURM_CONF=$run/slurm.conf
declare -A daemon # process ids by name

# ours VARIABLE=VALUE... prints the processes that were started with all of these and with the cluster's SLURM_CONF.
ours() {
	local files=(/proc/[0-9]*/environ) want
	for want in "SLURM_CONF=$SLURM_CONF" "$@"; do
		mapfile -t files < <(grep -lzsFx -- "$want" "${files[@]}" /dev/null)
	done
	printf '%s\n' "${files[@]}" | sed -n 's|/proc/\([0-9]*\)/environ|\1|p'
}

# all_of NODE prints the processes of a node: its daemon, what manages its tasks, and the tasks, in this order, so that nobody is left to
# tell Slurm. What manages a task is its parent: it has written its title over its environment.
all_of() {
	local tasks process
	tasks=$(ours "SLURMD_NODENAME=$1")
	echo "${daemon[$1]:-}"
	for process in $tasks; do
		ps -o ppid= -p "$process" | xargs -r ps -o pid=,comm= -p | sed -n 's/ slurmstepd$//p'
	done
	echo "$tasks"
}

# end sends SIGKILL to processes. Some may be gone already.
end() {
	local process
	for process in "$@"; do kill -9 "$process" 2>/dev/null || true; done
}

stop() {
	local code=$?
	trap '' INT TERM HUP
	trap - EXIT
	# shellcheck disable=SC2046 # twice: one may have started another meanwhile
	end $(all_of node1) $(all_of node2) "${daemon[@]}" $(ours) $(ours)
	if [ "$code" != 0 ]; then
		mkdir -p "$kept/logs"
		cp "$run"/*.log "$kept/logs" 2>/dev/null || true
		echo "cluster: failed after $SECONDS s; bin/cluster/logs has what the daemons said, and bin/cluster/plan/logs what the shards said" >&2
	fi
	rm -rf "$run"
	exit "$code"
}
trap stop EXIT
trap 'exit 130' INT TERM HUP

# until_true SECONDS WHAT COMMAND... waits until the command succeeds.
until_true() {
	local limit=$((SECONDS + $1)) what=$2
	shift 2
	until "$@"; do
		[ $SECONDS -lt $limit ] || fail "$what: not within the time"
		sleep 0.2
	done
}

# free_port prints a port that nobody listens to.
free_port() {
	local port
	while port=$((20000 + RANDOM % 10000)) && (: <"/dev/tcp/127.0.0.1/$port") 2>/dev/null; do :; done
	echo $port
}

settings() {
	cat <<-END
		ClusterName=coppice
		SlurmctldHost=localhost(127.0.0.1)
		SlurmctldPort=$(free_port)
		SlurmUser=$(id -un)
		SlurmdUser=$(id -un)
		AuthType=auth/munge
		AuthInfo=socket=$run/munge/socket,cred_expire=5
		CredType=cred/munge
		StateSaveLocation=$run/state
		SlurmdSpoolDir=$run/spool-%n
		SlurmctldPidFile=$run/slurmctld.pid
		SlurmdPidFile=$run/slurmd-%n.pid
		ProctrackType=proctrack/linuxproc
		TaskPlugin=task/none
		JobAcctGatherType=jobacct_gather/none
		AccountingStorageType=accounting_storage/none
		SwitchType=switch/none
		MpiDefault=none
		SelectType=select/linear
		SlurmdParameters=config_overrides
		ReturnToService=2
		SlurmdTimeout=6
		KillWait=2
		SchedulerParameters=batch_sched_delay=0,sched_min_interval=200000
		NodeName=node1 NodeHostname=localhost NodeAddr=127.0.0.1 Port=$(free_port) CPUs=1 RealMemory=500
		NodeName=node2 NodeHostname=localhost NodeAddr=127.0.0.1 Port=$(free_port) CPUs=1 RealMemory=500
		PartitionName=all Nodes=ALL Default=YES MaxTime=10
	END
}

# start_node NAME starts the daemon of a node.
start_node() {
	slurmd -D -N "$1" >>"$run/$1.log" 2>&1 &
	daemon[$1]=$!
	disown
}
state_is() { [ "$(sinfo -h -N -n "$1" -o %t 2>/dev/null)" = "$2" ]; }

start() {
	mkdir "$run/munge" "$run/state"
	dd if=/dev/urandom of="$run/munge/key" bs=128 count=1 2>/dev/null
	chmod 600 "$run/munge/key"
	munged -F --key-file="$run/munge/key" --socket="$run/munge/socket" --pid-file="$run/munge/pid" \
		--log-file="$run/munge/log" --seed-file="$run/munge/seed" >"$run/munge.log" 2>&1 &
	daemon[munged]=$!
	disown # bash tells the end of others
	until_true 10 "munged answers" test -S "$run/munge/socket"
	settings >"$SLURM_CONF"
	slurmctld -D >"$run/slurmctld.log" 2>&1 &
	daemon[slurmctld]=$!
	disown
	start_node node1
	start_node node2
	until_true 30 "node1 is there" state_is node1 idle
	until_true 30 "node2 is there" state_is node2 idle
}

# at_work NODE sets shard to the one that the node measures, as soon as it has measured something of it.
at_work() {
	local found
	shard=$(squeue -h -t R -w "$1" -o %K 2>/dev/null | head -n 1)
	[ -n "$shard" ] || return 1
	found=$(find "$plan/partial/$shard" -name runs.jsonl -size +2 2>/dev/null) && [ -n "$found" ]
}

# rows prints what was measured in folders, a line for each run that counts or not: contender, depth, round and end.
rows() {
	cat "${@/%//runs.jsonl}" | sed -n 's/.*"contender":"\([^"]*\)".*"depth":\([0-9]*\).*"round":\(-*[0-9]*\).*"status":"\([a-z]*\)".*/\1, depth \2, round \3: \4/p' | sort
}

# parts prints the sessions in folders.
parts() { cat "${@/%//runs.jsonl}" | grep -o '"environment":.*' | grep -o '"\(shard\|shard-session\)":"[0-9]*"' | paste - - | sort; }
queue_is_empty() { [ -z "$(squeue -h -o %i 2>/dev/null || echo unknown)" ]; }

rm -rf "$kept"
mkdir -p "$kept"
go build -o bin/coppice ./cmd/coppice
bin/coppice lab plan instrument -depth "$(IFS=, && echo "${depths[*]}")" -sessions $sessions "${flags[@]}" -shards $shards -out "$plan"
start
say "Slurm $(slurmctld -V | cut -d ' ' -f 2) with two nodes is up"
job=$(sbatch --parsable "$plan/slurm.sh")
say "sbatch: array $job of $shards shards"

until_true 60 "node1 measures" at_work node1
first=$shard
# shellcheck disable=SC2046
end $(ours "SLURM_ARRAY_TASK_ID=$first")
say "killed all processes of shard $first on node1, with kill -9"
[ ! -e "$plan/results/$first" ] || fail "shard $first has results, and was killed"
until_true 60 "task $first ends" eval "scontrol -o show job ${job}_$first | grep -Eq 'JobState=(FAILED|NODE_FAIL)'"
scontrol requeue "${job}_$first"
say "requeued it"

until_true 60 "node2 measures" at_work node2
second=$shard
# shellcheck disable=SC2046
end $(all_of node2)
say "killed all of node2, its daemon and shard $second, with kill -9"
[ ! -e "$plan/results/$second" ] || fail "shard $second has results, and was killed"
until_true 60 "Slurm notices that node2 is down" eval "state_is node2 down || state_is node2 'down*'"
say "Slurm sees that node2 is down, and has requeued shard $second"
start_node node2
until_true 240 "the array ends" queue_is_empty
say "the array has ended"

for ((i = 0; i < shards; i++)); do
	[ -e "$plan/results/$i/runs.jsonl" ] || fail "shard $i has no results; it said: $(cat "$plan/logs/${job}_$i.txt")"
done
[ -z "$(ls "$plan/partial")" ] || fail "sessions are left over: $(find "$plan/partial")"
before=$(cat "$plan"/results/*/* | sha256sum)
sbatch --wait "$plan/slurm.sh" >/dev/null || fail "a complete array, submitted again, failed"
[ "$(cat "$plan"/results/*/* | sha256sum)" = "$before" ] || fail "a complete array, submitted again, has changed results"
say "the same array again: every shard was complete, nothing has changed"

for depth in "${depths[@]}"; do
	for ((i = 0; i < sessions; i++)); do
		bin/coppice lab run instrument -busy -depth "$depth" "${flags[@]}" -out "$kept/plain" >"$kept/plain.txt"
	done
done
say "the same sweep without Slurm has ended"
rows "$plan"/results/* >"$kept/cluster-rows.txt"
rows "$kept/plain" >"$kept/plain-rows.txt"
diff "$kept/plain-rows.txt" "$kept/cluster-rows.txt" || fail "Slurm's sweep (>) has other runs than the plain one (<)"
[ "$(parts "$plan"/results/* | uniq | wc -l)" = $shards ] || fail "there are not $shards sessions: $(parts "$plan"/results/* | uniq -c)"
[ "$(parts "$plan"/results/* | uniq -d)" = "" ] || fail "sessions that are there twice: $(parts "$plan"/results/* | uniq -d)"
say "the same $(wc -l <"$kept/cluster-rows.txt") runs in $shards sessions: nothing is lost, and nothing is there twice"
bin/coppice lab merge "$plan" -baseline 'one GOGC=50' -out "$kept/merged" >"$kept/merged.txt"
grep -q "^2 machines of 1 kind, $shards sessions;" "$kept/merged.txt" || fail "the merge knows of other machines or sessions: $(cat "$kept/merged.txt")"
! grep 'shard' "$kept/merged.txt" || fail "the merge misses a shard"
say "bin/cluster/merged has the merged report"
