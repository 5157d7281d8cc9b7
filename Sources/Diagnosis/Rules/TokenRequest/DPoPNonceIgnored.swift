import Captures
import Flows
import OAuth

/// A server asked for a nonce in the DPoP proof, and no later proof to it carries that one or a newer.
///
/// The refusal that brings a nonce is how servers of this kind begin (RFC 9449, section 8), and no fault where
/// the client repeats its request with it.
struct DPoPNonceIgnored: Rule {
    static let info = RuleInfo(
        id: "dpop-nonce-ignored",
        title: "The provider asked for a DPoP nonce and the client did not use it",
        severity: .error,
        explanation: """
            The answer use_dpop_nonce came with a nonce in the DPoP-Nonce header. The client has to repeat the request with a new proof that \
            carries it as the claim nonce; no later proof to this server does.
            """,
        fix: """
            On use_dpop_nonce take DPoP-Nonce out of the answer, make a new proof with it (and a new jti and iat), and send the request again. \
            Keep the latest nonce of each server, for answers of any kind may bring a new one.
            """,
        badExample: """
            POST /token  DPoP: {"htm":"POST",…}  → 400 use_dpop_nonce   DPoP-Nonce: eyJ7S_zG
            POST /token  DPoP: {"htm":"POST",…}  → 400 use_dpop_nonce
            """,
        goodExample: """
            POST /token  DPoP: {"htm":"POST",…}  → 400 use_dpop_nonce   DPoP-Nonce: eyJ7S_zG
            POST /token  DPoP: {"htm":"POST","nonce":"eyJ7S_zG",…}  → 200
            """,
        specifications: [.rfc(9449, "8"), .rfc(9449, "9")]
    )

    func verdict(on flow: Flow) -> Verdict {
        let calls = DPoPCall.all(in: flow, withSignIn: true)
        let issues = FirstIssues(calls)
        // From the last to the first: what later proofs to the same server carry, and what it issued since.
        var servers: [String: Later] = [:]
        var found: Violation?
        for call in calls.reversed() {
            var later = servers.removeValue(forKey: call.server) ?? Later()
            if call.asksForNonce, let nonce = call.issuedNonce, !later.used.contains(nonce), !later.usesNewer
            {
                found = issues.hadGiven(call) ? untaken(call, nonce) : violation(call, nonce, later.next)
            }
            if let nonce = call.issuedNonce { later.issue(nonce) }
            if call.mayHaveUnknownHeader { later.useAny() }
            if let proof = call.proof {
                if let nonce = proof.nonce { later.use(nonce) }
                later.next = call
            }
            servers[call.server] = later
        }
        return found.map { .violated($0) } ?? .holds
    }

    /// What became of one server's nonces after a moment.
    private struct Later {
        private(set) var used: Set<String> = []
        private(set) var usesNewer = false
        private var issued: Set<String> = []
        /// The next request with a proof.
        var next: DPoPCall?

        mutating func issue(_ nonce: String) {
            issued.insert(nonce)
            usesNewer = usesNewer || used.contains(nonce)
        }

        /// Which one a proof has is not known.
        mutating func useAny() { usesNewer = true }

        mutating func use(_ nonce: String) {
            used.insert(nonce)
            usesNewer = usesNewer || issued.contains(nonce)
        }
    }

    /// When each server gave out each nonce first.
    private struct FirstIssues {
        private struct Issue: Hashable {
            var server: String
            var nonce: String
        }

        /// Places in the order of the calls.
        private var places: [Issue: Int] = [:]
        private var placeOfCall: [Int: Int] = [:]

        init(_ calls: [DPoPCall]) {
            for (place, call) in calls.enumerated() {
                placeOfCall[call.exchange] = placeOfCall[call.exchange] ?? place
                guard let nonce = call.issuedNonce else { continue }
                let issue = Issue(server: call.server, nonce: nonce)
                places[issue] = places[issue] ?? place
            }
        }

        /// Whether the proof that was refused for its nonce carries one that this server had given out before.
        func hadGiven(_ call: DPoPCall) -> Bool {
            guard let nonce = call.proof?.nonce, let place = placeOfCall[call.exchange],
                let first = places[Issue(server: call.server, nonce: nonce)]
            else { return false }
            return first < place
        }
    }

    private func untaken(_ call: DPoPCall, _ nonce: String) -> Violation {
        var evidence = [call.answerEvidence]
        if let proof = call.proof, let sent = proof.nonce {
            evidence.append(
                Evidence(
                    place: proof.place(ofClaim: "nonce"),
                    value: Masking.shown(sent, of: "nonce"),
                    note: "the nonce that this server gave out before"
                )
            )
        }
        evidence.append(
            Evidence(
                place: Place(exchange: call.exchange, part: .responseHeader, name: "DPoP-Nonce"),
                value: Masking.shown(nonce, of: "nonce"),
                note: "and the next one"
            )
        )
        return Violation(
            evidence,
            explanation: """
                The client did as it was told: its proof carries the nonce of an earlier answer. The server asked for another one all the same, so it \
                does not take the nonces that it gives out.
                """,
            fix: """
                At the provider, have all instances behind one address share the key or store of their nonces, and let a nonce live for longer than a \
                request takes to come back.
                """,
            title: "The provider does not take the DPoP nonce that it gave out",
            exchange: call.exchange
        )
    }

    private func violation(_ call: DPoPCall, _ nonce: String, _ next: DPoPCall?) -> Violation {
        var evidence = [
            call.answerEvidence,
            Evidence(
                place: Place(exchange: call.exchange, part: .responseHeader, name: "DPoP-Nonce"),
                value: Masking.shown(nonce, of: "nonce"),
                note: "the nonce to use"
            ),
        ]
        if let proof = next?.proof {
            evidence.append(
                Evidence(
                    place: proof.place(ofClaim: "nonce"),
                    value: proof.nonce.map { Masking.shown($0, of: "nonce") } ?? "missing",
                    note: "the next proof to this server"
                )
            )
        } else {
            evidence.append(
                Evidence.computed("DPoP", "none", in: .requestHeader, note: "no later proof to this server")
            )
        }
        return Violation(evidence, exchange: call.exchange)
    }
}
