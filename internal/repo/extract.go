package repo

import (
	"bytes"
	"context"
	"errors"
	pathpkg "path"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"cohop/internal/facts"
	"cohop/internal/git"
	"cohop/internal/index"
)

const (
	// batch is after how many files the context is asked and progress said.
	batch = 256
	// window is how many files the workers may be ahead of what is joined:
	// enough to keep them busy, few enough to keep memory flat.
	window = 512
	// flushBytes is how many bytes of fresh facts are kept before they are
	// written.
	flushBytes = 16 << 20
	// relaxEvery is after how many batches the pages of packs are given back.
	relaxEvery = 4
)

// extract gets the facts of entries, from the store or by reading the blobs,
// on all cores but in order: workers go ahead of the one that takes what they
// made, as far as window files. Every document is handed to sink. What was read
// may still be being written when it returns, until settle.
func (s *State) extract(ctx context.Context, entries []git.Entry, sink func(index.Doc) error) (err error) {
	s.settle()
	store := openFacts(s.cache)
	store.quick = len(entries) < len(s.entries)
	line := newLine(s, store, entries, s.ahead(store, entries), 0)
	defer func() {
		line.stop()
		if err != nil {
			store.close()
		}
	}()
	start, said := time.Now(), time.Time{}
	for i := range entries {
		if i%batch == 0 {
			if err := ctx.Err(); err != nil {
				line.flush() // the next run goes on from here
				return err
			}
			if now := time.Now(); now.Sub(start) > quiet && now.Sub(said) > quiet {
				s.progress("indexing … %d of %d files", i, len(entries))
				said = now
			}
		}
		g := line.take(i)
		if g.err != nil {
			if !errors.Is(g.err, git.ErrTooLarge) {
				s.lost.add(entries[i].ID, g.err)
				if !errors.Is(g.err, git.ErrMissing) {
					s.warn("%s cannot be read (%v): left out of the index", entries[i].Path, g.err)
				}
			}
		}
		if g.fresh != nil {
			line.add(&g)
		}
		if g.late {
			s.late, s.cut = append(s.late, entries[i]), true
		}
		d := index.Doc{Path: entries[i].Path, ID: entries[i].ID, Role: s.role(entries[i].Path, g.facts), Facts: g.facts}
		if err := sink(d); err != nil {
			return err
		}
		if i%(relaxEvery*batch) == relaxEvery*batch-1 {
			s.Git.Relax()
		}
	}
	s.flushBehind(store)
	if len(entries) > batch {
		s.Git.Relax()
	}
	return nil
}

// ahead is for a run in a hurry: it reads files whose facts are not kept, as
// many as there is time for, and keeps them, before any time goes into those
// that are. The next run goes on from there. It returns the facts of how many
// files may then be joined.
func (s *State) ahead(store *factStore, entries []git.Entry) (room int) {
	if !s.hurried() {
		return len(entries)
	}
	var unread []git.Entry
	for i := range entries {
		if e := &entries[i]; !facts.SecretName(e.Path) {
			if !store.has(keyOf(e.ID, facts.Language(e.Path, nil))) {
				unread = append(unread, *e)
			}
		}
	}
	if len(unread) > 0 {
		line := newLine(s, store, unread, len(unread), leastFiles)
		defer line.stop()
		for i := range unread {
			g := line.take(i)
			if g.fresh != nil {
				line.add(&g)
				s.extracted++
			}
			if g.late {
				break
			}
		}
		line.flush()
	}
	room = s.roomFor(len(entries))
	if s.extracted > 0 {
		return room
	}
	// All that can be kept is, and if it does not fit it never will.
	if s.opt.Later {
		return room
	}
	return len(entries)
}

// line is the workers that extract a list of files and what they have made
// that was not yet taken. Its store is read by the workers and written by the
// one who takes.
type line struct {
	s       *State
	entries []git.Entry
	next    atomic.Int64
	least   int           // as many files are read even when the time is over
	room    atomic.Int64  // of how many files the facts may still be taken
	slots   []slot        // file i is in slot i mod window
	ahead   chan struct{} // holds one for each file that is made or waits to be taken
	quit    chan struct{}
	wg      sync.WaitGroup

	mu    sync.RWMutex
	store *factStore
	bytes int  // of fresh facts
	late  bool // the time for reading was over at the last flush
}

type slot struct {
	got   extracted
	ready chan struct{} // one token: got is file i's
}

func newLine(s *State, store *factStore, entries []git.Entry, room, least int) *line {
	size := min(window, len(entries))
	l := &line{s: s, entries: entries, store: store, least: least, slots: make([]slot, size), ahead: make(chan struct{}, size), quit: make(chan struct{})}
	l.room.Store(int64(room))
	for i := range l.slots {
		l.slots[i].ready = make(chan struct{}, 1)
	}
	for range min(runtime.GOMAXPROCS(0), 8, len(entries)) {
		l.wg.Go(l.work)
	}
	return l
}

func (l *line) work() {
	rd := l.s.Git.NewReader()
	defer rd.Close()
	var coded []byte
	var disk *git.Files
	if l.store.quick {
		disk = l.s.files()
		defer disk.Close()
	}
	for {
		select {
		case l.ahead <- struct{}{}:
		case <-l.quit:
			return
		}
		// Room is given back in the order of files, so whoever has some may
		// go on with the next.
		i := int(l.next.Add(1)) - 1
		if i >= len(l.entries) {
			return
		}
		at := &l.slots[i%len(l.slots)]
		at.got, coded = l.one(rd, disk, i, coded)
		at.ready <- struct{}{}
	}
}

