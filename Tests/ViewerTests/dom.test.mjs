import assert from "node:assert/strict";
import test from "node:test";
import { printable } from "../../viewer/js/dom.js";

test("what would turn or end the text around it is shown, not obeyed", () => {
  assert.equal(printable("exe.\u202egnp"), "exe.\\u{202e}gnp");
  assert.equal(printable("\u061c1"), "\\u{61c}1");
  assert.equal(printable("\u0000\u001b[31m\u0085\u2066\u200f"), "\\u{0}\\u{1b}[31m\\u{85}\\u{2066}\\u{200f}");
  const text = "two\r\n\tlines, \u0627\u0644, \u{1f600} and \u00a0";
  assert.equal(printable(text), text);
});
