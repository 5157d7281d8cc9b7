import Captures
import Flows
import JOSE
import JSON
import OAuth

/// What a token says, and what can be said of it.
struct TokenFacts {
    let step: ComparedStep
    /// Of what carries it.
    let place: Place
    /// Of the parameter or member that carries it.
    let name: String

    private func place(_ part: Place.Part, _ member: String) -> Place {
        Place(exchange: place.exchange, part: part, name: member)
    }

    /// A token of a parameter or member, opened where the capture has the key.
    func add(_ token: JSONWebToken, to list: inout FactList) {
        let known = step.step.tokens.first {
            $0.name == name && ($0.token.text == token.text || $0.envelope?.text == token.text)
        }
        let read = known?.token ?? token
        let form =
            token.form == .encrypted
            ? known?.envelope == nil ? "encrypted" : "encrypted, signed inside" : "signed"
        list.add(place, .init(form, .verdict), as: .init(aspect: "form"), weighing: .init(presence: .note))
        addHeader(read, to: &list)
        if let envelope = known?.envelope { addHeader(envelope, to: &list, called: "\(name) envelope") }
        if let claims = read.claims { addClaims(claims, to: &list) }
        addTimes(read, to: &list)
        addHashes(read, to: &list)
        if !read.deviations.isEmpty || read.form == .signed {
            let flaws = read.deviations.map { "\($0.part) \($0.what)" }.joined(separator: "; ")
            list.add(
                place,
                .init(flaws.isEmpty ? "well-formed" : flaws, .verdict),
                as: .init(aspect: "encoding"),
                weighing: .valueAlone
            )
        }
        if let signature = known?.signature {
            list.add(
                place,
                .init(signature.rawValue, .verdict),
                as: .init(aspect: "signature"),
                weighing: .valueAlone
            )
        }
    }

    /// A proof of possession; what it is bound to has to be the request that it goes with (RFC 9449, section 4.3).
    func add(_ proof: DPoPProof, to list: inout FactList) {
        addHeader(proof.token, to: &list)
        if let key = proof.key {
            let words = [key.type, key.curve].compactMap { $0 }.joined(separator: " ")
            list.add(
                place(.jwtHeader, "jwk"),
                .init(words, .verdict),
                as: .init(token: name),
                weighing: .init(presence: .note)
            )
        }
        for member in proof.token.claims?.members ?? [] {
            var text = member.value.string ?? JSONWriter.text(of: member.value)
            if member.name == "htu" { text = Self.normalized(text) }
            let treatment: Fact.Treatment =
                switch member.name {
                case "htu": .url
                case "htm": .value
                default: VolatileNames.treatment(of: member.name)
                }
            list.add(
                place(.jwtClaims, member.name),
                .init(text, treatment, type: member.value.typeName),
                as: .init(token: name),
                weighing: .init(
                    presence: ["htm", "htu", "ath", "nonce", "iat", "jti"].contains(member.name)
                        ? .difference : .note
                )
            )
        }
        let isSound = proof.isSignedByItsKey.map { $0 ? "valid" : "invalid" } ?? "not_checked"
        list.add(place, .init(isSound, .verdict), as: .init(aspect: "signature"), weighing: .valueAlone)
        if let hash = proof.accessTokenHash,
            let token = BearerToken.of(step.exchange.request, exchange: step.index)
        {
            let fits = DPoPProof.hash(ofAccessToken: token.value) == hash
            list.add(
                place(.jwtClaims, "ath"),
                .init(Self.fit(fits), .verdict),
                as: .init(token: name, aspect: "against access_token"),
                weighing: .valueAlone
            )
        }
    }

    /// A URL by scheme, host and path: how else it is spelled does not count (RFC 9449, section 4.3).
    private static func normalized(_ text: String) -> String {
        let url = RecordedURL(text)
        guard let scheme = url.scheme?.lowercased(), let host = url.host, let port = url.port else {
            return text
        }
        let isDefault = port == (scheme == "https" ? 443 : 80)
        return "\(scheme)://\(host)" + (isDefault ? "" : ":\(port)") + url.path
    }

