import assert from "node:assert/strict";
import test from "node:test";
import { computed, proofsOf } from "../../viewer/js/pkce.js";

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
