import assert from "node:assert/strict";
import test from "node:test";
import { offsets, rowAt, visibleRows } from "../../viewer/js/windowed.js";

test("of ten thousand rows those in view are in the document", () => {
  const tops = offsets(10_000, () => 40);
  for (const top of [0, 40, 4_000, 199_990, 399_200, 400_000]) {
    const { first, end } = visibleRows({ tops, top, view: 800 });
    assert.ok(tops[first] <= top, "the first that is seen");
    assert.ok(tops[end] >= Math.min(top + 800, 400_000), "the last that is seen");
    assert.ok(end - first <= 46);
  }
});

test("rows of different heights are found where they are", () => {
  const tops = offsets(5, (index) => [40, 400, 40, 40, 90][index]);
  assert.deepEqual([...tops], [0, 40, 440, 480, 520, 610]);
  assert.deepEqual([0, 39, 40, 439, 440, 609, 9999].map((height) => rowAt(tops, height)), [0, 0, 1, 1, 2, 4, 4]);
});

test("no rows, and a view that has no height yet", () => {
  assert.deepEqual(visibleRows({ tops: offsets(0, () => 40), top: 0, view: 800 }), { first: 0, end: 0 });
  assert.deepEqual(visibleRows({ tops: offsets(3, () => 40), top: 900, view: 0 }), { first: 0, end: 3 });
});
