// Reads the imports of Go files as Go's own parser sees them. One JSON document {"text": …} a line on stdin, one
// answer a line on stdout, in the same order. Nothing is opened, resolved or run: the texts are hostile.
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"go/ast"
	"go/build/constraint"
	"go/parser"
	"go/scanner"
	"go/token"
	"io"
	"os"
	"strconv"
	"strings"
	"syscall"
)

const (
	addressSpaceBytes = 3 << 30
	cpuSeconds        = 60
	faultLimit        = 5
)

type question struct {
	Text string `json:"text"`
}

type importLine struct {
	Path string `json:"path"`
	// "" where the import has no name of its own, "_" blank, "." dot.
	Name string `json:"name"`
	Line int    `json:"line"`
}

type embedLine struct {
	// What stands behind //go:embed.
	Patterns string `json:"patterns"`
	Line     int    `json:"line"`
}

type fault struct {
	Line    int    `json:"line"`
	Message string `json:"message"`
}

type answer struct {
	// No build includes this file: its constraint needs the tag "ignore".
	Ignored bool         `json:"ignored"`
	Imports []importLine `json:"imports"`
	Embeds  []embedLine  `json:"embeds"`
	Faults  []fault      `json:"faults"`
}

func main() {
	limit(syscall.RLIMIT_AS, addressSpaceBytes)
	limit(syscall.RLIMIT_CPU, cpuSeconds)
	in := json.NewDecoder(bufio.NewReaderSize(os.Stdin, 1<<20))
	out := bufio.NewWriterSize(os.Stdout, 1<<20)
	encoder := json.NewEncoder(out)
	for {
		var q question
		if err := in.Decode(&q); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			fail(err)
		}
		if err := encoder.Encode(read(q.Text)); err != nil {
			fail(err)
		}
	}
	if err := out.Flush(); err != nil {
		fail(err)
	}
}

func limit(which int, most uint64) {
	if err := syscall.Setrlimit(which, &syscall.Rlimit{Cur: most, Max: most}); err != nil {
		fail(err)
	}
}

func fail(err error) {
	os.Stderr.WriteString(err.Error() + "\n")
	os.Exit(1)
}

func read(text string) answer {
	result := answer{Imports: []importLine{}, Embeds: []embedLine{}, Faults: []fault{}}
	if before, _, found := strings.Cut(text, "\x00"); found {
		line := strings.Count(before, "\n") + 1
		result.Faults = append(result.Faults, fault{Line: line, Message: "illegal character NUL"})
		return result
	}
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, "file.go", text, parser.ImportsOnly|parser.ParseComments|parser.SkipObjectResolution)
	result.Faults = append(result.Faults, faultsOf(err)...)
	if file == nil {
		return result
	}
	lineOf := func(at token.Pos) int { return files.PositionFor(at, false).Line }
	result.Ignored = isIgnored(file)
	embeds := false
	for _, spec := range file.Imports {
		path, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			// The parser said so.
			continue
		}
		name := ""
		if spec.Name != nil {
			name = spec.Name.Name
		}
		embeds = embeds || path == "embed"
		result.Imports = append(result.Imports, importLine{Path: path, Name: name, Line: lineOf(spec.Path.Pos())})
	}
	if embeds && strings.Contains(text, "//go:embed") {
		result.Embeds = append(result.Embeds, embedsOf(text)...)
	}
	return result
}

func faultsOf(err error) []fault {
	var list scanner.ErrorList
	if !errors.As(err, &list) {
		return nil
	}
	faults := []fault{}
	for at, one := range list {
		if at == faultLimit {
			break
		}
		faults = append(faults, fault{Line: one.Pos.Line, Message: one.Msg})
	}
	return faults
}

// All tags are both there and not there, but "ignore", which nobody sets: as "go mod tidy" looks at it.
func isIgnored(file *ast.File) bool {
	for _, group := range file.Comments {
		for _, comment := range group.List {
			if comment.Pos() > file.Package || !constraint.IsGoBuild(comment.Text) {
				continue
			}
			if expression, err := constraint.Parse(comment.Text); err == nil {
				return !mayHold(expression, true)
			}
			return false
		}
	}
	return false
}

func mayHold(expression constraint.Expr, wanted bool) bool {
	switch x := expression.(type) {
	case *constraint.TagExpr:
		return x.Tag != "ignore" && wanted
	case *constraint.NotExpr:
		return !mayHold(x.X, !wanted)
	case *constraint.AndExpr:
		return mayHold(x.X, wanted) && mayHold(x.Y, wanted)
	case *constraint.OrExpr:
		return mayHold(x.X, wanted) || mayHold(x.Y, wanted)
	}
	return true
}

func embedsOf(text string) []embedLine {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, "file.go", text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		// What comes behind the imports is for the compiler to judge.
		return nil
	}
	found := []embedLine{}
	for _, group := range file.Comments {
		for _, comment := range group.List {
			rest, is := strings.CutPrefix(comment.Text, "//go:embed")
			if is && (rest == "" || rest[0] == ' ' || rest[0] == '\t') {
				found = append(found, embedLine{Patterns: rest, Line: files.PositionFor(comment.Pos(), false).Line})
			}
		}
	}
	return found
}
