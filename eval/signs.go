package eval

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"cohop/adaptive"
	"cohop/labels"
	"cohop/rank"
)

// Signed is an Answer that shows what confidence, abstention and τ are fitted
// to. The signs of confidence come with each Result.
type Signed interface {
	Answer
	// Evidence gives the signs of abstention, and whether they are asked.
	Evidence() (s rank.Signs, asked bool)
	// ChunkScores gives the standard scores before the softmax.
	ChunkScores() adaptive.Scores
}

// ConfidenceBudgets are the packs that confidence is fitted on.
var ConfidenceBudgets = []int{500, 1000, 2000, 4000, 8000}

// OffTopic is a task that no repository of code is about.
type OffTopic struct {
	ID   string `json:"id"`
	Kind string `json:"kind"` // gibberish | offtopic
	Text string `json:"text"`
}

// ReadOffTopic reads such tasks, JSON Lines with id, kind and text.
func ReadOffTopic(r io.Reader, name string) ([]OffTopic, error) {
	var out []OffTopic
	sc := bufio.NewScanner(r)
	sc.Buffer(nil, 1<<20)
	for n := 1; sc.Scan(); n++ {
		if strings.TrimSpace(sc.Text()) == "" {
			continue
		}
		var o OffTopic
		if err := json.Unmarshal(sc.Bytes(), &o); err != nil {
			return nil, fmt.Errorf("read off-topic tasks %s:%d: %w", name, n, err)
		}
		if o.ID == "" || strings.TrimSpace(o.Text) == "" || strings.Contains(o.ID, "@") {
			return nil, fmt.Errorf(`read off-topic tasks %s:%d: want "id", without "@", and "text"`, name, n)
		}
		out = append(out, o)
	}
	if err := sc.Err(); err != nil {
		return nil, fmt.Errorf("read off-topic tasks %s: %w", name, err)
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("read off-topic tasks %s: there is none", name)
	}
	return out, nil
}

// SignedTask is a label as calibration sees it.
type SignedTask struct {
	ID        string      `json:"id"`
	Repo      string      `json:"repo"`
	Set       int         `json:"set"`
	Kind      string      `json:"kind,omitempty"` // of an off-topic task; "" for a label
	Evidence  []float64   `json:"evidence"`
	Asked     bool        `json:"asked"`
	Abstained bool        `json:"abstained"`
	Signs     [][]float64 `json:"signs,omitempty"`    // by budget; nil when it abstained
	Complete  []bool      `json:"complete,omitempty"` // by budget: every answer is in as a body
	Z         []float32   `json:"z,omitempty"`        // of the pool's chunks
	Floor     float64     `json:"floor,omitempty"`
	Tail      int         `json:"tail,omitempty"`
}

// Signs is everything Calibrate needs.
type Signs struct {
	Sets     []string     `json:"sets"`
	Budgets  []int        `json:"budgets"`
	Names    []string     `json:"names"`    // of the signs of confidence
	Evidence []string     `json:"evidence"` // of those of abstention
	Tasks    []SignedTask `json:"tasks"`
}

