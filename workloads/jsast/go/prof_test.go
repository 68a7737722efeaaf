package main
import ("testing";"github.com/tdewolff/parse/v2";"github.com/tdewolff/parse/v2/js";"github.com/coppice-go/coppice/workloads/jsast/source";"github.com/coppice-go/coppice/workloads/jsast/syntaxflat";"github.com/coppice-go/coppice/flat")
func BenchmarkFold(b *testing.B){
 src:=source.Module(13)
 ast,_:=js.Parse(parse.NewInputBytes(src), js.Options{})
 t,err:=convert(ast,len(src)); if err!=nil{b.Fatal(err)}
 t=t.Clone(); b.Log(t.NumNodes(), t.NumWords())
 ast=nil
 bb:=syntaxflat.NewBuilder(flat.BuilderOptions{})
 b.ResetTimer()
 for range b.N { x,_,err:=foldFlat(bb,t); if err!=nil{b.Fatal(err)}; bb.Reuse(x) }
}
