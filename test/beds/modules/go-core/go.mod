module mesh.example/go-core

go 1.22