// CollectSigns asks eng, whose answers must be Signed, every label, and asks
// each tree perTree of the off-topic tasks, a different stretch of them from
// tree to tree. Labels that fail are left out and counted.
func CollectSigns(ctx context.Context, eng Engine, sets []NamedLabels, off []OffTopic, perTree int, opts Options) (*Signs, int, error) {
	out := &Signs{Budgets: ConfidenceBudgets}
	failed, next := 0, 0
	for k, set := range sets {
		out.Sets = append(out.Sets, set.Name)
		all := slices.Clone(set.Labels)
		kinds := make([]string, len(all), len(all)+perTree)
		seen := map[[3]string]bool{}
		for i := range set.Labels {
			l := &set.Labels[i]
			if key := [3]string{l.Repo, l.Commit, l.Root}; !seen[key] {
				seen[key] = true
				for range min(perTree, len(off)) {
					o := off[next%len(off)]
					next++
					stray := labels.Label{ID: o.ID + "@" + l.ID, Text: o.Text, Files: l.Files, Repo: l.Repo, Commit: l.Commit, Root: l.Root}
					all, kinds = append(all, stray), append(kinds, o.Kind)
				}
			}
		}
		tasks := make([]*SignedTask, len(all))
		names := make([][2][]string, len(all))
		o := opts
		o.Variants, o.Budgets = nil, out.Budgets[:1]
		o.Keep = func(i int, a Answer) (err error) {
			t := &SignedTask{ID: all[i].ID, Repo: repoName(&all[i], &o), Set: k, Kind: kinds[i]}
			names[i], err = t.take(a, &all[i], out.Budgets)
			tasks[i] = t
			return err
		}
		reports, err := Run(ctx, eng, all, o)
		if err != nil {
			return nil, failed, fmt.Errorf("collect signs of %s: %w", set.Name, err)
		}
		failed += len(reports[0].Failed)
		for i, t := range tasks {
			if t == nil {
				continue
			}
			if out.Evidence == nil {
				out.Evidence = names[i][1]
			}
			if out.Names == nil && t.Signs != nil {
				out.Names = names[i][0]
			}
			out.Tasks = append(out.Tasks, *t)
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, failed, fmt.Errorf("collect signs: %w", err)
	}
	return out, failed, out.check()
}

// NamedLabels is a set of labels with its name.
type NamedLabels struct {
	Name   string
	Labels []labels.Label
}

func (t *SignedTask) take(a Answer, l *labels.Label, budgets []int) (names [2][]string, err error) {
	s, ok := a.(Signed)
	if !ok {
		return names, errors.New("the engine's answers have no signs")
	}
	ev, asked := s.Evidence()
	names[1], t.Evidence, t.Asked = ev.Names, ev.Values, asked
	for _, b := range budgets {
		res, err := a.Result(b)
		if err != nil {
			return names, err
		}
		if res.Header.Abstained {
			t.Abstained, t.Signs, t.Complete = true, nil, nil
			return names, nil
		}
		if t.Kind != "" {
			return names, nil // there is no answer to be complete
		}
		body, _ := BudgetRecall(res.Pack, l.Files)
		sg := res.Signs()
		names[0] = sg.Names
		t.Signs, t.Complete = append(t.Signs, sg.Values), append(t.Complete, body == 1)
	}
	z := s.ChunkScores()
	t.Floor, t.Tail = z.Floor, z.Tail
	for _, x := range z.Z {
		t.Z = append(t.Z, float32(x))
	}
	return names, nil
}

// WriteSigns and ReadSigns keep what was collected.
func WriteSigns(w io.Writer, s *Signs) error {
	if err := json.NewEncoder(w).Encode(s); err != nil {
		return fmt.Errorf("write signs: %w", err)
	}
	return nil
}

// ReadSigns reads what WriteSigns wrote.
func ReadSigns(r io.Reader, name string) (*Signs, error) {
	var s Signs
	err := json.NewDecoder(r).Decode(&s)
	if err == nil {
		err = s.check()
	}
	if err != nil {
		return nil, fmt.Errorf("read signs %s: %w", name, err)
	}
	return &s, nil
}

func (s *Signs) check() error {
	if len(s.Tasks) == 0 || len(s.Budgets) == 0 {
		return errors.New("no task or no budget")
	}
	for i := range s.Tasks {
		t := &s.Tasks[i]
		if t.Set < 0 || t.Set >= len(s.Sets) || len(t.Evidence) != len(s.Evidence) || len(t.Complete) != len(t.Signs) ||
			t.Signs != nil && len(t.Signs) != len(s.Budgets) || t.Tail < 0 {
			return fmt.Errorf("task %q does not fit its set", t.ID)
		}
		for _, x := range t.Signs {
			if len(x) != len(s.Names) {
				return fmt.Errorf("task %q has %d signs, want %d", t.ID, len(x), len(s.Names))
			}
		}
	}
	return nil
}
