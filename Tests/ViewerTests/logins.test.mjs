import assert from "node:assert/strict";
import test from "node:test";
import { choices, isListed, loginFilter } from "../../viewer/js/logins.js";

const login = (outcome, rule = null, severity = "error", settled = true) => ({ outcome, settled, first: rule ? { rule, severity, title: rule } : null });

const flows = [
  login("success"), login("failure", "code-reused"), login("success", "pkce-plain", "warning"), login("cancelled", "user-cancelled", "note"),
  login("failure", "code-reused"), login("failure", null, null, false), login("incomplete"),
];

test("logins are listed by how they ended, by whether something is wrong, by their first finding", () => {
  const listed = (only) => flows.flatMap((flow, index) => (isListed(flow, only) ? [index] : []));
  assert.deepEqual(listed(null), [0, 1, 2, 3, 4, 5, 6]);
  // One that still goes on has not failed yet.
  assert.deepEqual(listed("failure"), [1, 4]);
  assert.deepEqual(listed("open"), [5]);
  assert.deepEqual(listed("wrong"), [1, 2, 4]);
  assert.deepEqual(listed("rule:pkce-plain"), [2]);
  assert.deepEqual(listed("rule:failure"), []);
  assert.deepEqual(listed("nothing"), []);
});

test("what can be chosen is counted, and nothing that no login has is offered", () => {
  assert.deepEqual(choices(flows), {
    ends: [
      ["wrong", "with something wrong", 3], ["failure", "failed", 2], ["incomplete", "not finished", 1], ["cancelled", "cancelled", 1],
      ["success", "succeeded", 2], ["open", "still going on", 1],
    ],
    rules: [["rule:code-reused", "code-reused", 2], ["rule:pkce-plain", "pkce-plain", 1], ["rule:user-cancelled", "user-cancelled", 1]],
  });
  // What is wrong with those that failed alone needs no choice of its own.
  assert.deepEqual(choices([login("success"), login("failure", "code-reused")]).ends, [["failure", "failed", 1], ["success", "succeeded", 1]]);
  assert.deepEqual(choices([]), { ends: [], rules: [] });
});

test("where all logins are alike there is nothing to choose", () => {
  for (const alike of [[], [flows[1]], [flows[1], flows[4]], [flows[0], flows[0]]]) assert.deepEqual(loginFilter(alike, null, () => {}), []);
});
