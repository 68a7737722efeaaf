package reuse

import (
	"github.com/coppice-go/coppice/cmd/internal/remedy"
)

// recycled maps functions of the standard library that allocate their result to the advice on what
// to call instead.
var recycled = remedy.Calls(reusable)

// reusable is the source of the map recycled. Each line lists functions that allocate memory, and
// an alternative that uses memory that the caller already has.
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
