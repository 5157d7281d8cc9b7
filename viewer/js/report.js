/**
 * What is looked up in the documents that are drawn.
 */
export class Report {
  /** @param {object} overview as `ViewerCapture` writes it */
  constructor(overview) {
    this.generator = overview.generator;
    this.captures = overview.captures;
    this.comparisons = overview.comparisons ?? null;
    this.compares = overview.compares ?? false;
    this.revision = overview.revision ?? 0;
    this.isRecorded = overview.recorded ?? false;
  }

  /** The flow that is looked at without being named: the first that failed, else the first with something wrong, else the first. */
  static first({ flows }) {
    return flows.find((flow) => flow.outcome === "failure") ?? flows.find(isWrong) ?? flows[0] ?? null;
  }

  /**
   * The flow that is looked at: the one that is named, else that of the message, else the first that suggests itself.
   *
   * @param {object} capture
   * @param {{flow: string | null, exchange: number | null}} at
   * @returns {object | null} its line
   */
  static head(capture, { flow, exchange }) {
    const named = flow ?? (exchange === null ? null : capture.exchanges[exchange]?.flow);
    return capture.flows.find(({ id }) => id === named) ?? Report.first(capture);
  }

  /**
   * The ways of the value that stands at a place.
   *
   * @param {object} flow
   * @param {{exchange: number | null, where: string, name: string, value?: string, ordinal?: number}} place as `placesOf` has it
   * @returns {object[]} links of the flow
   */
  static ways(flow, place) {
    const isOf = (link, isMeant) => [link.origin, ...link.uses].some((other) => samePlace(other, place) && isMeant(other));
    // The diagnosis does not say which of several of one name it means: the one with this value, else the first.
    const exact = flow.links.filter((link) => isOf(link, (other) => other.value === place.value));
    return exact.length > 0 || (place.ordinal ?? 1) > 1 ? exact : flow.links.filter((link) => isOf(link, () => true));
  }

  /**
   * The whole way of a value: what is linked to the place where it was made, each with what it became there.
   *
   * @param {object} flow
   * @param {string | null} id of a place, as `wayID` has it
   * @returns {object | null} a link whose uses have their own `transform`
   */
  static way(flow, id) {
    const links = flow.links.filter((link) => wayID(link, flow) === id);
    if (links.length === 0) return null;
    const uses = links.flatMap((link) => link.uses.map((use) => ({ ...use, transform: link.transform })));
    return { ...links[0], uses };
  }

  /**
   * The places of a link, by exchange.
   *
   * @returns {Map<number, object[]>} the first place of all is where the value was made
   */
  static placesByExchange(link) {
    const places = new Map();
    for (const place of [link.origin, ...link.uses]) {
      if (place.exchange === null) continue;
      places.set(place.exchange, [...(places.get(place.exchange) ?? []), place]);
    }
    return places;
  }

  /** Takes what is new in a recording that goes on. */
  update({ revision, captures }) {
    this.revision = revision;
    for (const [index, change] of captures.entries()) {
      const capture = this.captures[index];
      capture.flows.length = Math.min(capture.flows.length, change.flowCount);
      capture.exchanges.length = Math.min(capture.exchanges.length, change.exchangeCount);
      for (const [place, flow] of change.flows) capture.flows[place] = flow;
      for (const [place, row] of change.exchanges) capture.exchanges[place] = row;
    }
  }
}

/** @returns {boolean} whether a flow, of which its line is given, failed, or more than a note was found in it */
export function isWrong(flow) {
  return flow.settled && (flow.outcome === "failure" || (Boolean(flow.first) && flow.first.severity !== "note"));
}

/** @returns {boolean} */
export function samePlace(one, other) {
  return one.exchange === other.exchange && one.where === other.where && one.name === other.name;
}

/**
 * A link's own name in an address: the place where its value was made.
 *
 * @param {object} link
 * @param {object} flow of which it is
 * @returns {string} as `placeID` has it; of several values that were made under one name the ways are counted
 */
export function wayID(link, flow) {
  const values = flow.links.filter(({ origin }) => samePlace(origin, link.origin)).map(({ origin }) => origin.value);
  return placeID({ ...link.origin, ordinal: [...new Set(values)].indexOf(link.origin.value) + 1 });
}

/**
 * What a message says by name: parameters may be repeated, and cookies set twice.
 *
 * @param {object} message
 * @returns {object[]} its values, each with its exchange and its `ordinal`, from 1, among those of its name at the same part
 */
export function placesOf(message) {
  const counts = new Map();
  return message.values.map((value) => {
    const place = { ...value, exchange: message.exchange };
    const id = placeID(place);
    counts.set(id, (counts.get(id) ?? 0) + 1);
    return { ...place, ordinal: counts.get(id) };
  });
}

/**
 * A place as text, unique in a capture.
 *
 * @param {{exchange: number | null, where: string, name: string, ordinal?: number}} place without an ordinal it is the first of its
 *   name, as evidence and links have it
 * @returns {string} `3/request.query/state`, `3/request.query:2/state`
 */
export function placeID(place) {
  return `${place.exchange ?? "-"}/${partID(place)}`;
}

/** @returns {string} a place as text, unique in its message */
export function partID({ where, name, ordinal = 1 }) {
  return `${where}${ordinal > 1 ? `:${ordinal}` : ""}/${name}`;
}
