import assert from "node:assert/strict";
import test from "node:test";
import { drawnRows, HEIGHT, heightOf, indexOf } from "../../viewer/js/arrows.js";

const message = (exchange, form, at, more = {}) => ({ type: "message", exchange, form, at, from: 0, to: 1, ...more });
const rows = [
  message(0, "request", 0), message(0, "redirect", 100, { next: 1 }), message(1, "request", 120), message(1, "answer", 200),
  { type: "folded", exchanges: [2, 3, 4] }, { type: "finding", title: "x" }, message(5, "request", 10_200),
];
const exchanges = [0, 1, 2, 3, 4, 5].map((number) => ({ who: ["browser"], kinds: number === 1 ? ["authorization request"] : [], host: number === 3 ? "b" : "a", rules: [] }));
const options = { exchanges, filter: {}, unfolded: new Set(), isScaled: false };

test("a redirect and the request that it led to are one line", () => {
  const drawn = drawnRows(rows, options);
  assert.deepEqual(drawn.filter((row) => row.isContinued).map((row) => row.exchange), [1]);
  // With something between them they are two, but for a finding, which the line goes around.
  const apart = drawnRows([rows[1], rows[4], rows[2]], options);
  assert.ok(apart.every((row) => !row.isContinued));
  const around = drawnRows([rows[1], rows[5], rows[2]], options).at(-1);
  assert.ok(around.isContinued && around.reach === HEIGHT);
});

test("folded requests unfold, and are filtered like the others", () => {
  const open = drawnRows(rows, { ...options, unfolded: new Set([2]) });
  assert.deepEqual(open.filter((row) => row.type === "background").map((row) => row.exchange), [2, 3, 4]);
  assert.equal(indexOf(open, 3), 6);
  assert.equal(indexOf(drawnRows(rows, options), 3), 4);
  const filtered = drawnRows(rows, { ...options, filter: { host: "b" } });
  // A finding goes with its message.
  assert.deepEqual(filtered.map((row) => row.type), ["folded"]);
  assert.deepEqual(filtered[0].exchanges, [3]);
});

test("waits have their length, all of them together a bounded one", () => {
  const drawn = drawnRows(rows, { ...options, isScaled: true });
  const last = drawn.at(-1);
  assert.equal(last.wait, 10_000);
  const [short, long] = [drawn.find((row) => row.wait === 100), last].map((row) => row.gap);
  assert.ok(long > 500 && heightOf(last) === long + HEIGHT);
  // One that is a hundredth of it would not be seen.
  assert.equal(short, 0);
  const even = drawnRows([message(0, "request", 0), message(0, "answer", 4000), message(1, "request", 6000)], { ...options, isScaled: true });
  assert.ok(Math.abs(even[1].gap / even[2].gap - 2) < 1e-9);
  const day = drawnRows([message(0, "request", 0), message(0, "answer", 86_400_000)], { ...options, isScaled: true });
  assert.ok(day[1].gap <= 3000);
  assert.ok(drawnRows([], { ...options, isScaled: true }).length === 0);
});
