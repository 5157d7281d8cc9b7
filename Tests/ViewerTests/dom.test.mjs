import assert from "node:assert/strict";
import test from "node:test";
import { breakable, element, headed, printable, visible } from "../../viewer/js/dom.js";
import { edged } from "../../viewer/js/secret.js";

test("what would turn or end the text around it is shown, not obeyed", () => {
  assert.equal(printable("exe.\u202egnp"), "exe.\\u{202e}gnp");
  assert.equal(printable("\u061c1"), "\\u{61c}1");
  assert.equal(printable("\u0000\u001b[31m\u0085\u2066\u200f"), "\\u{0}\\u{1b}[31m\\u{85}\\u{2066}\\u{200f}");
  const text = "two\r\n\tlines, \u0627\u0644, \u{1f600} and \u00a0";
  assert.equal(printable(text), text);
});

test("every character of a value is to be seen", () => {
  const shown = visible("callback\u200b\u00a0\ufeff\u00ad\u{e0061}\r\n\t\u2800\u2028x\u200d");
  assert.equal(shown, "callback\\u{200b}\\u{a0}\\u{feff}\\u{ad}\\u{e0061}\\u{d}\\u{a}\\u{9}\\u{2800}\\u{2028}x\\u{200d}");
  const text = "two words, \u0645\u06cc\u200c\u062e, \u{1f469}\u200d\u{1f4bb}\ufe0f, \u65e5\u3000\u672c";
  assert.equal(visible(text), text);
  assert.deepEqual([edged(["  a b "]), edged([""]), edged(["a ", "b"])], [["\\u{20}\\u{20}a b\\u{20}"], [""], ["a ", "b"]]);
});

test("a button stands beside its heading, not in it; a name is broken behind its underscores", () => {
  class Node {
    constructor(tag) {
      Object.assign(this, { tag, childNodes: [], attributes: {} });
    }
    setAttribute(name, value) {
      this.attributes[name] = value;
    }
    append(...children) {
      this.childNodes.push(...children);
    }
  }
  const before = { document: globalThis.document, Node: globalThis.Node };
  Object.assign(globalThis, { Node, document: { createElement: (tag) => new Node(tag) } });
  try {
    const [heading, button] = headed("The way of a\u202ecode", element("button", {}, "Stop")).childNodes;
    const parts = (name) => breakable(name).map((part) => part.tag ?? part);
    assert.deepEqual(parts("code_challenge_method"), ["code_", "wbr", "challenge_", "wbr", "method"]);
    assert.deepEqual(["state", "", "__Host_", "a__b"].map(parts), [["state"], [""], ["__", "wbr", "Host_"], ["a__", "wbr", "b"]]);
    assert.deepEqual([heading.tag, heading.childNodes, button.tag], ["h2", ["The way of a\\u{202e}code"], "button"]);
  } finally {
    Object.assign(globalThis, before);
  }
});
