import assert from "node:assert/strict";
import test from "node:test";
import { computed } from "../../viewer/js/pkce.js";

test("the example of RFC 7636, appendix B", async () => {
  const { hash, challenge } = await computed("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk", "S256");
  assert.equal(challenge, "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM");
  assert.ok(hash.startsWith("13 d3 1e 96"));
});

test("plain is the verifier itself", async () => {
  assert.deepEqual(await computed("verifier", "plain"), { hash: null, challenge: "verifier" });
});
