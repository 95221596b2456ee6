package repo

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"runtime/metrics"
	"strings"
	"time"

	"cohop/internal/precise"
)

// Types are found by a child: this very program, called with TypesArgument.
// There are trees of a few lines that overflow go/types' stack, which ends a
// process, and some that it never comes to the end of, and it cannot be told to
// stop; and the go command may wait for ever for a file that nobody writes. The
// child is in a session of its own with the go command that it runs, and all of
// that is killed when the answer is there, when time is over, and, by the child
// itself, when its standard input ends, since then rank is no more. Where a
// session cannot be listed, the child is first asked to end, for as long as
// go/packages takes to end the go command.
//
// The request is one JSON value on standard input, which stays open; the answer
// is JSON values on standard output, the last of which holds an error or the
// result. Paths of files are numbers in the request's list, so that what is no
// UTF-8 survives and what comes back is of the tree.

// TypesArgument is the one argument that makes this program such a child. It
// looks like a flag, since a task in words may be anything else.
const TypesArgument = "--type-packages-of-standard-input"

// typeLimits bound a child.
type typeLimits struct {
	Time   time.Duration `json:"-"` // in all; the parent's
	Stall  time.Duration // without a package being done, once typing has begun
	Memory int64         // bytes
	Stack  int           // bytes of one goroutine
}

// preciseLimits bound typing; tests have shorter ones.
var preciseLimits = typeLimits{
	Time: PreciseLimit,
	// The largest packages there are take seconds, on a busy machine some
	// ten: one that takes longer than this has no end.
	Stall: 30 * time.Second,
	// prometheus with all that it imports takes 1.0 GB, the 4,518 files of
	// terraform-provider-google 1.1: this is some four times that.
	Memory: 4 << 30,
	// Sources of people stay far below 1 MB; the default of 1 GB takes
	// seconds to fill.
	Stack: 64 << 20,
}

const (
	// mostAnswer bounds what is read of a child: some millions of edges.
	mostAnswer = 256 << 20
	// longestText bounds a line that is said.
	longestText = 2000
	// watchMemory is how often a child looks at its memory: in that time it
	// takes some 100 MB at most.
	watchMemory = 50 * time.Millisecond
	// leaveTime is how long a child that is asked to end may take: go/packages
	// gives the go command 5 s.
	leaveTime = 7 * time.Second
)

type typeRequest struct {
	Root, Folder, Temp []byte
	Private, Modules   [][]byte
	Files              []byte // each ended by a zero
	Limits             typeLimits
}

type typeAnswer struct {
	Say    string      `json:",omitempty"`
	Error  string      `json:",omitempty"`
	Result *typeResult `json:",omitempty"`
}

type typeResult struct {
	Packages        int
	Missing, Failed []string
	Files           []typeFile
	Edges           []typeEdge
}

type typeFile struct {
	F    int `json:"f"`
	K, U int // known and unknown names
}

type typeEdge struct {
	F, T int
	K    precise.Kind
	W    float32
}

// typeApart is precise.Load in a child. files are the Go files that may be
// read. It returns soon after ctx ends, and no process stays.
func typeApart(ctx context.Context, in precise.Input, files []string, limits typeLimits) (*precise.Result, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, limits.Time, fmt.Errorf("it took longer than %v", limits.Time))
	defer cancel()
	fail := func(err error) (*precise.Result, error) { return nil, fmt.Errorf("type Go packages: %w", err) }
	if err := context.Cause(ctx); err != nil {
		return fail(err)
	}
	exe, err := os.Executable()
	if err != nil {
		return fail(err)
	}
	if temp, err := precise.MakeTemp(in); err == nil { // else Load says so, if it needs one
		in.Temp = temp
		defer os.RemoveAll(temp)
	}
	request, err := json.Marshal(requestOf(in, files, limits))
	if err != nil {
		return fail(err)
	}
	c := exec.Command(exe, TypesArgument)
	c.Env = append(os.Environ(), "GOTRACEBACK=none")
	c.WaitDelay = leaveTime
	detach(c)
	stdin, err := c.StdinPipe()
	if err != nil {
		return fail(err)
	}
	stdout, err := c.StdoutPipe()
	if err != nil {
		return fail(err)
	}
	if err := c.Start(); err != nil {
		return fail(err)
	}
	go func() { _, _ = stdin.Write(request) }() // a child that is gone says so on its standard output
	// Read by one goroutine, so that the end of ctx is seen at once.
	answers, ended := make(chan typeAnswer), make(chan error, 1)
	stop := make(chan struct{})
	go func() {
		d := json.NewDecoder(io.LimitReader(stdout, mostAnswer))
		for {
			var a typeAnswer
			if err := d.Decode(&a); err != nil {
				ended <- err
				return
			}
			select {
			case answers <- a:
			case <-stop:
				return
			}
		}
	}()
	var last typeAnswer
	var broken error
