package redact

// MaskProse is Mask for text that is no code, such as a commit's message. In
// code an unquoted value is most often an expression and is believed only on a
// line of its own; in prose "log in with password=hunter2" means what it says.
func MaskProse(src []byte) (masked []byte, n int) {
	masked, n = Mask(src)
	owned := n > 0
	for i := 1; i < len(masked); i++ {
		start, end, ok := proseAt(masked, i)
		if !ok {
			continue
		}
		if !owned {
			masked, owned = append(make([]byte, 0, len(src)), masked...), true
		}
		for k := start; k < end; k++ {
			masked[k] = mask
		}
		n++
		i = end - 1
	}
	return masked, n
}

// proseAt recognises the unquoted value of a telling key around the sign at i.
func proseAt(src []byte, i int) (start, end int, ok bool) {
	if src[i] != '=' && src[i] != ':' {
		return 0, 0, false
	}
	key, _ := keyBefore(src, i)
	level, _ := classify(key)
	if level < certain || src[i] == ':' && level < shouted { // "second pass: step2"
		return 0, 0, false
	}
	start = run(src, i+1, blank, maxBlank)
	end = scalarEnd(src, start, maxValue)
	v := src[start:end]
	if len(v) == 0 || len(v) > maxJudged || !visible(v) || template(v) || location(v) {
		return 0, 0, false
	}
	if end < len(src) && (src[end] == '(' || src[end] == '[') {
		return 0, 0, false // a call, an index
	}
	return start, end, mixed(v) && passwordLike(v, leastPassword)
}
