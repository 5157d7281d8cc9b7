import assert from "node:assert/strict";
import test from "node:test";
import { excerpt, hits, sameID, secretOf, valueAt } from "../../viewer/js/search.js";

const message = {
  url: "https://idp.example/token",
  values: [{ where: "request.body", name: "code", value: "abcDEF", secret: true }, { where: "request.body", name: "redirect_uri", value: "https://app.example/cb" }],
  tokens: [{ name: "id_token", secret: ["sub"], header: [{ name: "alg", text: "RS256" }], claims: [{ name: "sub", text: "alice" }, { name: "aud", text: '["app"]' }] }],
  request: { headers: [{ name: "X-Trace", value: "t-1" }], body: { text: "code=abcDEF" } },
  response: { headers: [], body: { text: `${"x".repeat(60)}needle${"y".repeat(60)}` } },
};

test("values are found by name and as decoded, whatever the case", () => {
  assert.deepEqual(hits("ABCdef", message), [{ where: "request.body", name: "code", match: "abcDEF", secret: true, before: "", after: "" }]);
  assert.equal(hits("redirect", message)[0].name, "redirect_uri");
  assert.deepEqual(hits("alice", message).map((hit) => [hit.name, hit.secret]), [["id_token sub", true]]);
  assert.equal(hits("trace", message)[0].where, "request");
});

test("what is around a hit is cut", () => {
  const [hit] = hits("needle", message);
  assert.equal(hit.where, "response.body");
  assert.equal(hit.before, `…${"x".repeat(40)}`);
  assert.equal(hit.after, `${"y".repeat(40)}…`);
});

test("nothing is found of nothing", () => {
  assert.deepEqual(hits("", message), []);
  assert.deepEqual(hits("x", null), []);
});

test("what is found is what was looked for, in every script", () => {
  const [hit] = hits("abc=", { ...message, values: [], tokens: [], request: { headers: [], body: null }, response: { headers: [], body: { text: `${"İ".repeat(8)}abc=SECRET` } } });
  assert.equal(hit.match, "abc=");
  assert.deepEqual(hits("a.c(", message), []);
});

test("a secret is looked for by its place, and is not told", () => {
  assert.equal(valueAt({ ...message, exchange: 4 }, "4/request.body/code"), "abcDEF");
  for (const id of ["4/request.query/code", "3/request.body/code", "x"]) assert.equal(valueAt({ ...message, exchange: 4 }, id), null);
  assert.equal(valueAt(null, "4/request.body/code"), null);
  const hit = { where: "request.query", before: "a=", match: "S3cret", after: "&b" };
  const shown = { isLifted: false, isSecret: true };
  for (const where of ["request.query", "request", "url", "response.body"]) {
    assert.ok(!excerpt({ ...hit, where }, shown).join("").includes("S3cret"), where);
  }
  assert.deepEqual(excerpt({ ...hit, secret: true }, shown), ["•".repeat(10)]);
  assert.deepEqual(excerpt(hit, { isLifted: false, isSecret: false }), ["a=", "S3cret", "&b"]);
  assert.deepEqual(excerpt(hit, { isLifted: true, isSecret: true }), ["a=", "S3cret", "&b"]);
});

test("what is no secret is not hidden beside what was found", () => {
  const shown = { isLifted: false, isSecret: false };
  const hit = { where: "response.body", name: "error", before: "", match: "invalid_grant", after: "" };
  assert.deepEqual(excerpt(hit, shown), ["", "invalid_grant", ""]);
  assert.deepEqual(excerpt({ ...hit, name: "redirect_uri", after: "/cb" }, shown), ["", "invalid_grant", "/cb"]);
  assert.deepEqual(excerpt({ ...hit, name: "", after: "hidden" }, shown), ["", "invalid_grant", "••••••"]);
});

test("around a hit nothing is hidden that is known to open nothing", () => {
  const shown = { isLifted: false, isSecret: false };
  const open = {
    ...message, url: "https://user:pass@idp.example/token?code=abcDEF", address: "https://idp.example/token",
    request: { headers: [{ name: "Host", value: "a.idp.example", open: true }, { name: "X-Trace", value: "t-1 of k3y" }], body: null },
    response: { headers: [], body: { text: '{"error":"not there"}', open: true } },
  };
  const told = (query, how = shown) => hits(query, open).map((hit) => excerpt(hit, how).join("|"));
  assert.deepEqual(told("idp.example"), ["https://|idp.example|/token"]);
  assert.deepEqual(told("a.idp"), ["Host: |a.idp|.example"]);
  assert.deepEqual(told("not there"), ['{"error":"|not there|"}']);
  // Of others nobody knows, and what has secrets around it stays as it was.
  assert.deepEqual(told("t-1"), ["•••••••••|t-1|•••••••"]);
  assert.deepEqual(told("token?"), ["•••••••• (30)|token?|•••••••••••"]);
  const presented = told("idp.example", { ...shown, isPresenting: true });
  assert.deepEqual(presented, ["••••••••|idp.example|••••••"]);
});

test("a secret is read from the capture that it was chosen in, whichever is looked at", async () => {
  const captures = [{ exchanges: [{}, {}] }, { exchanges: [{}] }];
  const asked = [];
  const source = {
    message: async (capture, exchange) => {
      asked.push([capture, exchange]);
      return { exchange, values: [{ where: "request.query", name: "a/b", value: `of ${capture}` }] };
    },
  };
  const place = { exchange: 0, where: "request.query", name: "a/b" };
  assert.equal(sameID(1, place), "1/0/request.query/a/b");
  assert.equal(await secretOf(sameID(1, place), captures, source), "of 1");
  assert.equal(await secretOf(sameID(0, { ...place, exchange: 1 }), captures, source), "of 0");
  assert.deepEqual(asked, [[1, 0], [0, 1]]);
  for (const same of ["0/request.query/a/b", "1/1/request.query/a/b", "2/0/request.query/a/b", "1/-/request.query/a/b", "x"]) {
    assert.equal(await secretOf(same, captures, source), null, same);
  }
  assert.equal(asked.length, 2);
});

test("of a repeated parameter the one that was chosen is looked for", () => {
  const [where, name] = ["request.query", "resource"];
  const repeated = { exchange: 2, values: [{ where, name, value: "first" }, { where, name, value: "second" }] };
  assert.deepEqual(["2/request.query/resource", "2/request.query:2/resource", "2/request.query:3/resource"].map((id) => valueAt(repeated, id)), ["first", "second", null]);
});