wait:
	for {
		select {
		case a := <-answers:
			if a.Error != "" || a.Result != nil {
				last = a
				break wait
			}
			if in.Say != nil && a.Say != "" {
				in.Say(a.Say)
			}
		case broken = <-ended:
			break wait
		case <-ctx.Done():
			broken = context.Cause(ctx)
			break wait
		}
	}
	if broken != nil && broken != io.EOF && !endsAll {
		stdin.Close()
		for timer := time.After(leaveTime + time.Second); ; {
			select {
			case <-answers:
				continue
			case <-ended:
			case <-timer:
			}
			break
		}
	}
	// At the end of its output a child has ended, and keeps its exit status.
	endGroup(c.Process)
	close(stop)
	_ = c.Wait() // its state says more
	switch {
	case ctx.Err() != nil:
		return fail(context.Cause(ctx))
	case broken == io.EOF:
		return fail(fmt.Errorf("the process that does it ended (%v): some package is more than go/types can bear", c.ProcessState))
	case broken != nil:
		return fail(fmt.Errorf("the process that does it gave no answer that can be read: %w", broken))
	case last.Result == nil:
		return nil, errors.New(clip(last.Error))
	}
	r, err := last.Result.result(files)
	if err != nil {
		return fail(err)
	}
	return r, nil
}

func clip(s string) string {
	if len(s) > longestText {
		s = strings.ToValidUTF8(s[:longestText], "") + "…"
	}
	return s
}

func requestOf(in precise.Input, files []string, limits typeLimits) *typeRequest {
	raw := func(list []string) (out [][]byte) {
		for _, s := range list {
			out = append(out, []byte(s))
		}
		return out
	}
	q := &typeRequest{
		Root: []byte(in.Root), Folder: []byte(in.Folder), Temp: []byte(in.Temp),
		Private: raw(in.Private), Modules: raw(in.Modules), Limits: limits,
	}
	for _, f := range files {
		q.Files = append(append(q.Files, f...), 0)
	}
	return q
}

func (q *typeRequest) input() (in precise.Input, files []string) {
	text := func(list [][]byte) (out []string) {
		for _, b := range list {
			out = append(out, string(b))
		}
		return out
	}
	in = precise.Input{
		Root: string(q.Root), Folder: string(q.Folder), Temp: string(q.Temp),
		Private: text(q.Private), Modules: text(q.Modules),
	}
	for f := range strings.SplitSeq(strings.TrimSuffix(string(q.Files), "\x00"), "\x00") {
		files = append(files, f)
	}
	has := make(map[string]bool, len(files))
	for _, f := range files {
		has[f] = true
	}
	in.Has = func(p string) bool { return has[p] }
	return in, files
}

// answer writes a result with numbers for files.
func answer(r *precise.Result, files []string) *typeResult {
	number := make(map[string]int, len(files))
	for i, f := range files {
		number[f] = i
	}
	out := &typeResult{Packages: r.Packages, Missing: r.Missing, Failed: r.Failed}
	for i := range out.Failed {
		out.Failed[i] = clip(out.Failed[i])
	}
	for _, f := range r.Files {
		if n, ok := number[f.Path]; ok {
			out.Files = append(out.Files, typeFile{n, f.Known, f.Unknown})
		}
	}
	for _, e := range r.Edges {
		from, ok1 := number[e.From]
		to, ok2 := number[e.To]
		if ok1 && ok2 {
			out.Edges = append(out.Edges, typeEdge{from, to, e.Kind, e.Weight})
		}
	}
	return out
}

