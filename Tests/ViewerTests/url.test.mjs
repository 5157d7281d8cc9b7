import assert from "node:assert/strict";
import test from "node:test";
import { shownURL } from "../../viewer/js/url.js";

const message = {
  url: "https://user:pass@a.example/cb?code=S3cretCode&client%5Fid=app&bare#access_token=S3cretToken",
  values: [{ where: "request.query", name: "code", secret: true }, { where: "request.query", name: "client_id" }],
};
const veil = (isLifted, isPresenting = false) => ({ isLifted, isPresenting });

test("an address shows no secret unless it is asked for", () => {
  assert.equal(shownURL(message, veil(true)), message.url);
  const shown = shownURL(message, veil(false));
  assert.ok(shown.startsWith("https://a.example/cb?code=••••") && shown.includes("client%5Fid=app"));
  for (const secret of ["S3cret", "pass", "bare"]) assert.ok(!shown.includes(secret), secret);
  assert.equal(shownURL(message, veil(false, true)), "https://a.example/cb");
});

test("what is no address is shown as it is", () => {
  for (const url of ["", "about:blank", "com.example.app:/cb", "/path only"]) assert.equal(shownURL({ url, values: [] }, veil(false)), url);
});

test("what is not listed may be anything", () => {
  const long = { url: "https://a.example/?a=1&b=S3cret", values: [{ where: "request.query", name: "a" }], more: 1 };
  assert.ok(shownURL(long, veil(false)).startsWith("https://a.example/?a=1&b=•••"));
  assert.equal(shownURL({ ...long, more: 0 }, veil(false)), long.url);
});
