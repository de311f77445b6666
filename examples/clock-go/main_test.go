package main

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

func TestSaysTheTime(t *testing.T) {
	noon := func() time.Time { return time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC) }
	answer := httptest.NewRecorder()
	newPage(noon).ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "/", nil))
	if got := answer.Body.String(); !strings.Contains(got, "12:00:00") {
		t.Fatalf("got %q", got)
	}
}
