module github.com/coppice-go/coppice/golangci

go 1.26.0

require (
	github.com/coppice-go/coppice v0.1.0
	github.com/coppice-go/coppice/cmd v0.1.0
	github.com/golangci/plugin-module-register v0.1.2
	go.yaml.in/yaml/v4 v4.0.0
	golang.org/x/tools v0.52.0
)

require (
	github.com/alexkohler/prealloc v1.1.0 // indirect
	github.com/pelletier/go-toml/v2 v2.4.3 // indirect
	golang.org/x/mod v0.42.0 // indirect
	golang.org/x/sync v0.24.0 // indirect
	honnef.co/go/tools v0.8.2 // indirect
)
