package eval

import (
	"cohop/labels"
	"cohop/rank"
)

// Tiers of a packed item that count as a find. A path alone does not: it
// says where to look and shows nothing.
const (
	tierBody      = "body"
	tierSignature = "signature"
)

// BudgetRecall is the share of the relevant files that a pack holds. A file
// is in when at least one item of its path is packed as a body; for the
// second figure a signature does as well. relevant must not be empty.
func BudgetRecall(pack []rank.Item, relevant []string) (body, signature float64) {
	const asSignature, asBody = 1, 2
	tier := make(map[string]int, len(relevant))
	for _, f := range relevant {
		tier[f] = 0
	}
	for i := range pack {
		p := itemPath(&pack[i])
		was, ok := tier[p]
		if !ok {
			continue
		}
		switch pack[i].Tier {
		case tierBody:
			tier[p] = asBody
		case tierSignature:
			tier[p] = max(was, asSignature)
		}
	}
	var bodies, either int
	for _, t := range tier {
		if t == asBody {
			bodies++
		}
		if t >= asSignature {
			either++
		}
	}
	n := float64(len(tier))
	return float64(bodies) / n, float64(either) / n
}

// SpanRecall is the share of a label's spans of which the pack shows at
// least one line as a body. spans must not be empty.
func SpanRecall(pack []rank.Item, spans []labels.Span) float64 {
	hit := 0
	for _, s := range spans {
		for i := range pack {
			it := &pack[i]
			if it.Tier == tierBody && it.StartLine <= s.End && s.Start <= it.EndLine && itemPath(it) == s.Path {
				hit++
				break
			}
		}
	}
	return float64(hit) / float64(len(spans))
}
