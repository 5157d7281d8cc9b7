import Captures
import Flows
import JOSE
import JSON
import OAuth

/// A DPoP proof was made for another request, at another time, or is not signed by the key it names.
///
/// Compared with the request as it was recorded; where a server accepted it, a proxy may have rewritten the
/// URL, and it is no more than a warning.
struct DPoPProofInvalid: Rule {
    static let info = RuleInfo(
        id: "dpop-proof-invalid",
        title: "The DPoP proof does not fit the request",
        severity: .errorWhenRefused,
        explanation: """
            A DPoP proof is good for one request: it names method and URL, carries the time, a fresh jti and (with an access token) its hash, \
            and is signed by the key in its own header. Something of that is not so here.
            """,
        fix: """
            Build a new proof for every request: htm the method, htu the public URL without query, iat now, jti fresh, typ dpop+jwt, ath the \
            hash of the access token at APIs, and the public key alone as jwk.
            """,
        badExample: """
            POST https://id.example/token  DPoP: {"htm":"POST","htu":"http://id.example:8080/token",…}  → 400 invalid_dpop_proof
            """,
        goodExample: """
            POST https://id.example/token  DPoP: {"htm":"POST","htu":"https://id.example/token",…}  → 200
            """,
        specifications: [.rfc(9449, "4.2"), .rfc(9449, "4.3")]
    )

    func verdict(on flow: Flow) -> Verdict {
        var found: [Violation] = []
        var seen: [String: DPoPProof] = [:]
        let calls = DPoPCall.all(in: flow)
        var difference: Int64?
        for (index, call) in calls.enumerated() {
            var faults = call.proof == nil ? [missing(call, flow)].compactMap(\.self) : []
            var clock: SigningClock?
            if let proof = call.proof {
                clock = flow.capture[call.exchange].serverTime.flatMap {
                    SigningClock(of: proof.token, at: $0.seconds, previous: difference)
                }
                difference = clock?.ahead ?? difference
                faults = self.faults(of: proof, call, flow)
                if let repetition = repetition(of: proof, call, &seen) { faults.append(repetition) }
            }
            guard !faults.isEmpty else { continue }
            // Where something else is wrong with the proof, its time may not be what it was refused for.
            if faults.count > 1 || !faults.joined().contains(where: { $0.place.name == "iat" }) {
                clock = nil
            }
            let isRepaired = calls[(index + 1)...].prefix(20).contains {
                $0.url.withoutQuery == call.url.withoutQuery && $0.method == call.method
                    && $0.answer.isSuccess
            }
            found.append(violation(call, faults, clock, isRepaired: isRepaired))
        }
        return Violation.worst(of: found).map { .violated($0) } ?? .holds
    }

    private func violation(
        _ call: DPoPCall,
        _ faults: [[Evidence]],
        _ clock: SigningClock?,
        isRepaired: Bool
    ) -> Violation {
        Violation(
            faults.prefix(4).flatMap { $0 } + [call.answerEvidence],
            variant: clock?.variant,
            severity: call.mayBlameProof ? (isRepaired ? .note : .error) : .warning,
            explanation: clock?.explanation(of: "DPoP proof"),
            fix: clock?.fix,
            title: clock?.title(of: "DPoP proof"),
            exchange: call.exchange
        )
    }

    /// A `jti` that another proof had before (RFC 9449, section 11.1).
    private func repetition(of proof: DPoPProof, _ call: DPoPCall, _ seen: inout [String: DPoPProof])
        -> [Evidence]?
    {
        guard let jti = proof.identifier else { return nil }
        guard let first = seen[jti], first.token.text != proof.token.text || call.answer.isRefusal else {
            seen[jti] = proof
            return nil
        }
        return [
            Evidence(
                place: proof.place(ofClaim: "jti"),
                value: Masking.shown(jti, of: "jti"),
                note: "used before"
            ),
            Evidence(place: first.place(ofClaim: "jti"), value: Masking.shown(jti, of: "jti")),
        ]
    }

