module mesh.example/go-page

go 1.22

require mesh.example/go-core v0.0.0
