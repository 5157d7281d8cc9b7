import assert from "node:assert/strict";
import test from "node:test";
import { label, lack, possible, proposal, sides, state } from "../../viewer/js/compare.js";

const flow = (id, outcome, client = "app") => ({ id, outcome, client_id: client });

test("what failed is compared with what worked, which is how it ought to be", () => {
  const captures = [{ name: "a", flows: [flow("flow-1", "success", "other"), flow("flow-2", "success"), flow("flow-3", "failure")] }];
  assert.deepEqual(proposal(captures, { capture: 0, flow: "flow-3" }), ["0/flow-2", "0/flow-3"]);
  assert.deepEqual(proposal(captures, { capture: 0, flow: "flow-1" }), ["0/flow-1", "0/flow-2"]);
  assert.equal(proposal([{ name: "a", flows: [flow("flow-1", "failure")] }], { capture: 0, flow: "flow-1" }), null);
  assert.equal(proposal([{ name: "a", flows: [] }], { capture: 0, flow: "" }), null);
});

test("of two captures the later one is compared with the earlier", () => {
  const captures = [{ name: "a", flows: [flow("flow-1", "success")] }, { name: "b", flows: [flow("flow-1", "success")] }];
  assert.deepEqual(proposal(captures, { capture: 1, flow: "flow-1" }), ["0/flow-1", "1/flow-1"]);
  assert.deepEqual(sides(captures).map(({ name }) => name), ["a flow-1 · success", "b flow-1 · success"]);
});

test("of a page in one file a comparison is proposed that it has", () => {
  const pair = (a, b) => ({ expected: { capture: 0, flow: a }, seen: { capture: 0, flow: b } });
  const pairs = [pair("flow-1", "flow-2"), pair("flow-2", "flow-3")];
  const looked = { capture: 0, flow: "flow-3" };
  assert.deepEqual(possible(pairs, ["0/flow-1", "0/flow-3"], looked), ["0/flow-2", "0/flow-3"]);
  assert.deepEqual(possible(pairs, ["0/flow-1", "0/flow-2"], { capture: 0, flow: "flow-2" }), ["0/flow-1", "0/flow-2"]);
  assert.deepEqual(possible(pairs, ["0/flow-1", "0/flow-9"], { capture: 0, flow: "flow-9" }), ["0/flow-1", "0/flow-9"]);
  assert.deepEqual(possible(null, ["0/flow-1", "0/flow-3"], looked), ["0/flow-1", "0/flow-3"]);
  assert.equal(possible(null, null, looked), null);
});

test("steps are the same, differ, or are in one only", () => {
  const step = (expected, seen, same) => state({ exchanges: [expected, seen], same });
  assert.deepEqual([step(0, 1, true), step(0, 1, false), step(0, null, false), step(null, 0, true)], ["same", "differs", "missing", "added"]);
});

test("what differs is called by its name, its place or its kind", () => {
  const place = (where) => ({ where, name: "" });
  assert.equal(label({ name: "", place: place("request.url") }), "the address");
  assert.equal(label({ name: "", place: place("response.status") }), "the answer");
  assert.equal(label({ name: "", aspect: "kind of answer", place: place("response.status") }), "kind of answer");
  assert.equal(label({ name: "", aspect: "signature", place: { ...place("response.body"), token: "id_token" } }), "id_token (signature)");
  assert.equal(label({ name: "scope", place: place("request.query") }), "scope");
});

test("of no login it is not said that there is one", () => {
  assert.match(lack(0), /^There is no login here\./);
  assert.match(lack(1), /^There is only one login here\./);
});
