// A page that says what time it is.
package main

import (
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
	"time"
)

func main() {
	address := net.JoinHostPort("127.0.0.1", os.Getenv("PORT"))
	log.Fatal(http.ListenAndServe(address, newPage(time.Now)))
}

func newPage(now func() time.Time) http.Handler {
	page := http.NewServeMux()
	page.HandleFunc("/healthz", func(answer http.ResponseWriter, _ *http.Request) {
		fmt.Fprintln(answer, "ok")
	})
	page.HandleFunc("/", func(answer http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(answer, "It is %s, says Go.\n", now().UTC().Format(time.TimeOnly))
	})
	return page
}
