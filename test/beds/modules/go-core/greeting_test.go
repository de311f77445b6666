package core_test

import (
	"testing"

	core "mesh.example/go-core"
)

func TestGreeting(t *testing.T) {
	if got := core.Greeting("you"); got != "Good day, you." {
		t.Fatalf("got %q", got)
	}
}
