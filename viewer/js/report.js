/**
 * The document that is drawn, with what is looked up in it.
 */
export class Report {
  /** @param {object} document as `ViewerDocument` writes it */
  constructor(document) {
    this.name = document.name;
    this.generator = document.generator;
    this.redacted = document.redacted;
    this.flows = document.flows;
    this.exchanges = document.exchanges;
    this.messages = document.messages ?? [];
  }

  /** @returns {object | null} */
  flow(id) {
    return this.flows.find((flow) => flow.id === id) ?? null;
  }

  /** @returns {object | null} */
  message(exchange) {
    return this.messages.find((message) => message.exchange === exchange) ?? null;
  }

  /**
   * The ways of the value that stands at a place.
   *
   * @param {object} flow
   * @param {{exchange: number | null, where: string, name: string}} place
   * @returns {object[]} links of the flow
   */
  ways(flow, place) {
    return flow.links.filter((link) => [link.origin, ...link.uses].some((other) => samePlace(other, place)));
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
}

/** @returns {boolean} */
export function samePlace(one, other) {
  return one.exchange === other.exchange && one.where === other.where && one.name === other.name;
}

/**
 * A link's own name in an address: the place where its value was made.
 *
 * @returns {string}
 */
export function wayID(link) {
  return `${link.origin.exchange ?? "-"}/${link.origin.where}/${link.origin.name}`;
}

/** Reads the document out of the page. */
export function embeddedDocument() {
  const script = document.getElementById("report");
  return script ? JSON.parse(script.textContent) : null;
}
