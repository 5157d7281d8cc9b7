import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { MADE, computed, pkcePanel, proofsOf } from "../../viewer/js/pkce.js";

test("the example of RFC 7636, appendix B", async () => {
  const { hash, challenge } = await computed("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk", "S256");
  assert.equal(challenge, "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM");
  assert.ok(hash.startsWith("13 d3 1e 96"));
});

test("plain is the verifier itself", async () => {
  assert.deepEqual(await computed("verifier", "plain"), { hash: null, challenge: "verifier" });
});

test("a message has the proofs that it asks for or gives", async () => {
  const flow = { pkce: [{ asked: 1, proved: 4, verifier: "verifier", method: "plain" }] };
  for (const exchange of [1, 4]) assert.equal((await proofsOf(flow, { exchange }))[0].computed.challenge, "verifier");
  for (const [of, message] of [[flow, { exchange: 2 }], [null, { exchange: 1 }], [flow, null]]) assert.deepEqual(await proofsOf(of, message), []);
});

test("the computation of plain has no step for a hash, and no word in its place", () => {
  class Node {
    constructor(tag) {
      this.tag = tag;
      this.children = [];
    }
    setAttribute() {}
    append(...children) {
      this.children.push(...children);
    }
    // As browsers do: what is no node is inserted as text, null too.
    replaceChildren(...children) {
      this.children = children.map((child) => (child instanceof Node ? child : String(child)));
    }
  }
  const before = { document: globalThis.document, Node: globalThis.Node };
  Object.assign(globalThis, { Node, document: { createElement: (tag) => new Node(tag) } });
  try {
    const veil = { shows: () => false, isPresenting: true };
    const steps = (proof) => pkcePanel({ asked: 1, proved: 4, ...proof }, { veil, redraw() {} }).children.find((child) => child.tag === "ol").children;
    const plain = steps({ method: "plain", verifier: "v", challenge: "v", computed: { hash: null, challenge: "v" } });
    assert.deepEqual(plain.map((step) => step.tag ?? step), ["li", "li", "li"]);
    const hashed = steps({ method: "S256", verifier: "v", challenge: "c", computed: { hash: "13 d3", challenge: "c" } });
    assert.deepEqual(hashed.map((step) => step.tag ?? step), ["li", "li", "li", "li"]);
  } finally {
    Object.assign(globalThis, before);
  }
});

test("each way in which a challenge can be made is told in words", () => {
  const source = readFileSync(new URL("../../Sources/OAuth/CodeChallenge.swift", import.meta.url), "utf8");
  const [, names] = /enum ChallengeRelation[^{]*\{(.*?)\n    package var/s.exec(source);
  const relations = [...names.matchAll(/^ +case (\w+)(?: = "([\w-]+)")?$/gm)].map(([, name, text]) => text ?? name);
  assert.ok(relations.length > 10);
  assert.deepEqual(relations.filter((relation) => !MADE[relation]), []);
});
