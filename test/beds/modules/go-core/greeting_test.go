package core_test

import (
	"strings"
	"testing"

	core "mesh.example/go-core"
)

func TestGreeting(t *testing.T) {
	if got := core.Greeting("you"); !strings.Contains(got, "you") {
		t.Fatalf("got %q", got)
	}
}
