/**
 * Where the documents that are drawn come from: out of the page itself, or from the server that served it.
 *
 * Both answer the same questions:
 *
 * - `overview()`: the captures with their flows and exchanges, a line each.
 * - `flow(capture, id)`, `message(capture, exchange)`, `comparison(expected, seen)`: one of them in full, or null.
 * - `search(query)`: `{hits, more}`.
 * - `comparisons`: those that can be asked for; null for any.
 * - `canShare`, `isLive`: whether `share(options)`, and `changes(revision)` and `drawn()`, can be asked.
 */
import { hits } from "#viewer/search.js";

/** How many messages stand together in an element of the page. */
export const TOGETHER = 32;

/** The page holds everything; each piece is read when it is asked for. */
export class EmbeddedSource {
  canShare = false;
  isLive = false;

  /** @param {(id: string) => string | null} text of an element of the page */
  constructor(text) {
    this.text = text;
    this.read = JSON.parse(text("overview"));
    /** Those pairs of logins that can be compared. */
    this.comparisons = this.read.comparisons;
    /** The last few elements that were read. */
    this.pieces = new Map();
  }

  async overview() {
    return this.read;
  }

  async flow(capture, id) {
    const index = this.read.captures[capture]?.flows.findIndex((flow) => flow.id === id) ?? -1;
    return index < 0 ? null : this.piece(`flow-${capture}-${index}`);
  }

  async message(capture, exchange) {
    return this.piece(`messages-${capture}-${Math.floor(exchange / TOGETHER)}`)?.[exchange % TOGETHER] ?? null;
  }

  async comparison(expected, seen) {
    const same = (one, other) => one.capture === other.capture && one.flow === other.flow;
    const index = this.comparisons.findIndex((pair) => same(pair.expected, expected) && same(pair.seen, seen));
    return index < 0 ? null : this.piece(`comparison-${index}`);
  }

  async search(query) {
    const found = [];
    for (const [capture, { exchanges }] of this.read.captures.entries()) {
      for (let exchange = 0; exchange < exchanges.length; exchange += 1) {
        // So that a key that is pressed meanwhile is heard.
        if (exchange % 512 === 511) await new Promise((resolve) => setTimeout(resolve));
        const here = hits(query, await this.message(capture, exchange));
        if (found.length + here.length > 200) return { hits: found, more: true };
        found.push(...here.map((hit) => ({ ...hit, capture, exchange })));
      }
    }
    return { hits: found, more: false };
  }

  piece(id) {
    if (!this.pieces.has(id)) {
      const text = this.text(id);
      if (text === null) return null;
      if (this.pieces.size >= 16) this.pieces.delete(this.pieces.keys().next().value);
      this.pieces.set(id, JSON.parse(text));
    }
    return this.pieces.get(id);
  }
}

/** Nobody answers: the program that served the page has ended, or the machine slept. */
export class Unanswered extends Error {
  constructor() {
    super("authreel does not answer");
  }
}

/** The server of `authreel view` and `authreel record --view`. */
export class ServedSource {
  canShare = true;
  comparisons = null;
  isLive = false;

  /** @param {(path: string, options?: object) => Promise<Response>} ask */
  constructor(ask) {
    this.ask = ask;
    /** Who asks: a search of one page ends none of another. */
    this.page = crypto.randomUUID();
    /** The last few documents, so that one that is the same as before is the very same. */
    this.known = new Map();
  }

  async overview() {
    const overview = await this.json("data/overview");
    this.isLive = overview.live;
    return overview;
  }

  async flow(capture, id) {
    return this.read(`flow/${capture}/${id}`, await this.flowText(capture, id));
  }

  async message(capture, exchange) {
    return this.read(`message/${capture}/${exchange}`, await this.messageText(capture, exchange));
  }

  read(name, text) {
    if (this.known.get(name)?.text !== text) {
      if (this.known.size >= 8) this.known.delete(this.known.keys().next().value);
      this.known.set(name, { text, document: JSON.parse(text) });
    }
    return this.known.get(name).document;
  }

  async comparison(expected, seen) {
    return JSON.parse(await this.comparisonText(expected, seen));
  }

  flowText(capture, id) {
    return this.text(`data/flow/${capture}/${encodeURIComponent(id)}`);
  }

  messageText(capture, exchange) {
    return this.text(`data/message/${capture}/${exchange}`);
  }

  comparisonText(expected, seen) {
    const parts = [expected, seen].map((side) => `${side.capture}/${encodeURIComponent(side.flow)}`);
    return this.text(`data/comparison/${parts.join("/")}`);
  }

  search(query) {
    return this.json(`data/search?page=${this.page}&q=${encodeURIComponent(query)}`);
  }

  changes(revision) {
    return this.json(`data/changes?after=${revision}`);
  }

  /** Tells that the last of a recording is drawn. */
  drawn() {
    return this.json("data/drawn");
  }

  share(options) {
    return this.json("share", { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(options) });
  }

  async json(path, options) {
    return JSON.parse(await this.text(path, options));
  }

  /** JSON; null, which is read as that, where there is no such thing; throws `Unanswered` where the server is gone. */
  async text(path, options) {
    const response = await this.ask(path, options).catch(() => {
      // What a browser says of it is in its own words.
      throw new Unanswered();
    });
    if (response.status === 404) return null;
    if (!response.ok) throw new Error(`the server answered ${response.status}: ${await response.text()}`);
    return response.text();
  }
}

/** The source of this page. */
export function sourceOfPage() {
  const text = (id) => document.getElementById(id)?.textContent ?? null;
  return text("overview") === null ? new ServedSource((path, options) => fetch(path, options)) : new EmbeddedSource(text);
}
