import assert from "node:assert/strict";
import test from "node:test";
import { choices, isActive, matches } from "../../viewer/js/filter.js";

const rows = [
  { who: ["browser", "provider"], kinds: ["authorization request"], host: "idp.example", rules: [] },
  { who: ["backend", "provider"], kinds: ["token request"], host: "idp.example", rules: ["code-reused", "code-reused"] },
  { who: [], kinds: [], host: "cdn.example", rules: [] },
];

test("what matches all that is asked for is shown", () => {
  const shown = (filter) => rows.filter((row) => matches(row, filter)).map((row) => rows.indexOf(row));
  assert.deepEqual(shown({}), [0, 1, 2]);
  assert.deepEqual(shown({ who: "provider" }), [0, 1]);
  assert.deepEqual(shown({ who: "provider", kind: "token request" }), [1]);
  assert.deepEqual(shown({ kind: "other" }), [2]);
  assert.deepEqual(shown({ rule: "code-reused", host: "cdn.example" }), []);
  assert.ok(isActive({ host: "x" }) && !isActive({ host: null, rule: "" }));
});

test("choices are counted by exchange, the most frequent first", () => {
  const known = choices(rows);
  assert.deepEqual(known.get("host"), [["idp.example", 2], ["cdn.example", 1]]);
  assert.deepEqual(known.get("rule"), [["code-reused", 1]]);
  assert.deepEqual(known.get("kind").map(([kind]) => kind), ["authorization request", "other", "token request"]);
});

test("what is chosen is told as chosen, where no exchange has it too", () => {
  const known = choices(rows, { host: "gone.example", who: "browser", kind: null });
  assert.deepEqual(known.get("host"), [["idp.example", 2], ["cdn.example", 1], ["gone.example", 0]]);
  assert.equal(known.get("who").filter(([who]) => who === "browser").length, 1);
  // Of many hosts a rare one is left out, but for the one that is chosen.
  const many = Array.from({ length: 400 }, (_, index) => ({ who: [], kinds: [], rules: [], host: `h${index}.example` }));
  const rare = choices(many, { host: "h99.example" }).get("host");
  assert.deepEqual([rare.length, rare.at(-1)], [201, ["h99.example", 1]]);
});
