package repo

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"time"
)

// endsAll says that endGroup reaches all that a program started.
const endsAll = true

// endGroup ends a program that detach put into a session of its own, and all of
// the session: go/packages runs the go command in a group of its own. The
// program must not have been waited for, so that its number is still its own.
func endGroup(p *os.Process) {
	_ = syscall.Kill(-p.Pid, syscall.SIGKILL)
	endSession(p.Pid)
}

// endOthers ends what this process started, if it leads a session.
func endOthers() { endSession(os.Getpid()) }

// endSession kills the processes of a session, other than this one, until there
// are none: one may just be starting another. What the kernel does not let go
// of is given up after a second.
func endSession(sid int) {
	for range 200 {
		list := session(sid)
		if len(list) == 0 {
			return
		}
		for _, pid := range list {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// session lists the processes of a session that are not over, other than this
// one.
func session(sid int) (pids []int) {
	names, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, name := range names {
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(name)))
		if err != nil || pid == os.Getpid() {
			continue
		}
		b, err := os.ReadFile(name)
		if err != nil {
			continue
		}
		// pid (name) state parent group session …; the name may hold anything.
		f := bytes.Fields(b[bytes.LastIndexByte(b, ')')+1:])
		if len(f) < 4 || string(f[3]) != strconv.Itoa(sid) {
			continue
		}
		if state := string(f[0]); state != "Z" && state != "X" {
			pids = append(pids, pid)
		}
	}
	return pids
}
