import assert from "node:assert/strict";
import test from "node:test";
import { findingsPanel, grouped, note, pair, sentence } from "../../viewer/js/findings.js";

const finding = (rule, effectOf, values = []) => ({
  rule, effect_of: effectOf, evidence: values.map(([exchange, value]) => ({ exchange, value })),
});

test("effects stand below their cause, and alone where the cause is not there", () => {
  const [cause, effect, lone] = [finding("a"), finding("b", "a"), finding("c", "gone")];
  assert.deepEqual(grouped([cause, effect, lone]), [
    { finding: cause, effects: [effect] }, { finding: lone, effects: [] },
  ]);
});

test("an effect of another login stands alone, also where this one has a finding of that name", () => {
  const [own, told] = [finding("a"), { ...finding("a", "a"), effect_of_flow: "flow-2" }];
  assert.deepEqual(grouped([own, told]), [{ finding: own, effects: [] }, { finding: told, effects: [] }]);
});

test("two values that are set against each other", () => {
  assert.ok(pair(finding("a", null, [[1, "https://a.example/cb"], [2, "https://a.example/cb/"], [null, "https://a.example/x"]])));
  for (const values of [[[1, "same"], [2, "same"]], [[1, "alone"]], [[1, "https://a.example/.well-known/x"], [2, "https://b.other/y"]], [[1, "abcd"], [2, "wxyz"]], [[1, "abcd"], [2, "abce"], [3, "abcf"]]]) {
    assert.equal(pair(finding("a", null, values)), null);
  }
});

test("what else a finding tells, and what it tells twice, hides no difference", () => {
  const values = [[1, "https://a.example/cb"], [4, "https://a.example/cb/"], [4, "https://a.example/cb/"], [4, "invalid_grant: not accepted"]];
  assert.deepEqual(pair(finding("a", null, values)), ["https://a.example/cb", "https://a.example/cb/"]);
  const cut = { evidence: [{ exchange: 3, value: "4/0A…(44)", full: "4/0AdLIrYe" }, { exchange: 4, value: "4%2F…(46)", full: "4%2F0AdLIrYe" }] };
  assert.equal(pair(cut), null);
  assert.deepEqual(pair(cut, (evidence) => evidence.full), ["4/0AdLIrYe", "4%2F0AdLIrYe"]);
});

test("a note quotes a value only where the value stands there", () => {
  const item = { note: "differs from character 4 on", fullNote: 'differs from character 4 on: "a" instead of "b"' };
  assert.deepEqual([note(item, false), note(item, true), note({ note: "empty" }, true)], [item.note, item.fullNote, "empty"]);
});

test("words of a terminal become a sentence of the page", () => {
  assert.deepEqual(["no rule that was asked found why", "nothing wrong found; what it may have to do with:"].map(sentence), ["No rule that was asked found why.", "Nothing wrong found; what it may have to do with:"]);
});

test("the later login that went well is a button away", () => {
  class Node {
    constructor(tag) {
      Object.assign(this, { tag, children: [], listeners: {} });
    }
    setAttribute() {}
    addEventListener(event, listener) {
      this.listeners[event] = listener;
    }
    append(child) {
      this.children.push(child);
    }
    get text() {
      return this.children.map((child) => child.text ?? child).join("");
    }
  }
  const before = { document: globalThis.document, Node: globalThis.Node };
  Object.assign(globalThis, { Node, document: { createElement: (tag) => new Node(tag) } });
  try {
    const head = { settled: true, outcome: "failure", lead: "no rule that was asked found why" };
    const visited = [];
    const panel = (later) => findingsPanel(head, [], { later, visit: (...place) => visited.push(place) });
    assert.equal(panel(null).text, "No rule that was asked found why.");
    const words = panel({ words: "A later login of this client went well", flow: "flow-2", exchange: 5 }).children[1];
    assert.equal(words.text, "A later login of this client went well: flow-2, at [5].");
    words.children[1].listeners.click();
    assert.deepEqual(visited, [["flow-2", 5]]);
  } finally {
    Object.assign(globalThis, before);
  }
});
