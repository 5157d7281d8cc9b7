import assert from "node:assert/strict";
import test from "node:test";
import { visibleRows } from "../../viewer/js/windowed.js";

test("of ten thousand rows those in view are in the document", () => {
  for (const top of [0, 40, 4_000, 199_990, 399_200, 400_000]) {
    const { first, end } = visibleRows({ count: 10_000, height: 40, top, view: 800 });
    assert.ok(first * 40 <= top, "the first that is seen");
    assert.ok(end * 40 >= Math.min(top + 800, 400_000), "the last that is seen");
    assert.ok(end - first <= 45);
  }
});

test("no rows, and a view that has no height yet", () => {
  assert.deepEqual(visibleRows({ count: 0, height: 40, top: 0, view: 800 }), { first: 0, end: 0 });
  assert.deepEqual(visibleRows({ count: 3, height: 40, top: 900, view: 0 }), { first: 3, end: 3 });
});
