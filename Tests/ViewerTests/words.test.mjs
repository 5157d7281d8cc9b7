import assert from "node:assert/strict";
import test from "node:test";
import { against, count, duration, offset, redaction, shortNames, time } from "../../viewer/js/words.js";

test("lengths of time", () => {
  assert.deepEqual(
    [0, 0.25, -0.25, 9.9994, 59.6, 65, 3600, 3900, 86400, 90000, 200000].map(duration),
    ["0 s", "0.25 s", "0.25 s", "9.999 s", "1 min", "1 min 5 s", "1 h", "1 h 5 min", "1 day", "1 day 1 h", "2 days 7 h"],
  );
});

test("one time against another", () => {
  assert.equal(against(110, 100), "10 s after");
  assert.equal(against(97, 100), "3 s before");
  assert.equal(against(100, 100.0001), "at the same time");
});

test("claims that are times, and those that only look so", () => {
  assert.equal(time("exp", 1773566708, 1773566108), "2026-03-15 09:25:08 UTC, 10 min after this message");
  assert.equal(time("exp", 1773566708, null), "2026-03-15 09:25:08 UTC");
  assert.equal(time("iat", 1773566108, 1773566108), "2026-03-15 09:15:08 UTC, at the same time as this message");
  const now = 1773566108 + 86400;
  assert.match(time("exp", 1773566708, 1773566108, now), /10 min after this message, 23 h 50 min ago$/);
  assert.match(time("exp", now + 90, 1773566108, now), /, 1 min 30 s from now$/);
  for (const [name, value] of [["exp", "1773566708"], ["exp", 1e300], ["exp", null], ["sub", 1773566708]]) {
    assert.equal(time(name, value, 0), null);
  }
});

test("one and many", () => {
  assert.deepEqual([count(1, "exchange"), count(0, "exchange"), count(3, "byte")], ["1 exchange", "0 exchanges", "3 bytes"]);
});

test("times of messages keep their milliseconds", () => {
  assert.deepEqual([0, 8220, 59_999, 598_015, 4_198_015].map(offset), ["+0 s", "+8.22 s", "+59.999 s", "+9:58.015", "+1:09:58.015"]);
  assert.deepEqual([-90_000, -25_320_000].map(offset), ["−1 min 30 s", "−7 h 2 min"]);
  // As the timeline of the terminal has them; rounded, the last one would be a minute of sixty seconds.
  assert.deepEqual([6.999, 59_999.6, 119_999.6].map(offset), ["+0.006 s", "+59.999 s", "+1:59.999"]);
});

test("names of files are told apart by their folders where they have to be", () => {
  assert.deepEqual(shortNames(["/a/login.har"]), ["login.har"]);
  assert.deepEqual(shortNames(["mon/login.har", "tue/login.har", "tue/other.har"]), ["mon/login.har", "tue/login.har", "other.har"]);
  assert.deepEqual(shortNames(["x/a/login.har", "y/a/login.har"]), ["x/a/login.har", "y/a/login.har"]);
  assert.deepEqual(shortNames(["login.har", "a/login.har"]), ["login.har", "a/login.har"]);
  assert.deepEqual(shortNames(["a/login.har", "a/login.har", "-"]), ["login.har", "login.har", "-"]);
  assert.deepEqual(shortNames([]), []);
});

test("a shared capture that was merged with another is redacted in part", () => {
  assert.equal(redaction(null), "");
  assert.equal(redaction({ version: "1" }), "redacted: its secrets are stand-ins");
  assert.match(redaction({ version: "1", partial: true }), /^redacted in part: .*its own secrets$/);
});
