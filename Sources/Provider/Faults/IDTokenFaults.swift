import Captures
import JOSE
import JSON
import LibCrypto
import OAuth

/// ID tokens that a client has to look at closely (OpenID Connect Core, section 3.1.3.7).
enum IDTokenFaults {
    static let list: [Fault] = malformed + claims + times + nonces + signatures + bindings

    /// A stranger, in every claim that names one.
    static let otherIssuer = "https://another-issuer.example"
    static let otherClient = "another-client"

    /// Answers that bring the ID token of a login.
    private static let carriers = AnswerKind.firstTokens.union([.authorizationResponse])

    /// Wrong in each ID token of a login; refreshed ones are left alone.
    private static func fault(
        _ id: String,
        _ summary: String,
        needs need: Fault.Need? = nil,
        mustBeRejected: Bool = true,
        _ change: @escaping @Sendable (inout UnsignedToken, FaultContext) -> Void
    ) -> Fault {
        Fault(
            id,
            summary,
            of: carriers,
            needs: need ?? .init("ID token"),
            mustBeRejected: mustBeRejected,
            .answer { answer, context in
                guard !context.isRefresh else { return }
                answer.alterIDToken { change(&$0, context) }
            }
        )
    }

    private static let malformed = [
        fault("id-token-malformed", "The ID token is cut off inside its claims.") { token, _ in
            token.tampering = { text in
                let parts = text.split(separator: ".", maxSplits: 1).map(String.init)
                return "\(parts.first ?? "").\((parts.last ?? "").prefix(20))"
            }
        }
    ]

    private static let claims =
        ["iss", "sub", "aud", "exp", "iat"].map { name in
            fault("id-token-claims-missing:\(name)", "The ID token has no \(name).") { token, _ in
                token.claims[name] = nil
            }
        } + [
            fault("id-token-issuer-mismatch", "The ID token is of another issuer.") { token, _ in
                token.claims["iss"] = .string(otherIssuer)
            },
            fault("id-token-audience-mismatch", "The ID token is for another client.") { token, _ in
                token.claims["aud"] = .string(otherClient)
                if token.claims["azp"] != nil { token.claims["azp"] = .string(otherClient) }
            },
            fault(
                "id-token-azp-mismatch",
                "The ID token is for this client and another, and was issued to the other (azp).",
                mustBeRejected: false
            ) { token, _ in
                let audience = token.claims["aud"] ?? ""
                token.claims["aud"] = .array((audience.array ?? [audience]) + [.string(otherClient)])
                token.claims["azp"] = .string(otherClient)
            },
        ]

    private static let times = [
        fault("id-token-expired", "The ID token ran out an hour ago.") { token, context in
            let end = context.now.seconds - 3600
            let start = end &- lifetime(of: token)
            token.claims["exp"] = JSONValue(end)
            token.claims["iat"] = JSONValue(start)
            if token.claims["nbf"] != nil { token.claims["nbf"] = JSONValue(start) }
        },
        fault("id-token-not-yet-valid", "The ID token is from an hour ahead.") { token, context in
            let start = context.now.seconds + 3600
            let lifetime = lifetime(of: token)
            token.claims["iat"] = JSONValue(start)
            token.claims["nbf"] = JSONValue(start)
            token.claims["exp"] = JSONValue(start &+ lifetime)
        },
    ]

    /// How long a token is good for, in seconds, were it less than no time; an hour where it does not say.
    private static func lifetime(of token: UnsignedToken) -> Int64 {
        guard let start = token.claims["iat"]?.int, let end = token.claims["exp"]?.int else { return 3600 }
        return end &- start
    }

    private static let nonces = [
        fault(
            "id-token-nonce-mismatch",
            "The ID token has the nonce of another login.",
            needs: .nonce
        ) { token, _ in
            token.claims["nonce"] = "nonce-of-another-login"
        },
        fault("id-token-nonce-missing", "The ID token has no nonce.", needs: .nonce) { token, _ in
            token.claims["nonce"] = nil
        },
    ]

