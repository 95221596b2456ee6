package resolve

import "strings"

// common lists members that the values of every language's library have, so
// that a call of one on a value of unknown type says nothing about the tree.
var common = func() map[string]bool {
	m := map[string]bool{}
	for _, s := range strings.Fields(`
		add all any append apply assert at bind call catch check clear clone close code collect contains context copy count
		create data delete description done each empty end equal equals err error exec execute exists exit extend fail
		fetch filter find first flush foreach forEach format from get getItem group handle has hash hasNext head
		index indexOf info init insert into invoke isEmpty items iter iterator join key keys kind last left len
		length line lines list load lock log lower main map match max merge message min name names new next none
		node normalize offset open options order parent parse path peek pop position post prepend print process push
		put raise read ready reduce release remove render replace request reset resize resolve response result
		return reverse right root run save search select self send serialize set setItem setup shift show shuffle
		shape size skip sleep slice some sort source splice split start state status stop store strip sub submit
		substring sum swap sync tail take test text then throw title toArray toList toString token top total
		trim type unlock unwrap update upper url use valid validate value valueOf values version visit wait warn
		with wrap write writer yield zip unwrap_or is_empty to_string as_str as_ref tryGetValue getValue setValue getEnumerator moveNext dispose getHashCode hashCode compareTo getType into_iter iter_mut lower upper
		errorf fatalf logf skipf fatal failNow skipNow helper cleanup parallel tempDir
		await cancel combine compareAndSet getAndSet getAndIncrement incrementAndGet decrementAndGet addAndGet orEmpty
		encode decode startswith endswith setdefault astype reshape mean items debug warning exception`) {
		m[s] = true
	}
	return m
}()

// isCommon looks name up, its first letter small.
func isCommon(name string) bool {
	if c := name[0]; c >= 'A' && c <= 'Z' {
		var b [24]byte
		if len(name) > len(b) {
			return false
		}
		copy(b[:], name)
		b[0] = lower(c)
		return common[string(b[:len(name)])]
	}
	return common[name]
}

// isSelf says whether a qualifier means the object or class at hand.
func isSelf(q string) bool {
	switch q {
	case "self", "this", "cls", "super", "Self", "static", "parent", "base", "$this", "@", "__MODULE__":
		return true
	}
	return false
}

// What reads says.
const (
	apart = iota
	ends  // one ends with the other
	same
)

// reads says whether a variable called q reads like a value of the type or
// module called name: the same letters, cases and underscores aside, or one
// ends with the other at the start of a word (httpClient → Client, client →
// HTTPClient). Short ends prove nothing.
func reads(q, name string) int {
	const least = 5
	i, j := len(q), len(name)
	n := 0
	for {
		for i > 0 && (q[i-1] == '_' || q[i-1] == '$' || q[i-1] == '@') {
			i--
		}
		for j > 0 && name[j-1] == '_' {
			j--
		}
		if i == 0 || j == 0 {
			break
		}
		if lower(q[i-1]) != lower(name[j-1]) {
			return apart
		}
		i, j, n = i-1, j-1, n+1
	}
	switch {
	case i == 0 && j == 0 && n > 1:
		return same
	case n >= least && (i == 0 && wordStart(name, j) || j == 0 && wordStart(q, i)):
		return ends
	}
	return apart
}

// moduleName is what users call the module in file f: its stem, or its
// folder's name if the stem only says that it is the folder's main file.
func (s *site) moduleName(f int32) string {
	st := stem(s.path[f])
	switch st {
	case "mod", "index", "__init__", "init", "lib", "main":
		_, st = splitPath(s.dir[f])
	}
	return st
}

// wordStart says whether a word of s starts at byte i.
func wordStart(s string, i int) bool {
	return i < len(s) && (s[i] >= 'A' && s[i] <= 'Z' || i > 0 && s[i-1] == '_')
}

func lower(c byte) byte {
	if c >= 'A' && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}
