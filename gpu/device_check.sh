#!/usr/bin/env bash
# Check megasolve on one GPU in under five minutes, from the root of the repository: versions, guards, solo records, co-runs, a few whole
# candidates, and tables of all of it last.
#
#   gpu/device_check.sh [--backend cpu] [--quick] [--dry-run] [--spec FILE] [--device NAME] [--split X/Y] [RESULTS]
#
# Needs python3 and an NVIDIA driver. All that it writes goes to the folder RESULTS (device_check_results). PYTHON names a Python that has
# the packages already; otherwise one is made in RESULTS with pip. The device is looked up among those of the spec, by the name that the
# driver gives it.
#
#   --backend cpu   try the script itself out, on a stand-in that plays the device
#   --quick         few samples of few things
#   --dry-run       print the commands
set -euo pipefail
cd "$(dirname "$0")/.."

backend=gpu
spec=specs/streamlet.yaml
device=
split=88/44
quick=false
dry_run=false
results=device_check_results

refuse() {
    echo "device_check: $*" >&2
    exit 2
}

while (($# > 0)); do
    case $1 in
    --backend | --spec | --device | --split)
        (($# > 1)) || refuse "$1 needs a value; see --help"
        printf -v "${1#--}" '%s' "$2"
        shift
        ;;
    --quick) quick=true ;;
    --dry-run) dry_run=true ;;
    -h | --help) sed -n '2,13s/^# \{0,1\}//p' "$0" && exit 0 ;;
    -*) refuse "unknown option $1; see --help" ;;
    *) results=$1 ;;
    esac
    shift
done
[[ $backend == gpu || $backend == cpu ]] || refuse "--backend $backend: it is gpu or cpu"
[[ -f $spec ]] || refuse "there is no spec $spec"

# A stand-in takes as long as its machine does.
patience=$([[ $backend == gpu ]] && echo 1 || echo 5)
seconds_in_all=$((280 * patience))
begun=$SECONDS
failures=0

step() { printf '\n== %s (after %d s)\n' "$*" $((SECONDS - begun)); }

stop() {
    printf '\ndevice_check: stopped: %s\n' "$*" >&2
    exit 1
}

# within SECONDS FILE COMMAND...: runs a command for at most so many seconds, and never beyond the time of the whole check; what it says is
# added to FILE. A failure is counted, and the check goes on.
within() {
    local seconds=$(($1 * patience)) file=$results/$2 left=$((seconds_in_all - SECONDS + begun)) code
    shift 2
    if $dry_run; then
        printf '%s\n' "$*"
        return
    fi
    if ((left < 5)); then
        echo "left out, as $seconds_in_all s are over: $*" | tee -a "$file"
        failures=$((failures + 1))
        return
    fi
    set +e
    timeout --kill-after=10 $((seconds < left ? seconds : left)) "$@" | tee -a "$file"
    code=${PIPESTATUS[0]}
    set -e
    ((code == 124 || code == 137)) && echo "ended after its time: $*" | tee -a "$file"
    ((code == 0)) || failures=$((failures + 1))
}

python_with_packages() {
    if [[ -n ${PYTHON:-} ]]; then
        echo "$PYTHON"
        return
    fi
    local made=$results/venv
    if ! [[ -x $made/bin/python ]]; then
        python3 -m venv "$made" >&2 && "$made/bin/pip" install --quiet '.[gpu]' nvidia-ml-py >&2 || return 1
    fi
    echo "$made/bin/python"
}

mkdir -p "$results"
if $dry_run; then
    python=${PYTHON:-$results/venv/bin/python}
else
    python=$(python_with_packages) || stop "python3 -m venv or pip does not work here; set PYTHON to a Python that has megasolve[gpu]"
    rm -f "$results"/{versions,guards,records,co_runs,candidates,table}.txt
fi
# The package of this checkout, whatever is installed; on a GPU everything is compiled anew.
export PYTHONPATH=contracts:simulate:solver:gpu${PYTHONPATH:+:$PYTHONPATH}
if [[ $backend == gpu ]]; then
    MEGASOLVE_CACHE_DIR=$(mktemp -d)
    export MEGASOLVE_CACHE_DIR
    trap 'rm -rf "$MEGASOLVE_CACHE_DIR"' EXIT
fi

step versions
{
    date -u '+%Y-%m-%d %H:%M:%S UTC'
    git log -1 --format='commit %H' 2>/dev/null || echo 'no git here'
    $dry_run || "$python" --version
    if [[ $backend == gpu ]]; then
        nvidia-smi --query-gpu=name,driver_version,memory.total,clocks.max.sm --format=csv,noheader 2>/dev/null || echo 'no nvidia-smi here'
    fi
} | tee "$results/versions.txt"

if [[ -z $device ]] && [[ $backend == gpu ]] && ! $dry_run; then
    device=$("$python" -m megasolve.gpu.experiments.guards "$spec" --name-device) || stop "there is nothing to run on (above)"
fi
common=("$spec" --device "${device:-h200}" --backend "$backend")

step guards
within 120 guards.txt "$python" -m megasolve.gpu.experiments.guards "${common[@]}"
((failures == 0)) || stop "a guard does not hold: what hangs here might not be stopped, so nothing is measured"

batch=32
samples=30
runs=20
entries=(P B_L C)
kernels=("${spec%.yaml}"/contracts/kernels/[BLC]_*.yaml)
budgets=()
candidates=("c:P/c:B/c:L/c:C@serial" "m:P+B+L+C@serial" "m:P/m:B+L/m:C@serial" "m:P/m:B+L/m:C@dynamic:$split" "m:P/m:B+L/m:C@fixed:$split")
splits=("$split" 80/52)
if $quick; then
    batch=1
    samples=1
    runs=1
    entries=(C)
    kernels=()
    budgets=("--budget=${split#*/}")
    candidates=("m:P/m:B+L/m:C@dynamic:$split")
    splits=("$split")
fi
names=("${kernels[@]##*/}")
names=("${names[@]%.yaml}")
measure=("$python" -m megasolve.cli measure "${common[@]}" --batch "$batch")
records=("${measure[@]}" --samples "$samples" -o "$results/records.jsonl")

step "calls alone, in persistent entries"
within 90 records.txt "${records[@]}" "${entries[@]/#/--entry=}" "${budgets[@]}"
if ((${#kernels[@]} > 0)); then
    step "calls alone, in conventional kernels"
    within 60 records.txt "${records[@]}" "${names[@]/#/--entry=}"
fi

step "producers and consumers beside each other"
within 60 co_runs.txt "${measure[@]}" "${splits[@]/#/--co-run=}" --samples "$runs" -o "$results/runs.jsonl"

step "whole candidates"
within 60 candidates.txt "${measure[@]}" "${candidates[@]/#/--candidate=}" --samples "$runs" -o "$results/runs.jsonl"

if ! $dry_run; then
    step "all of it"
    cat "$results"/{versions,guards,records,co_runs,candidates}.txt | tee "$results/table.txt"
    echo "in $results: versions.txt, guards.txt, records.jsonl, runs.jsonl, table.txt"
fi
((failures == 0)) || stop "$failures parts did not come to their end or found something (above); what ended is in $results"
echo "everything ran, in $((SECONDS - begun)) s"
