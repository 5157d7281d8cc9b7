import Captures
import Flows
import JOSE
import OAuth

/// A DPoP proof was made for another request, at another time, or is not signed by the key it names.
///
/// Compared with the request as it was recorded, with https where a proxy says that it ended that; where a server accepted it, a proxy
/// may have rewritten the URL, and it is no more than a warning.
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
                faults = DPoPProofFaults(of: proof, call, flow).all
                if let repetition = repetition(of: proof, call, &seen) { faults.append(repetition) }
                if let several = several(call, flow) { faults.append(several) }
            }
            guard !faults.isEmpty else { continue }
            // Where something else is wrong with the proof, its time may not be what it was refused for.
            if faults.count > 1 || !faults.joined().contains(where: { $0.place.name == "iat" }) {
                clock = nil
            }
            let isRepaired = call.isRepaired(by: calls[(index + 1)...])
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

    /// More than one proof, of which a server takes none (RFC 9449, section 4.3).
    private func several(_ call: DPoPCall, _ flow: Flow) -> [Evidence]? {
        let count = flow.capture[call.exchange].request.headers.all("dpop").count
        guard count > 1, call.error == "invalid_dpop_proof" else { return nil }
        return [header(call, "\(count) headers", "one is expected")]
    }

    /// A proof that the answer asks for, and that is not there.
    private func missing(_ call: DPoPCall, _ flow: Flow) -> [Evidence]? {
        guard call.answer.isRefusal, !call.mayHaveUnknownHeader else { return nil }
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
}