// result is the other way; it trusts nothing.
func (r *typeResult) result(files []string) (*precise.Result, error) {
	bad := errors.New("the process that does it answered with what is none of the tree")
	out := &precise.Result{Packages: r.Packages, Missing: r.Missing, Failed: r.Failed}
	known := func(n int) bool { return n >= 0 && n < len(files) }
	for _, f := range r.Files {
		if !known(f.F) || f.K < 0 || f.U < 0 {
			return nil, bad
		}
		out.Files = append(out.Files, precise.File{Path: files[f.F], Known: f.K, Unknown: f.U})
	}
	for _, e := range r.Edges {
		if !known(e.F) || !known(e.T) || e.K > precise.Use || !(e.W > 0 && e.W <= 1) {
			return nil, bad
		}
		out.Edges = append(out.Edges, precise.Edge{From: files[e.F], To: files[e.T], Kind: e.K, Weight: e.W})
	}
	return out, nil
}

// ServeTypes is the child: it reads a request, types, answers, and returns the
// exit code. The process must end when it returns: typing may go on.
func ServeTypes(stdin io.Reader, stdout io.Writer) int {
	d := json.NewDecoder(io.LimitReader(stdin, mostAnswer))
	var q typeRequest
	if err := d.Decode(&q); err != nil || q.Limits.Stall <= 0 || q.Limits.Memory <= 0 || q.Limits.Stack <= 0 {
		return 2
	}
	debug.SetMaxStack(q.Limits.Stack)
	debug.SetMemoryLimit(q.Limits.Memory / 4 * 3) // from here on memory is paid for with time
	in, files := q.input()
	gone := make(chan struct{})
	go func() {
		_, _ = io.Copy(io.Discard, io.MultiReader(d.Buffered(), stdin))
		close(gone)
	}()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	say := make(chan string)
	in.Say = func(line string) {
		select {
		case say <- clip(line):
		case <-ctx.Done():
		}
	}
	stall := time.NewTimer(q.Limits.Stall)
	stall.Stop()
	in.Alive = func() { stall.Reset(q.Limits.Stall) }
	type ending struct {
		r   *precise.Result
		err error
	}
	done := make(chan ending, 1)
	go func() {
		r, err := precise.Load(ctx, in)
		done <- ending{r, err}
	}()
	memory := time.NewTicker(watchMemory)
	defer memory.Stop()
	out := json.NewEncoder(stdout)
	give := func(a typeAnswer) int {
		if out.Encode(a) != nil {
			return 2
		}
		return 0
	}
	for {
		select {
		case line := <-say:
			if give(typeAnswer{Say: line}) != 0 {
				return 2
			}
		case e := <-done:
			if e.err != nil {
				return give(typeAnswer{Error: clip(e.err.Error())})
			}
			return give(typeAnswer{Result: answer(e.r, files)})
		case <-gone:
			cancel()
			for deadline := time.After(leaveTime); ; {
				endOthers()
				select {
				case <-done:
				case <-deadline:
				case <-time.After(watchMemory):
					continue
				}
				break
			}
			if strings.HasPrefix(filepath.Base(in.Temp), "rank-go-") { // nobody else will
				os.RemoveAll(in.Temp)
			}
			return 2
		case <-stall.C:
			return give(typeAnswer{Error: fmt.Sprintf("type Go packages: one package took longer than %v: some type of the tree has no end", q.Limits.Stall)})
		case <-memory.C:
			if used := memoryUsed(); used > q.Limits.Memory {
				return give(typeAnswer{Error: fmt.Sprintf("type Go packages: it took more than %d MiB of memory", q.Limits.Memory>>20)})
			}
		}
	}
}

// memoryUsed is what the runtime holds of the system's memory.
func memoryUsed() int64 {
	s := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(s)
	if s[0].Value.Kind() != metrics.KindUint64 || s[1].Value.Kind() != metrics.KindUint64 {
		return 0
	}
	return int64(s[0].Value.Uint64() - s[1].Value.Uint64())
}
