import assert from "node:assert/strict";
import test from "node:test";
import { command, KEYS } from "../../viewer/js/keyboard.js";

test("keys ask for what the help says", () => {
  assert.equal(command({ key: "s" }), "secrets");
  assert.equal(command({ key: "?" }), "help");
  assert.ok(KEYS.some(([keys]) => keys.includes("?")));
});

test("a key that is held does once what would be undone by doing it again", () => {
  for (const key of ["s", "P", "F", "w", "c", "Escape"]) assert.equal(command({ key, repeat: true }), null, key);
  assert.equal(command({ key: "n", repeat: true }), "next-flow");
  assert.equal(command({ key: "q", repeat: true }), null);
});

test("keys that belong to the browser or to a field are left alone", () => {
  assert.equal(command({ key: "s", ctrlKey: true }), null);
  assert.equal(command({ key: "n", target: { tagName: "INPUT", type: "search" } }), null);
  assert.equal(command({ key: "Escape", target: { tagName: "INPUT", type: "search" } }), "leave");
  assert.equal(command({ key: "n", target: { tagName: "INPUT", type: "checkbox" } }), "next-flow");
  assert.equal(command({ key: "q" }), null);
  assert.equal(command({ key: "constructor" }), null);
});
