import assert from "node:assert/strict";
import test from "node:test";
import { kept } from "../../viewer/js/kept.js";
import { ServedSource } from "../../viewer/js/source.js";

const flows = ["flow-1", "flow-2"].map((id) => ({ id, client_id: "app", outcome: "success" }));
const report = { captures: [{ flows, exchanges: Array.from({ length: 70 }, () => ({})) }] };

/** A server that is there until it is stopped. */
function served() {
  const state = { isThere: true };
  const source = new ServedSource(async (path) => {
    if (!state.isThere) throw new Error("gone");
    const [, kind, , name] = path.split("/");
    const document = { flow: { id: name }, message: { exchange: Number(name), url: `https://a.example/${name}`, values: [], tokens: [], request: { headers: [] } }, comparison: { same: true } }[kind];
    return { status: 200, ok: true, text: async () => JSON.stringify(document) };
  });
  return { source, state };
}

test("what was recorded is there when its server is gone", async () => {
  const { source, state } = served();
  const copy = await kept(source, report);
  state.isThere = false;
  assert.equal((await copy.message(0, 69)).exchange, 69);
  assert.equal((await copy.flow(0, "flow-2")).id, "flow-2");
  assert.deepEqual((await copy.search("example/42")).hits.map((hit) => hit.exchange), [42]);
  assert.deepEqual(await copy.comparison(...[1, 2].map((number) => ({ capture: 0, flow: `flow-${number}` }))), { same: true });
  assert.equal(copy.comparisons.length, 1);
  assert.ok(!copy.canShare && !copy.isLive);
});

test("of too much nothing is kept", async () => {
  assert.equal(await kept(served().source, report, 1000), null);
});
