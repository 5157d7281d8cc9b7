import assert from "node:assert/strict";
import test from "node:test";
import { difference, mask, maskAll, secrets } from "../../viewer/js/mask.js";

test("a mask holds nothing of its secret", () => {
  assert.equal(mask("abc"), "•••");
  assert.equal(mask(""), "•••");
  assert.equal(mask("q7Zr2LkX9vTb4WmN"), "•••••••• (16)");
  assert.equal(mask("😀".repeat(13)), "•••••••• (13)");
});

test("every secret of a text is masked, the longest first", () => {
  const text = "code=abcdefgh&state=abcd&x=ab";
  assert.equal(maskAll(text, ["abcd", "abcdefgh", "ab"]), "code=••••••••&state=••••&x=ab");
  assert.equal(maskAll("$& $1", ["none"]), "$& $1");
});

test("secrets of a message: as they are, as they stand, and its tokens", () => {
  const values = [{ value: "a b", raw: "a%20b", secret: true }, { value: "open" }];
  assert.deepEqual(secrets({ values, tokens: [{ text: "ey.ey.x" }] }), ["ey.ey.x", "a b", "a%20b"]);
});

test("where two values differ", () => {
  assert.deepEqual(difference("abcdef", "abXdef"), { start: "ab", one: "c", other: "X", end: "def" });
  assert.deepEqual(difference("abc", "abcdef"), { start: "abc", one: "", other: "def", end: "" });
  assert.deepEqual(difference("aa", "aaa"), { start: "aa", one: "", other: "a", end: "" });
  assert.deepEqual(difference("", ""), { start: "", one: "", other: "", end: "" });
});
