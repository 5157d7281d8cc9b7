import assert from "node:assert/strict";
import test from "node:test";
import { marksOf } from "../../viewer/js/marks.js";
import { excerpt, hits } from "../../viewer/js/search.js";
import { socketPanel, spoken } from "../../viewer/js/socket.js";
import { Veil } from "../../viewer/js/veil.js";

const said = (from, text, rest = {}) => ({ from, after: null, kind: "text", size: text.length, text, open: true, ...rest });
const exchange = (messages, more = 0) => ({ exchange: 3, url: "https://a.example/live", values: [], tokens: [], request: { headers: [] }, response: null, socket: { messages, more } });

test("who said it, when and how much", () => {
  assert.equal(spoken(said("client", "hello", { after: 1200 })), "client → server · after 1.2 s · 5 bytes");
  assert.equal(spoken({ from: "server", after: -5, kind: "binary", size: 1 }), "server → client · after 0 s · binary, 1 byte");
  assert.equal(spoken(said(null, "x", { size: 90000, cut: true })), "who said it is not recorded · 90000 bytes · only its beginning is shown");
});

test("what is found in a message is marked there, and hides what is around it where that may be a secret", () => {
  const message = exchange([said("client", "first"), said("server", "the needle of it"), said("server", "pin=12 hay", { open: false })]);
  const [open] = hits("needle", message);
  const [closed] = hits("hay", message);
  assert.deepEqual([open.where, open.name, open.open, closed.name, closed.open], ["websocket", "2", true, "3", undefined]);
  assert.deepEqual(excerpt(open, { isLifted: false, isSecret: false }), ["the ", "needle", " of it"]);
  assert.deepEqual(excerpt(closed, { isLifted: false, isSecret: false }), ["•••••••", "hay", ""]);
  assert.deepEqual(excerpt(open, { isLifted: false, isPresenting: true, isSecret: false })[0], "••••");
  assert.deepEqual([...marksOf(open, message)], ["socket/2"]);
});

test("messages are text, and are made when they are unfolded", () => {
  class Node {
    constructor(tag) {
      Object.assign(this, { tag, childNodes: [], listeners: {}, attributes: {} });
    }
    setAttribute(name, value) {
      this.attributes[name] = value;
    }
    addEventListener(event, listener) {
      this.listeners[event] = listener;
    }
    append(...children) {
      this.childNodes.push(...children);
    }
    get text() {
      return this.childNodes.map((child) => child.text ?? child).join("");
    }
    all(tag) {
      return this.childNodes.flatMap((child) => (child instanceof Node ? [...(child.tag === tag ? [child] : []), ...child.all(tag)] : []));
    }
  }
  Object.assign(globalThis, { Node, document: { createElement: (tag) => new Node(tag) } });
  try {
    const options = { veil: new Veil(), redraw: () => {}, marks: new Set() };
    assert.equal(socketPanel({ ...exchange([]), socket: null }, options), null);
    assert.equal(socketPanel({ exchange: 1 }, options), null);
    const hostile = "<img src=x onerror=alert(1)>\u202e";
    const panel = socketPanel(exchange([said("client", hostile), said("server", "pin=1234", { open: false })], 7), options);
    assert.equal(panel.all("summary")[0].text, "WebSocket (9 messages)");
    assert.deepEqual(panel.all("li"), []);
    panel.listeners.toggle();
    panel.listeners.toggle();
    assert.equal(panel.all("li").length, 2);
    assert.equal(panel.all("code")[0].text, "<img src=x onerror=alert(1)>\\u{202e}");
    assert.deepEqual([panel.all("button").map((button) => button.attributes["aria-label"]), panel.all("img")], [["Show WebSocket message 2"], []]);
    assert.ok(!panel.text.includes("1234") && panel.text.includes("7 more are in the capture."));
    options.veil.lift("3/socket/1");
    assert.ok(socketPanel(exchange([said("client", "a"), said("server", "pin=1234", { open: false })]), { ...options, marks: new Set(["socket/2"]) }).text.includes("pin=1234"));
  } finally {
    delete globalThis.Node;
    delete globalThis.document;
  }
});
