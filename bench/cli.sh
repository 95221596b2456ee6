#!/usr/bin/env bash
# Measures the command as its users run it, against git on the same tree.
#
#   bench/cli.sh REPOSITORY [OUTPUT.json]
#
# The repository is cloned, so that it can be made dirty. Everything is timed
# with hyperfine; peaks of memory are the system's own (getrusage). The output
# holds hyperfine's raw results, one key a row, beside versions and machine.
# The row "cold-5000" is the tree with the newest 5,000 commits alone, against
# bench/parse: tree-sitter alone, on two threads, on the files of a grammar.
# RANK is the binary (default bin/rank), PARSE the yardstick (default bin/parse),
# RUNS the least number of runs a row.
set -euo pipefail
[ $# -ge 1 ] || { sed -n '2,13s/^# \{0,1\}//p' "$0" >&2; exit 2; }
rank=$(realpath "${RANK:-bin/rank}")
parse=$(realpath "${PARSE:-bin/parse}")
runs=${RUNS:-15}
machine=$(uname -m)-$(nproc)cpu
out=$(realpath -m "${2:-bench/runs/$(date -u +%Y-%m-%d)-$machine.json}")
mkdir -p "$(dirname "$out")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tree=$work/tree
git clone -q --no-hardlinks "$1" "$tree"
export XDG_CACHE_HOME=$work/cache XDG_CONFIG_HOME=$work/config GIT_CONFIG_GLOBAL=/dev/null
g() { git -C "$tree" -c user.name=bench -c user.email=bench@example.com "$@"; }

# A ticket of 200 words that the tree knows: the messages of its last commits.
g log --no-merges -n 60 --format='%s. %b' | tr -s '[:space:]' ' ' | cut -d' ' -f1-200 > "$work/ticket"
word=$(tr -cs 'a-z' '\n' < "$work/ticket" | awk 'length>6' | sort | uniq -c | sort -rn | awk 'NR==1{print $2}')
ask="$rank --repo $tree --task-file $work/ticket"
clear_cache="rm -rf $work/cache"

row() { # name, hyperfine options and commands
  local name=$1; shift
  echo "== $name" >&2
  hyperfine --style basic --shell none --ignore-failure --export-json "$work/row-$name.json" "$@" >&2
}
peak() { # kB of memory at most
  python3 - "$@" <<'PY'
import os, resource, sys
pid = os.fork()
if pid == 0:
    null = os.open(os.devnull, os.O_RDWR)
    for fd in (0, 1, 2):
        os.dup2(null, fd)
    os.execvp(sys.argv[1], sys.argv[1:])
print(os.wait4(pid, 0)[2].ru_maxrss)
PY
}

row cold --runs 3 --prepare "$clear_cache" "$ask"
# Cut off by hand: fetching a shallow clone would fail where objects are missing.
cp -a "$tree" "$work/shallow"
git -C "$work/shallow" rev-list --parents -n 5000 HEAD |
  awk '{have[$1]; line[NR] = $0} END {for (i = 1; i <= NR; i++) {n = split(line[i], c, " "); for (k = 2; k <= n; k++) if (!(c[k] in have)) {print c[1]; break}}}' > "$work/cut"
[ ! -s "$work/cut" ] || cp "$work/cut" "$work/shallow/.git/shallow"
git -C "$work/shallow" ls-files > "$work/files"
printf '#!/bin/sh\nexec %s %s < %s\n' "$parse" "$work/shallow" "$work/files" > "$work/parse"; chmod +x "$work/parse"
row cold-5000 --runs 5 --prepare "$clear_cache" "$rank --repo $work/shallow --task-file $work/ticket" "$work/parse"
rm -rf "$work/cache"; cold_peak=$(peak $ask)
row history --runs 3 "git -C $tree log --no-merges --name-only --no-renames --format=%H -n 5000" "git -C $tree log --no-merges --name-only --no-renames --format=%H"
row warm --warmup 3 --min-runs "$runs" "$ask" "git -C $tree grep -c $word"
warm_peak=$(peak $ask)
# Sizes of what is kept and of what is indexed.
kept=$(du -sb "$work/cache" | cut -f1)
text=$(g ls-tree -r -l HEAD | awk '$4 != "-" && $4 <= 1048576 {n += $4} END {print n}')

g ls-files | grep -E '\.(py|rb|go|js|ts|java|rs|c|cc|h|php|cs|kt|swift)$' | awk -v n=20 '{f[NR]=$0} END {for (i=1; i<=n && i<=NR; i++) print f[int(i*NR/n)]}' > "$work/modified"
touch_all() { while read -r f; do printf '\n' >> "$tree/$f"; done < "$work/modified"; }
touch_all
for i in 1 2 3 4 5 6 7 8 9 10; do echo "def bench_untracked_$i(): return $i" > "$tree/bench_untracked_$i.py"; done
row dirty --warmup 2 --min-runs "$runs" "$ask" "git -C $tree grep -c $word"
file=$tree/$(head -1 "$work/modified")
printf '#!/bin/sh\necho >> "%s"\n' "$file" > "$work/edit"; chmod +x "$work/edit"
row dirty-edited --runs 8 --prepare "$work/edit" "$ask"
g checkout -q . && g clean -fdq

printf '#!/bin/sh\necho >> "%s"\ngit -C %s -c user.name=b -c user.email=b@example.com commit -qam bench\n' "$file" "$tree" > "$work/commit"; chmod +x "$work/commit"
row one-commit --runs 6 --prepare "$work/commit" "$ask"
# 200 commits away: the first ancestor, merges' first parents alone, that lacks
# that many. (HEAD~200 lacks twice as many where most of these are merges.)
back=
for c in $(g rev-list --first-parent -n 201 HEAD); do
  if [ "$(g rev-list --count "$c..HEAD")" -ge 200 ]; then back=$c; break; fi
done
if [ -n "$back" ]; then
  # Each run: the cache of before, a query that finds all of it as its own (a
  # copy has other times and inodes), the other commit.
  head=$(g rev-parse HEAD)
  cp -r "$work/cache" "$work/cache-before"
  printf '#!/bin/sh\ngit -C %s checkout -q %s\nrm -rf %s\ncp -r %s %s\n%s\ngit -C %s checkout -q %s\n' "$tree" "$head" "$work/cache" "$work/cache-before" "$work/cache" "$ask" "$tree" "$back" > "$work/back"; chmod +x "$work/back"
  row branch --runs 5 --prepare "$work/back" "$ask"
fi

WORK=$work python3 - "$out" <<PY
import glob, json, os, subprocess, sys
rows = {}
for f in sorted(glob.glob(os.environ["WORK"] + "/row-*.json")):
    results = json.load(open(f))["results"]
    for r in results:
        words = r["command"].split()
        r["command"] = " ".join(["git", words[3]] + words[-2:] * (words[-2] == "-n")) if words[0] == "git" else "parse" if len(words) == 1 else "rank"
    rows[os.path.basename(f)[4:-5]] = results
def text(*c):
    return subprocess.run(c, capture_output=True, text=True).stdout.strip()
json.dump({
    "date": text("date", "-u", "+%Y-%m-%dT%H:%M:%SZ"), "machine": "$machine", "load": os.getloadavg(),
    "git": text("git", "--version"), "rank": text("$rank", "version"),
    "repository": {"name": os.path.basename("$1"), "files": int(text("git", "-C", "$tree", "ls-files", "-z").count("\0")),
                   "commits": int(text("git", "-C", "$tree", "rev-list", "--count", "HEAD")), "text_bytes": $text},
    "peak_kib": {"cold": $cold_peak, "warm": $warm_peak}, "kept_bytes": $kept, "rows": rows,
}, open(sys.argv[1], "w"), indent=1)
m = {k: {r["command"]: r["median"] for r in v} for k, v in rows.items()}
for k, v in m.items():
    print(f"{k:14}", "  ".join(f"{c} {s*1000:.0f} ms" for c, s in v.items()))
w = m["warm"]["rank"]
print(f"warm / git grep {w / m['warm']['git grep']:.2f}; dirty / git grep {m['dirty']['rank'] / m['dirty']['git grep']:.2f}; one commit / warm {m['one-commit']['rank'] / w:.2f}; branch / warm {m.get('branch', {'rank': 0})['rank'] / w:.1f}")
print(f"cold with 5,000 commits / parse alone {m['cold-5000']['rank'] / m['cold-5000']['parse']:.2f}")
print(f"kept / text {$kept / $text:.2f}; peak MiB cold {$cold_peak // 1024}, warm {$warm_peak // 1024}")
PY
echo "raw results: $out" >&2