    // MARK: - One proof

    private func faults(of proof: DPoPProof, _ call: DPoPCall, _ flow: Flow) -> [[Evidence]] {
        var faults: [[Evidence]] = []
        let claim = { (name: String, value: String?, note: String?) in
            Evidence(
                place: proof.place(ofClaim: name),
                value: value.map { Masking.shown($0, of: name) } ?? "missing",
                note: note
            )
        }
        let seen = { (value: String, note: String) in
            Evidence(
                place: Place(exchange: call.exchange, part: .requestURL, name: ""),
                value: value,
                note: note
            )
        }
        if proof.method != call.method {
            faults.append([claim("htm", proof.method, nil), seen(call.method, "the method")])
        }
        let target = call.url.withoutQuery
        if proof.url.map({ !Self.isSame($0, target) }) ?? true {
            let note = proof.url.map { Difference.note(expected: target, seen: $0) }
            faults.append([claim("htu", proof.url, note), seen(target, "the URL")])
        }
        if proof.token.type?.lowercased() != "dpop+jwt" {
            faults.append([
                Evidence(
                    place: proof.place(ofHeader: "typ"),
                    value: proof.token.type ?? "missing",
                    note: "has to be dpop+jwt"
                )
            ])
        }
        // What a server let pass it does not miss.
        if call.answer.isRefusal, call.mayBlameProof {
            if proof.identifier == nil { faults.append([claim("jti", nil, nil)]) }
            if let list = unlistedAlgorithm(of: proof, call, flow) { faults.append(list) }
        }
        if let time = timeFault(proof, call, flow) { faults.append(time) }
        if let key = keyFault(proof) { faults.append([key]) }
        if let token = call.accessToken, !Placeholder.isTakenOut(token),
            proof.accessTokenHash != DPoPProof.hash(ofAccessToken: token),
            flow.capture[call.exchange].request.headers.contains("authorization")
        {
            faults.append([
                claim("ath", proof.accessTokenHash, nil),
                Evidence.computed(
                    "BASE64URL(SHA256(access_token))",
                    DPoPProof.hash(ofAccessToken: token),
                    in: .requestHeader,
                    note: "of the token that was sent"
                ),
            ])
        }
        // The same URL to the specification, not to a server that compares the text.
        if faults.isEmpty, call.error == "invalid_dpop_proof", let url = proof.url, url != target {
            let note = "the same URL in another spelling: " + Difference.note(expected: target, seen: url)
            faults.append([claim("htu", url, note), seen(target, "the URL")])
        }
        return faults
    }

    /// An algorithm that the provider does not name among those it takes (RFC 9449, section 5.1).
    private func unlistedAlgorithm(of proof: DPoPProof, _ call: DPoPCall, _ flow: Flow) -> [Evidence]? {
        // What a resource takes stands in metadata of its own.
        guard call.accessToken == nil, let algorithm = proof.token.algorithm,
            let metadata = flow.providerFacts.metadata(of: call.url),
            let list = metadata.list(Self.algorithms), !list.isEmpty, !list.contains(algorithm)
        else { return nil }
        return [
            Evidence(place: proof.place(ofHeader: "alg"), value: Masking.shown(algorithm, of: "alg")),
            Evidence(
                place: metadata.answer.place(Self.algorithms),
                value: Masking.shown(list.joined(separator: ", "), of: "list"),
                note: "what the provider takes"
            ),
        ]
    }

    private static let algorithms = "dpop_signing_alg_values_supported"

