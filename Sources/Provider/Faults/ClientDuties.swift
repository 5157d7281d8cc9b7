/// What a correct client does when it meets what it must reject; the sections are those of the rule.
enum ClientDuties {
    static func text(of fault: String) -> String? {
        guard let text = texts[fault] else { return nil }
        return isOfSignature(fault) ? "\(text) \(unlessDirect)" : text
    }

    /// Whether the signature alone shows what is wrong, which TLS may stand for (OpenID Connect Core, section 3.1.3.7 (6)).
    static func isOfSignature(_ fault: String) -> Bool { ofSignature.contains(fault) }

    private static let unlessDirect =
        "Only a client that takes ID tokens from the token endpoint alone, by TLS, may go by that in place of the signature."

    private static let ofSignature: Set<String> = [
        "id-token-alg-none:signature-removed", "id-token-kid-unknown", "id-token-signature-invalid",
        "id-token-signature-invalid:claims", "id-token-signature-invalid:public-key-as-secret",
        "id-token-signature-invalid:key-in-token",
    ]

    private static let texts: [String: String] = [
        "state-mismatch":
            "Compare state with the one this browser was sent away with, before the code is sent anywhere.",
        "issuer-param-mismatch":
            "Compare iss, where it comes, with the issuer that the browser was sent to, before the code is sent anywhere.",
        "code-injection":
            "Bind each code to the login that asked for it: send a code_challenge, or compare the nonce of the ID token; best do both.",
        "jarm-invalid:iss":
            "Compare the iss of the signed answer with the issuer that the browser was sent to.",
        "jarm-invalid:aud": "Look for the own client_id in the aud of the signed answer.",
        "jarm-invalid:exp": "Take no signed answer whose exp has passed.",
        "jarm-invalid:alg-none": "Verify the signature of the answer, and take none without one.",
        "jarm-invalid:signature": "Verify the signature of the answer with a key of the provider.",
        "id-token-malformed": "Take no ID token that cannot be read to its end.",
        "id-token-claims-missing:iss": "Take no ID token without iss: nothing says whose it is.",
        "id-token-claims-missing:sub": "Take no ID token without sub: nothing says who signed in.",
        "id-token-claims-missing:aud": "Take no ID token without aud: nothing says whom it is for.",
        "id-token-claims-missing:exp": "Take no ID token without exp: it would be good for ever.",
        "id-token-claims-missing:iat": "Take no ID token without iat, which every ID token has.",
        "id-token-issuer-mismatch": "Compare iss with the issuer of the metadata, to the letter.",
        "id-token-audience-mismatch": "Look for the own client_id in aud, and take no token without it.",
        "id-token-expired": "Take no ID token whose exp has passed, some minutes for clocks aside.",
        "id-token-not-yet-valid":
            "Take no ID token that is not valid yet by nbf, or whose iat is far from now.",
        "id-token-nonce-mismatch": "Compare nonce with the one that this login sent.",
        "id-token-nonce-missing": "Where the login sent a nonce, take no ID token without it.",
        "id-token-alg-none":
            "Take no unsigned ID token, unless the client was registered for them; take the algorithm from the registration and not from the token.",
        "id-token-alg-none:spelled":
            "Take the algorithms that the client was registered for, to the letter, and no other: a list of what is refused is never whole.",
        "id-token-alg-none:signature-removed":
            "Verify the signature whatever its length: one that is empty is none.",
        "id-token-signature-invalid:public-key-as-secret":
            "Take the algorithm from the registration and not from the token: a public key is never a secret.",
        "id-token-kid-unknown":
            "Fetch the keys again, once; then reject a token whose kid is still none of them.",
        "id-token-signature-invalid":
            "Verify the signature with the key that kid names.",
        "id-token-signature-invalid:claims":
            "Verify the signature over the claims as they came, before anything in them is believed.",
        "id-token-signature-invalid:key-in-token":
            "Take keys from the key set of the provider alone, and none that the token brings along (jwk, jku, x5c, x5u).",
        "userinfo-sub-mismatch":
            "Compare the sub of userinfo with that of the ID token; use nothing of it otherwise.",
        "refresh-subject-changed:sub":
            "Compare sub with that of the first ID token, and end the session otherwise.",
        "refresh-subject-changed:iss": "Compare iss with that of the first ID token.",
        "refresh-subject-changed:aud":
            "Look for the own client_id in aud, in a refreshed token as in the first.",
    ]
}
