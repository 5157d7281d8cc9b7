import assert from "node:assert/strict";
import test from "node:test";
import { Report } from "../../viewer/js/report.js";

test("the login that is named is looked at, whichever login a message is of", () => {
  const capture = { flows: [{ id: "flow-1", outcome: "success" }, { id: "flow-2", outcome: "failure" }], exchanges: [{ flow: "flow-1" }, { flow: "flow-2" }, { flow: null }] };
  const head = (flow, exchange) => Report.head(capture, { flow, exchange })?.id;
  assert.deepEqual([head(null, null), head(null, 0), head(null, 2), head("flow-2", 0), head("flow-9", 0)], ["flow-2", "flow-1", "flow-2", "flow-2", "flow-2"]);
  assert.equal(Report.head({ flows: [], exchanges: [] }, { flow: "flow-1", exchange: 0 }), null);
});

test("a page opens with what failed, else with what is wrong, else with the first", () => {
  const flow = (id, outcome, severity) => ({ id, outcome, first: severity ? { severity } : null });
  const first = (...flows) => Report.first({ flows })?.id;
  const [good, noted, warned, failed] = [flow("good", "success"), flow("noted", "success", "note"), flow("warned", "success", "warning"), flow("failed", "failure")];
  assert.deepEqual([first(good, warned, failed), first(good, noted, warned), first(good, noted), first()], ["failed", "warned", "good", undefined]);
});
