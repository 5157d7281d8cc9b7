import assert from "node:assert/strict";
import test from "node:test";
import { format, isSameMessage, parse, side } from "../../viewer/js/location.js";

const nothing = {
  capture: 0, view: "flow", flow: null, exchange: null, value: null, q: null, same: null, who: null, kind: null, host: null, rule: null, only: null, a: null, b: null,
  scale: false, present: false,
};

test("an address brings back what was looked at", () => {
  for (const place of [
    nothing,
    { ...nothing, flow: "flow-2", exchange: 7, value: "3/response.location/code & more" },
    { ...nothing, only: "rule:code-reused" },
    { ...nothing, same: "0/3/request.body/password" },
    { ...nothing, capture: 3, view: "exchanges", exchange: 0, host: "[::1]:8080", q: "50% #1" },
    { ...nothing, view: "compare", a: "0/flow-1", b: "1/flow-2", scale: true, present: true },
  ]) {
    assert.deepEqual(parse(`#${format(place)}`), place);
  }
  assert.equal(format(nothing), "");
});

test("what is no number, no view and no side is none", () => {
  for (const text of ["#exchange=x", "#exchange=-1", "#exchange=1e3", "#exchange=", "#exchange=99999999999", ""]) {
    assert.equal(parse(text).exchange, null);
  }
  assert.equal(parse("#view=constructor").view, "flow");
  assert.equal(parse("#capture=-1").capture, 0);
  assert.deepEqual([parse("#capture=7", 2).capture, parse("#capture=1", 2).capture, parse("#capture=1", 0).capture], [1, 1, 0]);
  assert.deepEqual(side("12/flow-1/x"), { capture: 12, flow: "flow-1/x" });
  for (const text of [null, "", "flow-1", "x/flow-1", "0/"]) assert.equal(side(text), null);
});

test("the same message is one of the same capture, whatever else is looked at", () => {
  const one = { ...nothing, exchange: 3 };
  assert.ok(isSameMessage(one, { ...one, view: "exchanges", flow: "flow-2", value: "1/request.query/state", q: "x" }));
  for (const other of [{ ...one, capture: 1 }, { ...one, exchange: 4 }, { ...one, exchange: null }]) assert.ok(!isSameMessage(one, other));
});
