//go:build unix

package repo

import (
	"os/exec"
	"syscall"
)

// detach puts a program into a session of its own, so that it outlives whoever
// ends the caller's group.
func detach(c *exec.Cmd) { c.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }
