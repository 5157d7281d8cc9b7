import assert from "node:assert/strict";
import { test } from "node:test";
import { Shell } from "../../viewer/js/shell.js";

/** Without the page around it. */
const shell = () => Object.assign(Object.create(Shell.prototype), { notice: { textContent: "" } });

test("the end of a wait takes back its own words alone", () => {
  const waiting = shell();
  waiting.wait("Searching…");
  assert.equal(waiting.notice.textContent, "Searching…");
  waiting.wait("");
  assert.equal(waiting.notice.textContent, "");
  waiting.wait("Searching…");
  waiting.tell("Copied");
  waiting.wait("");
  clearTimeout(waiting.forgetting);
  assert.equal(waiting.notice.textContent, "Copied");
});

test("of a server that is gone it is said how to see the captures again", () => {
  const state = { dataset: {}, textContent: "" };
  const page = Object.assign(shell(), { state });
  page.live("gone", [{ name: "my login.har" }, { name: "b.har" }]);
  assert.equal(state.textContent, "authreel does not answer; authreel view 'my login.har' b.har shows it again");
  assert.equal(state.dataset.state, "gone");
  page.live("gone", [{ name: "a.har" }, { name: "standard input" }]);
  assert.equal(state.textContent, "authreel does not answer; authreel view a.har - shows it again");
  page.live("live", [{ name: "b.har" }]);
  assert.equal(state.textContent, "live");
});
