// Package core says what every page of the mesh says.
package core

import (
	_ "embed"
	"strings"
)

//go:embed greeting.txt
var greeting string

// Greeting is what a page shows to somebody.
func Greeting(name string) string {
	return strings.ReplaceAll(strings.TrimSpace(greeting), "NAME", name)
}
