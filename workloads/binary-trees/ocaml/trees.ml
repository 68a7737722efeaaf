(* The OCaml solution of binary-trees; ../spec.md is the problem. OCaml 4 has no threads
   that run at the same time, so there is one worker. *)

type tree = Nil | Node of tree * tree

(* A perfect tree of the depth. Nil is an argument because the compiler makes a constant
   of the program of Node (Nil, Nil), and no leaf would be allocated. *)
let rec grow nil depth =
  if depth = 0 then Node (nil, nil)
  else
    let left = grow nil (depth - 1) in
    Node (left, grow nil (depth - 1))

let build depth = grow (Sys.opaque_identity Nil) depth

let rec count = function
  | Nil -> 0
  | Node (Nil, _) -> 1
  | Node (left, right) -> 1 + count left + count right

let min_depth = 4

let rec count_trees depth trees check =
  if trees = 0 then check
  else count_trees depth (trees - 1) (check + count (build depth))

(* Prints the answer for a depth of at least 6. *)
let run depth =
  Printf.printf "stretch tree of depth %d\t check: %d\n" (depth + 1)
    (count (build (depth + 1)));
  let long_lived = build depth in
  let rec short_lived d =
    if d <= depth then begin
      let trees = 1 lsl (depth - d + min_depth) in
      Printf.printf "%d\t trees of depth %d\t check: %d\n" trees d
        (count_trees d trees 0);
      short_lived (d + 2)
    end
  in
  short_lived min_depth;
  Printf.printf "long lived tree of depth %d\t check: %d\n" depth
    (count long_lived)

(* What the runtime has allocated and collected since the program started. *)
let report file =
  let s = Gc.quick_stat () in
  let out = open_out file in
  Printf.fprintf out
    "{\"bytes\": %.0f, \"gc_cycles\": %d, \"gc_major_cycles\": %d}\n"
    (Gc.allocated_bytes ())
    (s.Gc.minor_collections + s.Gc.major_collections)
    s.Gc.major_collections;
  close_out out

type arguments = { depth : int; report_to : string option }

exception Usage of string

let usage fmt = Printf.ksprintf (fun what -> raise (Usage what)) fmt

(* What follows the prefix, if the word starts with it. *)
let after prefix word =
  let n = String.length prefix in
  if String.length word >= n && String.sub word 0 n = prefix then
    Some (String.sub word n (String.length word - n))
  else None

let parse_depth word =
  let decimal = String.for_all (fun c -> '0' <= c && c <= '9') word in
  match int_of_string_opt word with
  | Some depth when decimal && depth <= 40 -> max 6 depth
  | _ -> usage "depth %S is not a whole number from 0 to 40" word

let rec parse_flags report_to = function
  | [] -> usage "no depth given"
  | word :: rest -> (
      match (after "-workers=" word, after "-report=" word) with
      | Some "1", _ -> parse_flags report_to rest
      | Some _, _ -> usage "%s: OCaml 4 runs one thread at a time; give -workers=1" word
      | None, Some "" -> usage "-report= names no file"
      | None, file when file <> None -> parse_flags file rest
      | _ when rest <> [] -> usage "unexpected argument %S after the depth" (List.hd rest)
      | _ -> { depth = parse_depth word; report_to })

let parse = function
  | [] -> usage "no strategy given"
  | "plain" :: rest -> parse_flags None rest
  | word :: _ -> usage "no strategy %S" word

let end_with code fmt =
  Printf.ksprintf (fun what -> prerr_endline ("trees: " ^ what); exit code) fmt

let () =
  try
    let a = parse (List.tl (Array.to_list Sys.argv)) in
    run a.depth;
    flush stdout;
    Option.iter report a.report_to
  with
  | Usage what ->
      end_with 2 "%s; usage: trees plain [-workers=1] [-report=FILE] DEPTH" what
  | Sys_error what -> end_with 1 "%s" what
  | Out_of_memory -> end_with 1 "out of memory"
