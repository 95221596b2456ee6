package repo

import (
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
	// batch is how many files are extracted before they are joined: enough to
	// keep the workers busy, few enough to keep memory flat.
	batch = 256
	// flushBytes is how many bytes of fresh facts are kept before they are
	// written.
	flushBytes = 16 << 20
	// relaxEvery is after how many batches the pages of packs are given back.
	relaxEvery = 4
)

// extract gets the facts of entries, from the store or by reading the blobs,
// on all cores but in order. With a sink every document is handed to it and
// then dropped; without, they are returned.
func (s *State) extract(ctx context.Context, entries []git.Entry, sink func(index.Doc) error) ([]index.Doc, error) {
	store := openFacts(s.cache)
	defer store.close()
	workers := min(runtime.GOMAXPROCS(0), 8)
	readers := make([]*git.Reader, workers)
	for i := range readers {
		readers[i] = s.Git.NewReader()
		defer readers[i].Close()
	}
	var all []index.Doc
	start, said := time.Now(), time.Time{}
	missing := 0
	for at := 0; at < len(entries); at += batch {
		if err := ctx.Err(); err != nil {
			s.flush(store) // the next run goes on from here
			return nil, err
		}
		if now := time.Now(); now.Sub(start) > quiet && now.Sub(said) > quiet {
			s.progress("indexing … %d of %d files", at, len(entries))
			said = now
		}
		part := entries[at:min(at+batch, len(entries))]
		got := make([]extracted, len(part))
		var next atomic.Int64
		var wg sync.WaitGroup
		for w := range workers {
			wg.Go(func() {
				for {
					i := int(next.Add(1)) - 1
					if i >= len(part) {
						return
					}
					got[i] = s.one(store, readers[w], &part[i])
				}
			})
		}
		wg.Wait()
		for i := range part {
			g := &got[i]
			if g.err != nil {
				if errors.Is(g.err, git.ErrMissing) {
					missing++
					s.lost++
				} else if !errors.Is(g.err, git.ErrTooLarge) {
					s.lost++
					s.warn("%s cannot be read (%v): left out of the index", part[i].Path, g.err)
				}
			}
			if g.fresh != nil {
				store.add(g.key, g.fresh)
			}
			if g.late {
				s.late++
			}
			d := index.Doc{Path: part[i].Path, ID: part[i].ID, Role: s.role(part[i].Path, g.facts), Facts: g.facts}
			if sink == nil {
				all = append(all, d)
			} else if err := sink(d); err != nil {
				return nil, err
			}
		}
		if store.freshBytes() > flushBytes || s.over() {
			s.flush(store)
		}
		if (at/batch)%relaxEvery == relaxEvery-1 {
			s.Git.Relax()
		}
	}
	s.flush(store)
	if len(entries) > batch {
		s.Git.Relax()
	}
	if s.late > 0 {
		s.warn("%d of %s not read in the time given: ranked by path alone until the next run", s.late, counted(len(entries), "file"))
	}
	if missing > 0 {
		verb, they := "are", "they are"
		if missing == 1 {
			verb, they = "is", "it is"
		}
		s.warn("%s %s not in this clone (partial or shallow): %s ranked by path alone", counted(missing, "file"), verb, they)
	}
	return all, nil
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
		s.warn("facts cannot be kept (%v): they are extracted again next time", cause(err))
		store.dir = ""
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
// terms: it is ranked by its path.
func (s *State) one(store *factStore, rd *git.Reader, e *git.Entry) extracted {
	hint := facts.Language(e.Path, nil)
	if facts.SecretName(e.Path) {
		return extracted{facts: &facts.Facts{Lang: hint, Flags: facts.Secret}}
	}
	key := keyOf(e.ID, hint)
	if b, ok := store.get(key); ok {
		if f, err := facts.Decode(b); err == nil {
			return extracted{facts: f}
		}
	}
	if s.over() {
		return extracted{facts: &facts.Facts{Lang: hint}, late: true}
	}
	src, err := s.read(rd, e)
	if err != nil {
		f := &facts.Facts{Lang: hint}
		if errors.Is(err, git.ErrTooLarge) {
			f.Flags |= facts.TooLarge
		}
		return extracted{facts: f, err: err}
	}
	f := facts.Extract(facts.Language(e.Path, src), src)
	return extracted{key: key, facts: f, fresh: f.Encode(nil)}
}

// read returns a file's bytes as the snapshot has them.
func (s *State) read(rd *git.Reader, e *git.Entry) ([]byte, error) {
	if e.OnDisk {
		return s.Git.ReadFile(e.Path, maxFile)
	}
	_, size, err := rd.Size(e.ID)
	if err == nil && size > maxFile {
		return nil, git.ErrTooLarge
	}
	_, data, err := rd.Object(e.ID)
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
