// A page over HTTP, made of what go-core says.
package main

import (
	"log"
	"net"
	"net/http"
	"os"

	core "mesh.example/go-core"
)

func main() {
	address := net.JoinHostPort("127.0.0.1", os.Getenv("PORT"))
	log.Fatal(http.ListenAndServe(address, newPage(os.Getenv("NAME"))))
}

func newPage(name string) http.Handler {
	page := http.NewServeMux()
	page.HandleFunc("/healthz", func(answer http.ResponseWriter, _ *http.Request) {
		answer.Write([]byte("ok\n"))
	})
	page.HandleFunc("/", func(answer http.ResponseWriter, _ *http.Request) {
		answer.Write([]byte(core.Greeting(name) + "\n"))
	})
	return page
}
