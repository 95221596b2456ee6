package eval

import "strconv"

// Cutoffs are the ranks at which All and Recall are reported.
var Cutoffs = []int{1, 3, 5, 10, 20}

// Budgets are the pack sizes in tokens at which recall is reported.
var Budgets = []int{500, 1000, 2000, 4000, 8000, 16000, 32000}

// ndcgDepth is where NDCG is reported: what a reader looks through.
const ndcgDepth = 10

// Names of the measures, as they stand in reports.
const (
	nameNDCG = "ndcg@10"
	nameMRR  = "mrr"
	namePool = "pool_recall"
)

func nameAll(k int) string            { return "all@" + strconv.Itoa(k) }
func nameRecall(k int) string         { return "r@" + strconv.Itoa(k) }
func nameBody(budget int) string      { return "recall.body." + strconv.Itoa(budget) }
func nameSignature(budget int) string { return "recall.signature." + strconv.Itoa(budget) }
func nameSpan(budget int) string      { return "recall.span." + strconv.Itoa(budget) }

// fileMeasures gives every measure of a ranked list of files.
func fileMeasures(ranked, relevant []string) Measures {
	return hitMeasures(Hits(ranked, relevant), len(relevant))
}

func hitMeasures(hits []int, n int) Measures {
	m := Measures{nameNDCG: NDCG(hits, n, ndcgDepth), nameMRR: MRR(hits)}
	for _, k := range Cutoffs {
		m[nameAll(k)] = All(hits, n, k)
		m[nameRecall(k)] = Recall(hits, n, k)
	}
	return m
}
