import assert from "node:assert/strict";
import test from "node:test";
import { format, parse } from "../../viewer/js/location.js";

test("an address brings back what was looked at", () => {
  for (const place of [
    { flow: "flow-2", exchange: 7, value: "3/response.location/code & more" },
    { flow: null, exchange: 0, value: null },
    { flow: null, exchange: null, value: null },
  ]) {
    assert.deepEqual(parse(`#${format(place)}`), place);
  }
});

test("what is no exchange is none", () => {
  for (const text of ["#exchange=x", "#exchange=-1", "#exchange=1e3", "#exchange=", "#exchange=99999999999", ""]) {
    assert.equal(parse(text).exchange, null);
  }
});