    private static let signatures = [
        fault("id-token-alg-none", "The ID token is not signed: alg is none.") { token, _ in
            token.becomeUnsigned()
        },
        // Who looks for the very word takes another spelling for an algorithm (RFC 8725, section 2.1).
        fault("id-token-alg-none:spelled", "The ID token is not signed: alg is nOnE.") { token, _ in
            token.becomeUnsigned()
            token.tampering = { JSONWebToken.naming("nOnE", in: $0) }
        },
        fault(
            "id-token-alg-none:signature-removed",
            "The ID token's signature is taken off, and its alg is as it was.",
            needs: .init("ID token that is signed")
        ) { token, _ in
            guard token.algorithm != nil, token.key != nil else { return }
            token.tampering = { text in text.lastIndex(of: ".").map { String(text[...$0]) } ?? text }
        },
        fault(
            "id-token-alg-unexpected",
            "The ID token is signed with an algorithm that the metadata do not name.",
            needs: .init("algorithm of the key's kind that the metadata do not name"),
            mustBeRejected: false
        ) { token, context in
            guard token.algorithm?.keyType == "RSA" else {
                guard !context.namedAlgorithms.contains("HS512") else { return }
                token.algorithm = .hs512
                token.key = .secret(Array("a secret that nobody was given".utf8))
                return
            }
            let all: [SignatureAlgorithm] = [.ps512, .ps384, .ps256, .rs512, .rs384, .rs256]
            guard let other = all.first(where: { !context.namedAlgorithms.contains($0.rawValue) }) else {
                return
            }
            token.algorithm = other
        },
        // Signed with the provider's own it would be no attack: whoever tries all its keys finds that one, and kid is a hint (RFC 7515,
        // section 4.1.4).
        fault(
            "id-token-kid-unknown",
            "The ID token names a key that is in no key set, and is signed with it."
        ) { token, _ in
            token.header["kid"] = "a-key-of-nobody"
            token.becomeStrangers()
        },
        // A correct client fetches the keys again: nothing is to be rejected.
        Fault(
            "id-token-kid-unknown:rotated",
            "The key set has the signing key only after the first ID token is out.",
            of: [.keySet],
            needs: .init("keys that are fetched before the first ID token is out"),
            .answer { answer, context in
                guard context.role == .keys, context.issuedIDTokens == 0 else { return }
                // Whoever has keys has some before as well; of an empty set clients say something else.
                answer.alterObject { $0["keys"] = .array(($0["keys"]?.array ?? []).compactMap(earlierKey)) }
            }
        ),
        fault("id-token-signature-invalid", "The ID token's signature is not of its content.") { token, _ in
            token.tampering = JSONWebToken.withBrokenSignature
        },
        fault(
            "id-token-signature-invalid:claims",
            "The ID token's sub was changed after it was signed."
        ) { token, _ in
            token.tampering = { text in
                let parts = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
                guard parts.count == 3, var claims = JSONWebToken.parse(text)?.claims else { return text }
                claims["sub"] = "another-user"
                let changed = Base64URL.encode(JSONWriter.bytes(of: .object(claims)))
                return "\(parts[0]).\(changed).\(parts[2])"
            }
        },
        // Who takes the algorithm from the token takes the key for a secret that everybody knows (RFC 8725, section 2.1).
        fault(
            "id-token-signature-invalid:public-key-as-secret",
            "The ID token is signed with HS256, and the provider's public key is the secret.",
            needs: .init("ID token that is signed with a private key")
        ) { token, _ in
            guard case .privateKey(let key) = token.key else { return }
            token.algorithm = .hs256
            token.key = .secret(Array(key.publicKey.pem.utf8))
        },
        // Who takes the key from the token takes anybody's signature (RFC 7515, section 10.1).
        fault(
            "id-token-signature-invalid:key-in-token",
            "The ID token is signed with a stranger's key, which it brings along in its header (jwk).",
            needs: .init("ID token that is signed with a private key")
        ) { token, _ in
            guard let stranger = token.becomeStrangers() else { return }
            let published = JSONWebKey(stranger.publicKey, id: token.header["kid"]?.string)
            token.header["jwk"] = .object(published.json)
        },
    ]

