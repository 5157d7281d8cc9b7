import assert from "node:assert/strict";
import { test } from "node:test";
import { waited } from "../../viewer/js/waiting.js";

const after = (milliseconds, end) => new Promise((resolve, reject) => setTimeout(() => end(resolve, reject), milliseconds));

test("a long wait is told, and that it is over", async () => {
  const said = [];
  assert.equal(await waited(after(30, (resolve) => resolve(7)), (isWaiting) => said.push(isWaiting), 1), 7);
  assert.deepEqual(said, [true, false]);
});

test("a short wait, or none, is not told", async () => {
  const said = [];
  assert.equal(await waited(Promise.resolve(7), (isWaiting) => said.push(isWaiting), 20), 7);
  assert.equal(await waited(null, (isWaiting) => said.push(isWaiting), 20), null);
  await after(40, (resolve) => resolve());
  assert.deepEqual(said, []);
});

test("a wait that comes to nothing is over as well", async () => {
  const said = [];
  await assert.rejects(waited(after(30, (_, reject) => reject(new Error("gone"))), (isWaiting) => said.push(isWaiting), 1), /gone/);
  assert.deepEqual(said, [true, false]);
});