// take waits for file i; files are taken in order.
func (l *line) take(i int) extracted {
	at := &l.slots[i%len(l.slots)]
	<-at.ready
	g := at.got
	at.got = extracted{}
	<-l.ahead
	return g
}

func (l *line) add(g *extracted) {
	l.mu.Lock()
	l.store.add(g.key, g.fresh)
	l.mu.Unlock()
	if l.bytes += len(g.fresh); l.bytes > flushBytes || !l.late && l.s.over() {
		l.late = l.s.over()
		l.flush()
	}
}

func (l *line) flush() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.s.flush(l.store)
	l.bytes = 0
}

// stop ends the workers; none of them works when it returns.
func (l *line) stop() {
	close(l.quit)
	l.wg.Wait()
}

// flush keeps what is fresh; when another process writes, it keeps its own of
// much the same, and nothing is lost but time.
func (s *State) flush(store *factStore) {
	if len(store.fresh) == 0 || store.dir == "" {
		return
	}
	release := s.cache.lock(0)
	if release == nil {
		return
	}
	defer release()
	if err := store.flush(); err != nil {
		s.warnFlush(err)
		store.dir = ""
	}
}

func (s *State) warnFlush(err error) {
	s.warn("facts cannot be kept (%v): they are extracted again next time", cause(err))
}

// flushBehind is flush of a store that nobody needs any more, which it closes,
// beside what is done until settle: files are joined by one goroutine alone.
func (s *State) flushBehind(store *factStore) {
	if len(store.fresh) > 0 && store.dir != "" {
		if release := s.cache.lock(0); release != nil {
			done := make(chan error, 1)
			go func() {
				defer store.close()
				defer release()
				done <- store.flush()
			}()
			s.behind = func() {
				if err := <-done; err != nil {
					s.warnFlush(err)
				}
			}
			return
		}
	}
	store.close()
}

// settle waits for what is written behind.
func (s *State) settle() {
	if s.behind != nil {
		s.behind()
		s.behind = nil
	}
}

type extracted struct {
	key   factsKey
	facts *facts.Facts
	fresh []byte // encoded, when the store lacked it
	late  bool   // not read for want of time
	err   error
}

// one gets the facts of one file. A file that cannot be read has facts without
// terms: it is ranked by its path. buf is room to encode them in.
func (l *line) one(rd *git.Reader, disk *git.Files, i int, buf []byte) (got extracted, coded []byte) {
	s, e := l.s, &l.entries[i]
	hint := facts.Language(e.Path, nil)
	if facts.SecretName(e.Path) {
		return extracted{facts: &facts.Facts{Lang: hint, Flags: facts.Secret}}, buf
	}
	key := keyOf(e.ID, hint)
	if l.room.Add(-1) < 0 {
		return extracted{facts: &facts.Facts{Lang: hint}, late: true}, buf
	}
	if f := l.kept(key); f != nil {
		return extracted{facts: f}, buf
	}
	if s.over() && i >= l.least {
		return extracted{facts: &facts.Facts{Lang: hint}, late: true}, buf
	}
	// What was just checked out is at hand on the disk, where nothing must be
	// inflated. Facts keep nothing of its bytes.
	src, ok := disk.Blob(e, maxFile(e.Path))
	var err error
	if !ok {
		src, err = s.read(rd, e)
	}
	if err != nil {
		f := &facts.Facts{Lang: hint}
		if errors.Is(err, git.ErrTooLarge) {
			f.Flags |= facts.TooLarge
		}
		return extracted{facts: f, err: err}, buf
	}
	f := facts.Extract(facts.Language(e.Path, src), src)
	coded = f.Encode(buf[:0])
	return extracted{key: key, facts: f, fresh: bytes.Clone(coded)}, coded
}

// kept returns what the store has, nil if it has nothing.
func (l *line) kept(key factsKey) *facts.Facts {
	l.mu.RLock() // what the store gives is its own until decoded
	defer l.mu.RUnlock()
	if b, ok := l.store.get(key); ok {
		if f, err := facts.Decode(b); err == nil {
			return f
		}
	}
	return nil
}

// read returns a file's bytes as the snapshot has them.
func (s *State) read(rd *git.Reader, e *git.Entry) ([]byte, error) {
	if e.OnDisk {
		return s.Git.ReadFile(e.Path, maxFile(e.Path))
	}
	_, size, err := rd.Size(e.ID)
	if err == nil && size > maxFile(e.Path) {
		return nil, git.ErrTooLarge
	}
	_, data, err := rd.Object(e.ID)
	if err != nil {
		if same := s.onDisk(e); same != nil {
			return same, nil
		}
	}
	return data, err
}

// role applies the user's patterns, then .gitattributes, then the rules.
func (s *State) role(path string, f *facts.Facts) string {
	for _, r := range s.Config.Roles {
		if p, ok := git.CompilePattern(r.Pattern); ok && (p.Match(path, false) || underMatch(&p, path)) {
			return r.Role
		}
	}
	own := f.Role(path)
	if len(s.attributes) > 0 {
		switch role, denied := s.attributeRole(path, own); {
		case role != "":
			return string(role)
		case denied:
			// What its name alone says, without the folder or head that
			// made us think so.
			_, base := pathpkg.Split(path)
			return string(facts.RoleOf(base, f.Lang, f.Flags&^facts.Generated))
		}
	}
	return string(own)
}