    private func timeFault(_ proof: DPoPProof, _ call: DPoPCall, _ flow: Flow) -> [Evidence]? {
        guard let issued = proof.token.issuedAt else {
            return [Evidence(place: proof.place(ofClaim: "iat"), value: "missing")]
        }
        // Servers take proofs of some seconds to some minutes; where one was refused as a proof, seconds may be why.
        let limit: Int64 = call.answer.isRefusal && call.error == "invalid_dpop_proof" ? 30 : 300
        guard let date = flow.capture[call.exchange].response?.headers.first("date"),
            let now = Timestamp(httpDate: date)?.seconds, abs(now - issued) > limit
        else { return nil }
        return [
            Evidence(
                place: proof.place(ofClaim: "iat"),
                value: "\(issued)",
                note: SigningClock.isInMilliseconds(issued)
                    ? SigningClock.inMilliseconds
                    : now > issued ? "\(now - issued) s ago" : "\(issued - now) s ahead"
            ),
            Evidence(
                place: Place(exchange: call.exchange, part: .responseHeader, name: "Date"),
                value: date,
                note: "\(now), the server's clock"
            ),
        ]
    }

    private func keyFault(_ proof: DPoPProof) -> Evidence? {
        let place = proof.place(ofHeader: "jwk")
        guard let key = proof.key else { return Evidence(place: place, value: "missing") }
        let kind = key.type ?? "no kty"
        if key.holdsSecret {
            return Evidence(place: place, value: kind, note: "holds the secret half of the key")
        }
        let algorithm = proof.token.algorithm ?? "missing"
        if algorithm.lowercased() == "none" || algorithm.hasPrefix("HS") || algorithm == "missing" {
            return Evidence(
                place: proof.place(ofHeader: "alg"),
                value: algorithm,
                note: "has to be a signature by a key pair"
            )
        }
        guard proof.isSignedByItsKey == false else { return nil }
        return Evidence(
            place: place,
            value: kind,
            note: proof.token.isSignedInDER
                ? "signature in DER; r and s side by side are required (RFC 7518 §3.4)"
                : "did not make this signature"
        )
    }

    /// A proof that the answer asks for, and that is not there.
    private func missing(_ call: DPoPCall, _ flow: Flow) -> [Evidence]? {
        guard call.answer.isRefusal else { return nil }
        if call.hasHeader {
            guard call.error == "invalid_dpop_proof" else { return nil }
            return [header(call, "unreadable", "no signed token")]
        }
        let text = call.answer.errorText
        let isAsked =
            call.error == "invalid_dpop_proof"
            || text.split(whereSeparator: { ".;,".contains($0) }).map(String.init).contains(
                where: Self.asksForProof
            )
        guard isAsked else { return nil }
        // A token in the wrong scheme is told as that.
        if call.accessToken != nil, let scheme = AuthorizationScheme.of(flow.capture[call.exchange].request),
            scheme == "bearer"
        {
            return nil
        }
        return [header(call, "missing", "the server asks for a proof")]
    }

    /// Whether a part of a sentence, in lower case, says that there is no proof.
    private static func asksForProof(_ words: String) -> Bool {
        guard words.containsBytes("dpop"),
            !["verifier", "optional", "must not", "client_", "client auth"].contains(
                where: words.containsBytes
            )
        else { return false }
        return missingWords.contains(where: words.containsBytes)
    }

    private static let missingWords = [
        "missing", "required", "must ", "not present", "not provided", "not found", "absent", "no dpop",
        "is expected",
        "without",
    ]

    private func header(_ call: DPoPCall, _ value: String, _ note: String) -> Evidence {
        Evidence(
            place: Place(exchange: call.exchange, part: .requestHeader, name: "DPoP"),
            value: value,
            note: note
        )
    }

    /// Scheme and host in any case, default ports left out, an empty path as "/", percent-encoding undone.
    private static func isSame(_ left: String, _ right: String) -> Bool {
        let left = RecordedURL(left)
        let right = RecordedURL(right)
        guard left.query == nil, left.fragment == nil, let origin = left.origin else { return false }
        let path = { (url: RecordedURL) in url.path.isEmpty ? "/" : PercentEncoding.decode(url.path) }
        return origin == right.origin && path(left).equalsBytes(of: path(right))
    }
}
