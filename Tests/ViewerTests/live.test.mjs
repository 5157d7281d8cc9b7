import assert from "node:assert/strict";
import test from "node:test";
import { follow } from "../../viewer/js/live.js";
import { Report } from "../../viewer/js/report.js";

test("changes are taken until the recording is over", async () => {
  const answers = [{ revision: 1, live: true }, { revision: 1, live: true, recorded: true }, { revision: 4, live: false }];
  const [asked, taken, told] = [[], [], []];
  const changes = async (revision) => (asked.push(revision), answers.shift());
  // Drawing takes its time, and the server is told when it is done.
  const take = (change) => new Promise((resolve) => setTimeout(() => resolve(taken.push(change.revision)), 5));
  const keep = async () => asked.push(`kept ${taken.at(-1)}`);
  await follow({ changes, drawn: async () => asked.push("drawn") }, 0, { take, keep, tell: (state) => told.push(state) });
  assert.deepEqual([asked, taken, told], [[0, 1, 1, "kept 4", "drawn"], [1, 4], ["still", "live", "over"]]);
});

test("a server that is gone is asked again, ever more seldom", async () => {
  const [told, paused] = [[], []];
  const answers = [...Array(6).fill(null), { revision: 1, live: true, recorded: true }, null, { revision: 2, live: false }];
  const changes = async () => answers.shift() ?? Promise.reject(new Error("gone"));
  const page = { take: () => {}, keep: async () => {}, tell: (state) => told.push(state) };
  await follow({ changes, drawn: async () => {} }, 1, page, async (time) => paused.push(time));
  assert.deepEqual(paused, [2000, 4000, 8000, 16000, 30000, 30000, 2000]);
  assert.deepEqual(told, [...Array(6).fill("gone"), "live", "gone", "over"]);
});

test("lists grow, change in place and become shorter", () => {
  const report = new Report({ captures: [{ flows: [{ id: "flow-1" }], exchanges: [{ exchange: 0 }, { exchange: 1 }, { exchange: 2 }] }] });
  report.update({ revision: 7, captures: [{ flows: [[0, { id: "flow-1", first: {} }], [1, { id: "flow-2" }]], flowCount: 2, exchanges: [[1, { exchange: 1, flow: "flow-2" }]], exchangeCount: 2 }] });
  assert.equal(report.revision, 7);
  assert.deepEqual(report.captures[0].flows.map((flow) => flow.id), ["flow-1", "flow-2"]);
  assert.deepEqual(report.captures[0].exchanges, [{ exchange: 0 }, { exchange: 1, flow: "flow-2" }]);
});

test("nothing is left unsaid by a server that is gone at the end", async () => {
  const told = [];
  const source = { changes: async () => ({ revision: 1, live: false }), drawn: async () => Promise.reject(new Error("gone")) };
  // A rejection that nobody takes would fail this file.
  await follow(source, 0, { take: () => {}, keep: async () => {}, tell: (state) => told.push(state) });
  await new Promise((resolve) => setTimeout(resolve, 5));
  assert.deepEqual(told, ["over"]);
});
