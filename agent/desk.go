package agent

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"

	"cohop/internal/repo"
	"cohop/rank"
)

// desk answers many questions about many repositories at once in bounded
// memory: as many engines are open as there are processors, others wait. The
// working tree is read anew for every question; what is kept between them is
// on disk. A repository without an index gets one built once, whoever asks,
// and whoever cannot wait for it is answered from what there is.
type desk struct {
	cacheDir string
	noCache  bool
	patience time.Duration   // for one answer
	ctx      context.Context // of what outlives a question
	slots    chan struct{}

	mu     sync.Mutex
	builds map[string]*building // by path as given, made absolute
	barren map[string]bool      // built, and nothing was kept: the cache cannot be written
}

// building is an index that is being built.
type building struct {
	done chan struct{}
	err  error

	mu        sync.Mutex
	listeners map[int]func(string)
	next      int
}

// minSlots lets a second question through while a first index is built.
const minSlots = 2

func newDesk(ctx context.Context, cacheDir string, noCache bool, patience time.Duration) *desk {
	return &desk{cacheDir: cacheDir, noCache: noCache, patience: patience, ctx: ctx,
		slots: make(chan struct{}, max(minSlots, runtime.GOMAXPROCS(0))), builds: map[string]*building{}, barren: map[string]bool{}}
}

// Write tells the listeners about progress; p holds whole lines.
func (b *building) Write(p []byte) (int, error) {
	line := strings.TrimSpace(string(p))
	b.mu.Lock()
	defer b.mu.Unlock()
	for i := range b.next {
		if f := b.listeners[i]; f != nil {
			f(line)
		}
	}
	return len(p), nil
}

// listen adds a listener, who must not block for long.
func (b *building) listen(f func(string)) (leave func()) {
	if f == nil {
		return func() {}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	id := b.next
	b.next++
	b.listeners[id] = f
	return func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		delete(b.listeners, id)
	}
}

// build has the index of a repository built, once for all who ask, and waits
// for it as long as ctx allows.
func (d *desk) build(ctx context.Context, key string, req rank.Request, tell func(string)) error {
	d.mu.Lock()
	b := d.builds[key]
	if b == nil {
		b = &building{done: make(chan struct{}), listeners: map[int]func(string){}}
		d.builds[key] = b
		go func() {
			e, err := rank.Open(d.ctx, rank.Request{Repo: req.Repo, CacheDir: d.cacheDir, Progress: b})
			if err == nil {
				e.Close()
			}
			b.err = err
			warm := repo.Warm(req.Repo, d.cacheDir)
			d.mu.Lock()
			delete(d.builds, key)
			if err == nil && !warm {
				d.barren[key] = true
			}
			d.mu.Unlock()
			close(b.done)
		}()
	}
	d.mu.Unlock()
	leave := b.listen(tell)
	defer leave()
	select {
	case <-b.done:
		return b.err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// talker passes lines on.
type talker func(string)

func (t talker) Write(p []byte) (int, error) {
	if line := strings.TrimSpace(string(p)); t != nil && line != "" {
		t(line)
	}
	return len(p), nil
}

// ask opens the request's repository and calls f with the query. It returns
// when ctx ends, even where the engine cannot be interrupted; the place at the
// desk is then kept until it is done, and f is not called. late is true when
// time is up and the caller may answer from names alone; warm tells whether the
// repository was indexed before.
func (d *desk) ask(ctx context.Context, req rank.Request, tell func(string), f func(*rank.Query) error) (late, warm bool, err error) {
	outer := ctx
	ctx, cancel := context.WithTimeout(ctx, d.patience)
	defer cancel()
	req.CacheDir, req.NoCache = d.cacheDir, d.noCache
	isLate := func(err error) (bool, bool, error) {
		if outer.Err() != nil {
			return false, warm, outer.Err()
		}
		if errors.Is(err, context.DeadlineExceeded) {
			return true, warm, nil
		}
		return false, warm, err
	}
	key, err := filepath.Abs(req.Repo)
	if err != nil {
		return false, false, fmt.Errorf("find repository: %w", err)
	}
	d.mu.Lock()
	barren := d.noCache || d.barren[key]
	d.mu.Unlock()
	warm = !barren && repo.Warm(req.Repo, d.cacheDir)
	if !barren && !warm {
		if err := d.build(ctx, key, req, tell); err != nil {
			return isLate(err)
		}
	}
	select {
	case d.slots <- struct{}{}:
	case <-ctx.Done():
		return isLate(ctx.Err())
	}
	ready := make(chan struct{}) // taken by a caller who still waits
	failed := make(chan error, 1)
	var progress io.Writer
	if tell != nil {
		progress = talker(tell)
	}
	req.Progress = progress
	go func() {
		defer func() { <-d.slots }()
		defer func() {
			if p := recover(); p != nil {
				failed <- fmt.Errorf("internal fault: %v", p)
			}
		}()
		e, err := rank.Open(ctx, req)
		if err != nil {
			failed <- err
			return
		}
		defer e.Close()
		q, err := e.Query(ctx, req)
		if err != nil {
			failed <- err
			return
		}
		select {
		case ready <- struct{}{}:
			failed <- f(q)
		case <-ctx.Done():
			failed <- ctx.Err()
		}
	}()
	select {
	case <-ready:
		return isLate(<-failed) // what is left is short
	case err := <-failed:
		return isLate(err)
	case <-ctx.Done():
		return isLate(ctx.Err())
	}
}
