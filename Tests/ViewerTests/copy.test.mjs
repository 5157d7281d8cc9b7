import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import test from "node:test";
import { curl, fileWord, shellWord, withNames } from "../../viewer/js/copy.js";

const message = {
  method: "POST", url: "https://idp.example/token?x=[1]&y={2}#fragment", tokens: [{ name: "client_assertion", text: "eyJhbGciOiJub25lIn0.e30." }],
  values: [
    { name: "code", value: "S3cret/Code+1", raw: "S3cret%2FCode%2B1", secret: true }, { name: "client_id", value: "app" }, { name: "otp", value: "123", secret: true },
  ],
  request: {
    headers: [
      { name: "Host", value: "idp.example" }, { name: "Authorization", value: "Basic YXBwOnNlY3JldA==" }, { name: "Cookie", value: "a=1; b=2" },
      { name: "@/etc/passwd", value: "x" }, { name: "X-Quote", value: "it's", open: true }, { name: "X-Api-Key", value: "k3y" }, { name: "Accept", value: "*/*", open: true },
    ],
    body: { type: "application/x-www-form-urlencoded", text: "code=S3cret%2FCode%2B1&client_id=app&otp=123&assertion=eyJhbGciOiJub25lIn0.e30." },
  },
};

test("whatever a word holds, the shell hands it on as it is", () => {
  for (const text of ["", "plain", "it's", "a b", "$(id) `id` \\ \"", "!x", "*", "-x", "line\nbreak", "\u0007bell'\\", "§€😀", "\u0085"]) {
    const word = shellWord(text);
    assert.equal(execFileSync("bash", ["--norc", "-c", `printf %s ${word}`], { env: { HOME: "/nowhere", LC_ALL: "C.UTF-8", PATH: process.env.PATH } }).toString(), text, word);
    assert.ok(!/[\u0000-\u001f\u007f]/.test(word));
    // In a shell that has no such quotes it may be another word, and is one word all the same.
    const words = execFileSync("dash", ["-c", `printf '%s\\n' x ${word}`], { env: { LC_ALL: "C.UTF-8" } }).toString();
    assert.ok(!words.includes("uid="), word);
  }
});

test("no shell's quotes are ended from inside", () => {
  for (const text of ["\u0001'; id #", "a\\'; id #", "'; id; '", "-Kfile"]) assert.ok(!shellWord(text).slice(2, -1).includes("'"), text);
  assert.equal(shellWord("-Kfile"), "'-Kfile'");
  assert.deepEqual(["-x.har", "/a/my login.har"].map(fileWord), ["./-x.har", "'/a/my login.har'"]);
});

test("curl without secrets: names stand for them", () => {
  const command = curl(message, { isLifted: false });
  for (const secret of ["S3cret", "YXBwOnNlY3JldA", "eyJ", "a=1", "k3y", "123"]) assert.ok(!command.includes(secret), secret);
  assert.ok(command.startsWith("curl --globoff --url 'https://idp.example/token?x=[1]&y={2}'"));
  assert.ok(command.includes("code=<code>&client_id=app&otp=<otp>&assertion=<client_assertion>"));
  assert.ok(command.includes("Authorization: Basic <credentials>") && command.includes("a=<cookie>; b=<cookie>"));
});

test("a text in another charset is sent from a file", () => {
  const body = { type: "text/plain; charset=iso-8859-1", charset: "windows-1252", text: "refus\u00e9", open: true };
  assert.ok(curl({ ...message, request: { headers: [], body } }, { isLifted: true }).endsWith("--data-binary @body.bin"));
});

test("an answer in a coding is decoded", () => {
  const headers = [{ name: "accept-encoding", value: "gzip, deflate, br, zstd", open: true }];
  const command = curl({ ...message, request: { headers, body: null } }, { isLifted: false });
  assert.ok(command.startsWith("curl --globoff --compressed ") && !command.includes("zstd"));
  assert.ok(!curl(message, { isLifted: false }).includes("--compressed"));
});

test("what is no form, and may hold anything, is left out", () => {
  const body = { type: "multipart/form-data; boundary=x", text: "password: hunter2" };
  assert.ok(curl({ ...message, request: { headers: [], body } }, { isLifted: false }).endsWith("--data-raw '<body>'"));
  assert.ok(curl({ ...message, request: { headers: [], body: { ...body, open: true } } }, { isLifted: false }).includes("hunter2"));
  const url = "https://user:pass@a.example/x?code=S3cret&bare#fragment";
  const values = [{ where: "request.query", name: "code", value: "S3cret", secret: true }];
  assert.ok(curl({ ...message, url, values }, { isLifted: false }).includes("'https://a.example/x?code=<code>&<parameter>'"));
});

test("curl as it was sent, and nothing that curl would take for a file", () => {
  const command = curl(message, { isLifted: true });
  assert.ok(command.includes("code=S3cret%2FCode%2B1") && command.includes("Basic YXBwOnNlY3JldA=="));
  assert.ok(!command.includes("etc/passwd") && !command.includes("Host:"));
  assert.ok(!curl({ ...message, method: "GET;id" }, { isLifted: true }).includes("GET;id"));
  assert.ok(curl({ ...message, method: "DELETE" }, { isLifted: true }).includes("-X DELETE"));
});

test("HEAD is asked as what has no content in its answer", () => {
  const request = { headers: [], body: null };
  assert.equal(curl({ ...message, method: "HEAD", request }, { isLifted: true }), "curl --globoff --head --url 'https://idp.example/token?x=[1]&y={2}'");
});

test("a field without a value is sent, and none that was not there", () => {
  const empty = { headers: [{ name: "X-Empty", value: "", open: true }, { name: "X-Blank", value: " " }], body: null };
  const command = curl({ ...message, method: "GET", request: empty }, { isLifted: false });
  assert.ok(command.includes("-H 'X-Empty;'") && command.includes("-H 'X-Blank;'"), command);
  const typed = (headers, type) => curl({ ...message, request: { headers, body: { type, text: "a=b", open: true } } }, { isLifted: true });
  assert.ok(typed([], null).includes("-H Content-Type: \\\n"));
  // The capture may tell the type and no fields.
  assert.ok(typed([], "text/plain").includes("-H 'Content-Type: text/plain'"));
  assert.ok(!typed([{ name: "content-type", value: "text/plain", open: true }], "text/plain").includes("Content-Type:"));
});

test("the longest secret goes first, so that no part of it is left", () => {
  const values = [{ name: "short", value: "abcd", secret: true }, { name: "long", value: "abcdefgh", secret: true }];
  assert.equal(withNames("x=abcdefgh&y=abcd", { tokens: [], values }), "x=<long>&y=<short>");
});
