package repo

import (
	"encoding/binary"
	"os"
	"time"
)

// A stamp beside a file says that all of the file was checked: size, time of
// change and, where there is one, the inode. While they stay, the next reader
// takes the file's word and reads what it needs, instead of all of it. Whoever
// changes a file in place changes its time; what changes bytes behind the file
// system's back is found by "rank index", which checks everything.
const stampExt = ".ok"

const (
	stampMagic = "COHOPOK1"
	stampSize  = 32
)

// touchEvery is how old a file's time may become before a reader renews it:
// by it caches are shrunk, to which hours are as good as seconds.
const touchEvery = time.Hour

func stampOf(info os.FileInfo) (b [stampSize]byte) {
	copy(b[:], stampMagic)
	binary.LittleEndian.PutUint64(b[8:], uint64(info.Size()))
	binary.LittleEndian.PutUint64(b[16:], uint64(info.ModTime().UnixNano()))
	binary.LittleEndian.PutUint64(b[24:], inode(info))
	return b
}

// stamped tells whether the file at path was checked since it was written, and
// returns what is noted of it behind the stamp, which holds in any case.
func stamped(path string, info os.FileInfo) (ok bool, note []byte) {
	b, err := readKept(path+stampExt, maxNote)
	if err != nil || len(b) < stampSize || string(b[:len(stampMagic)]) != stampMagic {
		return false, nil
	}
	want := stampOf(info)
	return string(b[:stampSize]) == string(want[:]), b[stampSize:]
}

// stamp says that the file at path, as info describes it, was checked, and what
// else is noted of it. That it cannot be said is no matter.
func stamp(path string, info os.FileInfo, note []byte) {
	b := stampOf(info)
	_ = writeAtomic(path+stampExt, b[:], note)
}

// touch renews the time of a file that is in use and was checked, and its stamp
// with it.
func touch(path string, info os.FileInfo, note []byte) {
	now := time.Now()
	if d := now.Sub(info.ModTime()); d < touchEvery && d > -touchEvery || os.Chtimes(path, now, now) != nil {
		if ok, _ := stamped(path, info); !ok {
			stamp(path, info, note)
		}
		return
	}
	if after, err := os.Stat(path); err == nil && os.SameFile(info, after) && after.Size() == info.Size() {
		stamp(path, after, note)
	}
}

// openChecked maps a file of the cache and opens it: trusting if it is
// stamped, else with all checks, which earns it a stamp. full asks for the
// checks all the same.
func openChecked[T any](path string, full bool, trusted, checked func(b []byte) (T, error)) (out T, m *mapping, err error) {
	m, err = mapFile(path)
	if err != nil {
		return out, nil, err
	}
	ok, note := stamped(path, m.info)
	m.note = note
	if ok && !full {
		if out, err = trusted(m.data); err == nil {
			if time.Since(m.info.ModTime()) > touchEvery {
				touch(path, m.info, note)
			}
			return out, m, nil
		}
	}
	if out, err = checked(m.data); err != nil {
		m.close()
		return out, nil, err
	}
	touch(path, m.info, note)
	return out, m, nil
}

// removeChecked removes a file and its stamp.
func removeChecked(path string) {
	os.Remove(path)
	os.Remove(path + stampExt)
}
