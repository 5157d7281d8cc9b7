import assert from "node:assert/strict";
import test from "node:test";
import { marksOf } from "../../viewer/js/marks.js";

const members = (object) => Object.entries(object).map(([name, text]) => ({ name, text }));
const message = {
  failure: null,
  values: [{ where: "request.query", name: "state", value: "x" }, { where: "response.header", name: "sid", value: "1" }, { where: "jwt.claims", name: "nonce", value: "n" }],
  tokens: [
    { name: "access_token", header: members({ alg: "RS256" }), claims: members({ aud: "api" }) },
    { name: "id_token", header: members({ alg: "RS256", kid: "1" }), claims: members({ aud: '["app"]', nonce: "n" }) },
  ],
  request: { headers: [{ name: "Cookie", value: "a=1" }, { name: "Origin", value: "x" }], body: null },
  response: { status: 302, headers: [{ name: "Location", value: "/" }, { name: "Set-Cookie", value: "a=1" }, { name: "set-cookie", value: "b=1" }], body: { text: "{}" } },
};
const marks = (where, name = "", rest = {}, of = message) => [...marksOf({ where, name, ...rest }, of)];

test("evidence points at what a panel lists by name, or at the part that holds it", () => {
  assert.deepEqual(marks("request.query", "state"), ["value/request.query/state"]);
  assert.deepEqual(marks("response.header", "sid"), ["value/response.header/sid"]);
  assert.deepEqual(marks("request.query", "missing"), ["url"]);
  assert.deepEqual([marks("request.url"), marks("response.status"), marks("tls", "idp.example"), marks("timing")], [["url"], ["status"], ["facts"], ["facts"]]);
  assert.deepEqual(marks("response.body", "error"), ["body/response"]);
  assert.deepEqual(marks("request.header", "origin"), ["headers/request", "header/request/1"]);
  assert.deepEqual(marks("request.cookie"), ["headers/request", "header/request/0"]);
  assert.deepEqual(marks("response.header", "Set-Cookie"), ["headers/response", "header/response/1", "header/response/2"]);
  assert.deepEqual(marks("response.header", "b"), ["headers/response", "header/response/2"]);
  assert.deepEqual(marks("response.location"), ["headers/response", "header/response/0"]);
  assert.deepEqual([marks("request.body", "code"), marks("request.header", "DPoP")], [["headers/request"], ["headers/request"]]);
});

test("a claim is that of the token that has this value, else of each that has it, else of none", () => {
  assert.deepEqual(marks("jwt.claims", "aud", { value: '["app"]' }), ["token/1/claims/aud"]);
  assert.deepEqual(marks("jwt.claims", "aud", { value: "other" }), ["token/0/claims/aud", "token/1/claims/aud"]);
  assert.deepEqual(marks("jwt.claims", "nonce", { value: "n" }), ["token/1/claims/nonce"]);
  assert.deepEqual(marks("jwt.header", "kid", { value: "1" }), ["token/1/header/kid"]);
  assert.deepEqual(marks("jwt.claims", "exp", { value: "" }), ["token/0", "token/1"]);
  const unread = { ...message, tokens: [], values: [{ where: "request.body", name: "client_secret", value: "eyJhbGciOiJFUzI1NiJ9.e30.x" }, { where: "request.body", name: "code", value: "x" }] };
  assert.deepEqual(marks("jwt.claims", "exp", { value: "" }, unread), ["value/request.body/client_secret"]);
  assert.deepEqual(marks("jwt.claims", "constructor", { value: "" }), ["token/0", "token/1"]);
});

test("what was found is marked where it stands", () => {
  assert.deepEqual(marks("token", "id_token nonce"), ["token/1/claims/nonce"]);
  assert.deepEqual([marks("url"), marks("request", "Origin"), marks("response.body")], [["url"], ["headers/request", "header/request/1"], ["body/response"]]);
});

test("without an answer it is the failure that is meant, and nothing where nothing was chosen", () => {
  const silent = { ...message, failure: "refused", response: null };
  assert.deepEqual([marks("response.status", "", {}, silent), marks("tls", "x", {}, silent)], [["failure"], ["failure"]]);
  assert.deepEqual(marks("response.body", "", {}, silent), ["headers/response"]);
  assert.equal(marksOf(null, message).size, 0);
  assert.deepEqual(marks("computed"), []);
});

test("of two values of one name the one that was chosen is marked, else that of the value, else both", () => {
  const [where, name] = ["request.query", "resource"];
  const repeated = { ...message, values: [{ where, name, value: "a" }, { where, name, value: "b" }] };
  const [first, second] = ["value/request.query/resource", "value/request.query:2/resource"];
  assert.deepEqual(marks(where, name, { ordinal: 2, value: "b" }, repeated), [second]);
  assert.deepEqual(marks(where, name, { value: "a" }, repeated), [first]);
  assert.deepEqual(marks(where, name, { value: "b…(9)", full: "b" }, repeated), [second]);
  assert.deepEqual(marks(where, name, { match: "b" }, repeated), [first, second]);
});
