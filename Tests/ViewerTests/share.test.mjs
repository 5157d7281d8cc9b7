import assert from "node:assert/strict";
import test from "node:test";
import { elsewhere } from "../../viewer/js/share.js";

test("a page that cannot redact names the command that does", () => {
  const { words, command } = elsewhere({ name: "my login.har", isRedacted: false });
  assert.match(words, /secrets included/);
  assert.equal(command, "authreel share 'my login.har' --out shared.har");
});

test("the mark of a shared capture does not speak for what came into it since", () => {
  const { words, command } = elsewhere({ name: "shared.har", isRedacted: true });
  assert.match(words, /can be handed on, unless something was recorded into it or merged with it since/);
  assert.equal(command, "authreel share shared.har --out shared-again.har");
});