    // MARK: - Parts

    private func addHeader(_ token: JSONWebToken, to list: inout FactList, called token_: String? = nil) {
        for member in (token.header?.members ?? []).prefix(32) {
            let treatment: Fact.Treatment
            let value: String
            switch member.name {
            // Which key it is changes when the keys do; whether it is a good one, the signature says.
            case "kid", "x5t", "x5t#S256", "x5c", "epk", "p2s", "jwk", "iv", "tag", "apu", "apv":
                (treatment, value) = (.presence, member.value.string ?? "")
            case "alg", "enc", "typ", "cty":
                (treatment, value) = (.verdict, member.value.string ?? JSONWriter.text(of: member.value))
            default: (treatment, value) = (.value, member.value.string ?? JSONWriter.text(of: member.value))
            }
            list.add(
                place(.jwtHeader, member.name),
                .init(value, treatment, type: member.value.typeName),
                as: .init(token: token_ ?? name),
                weighing: .init(presence: isOfEncryption(member.name, token) ? .note : .difference)
            )
        }
    }

    /// What an encryption brings along by its own rules (RFC 7518, sections 4.6 to 4.8).
    private func isOfEncryption(_ name: String, _ token: JSONWebToken) -> Bool {
        token.form == .encrypted && ["epk", "p2s", "p2c", "iv", "tag", "apu", "apv", "enc"].contains(name)
    }

    private func addClaims(_ claims: JSONObject, to list: inout FactList) {
        for member in claims.members.prefix(120) {
            MemberFacts(part: .jwtClaims, exchange: place.exchange, token: name).add(
                member.value,
                called: member.name,
                to: &list
            )
        }
    }

    /// How long it is good for, and whether the clock that made it is the recorder's.
    private func addTimes(_ token: JSONWebToken, to list: inout FactList) {
        guard let expiry = token.expiresAt else { return }
        if let issued = token.issuedAt {
            list.add(
                place(.jwtClaims, "exp"),
                .init("\(expiry &- issued)", .span),
                as: .init(token: name, aspect: "lifetime"),
                weighing: .valueAlone
            )
        }
        guard name == "id_token", step.exchange.isZoneKnown else { return }
        list.add(
            place(.jwtClaims, "exp"),
            .init(
                expiry <= step.exchange.endedAt.seconds ? "has run out when it comes" : "good when it comes",
                .verdict
            ),
            as: .init(token: name, aspect: "when it comes"),
            weighing: .valueAlone
        )
    }

    /// Whether the hashes in an ID token are those of what came beside it (OpenID Connect Core, sections 3.1.3.6 and
    /// 3.3.2.11).
    private func addHashes(_ token: JSONWebToken, to list: inout FactList) {
        guard let algorithm = token.algorithm.flatMap(SignatureAlgorithm.init(rawValue:)) else { return }
        let values: [(claim: String, of: String, value: String?)] = [
            ("at_hash", "access_token", beside("access_token")), ("c_hash", "code", code),
            ("s_hash", "state", beside("state")),
        ]
        for (claim, what, value) in values {
            guard let hash = token.claim(claim)?.string, let value else { continue }
            list.add(
                place(.jwtClaims, claim),
                .init(Self.fit(JSONWebToken.halfHash(of: value, algorithm: algorithm) == hash), .verdict),
                as: .init(token: name, aspect: "against \(what)"),
                weighing: .valueAlone
            )
        }
    }

    private func beside(_ name: String) -> String? {
        step.answer?.parameters[name] ?? step.step.parameters[name]
    }

    private var code: String? {
        if case .token(let request) = step.message { return request.code }
        return step.step.parameters["code"]
    }

    private static func fit(_ fits: Bool) -> String {
        fits ? "fits" : "does not fit"
    }
}