    private static let bindings = [
        fault(
            "id-token-hash-mismatch",
            "The ID token's at_hash is of another access token.",
            mustBeRejected: false
        ) { token, _ in
            token.hashes.removeAll { $0.claim == "at_hash" }
            let hash = JSONWebToken.halfHash(
                of: "another access token",
                algorithm: token.algorithm ?? .rs256
            )
            token.claims["at_hash"] = .string(hash)
        },
        fault(
            "acr-not-satisfied",
            "The ID token says that the user signed in by the weakest method, whatever was asked for.",
            needs: .acrValues,
            mustBeRejected: false
        ) { token, _ in
            token.claims["acr"] = "0"
        },
        fault(
            "auth-time-stale",
            "The ID token says that the user signed in ten days ago, whatever max_age was asked for.",
            needs: .maxAge,
            mustBeRejected: false
        ) { token, context in
            token.claims["auth_time"] = JSONValue(context.now.seconds - 864_000)
        },
    ]

    /// One of the same kind by another name, as a set has it before its keys are rotated; nil of what is no public key.
    private static func earlierKey(_ key: JSONValue) -> JSONValue? {
        guard let known = key.object.map({ JSONWebKey(json: $0) }), let kind = try? known.publicKey().kind,
            let earlier = PrivateKey.another(like: kind)
        else { return nil }
        let algorithm = known.algorithm.flatMap(SignatureAlgorithm.init(rawValue:))
        let id = JSONWebKey(earlier.publicKey, id: nil).thumbprint
        return .object(JSONWebKey(earlier.publicKey, id: id, algorithm: algorithm).json)
    }
}

extension JSONWebToken {
    /// The same with another signature.
    static func withBrokenSignature(_ text: String) -> String {
        guard let dot = text.lastIndex(of: ".") else { return text }
        var signature = Base64URL.decode(String(text[text.index(after: dot)...])) ?? []
        for index in signature.indices.prefix(8) { signature[index] ^= 0x55 }
        return text[...dot] + Base64URL.encode(signature)
    }

    /// The same with another `alg` in its header.
    fileprivate static func naming(_ algorithm: String, in text: String) -> String {
        guard let dot = text.firstIndex(of: "."), var header = parse(text)?.header else { return text }
        header["alg"] = .string(algorithm)
        return Base64URL.encode(JSONWriter.bytes(of: .object(header))) + text[dot...]
    }
}

extension UnsignedToken {
    /// `alg` is `none`, and no key is named.
    fileprivate mutating func becomeUnsigned() {
        algorithm = nil
        key = nil
        header["kid"] = nil
    }

    /// Is signed with a key that is in no key set, and returns it; what is signed with no private key stays as it is.
    @discardableResult fileprivate mutating func becomeStrangers() -> PrivateKey? {
        guard case .privateKey(let own) = key, let stranger = PrivateKey.another(like: own.publicKey.kind)
        else { return nil }
        key = .privateKey(stranger)
        return stranger
    }
}

extension PrivateKey {
    /// Of 2048 bits; made once, for it takes a while.
    private static let strangers = try? generate(.rsa(bits: 2048))

    /// A key of the same kind that is in no key set; nil where none can be made.
    fileprivate static func another(like kind: PublicKey.Kind) -> PrivateKey? {
        switch kind {
        case .rsa: strangers
        case .elliptic(let curve): try? generate(.elliptic(curve))
        case .edwards(let curve): try? generate(.edwards(curve))
        }
    }
}

extension PublicKey {
    /// As it stands in a file (RFC 7468, section 13).
    fileprivate var pem: String {
        let text = Array(Base64.encode(subjectPublicKeyInfo))
        let lines = stride(from: 0, to: text.count, by: 64).map {
            String(text[$0..<min($0 + 64, text.count)])
        }
        return (["-----BEGIN PUBLIC KEY-----"] + lines + ["-----END PUBLIC KEY-----", ""]).joined(
            separator: "\n"
        )
    }
}

extension Fault.Need {
    fileprivate static let nonce = Fault.Need("nonce in the authorization request") { answer in
        var isMet = false
        var answer = answer
        answer.alterIDToken { isMet = isMet || $0.claims["nonce"] != nil }
        return isMet
    }

    fileprivate static let acrValues = Fault.Need("acr_values in the authorization request") {
        $0.grant?.acrValues != nil
    }

    fileprivate static let maxAge = Fault.Need("max_age in the authorization request") {
        $0.grant?.maxAge != nil
    }
}
