# A JSON document for Cap'n Proto. src/document_capnp.rs is what capnpc-rust of the crate capnpc
# 0.27 makes of it, after cargo fmt:
#
#     capnp compile -o rust:src document.capnp
#
# A member of an object is its value with a key, so that it stands in the list of its siblings. A
# whole number of 32 bits is a kind of its own.
@0xd1c5e8b0a94f7263;

struct Value {
  union {
    null @0 :Void;
    bool @1 :Bool;
    whole @2 :Int32;
    number @3 :Float64;
    string @4 :Text;
    items @5 :List(Value);
    members @6 :List(Value);
  }
  key @7 :Text;
}
