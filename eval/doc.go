// Package eval measures rankings against labels, and fits weights to them.
//
// Three parts, each usable alone:
//
//   - Measures. One file each, with its definition: NDCG, All, Recall, MRR,
//     PoolRecall, BudgetRecall, SpanRecall. They see ranks and paths only.
//     Over tasks they are averaged by Micro (every task counts alike) and
//     Macro (every repository counts alike: a set with one large repository
//     must not become a test of that repository). Bootstrap gives intervals,
//     Folds splits by repository.
//   - Run asks an Engine every label and gives a Report. Labels of one tree
//     are asked together, since opening a tree is the expensive part. A label
//     that fails counts as 0 and is named; an interrupted run reports what
//     was done.
//   - Tune fits the weights of a linear fusion to a Matrix of features:
//     first a convex listwise likelihood, then coordinate ascent on the
//     measures themselves, each reported in-sample and over folds of
//     repositories.
//
// Nothing depends on the order in which workers finish: the same labels,
// engine and seed give the same bytes. Times are the exception and go to the
// progress writer only.
//
// Sources: NDCG is Järvelin and Kekäläinen's (2002) with binary gains and the
// logarithm of trec_eval; all@k is Acc@k of the issue-localisation
// literature; the bootstrap is Efron's percentile interval, over whole
// repositories for macro figures; the likelihood is that of ListMLE's first
// place (Cao et al. 2007) with other answers left out of the rest; coordinate
// ascent on the measure follows Metzler and Croft (2007).
package eval
