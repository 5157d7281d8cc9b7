import { element } from "#viewer/dom.js";
import { difference } from "#viewer/mask.js";
import { valueOnScreen } from "#viewer/secret.js";

/** How a wrong challenge was made, in words that end a sentence; `ChallengeRelation` names them. */
export const MADE = {
  s256: "as RFC 7636 wants it", plain: "of the verifier as it is, without a hash", padded: "with padding that base64url leaves out", base64: "with the alphabet of base64 instead of base64url",
  "base64-slash-as-dash": "with only one of base64url's two characters", hex: "in hexadecimal instead of base64url", "hex-base64url": "of the hash in hexadecimal",
  "double-hash": "by hashing twice", truncated: "rightly, and is cut off or longer than it should be", trimmed: "of a verifier that was re-coded on its way",
  "decoded-verifier": "of the bytes that the verifier stands for, not of its characters", utf16: "of the verifier in UTF-16", quoted: "of the verifier without the quotes that it was sent in",
  sha1: "with SHA-1 instead of SHA-256", sha512: "with SHA-512 instead of SHA-256", "letter-case": "rightly, and its letters changed to the other case later",
};

/** @returns {string} base64url without padding (RFC 4648, section 5) */
function base64url(bytes) {
  return btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/**
 * The proofs that a message asks for or gives, computed.
 *
 * @param {object | null} flow
 * @param {object | null} message
 * @returns {Promise<object[]>} each with `computed`
 */
export function proofsOf(flow, message) {
  const proofs = message ? (flow?.pkce ?? []).filter((proof) => [proof.asked, proof.proved].includes(message.exchange)) : [];
  return Promise.all(proofs.map(async (proof) => ({ ...proof, computed: await computed(proof.verifier, proof.method) })));
}

/**
 * The steps from a verifier to its challenge (RFC 7636, section 4.2).
 *
 * @param {string} verifier
 * @param {string} method `S256` or `plain`
 * @returns {Promise<{hash: string | null, challenge: string}>} the hash in hexadecimal
 */
export async function computed(verifier, method) {
  if (method === "plain") return { hash: null, challenge: verifier };
  const bytes = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(verifier)));
  return { hash: [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join(" "), challenge: base64url(bytes) };
}

/**
 * The computation step by step, with a field in which another verifier can be tried.
 *
 * @param {object} proof `{challenge, method, asked, verifier, proved, relation, computed}`
 * @param {{veil: import("#viewer/veil.js").Veil, redraw: () => void}} options
 * @returns {HTMLElement}
 */
export function pkcePanel(proof, { veil, redraw }) {
  const place = `pkce/${proof.proved}`;
  const steps = element("ol", { class: "computation", "aria-live": "polite" });
  const isPlain = proof.method === "plain";
  const draw = ({ hash, challenge }) => {
    const isSame = challenge === proof.challenge;
    const { start, one, other, end } = difference(challenge, proof.challenge);
    // The verifier of plain is the challenge: neither is to be seen then.
    const isHidden = isPlain && !veil.shows(place);
    steps.replaceChildren(
      // Null would be inserted as a word.
      ...(hash ? [element("li", {}, "SHA-256 of its ASCII bytes ", element("code", {}, hash))] : []),
      element("li", {}, isPlain ? "the method is plain: it is sent as it is" : "in base64url, without padding ", isHidden ? "" : element("code", {}, start, isSame ? one : element("mark", {}, one), end)),
      element("li", {}, `code_challenge as [${proof.asked}] sent it `, isHidden ? "" : element("code", {}, start, isSame ? other : element("mark", {}, other), end)),
      element("li", { class: isSame ? "passed" : "failed" }, isSame ? "✓ The two are the same." : "✗ The two are not the same."),
    );
  };
  draw(proof.computed);
  return element(
    "section",
    { class: "pkce" },
    element("h3", {}, "PKCE, computed here"),
    element(
      "p",
      {},
      `code_verifier as [${proof.proved}] sent it `,
      valueOnScreen(proof.verifier, { isSecret: true, place, name: "code_verifier", veil, redraw }),
    ),
    veil.shows(place)
      ? element(
          "label",
          { class: "try" },
          element("span", {}, "Try another verifier"),
          element("input", { type: "text", value: proof.verifier, spellcheck: "false", autocomplete: "off", on: { input: async (event) => draw(await computed(event.target.value, proof.method)) } }),
        )
      : null,
    steps,
    proof.relation && proof.relation !== "s256" && !(isPlain && proof.relation === "plain") ? element("p", { class: "failed" }, `The challenge was made ${MADE[proof.relation] ?? proof.relation}.`) : null,
  );
}
