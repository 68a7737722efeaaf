package decide

import "strings"

// calls of the standard library that allocate for their caller, and what its caller can do instead. The key
// is the function, or the type and the method: bytes.Buffer.String.
var (
	copying  = table(copies)
	recycled = table(reusable)
)

// copies return a copy even where nothing is changed, or where reading would do.
const copies = `
bytes.Replace bytes.ReplaceAll bytes.ToLower bytes.ToUpper bytes.ToTitle bytes.Map bytes.ToValidUTF8 | copies also where it changes nothing: ask first (bytes.Contains, bytes.IndexFunc)
bytes.Clone strings.Clone slices.Clone maps.Clone | a copy that nobody changes can be shared with the original
bytes.Buffer.String bufio.Scanner.Text | copies what Bytes returns without a copy, and strings.Builder builds without one
bufio.Reader.ReadString bufio.Reader.ReadBytes | copies what ReadSlice returns without a copy
strings.Split strings.SplitN strings.SplitAfter | strings.SplitSeq hands out the parts without a slice of them
bytes.Split bytes.SplitN bytes.SplitAfter | bytes.SplitSeq hands out the parts without a slice of them
strings.Fields strings.FieldsFunc | strings.FieldsSeq hands out the parts without a slice of them
bytes.Fields bytes.FieldsFunc | bytes.FieldsSeq hands out the parts without a slice of them
slices.Collect | a loop over the iterator needs no slice
`

// reusable have a form that works in memory that the caller has already.
const reusable = `
fmt.Sprint fmt.Sprintf fmt.Sprintln | fmt.Append, fmt.Appendf write into a []byte of yours
strconv.Itoa strconv.FormatInt strconv.FormatUint strconv.FormatFloat strconv.Quote | the Append form of it writes into a []byte of yours
hex.EncodeToString base64.Encoding.EncodeToString | AppendEncode writes into a []byte of yours
base64.Encoding.DecodeString hex.DecodeString | AppendDecode writes into a []byte of yours
bufio.NewReader bufio.NewReaderSize bufio.NewWriter bufio.NewWriterSize | its Reset starts it anew with the buffer that it has
bufio.NewScanner bufio.Scanner.Scan | its Buffer takes memory of yours
bytes.NewBuffer bytes.NewBufferString bytes.NewReader strings.NewReader | its Reset starts it anew
gzip.NewReader gzip.NewWriter gzip.NewWriterLevel flate.NewReader flate.NewWriter zlib.NewReader zlib.NewWriter | its Reset starts it anew with the tables that it has
bytes.Buffer.Write bytes.Buffer.WriteString bytes.Buffer.WriteByte bytes.Buffer.WriteRune bytes.Buffer.Grow bytes.Buffer.ReadFrom bytes.Buffer.grow bytes.growSlice | its Reset keeps the buffer
strings.Builder.Write strings.Builder.WriteString strings.Builder.WriteByte strings.Builder.WriteRune strings.Builder.Grow | a []byte of yours keeps its memory
io.ReadAll | a bytes.Buffer that is kept reads with ReadFrom into the memory that it has
sha1.New sha256.New sha512.New md5.New crc32.NewIEEE fnv.New32 fnv.New32a fnv.New64 fnv.New64a | its Reset starts it anew
time.NewTimer time.NewTicker | its Reset starts it anew
`

// table reads lines of names | what to do.
func table(text string) map[string]string {
	all := map[string]string{}
	for row := range strings.Lines(strings.TrimSpace(text)) {
		names, what, _ := strings.Cut(strings.TrimSpace(row), " | ")
		for _, name := range strings.Fields(names) {
			all[name] = what
		}
	}
	return all
}

// callee is the key of a function: package and name, or package, type and method, in whatever form it is written:
// encoding/hex.EncodeToString, (*bytes.Buffer).String, bytes.(*Buffer).String, slices.Clone[...].
func callee(name string) string {
	if i := strings.IndexByte(name, '['); i >= 0 {
		name = name[:i]
	}
	name = name[strings.LastIndexByte(name, '/')+1:]
	return strings.NewReplacer("(", "", ")", "", "*", "").Replace(name)
}
