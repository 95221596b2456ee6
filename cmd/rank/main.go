// Command rank names the files that a task needs.
package main

import (
	"context"
	"os"

	"cohop/cmd"
)

func main() {
	os.Exit(cmd.Main(context.Background(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
