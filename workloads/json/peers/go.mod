module github.com/coppice-go/coppice/workloads/json/peers

go 1.26.0

require (
	github.com/bytedance/sonic v1.15.5
	github.com/coppice-go/coppice/flat v0.1.0
	github.com/coppice-go/coppice/workloads v0.1.0
	github.com/google/flatbuffers v25.12.19+incompatible
	github.com/valyala/fastjson v1.6.10
)

require (
	github.com/KimMachineGun/automemlimit v1.0.1 // indirect
	github.com/bytedance/gopkg v0.1.3 // indirect
	github.com/bytedance/sonic/loader v0.5.3 // indirect
	github.com/cloudwego/base64x v0.1.6 // indirect
	github.com/coppice-go/coppice v0.1.0 // indirect
	github.com/go-json-experiment/json v0.0.0-20260820222146-c27c302e5fc3 // indirect
	github.com/klauspost/cpuid/v2 v2.4.2 // indirect
	github.com/pbnjay/memory v0.0.0-20210728143218-7b4eea64cf58 // indirect
	github.com/twitchyliquid64/golang-asm v0.15.1 // indirect
	golang.org/x/arch v0.0.0-20210923205945-b76863e36670 // indirect
	golang.org/x/sys v0.49.0 // indirect
)

replace (
	github.com/coppice-go/coppice => ../../..
	github.com/coppice-go/coppice/flat => ../../../flat
	github.com/coppice-go/coppice/workloads => ../..
)
