/**
 * An element. Text is only ever text: nothing of a capture is parsed as markup.
 *
 * @param {string} tag
 * @param {Record<string, unknown>} [properties] `class`, `style` (an object of custom properties), `on` (an object of
 *   listeners), everything else an attribute; `false` and `null` leave one out, `true` writes an empty one.
 * @param {...(Node | string | null | undefined)} children
 * @returns {HTMLElement}
 */
export function element(tag, properties = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === false || value === null || value === undefined) continue;
    if (name === "on") {
      for (const [event, listener] of Object.entries(value)) made.addEventListener(event, listener);
    } else if (name === "style") {
      for (const [property, text] of Object.entries(value)) made.style.setProperty(property, text);
    } else {
      made.setAttribute(name, value === true ? "" : String(value));
    }
  }
  // One by one: a page may have more of them than a function takes arguments.
  for (const child of children) if (child !== null && child !== undefined) made.append(child);
  return made;
}

/**
 * A link that a person may follow: to a specification, never to anything that a capture names.
 *
 * @param {{text: string, url: string | null}} source
 * @returns {Node}
 */
export function specification(source) {
  if (!source.url || !source.url.startsWith("https://")) return document.createTextNode(source.text);
  return element("a", { href: source.url, rel: "noopener noreferrer", target: "_blank" }, source.text);
}

/**
 * A sentence in which backticks mark code.
 *
 * @param {string} text
 * @returns {(Node | string)[]}
 */
export function prose(text) {
  return text.split("`").map((part, index) => (index % 2 === 1 ? element("code", {}, part) : part));
}
