import assert from "node:assert/strict";
import test from "node:test";
import { advice, summary, verdict } from "../../viewer/js/overview.js";

const flow = (outcome, severity, settled = true) => ({ outcome, settled, findings: severity ? 1 : 0, first: severity ? { severity, title: "what is wrong" } : null, lead: severity || !settled ? null : "nothing wrong found" });

test("a capture in one line", () => {
  const words = (...flows) => verdict({ flows, exchanges: [{}] }).words;
  assert.equal(words(flow("success")), "The login is healthy.");
  assert.equal(words(flow("success"), flow("success", "note")), "All 2 logins are healthy, with 1 note.");
  assert.equal(words(flow("success"), flow("success", "warning")), "1 login of 2 with something wrong.");
  assert.equal(words(flow("success"), flow("failure", "error")), "1 login of 2 failed.");
  assert.equal(words(flow("success", "warning"), flow("failure", "error"), flow("incomplete", "error")), "1 login of 3 failed, 2 more with something wrong.");
  assert.equal(words(flow("success"), flow("failure")), "1 login of 2 failed.");
  assert.equal(words(flow("failure")), "The login failed.");
  assert.equal(words(flow("failure"), flow("failure")), "All 2 logins failed.");
  assert.equal(words(flow("success", "warning")), "Something is wrong with the login.");
  assert.equal(words(flow("failure", null, false)), "1 login still going on.");
  assert.equal(words(flow("incomplete")), "Nothing wrong found, but the login did not finish.");
  assert.equal(words(flow("incomplete", "note")), "The login did not finish.");
  assert.equal(words(flow("success"), flow("cancelled", "note")), "1 of 2 logins succeeded.");
  assert.equal(words(flow("success"), flow("incomplete")), "Nothing wrong found; 1 of 2 logins succeeded.");
  assert.equal(words(flow("incomplete", null, false)), "1 login still going on.");
  assert.equal(words(), "No login in this capture.");
  assert.equal(verdict({ flows: [], exchanges: [] }).words, "No exchange in this capture.");
  assert.equal(verdict({ flows: [], exchanges: [] }, true).words, "Nothing has come through yet: what the recorder sees appears here.");
  assert.equal(verdict({ flows: [], exchanges: [{}] }, true).words, "No login yet.");
});

test("a login in a few words", () => {
  assert.deepEqual([flow("success"), flow("failure", "error"), flow("incomplete", null, false)].map(summary), ["nothing wrong found", "what is wrong", "still going on"]);
  assert.equal(summary({ ...flow("failure"), lead: "no rule that was asked found why" }), "no rule that was asked found why");
  assert.equal(summary({ ...flow("success", null, false), lead: "all went well so far" }), "all went well so far");
  assert.equal(verdict({ flows: [flow("incomplete")], exchanges: [{}] }).isGood, false);
});

test("what to do about a capture without a login", () => {
  const empty = { flows: [], exchanges: [], advice: "record from the first click on" };
  assert.equal(advice(empty), "What to do: record from the first click on.");
  assert.equal(advice(empty, true), null);
  assert.equal(advice({ ...empty, advice: null }), null);
  assert.equal(advice({ ...empty, flows: [flow("failure")] }), null);
});
