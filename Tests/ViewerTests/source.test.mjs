import assert from "node:assert/strict";
import test from "node:test";
import { EmbeddedSource, ServedSource, Unanswered } from "../../viewer/js/source.js";

function page(exchanges) {
  const message = (exchange) => ({ exchange, url: `https://a.example/${exchange}`, values: [], tokens: [], request: { headers: [] }, response: null });
  const parts = new Map([
    ["overview", { captures: [{ flows: [{ id: "flow-1" }, { id: "flow-2" }], exchanges: Array(exchanges).fill({}) }], comparisons: [{ expected: { capture: 0, flow: "flow-1" }, seen: { capture: 0, flow: "flow-2" } }] }],
    ["flow-0-1", { id: "flow-2" }], ["comparison-0", { same: true }],
  ]);
  for (let start = 0; start < exchanges; start += 32) {
    parts.set(`messages-0-${start / 32}`, Array.from({ length: Math.min(32, exchanges - start) }, (_, index) => message(start + index)));
  }
  const read = [];
  const source = new EmbeddedSource((id) => {
    read.push(id);
    return parts.has(id) ? JSON.stringify(parts.get(id)) : null;
  });
  return { source, read };
}

test("a piece of the page is read when it is asked for, and once", async () => {
  const { source, read } = page(100);
  assert.deepEqual(read, ["overview"]);
  assert.equal((await source.message(0, 70)).exchange, 70);
  assert.equal((await source.message(0, 95)).exchange, 95);
  assert.deepEqual(read, ["overview", "messages-0-2"]);
  assert.equal((await source.flow(0, "flow-2")).id, "flow-2");
  assert.equal(await source.flow(0, "flow-3"), null);
  assert.equal(await source.message(0, 100), null);
  assert.equal(await source.message(1, 0), null);
});

test("comparisons are those that the page holds", async () => {
  const { source } = page(1);
  const [one, other] = ["flow-1", "flow-2"].map((flow) => ({ capture: 0, flow }));
  assert.deepEqual(await source.comparison(one, other), { same: true });
  assert.equal(await source.comparison(other, one), null);
});

test("a search goes through all of the page, and ends where it is too much", async () => {
  const { source } = page(1000);
  const found = await source.search("example/77");
  assert.deepEqual(found.hits.map((hit) => hit.exchange), [77, ...Array.from({ length: 10 }, (_, index) => 770 + index)]);
  assert.equal(found.more, false);
  assert.equal((await source.search("A.EXAMPLE")).more, true);
});

test("what a server does not have is null, and what it refuses is told", async () => {
  const asked = [];
  const source = new ServedSource(async (path) => {
    asked.push(path);
    return path.includes("flow-9") ? { status: 404, ok: false } : { status: 403, ok: false, text: async () => "no" };
  });
  assert.equal(await source.flow(0, "flow-9"), null);
  await assert.rejects(source.message(0, 1), /403: no/);
  await assert.rejects(source.flow(0, "../x"), /403/);
  assert.deepEqual(asked, ["data/flow/0/flow-9", "data/message/0/1", "data/flow/0/..%2Fx"]);
});

test("a server that is gone is told from one that refuses", async () => {
  const gone = new ServedSource(async () => {
    throw new TypeError("Failed to fetch");
  });
  for (const asked of [() => gone.message(0, 1), () => gone.search("x"), () => gone.share({})]) await assert.rejects(asked, (error) => error instanceof Unanswered && error.message === "authreel does not answer");
  const refusing = new ServedSource(async () => ({ status: 500, ok: false, text: async () => "no" }));
  await assert.rejects(refusing.message(0, 1), (error) => !(error instanceof Unanswered));
});

test("a document that is the same as before is the very same", async () => {
  let text = '{"id":"flow-1"}';
  const source = new ServedSource(async () => ({ status: 200, ok: true, text: async () => text }));
  const first = await source.flow(0, "flow-1");
  assert.equal(await source.flow(0, "flow-1"), first);
  assert.notEqual(await source.flow(1, "flow-1"), first);
  text = '{"id":"flow-1","findings":[]}';
  assert.deepEqual(await source.flow(0, "flow-1"), { id: "flow-1", findings: [] });
});
