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
