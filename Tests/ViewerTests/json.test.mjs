import assert from "node:assert/strict";
import test from "node:test";
import { indented } from "../../viewer/js/json.js";

test("JSON is indented in the characters in which it was sent", () => {
  const sent = '{"id":9007199254740993, "big":1e400,"one":1.0,"id":"again","a":[],"o":{ },"list":[1,[true,null]],"text":"a\\"b{,:}[ \\u00e9"}';
  assert.equal(indented(sent), `{
  "id": 9007199254740993,
  "big": 1e400,
  "one": 1.0,
  "id": "again",
  "a": [],
  "o": {},
  "list": [
    1,
    [
      true,
      null
    ]
  ],
  "text": "a\\"b{,:}[ \\u00e9"
}`);
  assert.deepEqual(['"a"', " 12345678901234567890 ", "[]"].map(indented), ['"a"', "12345678901234567890", "[]"]);
});

test("what is no JSON, or too deep, is left as it came", () => {
  for (const text of ["", "{", "{a:1}", '{"a":1} x', `${"[".repeat(50)}${"]".repeat(50)}`, `[${"1,".repeat(300_000)}1]`]) assert.equal(indented(text), text);
});

test("a long string with nothing but escapes is indented", () => {
  const text = `["${'\\"'.repeat(240_000)}"]`;
  assert.equal(indented(text).length, text.length + 4);
});
