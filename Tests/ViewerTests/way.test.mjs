import assert from "node:assert/strict";
import test from "node:test";
import { becoming } from "../../viewer/js/way.js";

test("what became of a value where it came by", () => {
  const origin = { exchange: 1, where: "request.query", name: "state", value: "a b" };
  const [same, encoded, changed] = [{ ...origin, exchange: 2 }, { ...origin, exchange: 3, raw: "a%20b" }, { ...origin, exchange: 4, value: "a+b" }];
  const link = { name: "state", transform: "equal", origin, uses: [same, encoded, changed] };
  assert.deepEqual([origin, same, encoded, changed].map((place) => becoming(link, place)), [
    { words: "made here", isChanged: false }, { words: "the same", isChanged: false },
    { words: "the same, sent as a%20b", isChanged: false }, { words: "changed on its way", isChanged: true },
  ]);
  assert.equal(becoming({ ...link, transform: "malformed_challenge" }, same).isChanged, true);
  // Where several links have one origin each use says what it became.
  assert.equal(becoming(link, { ...same, transform: "percent" }).isChanged, true);
  assert.equal(becoming({ ...link, transform: "at_hash" }, same).isChanged, false);
});
