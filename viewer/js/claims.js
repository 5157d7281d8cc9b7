/**
 * What claims and header parameters are for, in a line each.
 *
 * RFC 7519, section 4.1; RFC 7515, section 4.1; RFC 9449, section 4.2; OpenID Connect Core, sections 2, 3.1.3.6 and 5.1.
 */
const CLAIMS = {
  iss: "Issuer: who made this token.",
  sub: "Subject: whom the token is about, by the issuer's own name for them.",
  aud: "Audience: for whom the token is meant; anybody else has to refuse it.",
  exp: "Expiration time: from then on the token must not be accepted.",
  nbf: "Not before: until then the token must not be accepted.",
  iat: "Issued at: when the token was made.",
  jti: "JWT ID: the token's own number, so that it can be told when it comes twice.",
  azp: "Authorized party: the client to which the token was issued.",
  nonce: "Nonce: the value that the client sent with its authorization request, bound to its session.",
  auth_time: "When the person last signed in.",
  acr: "Authentication context class: how strongly the person was authenticated.",
  amr: "Authentication methods: by what means, a password, a code, a key.",
  at_hash: "Left half of the hash of the access token that came with this ID token.",
  c_hash: "Left half of the hash of the authorization code that came with this ID token.",
  s_hash: "Left half of the hash of the state.",
  sid: "Session ID at the provider; logout tokens name it.",
  cnf: "Confirmation: the key that whoever uses this token has to prove to have.",
  scope: "What the token allows.",
  client_id: "The client that asked for the token.",
  events: "What a logout token reports.",
  htm: "HTTP method of the request that this proof is for.",
  htu: "HTTP address of the request that this proof is for.",
  ath: "Hash of the access token that this proof goes with.",
};

const HEADERS = {
  alg: "Algorithm with which the token is signed, or its key encrypted.",
  kid: "Key ID: which of the issuer's published keys to check the signature with.",
  typ: "Type of the token.",
  cty: "Type of what is inside.",
  enc: "Algorithm with which the content is encrypted.",
  jwk: "The public key itself.",
  jku: "Where the keys are said to be published; not to be trusted by itself.",
  x5c: "Certificate chain of the key.",
  x5t: "SHA-1 thumbprint of the key's certificate.",
  "x5t#S256": "SHA-256 thumbprint of the key's certificate.",
};

/** @returns {string | null} */
export function claim(name) {
  return Object.hasOwn(CLAIMS, name) ? CLAIMS[name] : null;
}

/** @returns {string | null} */
export function header(name) {
  return Object.hasOwn(HEADERS, name) ? HEADERS[name] : null;
}
