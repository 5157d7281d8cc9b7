import assert from "node:assert/strict";
import test from "node:test";
import { indent, mark, spoken, title, whole } from "../../viewer/js/diagram.js";
import { Report, wayID } from "../../viewer/js/report.js";

const lanes = [{ role: "browser", name: "firefox" }, { role: "provider", name: "provider" }];
const link = {
  name: "code_verifier", transform: "s256",
  origin: { exchange: 4, where: "request.body", name: "code_verifier" },
  uses: [{ exchange: 1, where: "request.query", name: "code_challenge" }, { exchange: null, where: "request.query", name: "x" }],
};

test("lanes stand aside for a time that half of a lane has no room for, and not further", () => {
  const drawing = { width: 640, lanes: 4, length: 8, letters: 15 };
  assert.equal(indent(drawing), 0);
  const aside = indent({ ...drawing, length: 14 });
  assert.ok(aside > 0);
  // The first lane stands in the middle of what is left to it.
  const lane = aside + (640 - aside) / 8;
  assert.ok(lane >= (14 * 0.44 + 0.8) * 15 && lane < (14 * 0.44 + 0.8) * 15 + 2);
  assert.ok(indent({ ...drawing, letters: 18, length: 14 }) > aside);
  assert.deepEqual([indent({ ...drawing, width: 0 }), indent({ ...drawing, lanes: 0 })], [0, 0]);
});

test("rows as they are read aloud", () => {
  assert.equal(title(lanes[0]), "browser (firefox)");
  assert.equal(title(lanes[1]), "provider");
  const row = { type: "message", from: 0, to: 1, words: "authorization request", failure: true };
  assert.equal(spoken({ ...row, failure: false, wait: 8000, gap: 90 }, lanes), "after 8 s: browser (firefox) to provider: authorization request");
  assert.equal(spoken(row, lanes), "browser (firefox) to provider: authorization request, failed");
  assert.equal(spoken({ type: "folded", exchanges: [1], isOpen: true }, lanes), "1 more request, shown");
  assert.equal(spoken({ type: "folded", exchanges: [1, 2] }, lanes), "2 more requests, folded");
});

test("a provider with several hosts is told apart by them", () => {
  const several = [{ role: "browser", name: "firefox" }, { role: "provider", name: "provider", host: "accounts.example" }, { role: "provider", name: "provider", host: "token.example" }];
  const row = { type: "message", from: 0, to: 2, words: "token request", gap: 0 };
  assert.equal(spoken(row, several), "browser (firefox) to provider at token.example: token request");
  assert.equal(spoken({ ...row, to: 1 }, several.slice(0, 2)), "browser (firefox) to provider: token request");
  assert.deepEqual(several.map(whole), ["browser (firefox)", "provider at accounts.example", "provider at token.example"]);
});

test("a value's way: where it is made, where it comes by, and nowhere else", () => {
  const row = (exchange, form) => ({ type: "message", exchange, form });
  assert.equal(mark(row(4, "request"), link), "code_verifier is made");
  assert.equal(mark(row(1, "request"), link), "code_challenge (s256)");
  assert.equal(mark(row(1, "request"), { ...link, transform: "malformed_challenge" }), "code_challenge (made wrongly)");
  assert.equal(mark(row(1, "answer"), link), null);
  assert.equal(mark(row(2, "request"), link), null);
  assert.equal(mark(row(4, "request"), null), null);
});

test("ways of a place", () => {
  const flow = { id: "flow-1", links: [link] };
  assert.deepEqual(Report.ways(flow, { exchange: 1, where: "request.query", name: "code_challenge" }), [link]);
  assert.deepEqual(Report.ways(flow, { exchange: 2, where: "request.query", name: "code_challenge" }), []);
  assert.equal(wayID(link, flow), "4/request.body/code_verifier");
  // All that was made of one value is its way.
  const other = { ...link, transform: "equal", uses: [{ exchange: 6, where: "request.body", name: "code_verifier" }] };
  const way = Report.way({ links: [link, other] }, wayID(link, flow));
  assert.deepEqual(way.uses.map((use) => [use.exchange, use.transform]), [[1, "s256"], [null, "s256"], [6, "equal"]]);
  assert.equal(Report.way({ links: [link] }, "0/x/y"), null);
});
