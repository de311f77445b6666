package main

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestPage(t *testing.T) {
	for path, want := range map[string]string{"/": "you", "/healthz": "ok"} {
		answer := httptest.NewRecorder()
		newPage("you").ServeHTTP(answer, httptest.NewRequest(http.MethodGet, path, nil))
		if got := answer.Body.String(); !strings.Contains(got, want) {
			t.Errorf("%s: got %q, want %q", path, got, want)
		}
	}
}
