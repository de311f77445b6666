package main

import (
	"net/http"
	"net/http/httptest"
	"testing"
)

func TestPage(t *testing.T) {
	for path, want := range map[string]string{"/": "Good day, you.\n", "/healthz": "ok\n"} {
		answer := httptest.NewRecorder()
		newPage("you").ServeHTTP(answer, httptest.NewRequest(http.MethodGet, path, nil))
		if got := answer.Body.String(); got != want {
			t.Errorf("%s: got %q, want %q", path, got, want)
		}
	}
}
