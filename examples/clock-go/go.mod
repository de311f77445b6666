module mesh.example/clock-go

go 1.22
