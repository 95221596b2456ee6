package cmd

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"

	"golang.org/x/sys/unix"
)

// onTerminal runs a command with its output on a terminal of the given width
// and returns what a user would see.
func onTerminal(c *exec.Cmd, width int) (string, error) {
	ptm, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		return "", err
	}
	defer ptm.Close()
	fd := int(ptm.Fd())
	if err := unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0); err != nil {
		return "", err
	}
	n, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err != nil {
		return "", err
	}
	pts, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		return "", err
	}
	if err := unix.IoctlSetWinsize(int(pts.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 50, Col: uint16(width)}); err != nil {
		pts.Close()
		return "", err
	}
	c.Stdout = pts
	if err := c.Start(); err != nil {
		pts.Close()
		return "", err
	}
	pts.Close()
	out, err := io.ReadAll(ptm) // ends with EIO once nobody holds the other end
	if err != nil && !errors.Is(err, unix.EIO) {
		return "", err
	}
	return strings.ReplaceAll(string(out), "\r\n", "\n"), c.Wait()
}
