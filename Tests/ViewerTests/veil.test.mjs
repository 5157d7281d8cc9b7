import assert from "node:assert/strict";
import test from "node:test";
import { Veil } from "../../viewer/js/veil.js";

test("secrets are hidden, shown one by one, or all", () => {
  const veil = new Veil();
  assert.ok(!veil.shows("a") && !veil.isLifted);
  const { revision } = veil;
  veil.lift("a");
  assert.ok(veil.shows("a") && !veil.shows("b") && veil.revision !== revision);
  veil.toggle();
  assert.ok(veil.shows("b") && veil.isLifted);
  veil.toggle();
  assert.ok(!veil.shows("a") && !veil.shows("b"));
});

test("a presentation shows none, and none behind it", () => {
  const veil = new Veil();
  veil.toggle();
  veil.present(true);
  veil.lift("a");
  veil.isOpen = true;
  assert.ok(!veil.shows("a") && !veil.isLifted);
  veil.present(false);
  assert.ok(!veil.shows("a") && !veil.isLifted);
});

test("what was shown in one capture is hidden in another", () => {
  const veil = new Veil();
  veil.look(0);
  veil.lift("4/request.body/code");
  veil.look(0);
  assert.ok(veil.shows("4/request.body/code"));
  veil.look(1);
  assert.ok(!veil.shows("4/request.body/code"));
  veil.toggle();
  veil.look(0);
  assert.ok(veil.isLifted);
});
