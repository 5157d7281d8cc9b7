import assert from "node:assert/strict";
import test from "node:test";
import { placeID, placesOf, Report, wayID } from "../../viewer/js/report.js";

test("the login that is named is looked at, whichever login a message is of", () => {
  const capture = { flows: [{ id: "flow-1", outcome: "success" }, { id: "flow-2", outcome: "failure" }], exchanges: [{ flow: "flow-1" }, { flow: "flow-2" }, { flow: null }] };
  const head = (flow, exchange) => Report.head(capture, { flow, exchange })?.id;
  assert.deepEqual([head(null, null), head(null, 0), head(null, 2), head("flow-2", 0), head("flow-9", 0)], ["flow-2", "flow-1", "flow-2", "flow-2", "flow-2"]);
  assert.equal(Report.head({ flows: [], exchanges: [] }, { flow: "flow-1", exchange: 0 }), null);
});

test("a page opens with what failed, else with what is wrong, else with the first", () => {
  const flow = (id, outcome, severity) => ({ id, outcome, settled: true, first: severity ? { severity } : null });
  const first = (...flows) => Report.first({ flows })?.id;
  const [good, noted, warned, failed] = [flow("good", "success"), flow("noted", "success", "note"), flow("warned", "success", "warning"), flow("failed", "failure")];
  assert.deepEqual([first(good, warned, failed), first(good, noted, warned), first(good, noted), first()], ["failed", "warned", "good", undefined]);
});

test("of two values of one name each has its own place", () => {
  const [where, name] = ["response.header", "sid"];
  const message = { exchange: 3, values: [{ where, name, value: "a" }, { where: "request.cookie", name, value: "x" }, { where, name, value: "b" }] };
  assert.deepEqual(placesOf(message).map(placeID), ["3/response.header/sid", "3/request.cookie/sid", "3/response.header:2/sid"]);
  // A name may look like an ordinal.
  assert.notEqual(placeID({ exchange: 3, where, name: "2/sid" }), placeID({ exchange: 3, where, name: "sid", ordinal: 2 }));
  // Evidence names the first.
  assert.equal(placeID({ exchange: 3, where, name }), "3/response.header/sid");
});

test("of two values of one name each has its own way", () => {
  const place = { exchange: 3, where: "response.header", name: "sid" };
  const link = (value, use) => ({ origin: { ...place, value }, transform: "equal", uses: [{ exchange: use, where: "request.cookie", name: "sid", value }] });
  const [first, second, more] = [link("a", 4), link("b", 5), link("b", 6)];
  const flow = { links: [first, second, more] };
  assert.deepEqual([first, second, more].map((one) => wayID(one, flow)), ["3/response.header/sid", "3/response.header:2/sid", "3/response.header:2/sid"]);
  assert.deepEqual(Report.way(flow, "3/response.header:2/sid").uses.map((use) => use.exchange), [5, 6]);
  assert.deepEqual(Report.way(flow, "3/response.header/sid").uses.map((use) => use.exchange), [4]);
  assert.deepEqual(Report.ways(flow, { ...place, value: "b", ordinal: 2 }), [second, more]);
  assert.deepEqual(Report.ways(flow, { ...place, value: "c", ordinal: 3 }), []);
  // Of what only the first of them has, as it is written there, the place is enough.
  assert.deepEqual(Report.ways(flow, { ...place, value: "c", ordinal: 1 }), [first, second, more]);
});
