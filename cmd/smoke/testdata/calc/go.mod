module example.org/calc

go 1.24
