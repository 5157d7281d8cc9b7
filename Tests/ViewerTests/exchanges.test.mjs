import assert from "node:assert/strict";
import test from "node:test";
import { answer, spoken } from "../../viewer/js/exchanges.js";
import { lacks } from "../../viewer/js/message.js";

test("an answer that broke off is no good one", () => {
  assert.deepEqual([{ status: 200 }, { status: 200, broken: true }, { status: null }].map(answer), ["200", "200 broken off", "no answer"]);
  const row = { exchange: 4, method: "GET", host: "a.example", path: "/", status: 200, broken: true, kinds: [], rules: ["host-unreachable"] };
  assert.equal(spoken(row), "[4] GET a.example/, 200 broken off, finding host-unreachable");
});

test("what is not to be seen of a body is told", () => {
  assert.deepEqual(lacks({ truncated: true, cut: true }, { failure: null }), ["Only its beginning is in the capture.", "Only the first mebibyte is shown."]);
  assert.deepEqual(lacks({ truncated: true }, { failure: "closed" }), ["Not all of it came."]);
  assert.deepEqual(lacks({ coding: "br" }, { failure: null }), ["It is coded (br), and that could not be undone."]);
  assert.deepEqual(lacks({}, { failure: null }), []);
});
