import assert from "node:assert/strict";
import test from "node:test";
import { difference, mask } from "../../viewer/js/mask.js";

test("a mask holds nothing of its secret", () => {
  assert.equal(mask("abc"), "•••");
  assert.equal(mask(""), "•••");
  assert.equal(mask("q7Zr2LkX9vTb4WmN"), "•••••••• (16)");
  assert.equal(mask("😀".repeat(13)), "•••••••• (13)");
});

test("where two values differ", () => {
  assert.deepEqual(difference("abcdef", "abXdef"), { start: "ab", one: "c", other: "X", end: "def" });
  assert.deepEqual(difference("abc", "abcdef"), { start: "abc", one: "", other: "def", end: "" });
  assert.deepEqual(difference("aa", "aaa"), { start: "aa", one: "", other: "a", end: "" });
  assert.deepEqual(difference("", ""), { start: "", one: "", other: "", end: "" });
});
