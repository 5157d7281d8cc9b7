/** C0 but for white space, DEL, C1, and the marks that reorder text on screen: as the terminal has it, `TextStyle.swift`. */
const CONTROLS = /[\0-\x08\v\f\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/**
 * Text without what would take effect on the screen: a direction override becomes `\u{202e}`, as captures are hostile.
 *
 * @param {string} text
 * @returns {string}
 */
export function printable(text) {
  return text.replace(CONTROLS, number);
}

/**
 * A value, of which every character is to be seen: no-break space becomes `\u{a0}`, a line break `\u{a}`, as on the terminal.
 *
 * @param {string} text
 * @returns {string}
 */
export function visible(text) {
  return printable(text).replace(INVISIBLE, number);
}

function number(mark) {
  return `\\u{${mark.codePointAt(0).toString(16)}}`;
}

/** What joins letters and signs that are seen, and the space of East Asian scripts. */
const JOINS = "\\u200c\\u200d\\u3000\\ufe00-\\ufe0f\\u{e0020}-\\u{e007f}\\u{e0100}-\\u{e01ef}";

/** What has no ink (`InvisibleCharacter.swift`). */
const UNSEEN = `(?![ ${JOINS}])[\\p{Zs}\\p{Zl}\\p{Zp}\\p{DI}\\ufff9-\\ufffb\\u2800]`;

/** That, line breaks and tabs; and joins where they join nothing but ASCII. */
const INVISIBLE = new RegExp(`[\\t\\n\\r]|${UNSEEN}|(?<=^|[\\0-\\x7f]|${UNSEEN})[${JOINS}]`, "gu");

/** What a browser writes on the screen of an element's attributes. */
const READ = new Set(["title", "aria-label"]);

/** Elements whose text is a value, or the part of one that is marked. */
const VALUES = new Set(["code", "mark"]);

/**
 * An element. Text is only ever text: nothing of a capture is parsed as markup, and nothing of it turns what is around it.
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
      made.setAttribute(name, value === true ? "" : READ.has(name) ? printable(String(value)) : String(value));
    }
  }
  // One by one: a page may have more of them than a function takes arguments.
  for (const child of children) {
    if (child === null || child === undefined) continue;
    // What is there to be copied stays as it is.
    made.append(child instanceof Node || tag === "textarea" ? child : (VALUES.has(tag) ? visible : printable)(String(child)));
  }
  return made;
}

/**
 * A heading with a button beside it, which is not read aloud as a part of the heading.
 *
 * @param {string} words
 * @param {HTMLElement} button
 * @returns {HTMLElement}
 */
export function headed(words, button) {
  return element("div", { class: "headed" }, element("h2", {}, words), button);
}

/**
 * A name that is broken behind its underscores, where it is broken at all: `code_` and `challenge`.
 *
 * @param {string} name
 * @returns {(Node | string)[]}
 */
export function breakable(name) {
  return name.split(/(?<=_)(?!_|$)/).flatMap((part, index) => (index > 0 ? [element("wbr"), part] : [part]));
}

/**
 * The head of a value's row: its name, which may be broken, and is read aloud in one piece all the same.
 *
 * @param {string} name
 * @param {string | null} where it stands
 * @param {string | null} [title]
 * @returns {HTMLElement}
 */
export function rowHead(name, where, title = null) {
  const label = [name, where].filter(Boolean).join(", ");
  return element("th", { scope: "row", title, "aria-label": label }, ...breakable(name), where ? element("span", { class: "where" }, where) : null);
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
