#!/usr/bin/env bash
# Makes a repository of generated files, the same bytes whenever it is asked.
#
#   bench/huge.sh FOLDER [FILES=150000] [COMMITS=2000]
#
# Sources of five languages that import and call each other in folders of 60,
# about 1.5 kB each, and a history that touches one to four files a commit.
# Afterwards, against a tree of a tenth:
#
#   bench/huge.sh HUGE && bench/huge.sh TENTH 15000
#   /usr/bin/time -v rank --repo HUGE "$(git -C HUGE log -1 --format=%s)"
set -euo pipefail
[ $# -ge 1 ] || { sed -n '2,12s/^# \{0,1\}//p' "$0" >&2; exit 2; }
out=$1 files=${2:-150000} commits=${3:-2000}
mkdir "$out"
git -C "$out" init -q -b main
awk -v files="$files" -v commits="$commits" '
function rnd(n) { seed = (seed * 69069 + 12345) % 4294967296; return int(seed / 65536) % n }
function word(k) { return first[k % 40] second[int(k / 40) % 50] }       # 2,000 words
function some() { a = rnd(2000); b = rnd(2000); return word(a < b ? a : b) } # some are common
function path(i) { return sprintf("area%02d/%s%d/%s_%s%d.%s", int(i / 60) % 64, word(int(i / 60)), int(i / 60), word(i * 7 % 2000), word(i * 13 % 2000), i, ext[i % 5]) }
function module(i) { p = path(i); sub(/\.[a-z]+$/, "", p); return p }
function source(i, rev,   s, k, n, to, m, fn, lang) {
	lang = ext[i % 5]; n = 3 + rnd(5)
	s = ""
	for (k = 0; k < 3; k++) {
		to = i - i % 60 + (rnd(12) * 5 + i % 5) % 60        # of the same folder and language
		if (k == 2) to = rnd(files / 5) * 5 + i % 5          # and one from anywhere
		if (to >= files || to == i) continue
		m = module(to)
		if (lang == "py") { gsub("/", ".", m); s = s "from " m " import " word(to % 2000) "_" to "\n" }
		else if (lang == "ts") s = s "import { " word(to % 2000) to " } from \"" (substr("../../../", 1, 6)) m "\";\n"
		else if (lang == "rb") s = s "require \"" m "\"\n"
		else if (lang == "java") { gsub("/", ".", m); s = s "import " m ";\n" }
	}
	if (lang == "md") s = "# " some() " " some() "\n\n"
	for (k = 0; k < n; k++) {
		fn = (k == 0) ? word(i % 2000) : some()
		doc = some() " the " some() " of a " some() " when the " some() " " some() "s"
		call = some()
		if (lang == "py") s = s "\n\ndef " fn "_" i (k ? "_" k : "") "(" some() ", " some() "):\n    \"\"\"" doc ".\"\"\"\n    " some() " = " call "(" some() ")\n    if " some() " > " rnd(900) ":\n        return " some() "." some() "(" some() ")\n    return [" some() ", \"" some() " " some() "\"]\n"
		else if (lang == "ts") s = s "\n/** " doc ". */\nexport function " fn i (k ? "x" k : "") "(" some() ": number, " some() ": string) {\n  const " some() " = " call "(" some() ");\n  if (" some() " > " rnd(900) ") {\n    return " some() "." some() "(" some() ");\n  }\n  return [\"" some() " " some() "\"];\n}\n"
		else if (lang == "rb") s = s "\n# " doc "\ndef " fn "_" i (k ? "_" k : "") "(" some() ")\n  " some() " = " call "(" some() ")\n  return " some() "." some() " if " some() " > " rnd(900) "\n  [" some() ", \"" some() " " some() "\"]\nend\n"
		else if (lang == "java") s = s (k ? "" : "\nclass " fn i " {\n") "  /** " doc ". */\n  int " fn k "(int " some() ", String " some() "Name) {\n    int " some() "Count = " call "(" rnd(90) ");\n    if (" rnd(9) " > " rnd(900) ") {\n      return this." some() "();\n    }\n    return " rnd(1000) ";\n  }\n" (k == n - 1 ? "}\n" : "\n")
		else s = s doc ". " doc ".\n\n## " some() " " some() "\n\n" doc ", " doc ".\n\n"
	}
	return s (lang == "md" ? "" : (lang == "py" || lang == "rb" ? "# " : "// ") "revision " rev "\n")
}
function blob(p, text) { printf "M 100644 inline %s\ndata %d\n%s\n", p, length(text), text }
function commit(msg,   now) { now = 1500000000 + 3600 * c++; printf "commit refs/heads/main\ncommitter bench <bench@example.com> %d +0000\ndata %d\n%s\n", now, length(msg), msg }
BEGIN {
	seed = 1
	split("py ts rb java md", e, " "); for (i = 0; i < 5; i++) ext[i] = e[i + 1]
	for (i = 0; i < 40; i++) first[i] = substr("bcdfghklmnprstvz", i % 16 + 1, 1) substr("aeiou", int(i / 8) % 5 + 1, 1)
	for (i = 0; i < 50; i++) second[i] = substr("bcdfglmnprst", i % 12 + 1, 1) substr("aeiou", i % 5 + 1, 1) substr("lnrstkm", int(i / 5) % 7 + 1, 1) (i > 24 ? "er" : "")
	commit("all files")
	for (i = 0; i < files; i++) blob(path(i), source(i, 0))
	for (r = 1; r <= commits; r++) {
		at = rnd(files)
		commit(some() " the " some() " of " word(at % 2000) ": " some() " " some())
		for (k = rnd(4); k >= 0; k--) { i = (at - at % 60 + rnd(60)) % files; blob(path(i), source(i, r)) }
	}
}' | git -C "$out" fast-import --quiet
git -C "$out" reset -q --hard
