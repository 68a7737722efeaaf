#!/usr/bin/env node
/*! kept */
'use strict';
import star, * as all from 'm';
import def, { a as b, c } from 'n';
import 'side';
import {} from 'empty';
export { b as default, c };
export * from 'o';
export * as p from 'q';
export default class extends (class Named {}) { static { let s = 1 + 2; } #x = 3 * 4; [b + 'k' + ('a' + 'b')] = 1; get [1 + 1]() { return this.#x } set v(w) { this.#x = w; } static async *gen(q = 2 * 3) { yield* q; yield; await q } }
let let1 = 0, [d, , e = 5 - 3, ...f] = [1, , 2, ], { g, h: { i = 4 + 4, ['j' + 'k']: k }, ...l } = {};
lbl: for (var m = 0, n = 1; m < n; m++) { continue lbl; }
for (;;) break;
for (let o in { o: 1 }) o;
for (const r of [1, 2]) { r }
async function af({ s, t: [u] } = {}, ...[v, w]) { for await (const x of s) y += x; return () => { return { s, u, v: w, 'q-r': 1, 2: 3, [s]: s, m() {}, get z() { return 1 }, async *ag() {}, ...v } } }
do x1++; while (x1 < 10 + 20);
do { } while (0)
while (1) ;
if (a1) ; else if (b1) { c1 } else d1;
switch (e1) { case 1 + 1: let f1 = e1; f1; break; default: { } case 'x' + 'y': }
switch (0) { }
try { throw new Error } catch ({ message, stack: [top] }) { message + top } finally { }
try { } catch { debugger }
var y = (z1, q1), z1 = (p1 => p1 * (7 + 8))(- -1), q1 = ((a, b) => ({ a, b, y }))(+ +2, - --m, typeof typeof m, !~m);
function* outer(inner = () => hoisted) { var hoisted = inner; { hoisted = 1; function blockFn() { return hoisted + late } } yield hoisted; }
late ??= a1?.b?.[c1]?.(d1); var late;
const tpl = tag`head ${1 + 2 + 3} mid
  ${`inner ${() => { let deep = 1
    return deep }}`} tail`;
import.meta.url; new (foo())(1, ...bar); new Baz; (1).toString(); 1.5.toFixed(); 5..x;
a1 = b1 ? c1 : d1, e1; void 0; delete a1.b; a1 **= 2; 'esc\'aped' + 'x'; 'a' + "b"; 123456789 * 987654321; 9999999999 + 1; 1n + 2n; 3 - 5;
var re = /a[/]b/g, big = 1_000 + 1, hex = 0x10 + 1, fn = function named(n) { return n ? named(n - 1) : fn }, cl = class Inner { static make() { return new Inner } };
(function () { var inParens = 1; return inParens + (function () { return inParens })() })();
((inGroup, other = function () { var q = inGroup; return q }) => other);
(notArrow, function () { var q = notArrow; return q });
{ let shadow = 1; { let shadow = 2; shadow } shadow }
