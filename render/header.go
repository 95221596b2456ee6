package render

import (
	"fmt"
	"strings"

	"cohop/rank"
)

// headerLines returns the honest header: the line of figures, then one line
// each for what the reader must know before believing the rest.
func headerLines(r *rank.Result) []string {
	h := &r.Header
	first := fmt.Sprintf("n_eff=%.1f k=%d ε=%.2f unpacked=%.2f tokens=%d/%d pool=%d files=%d intent=%s",
		h.NEff, h.K, h.Epsilon, h.Unpacked, h.Tokens, h.Budget, h.Pool, h.Files, visible(h.Intent))
	if h.Confidence != nil {
		first += fmt.Sprintf(" confidence=%.2f", *h.Confidence)
	}
	if h.Mem > 0 {
		first += fmt.Sprintf(" mem=%.2f", h.Mem)
	}
	if h.Masked > 0 {
		first += fmt.Sprintf(" masked=%d", h.Masked)
	}
	lines := []string{first}
	if h.Abstained {
		lines = append(lines, "abstained: the repository holds too little of this task")
	}
	if len(h.Missing) > 0 {
		lines = append(lines, "missing: "+list(h.Missing))
	}
	if len(h.Nearest) > 0 {
		lines = append(lines, "nearest: "+list(h.Nearest))
	}
	for _, w := range h.Warnings {
		lines = append(lines, "warning: "+visible(w))
	}
	return lines
}

func list(words []string) string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = visible(w)
	}
	return strings.Join(out, ", ")
}
