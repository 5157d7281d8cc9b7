import Captures
import Flows
import JOSE
import OAuth

/// The ID token names a signing key that the provider's key set does not have.
///
/// Providers rotate keys: a client that keeps a key set has to fetch it again when a token names a key it
/// does not know (OpenID Connect Core, section 10.1.1). Variant `rotated`: a key set fetched later has it.
/// Variant `absent`: none in the capture has. A client that is set to the keys of another server is seen by what it
/// fetches on getting the token, and only where it turns the token away right after: else they may be for anything.
/// A note where nothing shows that the client checks: it need not what the token endpoint gave it over TLS (OpenID
/// Connect Core, section 3.1.3.7, number 6).
/// Variant `encryption`: the token is encrypted to a key that the app's own key set does not have.
struct IDTokenKidUnknown: Rule {
    static let info = RuleInfo(
        id: "id-token-kid-unknown",
        title: "The signing key is not in the provider's key set",
        severity: .error,
        explanation: """
            The ID token's header names a key (kid) that no key set of this provider had when the client had to verify it, so the signature \
            cannot be checked and the token has to be refused.
            """,
        fix: """
            Fetch the key set again when a token names an unknown key, with a limit on how often. If it is still not there, the token comes from \
            another provider, realm or environment than the key set.
            """,
        badExample: """
            GET /jwks → {"keys":[{"kid":"2025-11", …}]}
            id_token header {"alg":"RS256","kid":"2026-03"}
            """,
        goodExample: """
            GET /jwks → {"keys":[{"kid":"2025-11", …},{"kid":"2026-03", …}]}
            id_token header {"alg":"RS256","kid":"2026-03"}
            """,
        specifications: [
            .openIDConnectCore("10.1.1", "RotateSigKeys"), .rfc(7515, "4.1.4"),
        ]
    )

    func verdict(on flow: Flow) -> Verdict {
        Verdict.firstViolation(among: flow.deliveredIDTokens) { delivered in
            let token = delivered.idToken.token
            if let fault = encryption(of: delivered, flow) { return .violated(fault) }
            guard token.form == .signed, let kid = token.keyID, isAsymmetric(token) else { return .holds }
            let wentOn = flow.wentOn(after: delivered)
            let (sets, holders) = keySets(for: delivered, kid, wentOn, flow)
            guard !sets.isEmpty else {
                return .abstains("no key set of this issuer is in the capture")
            }
            // A client that fetches its first key set late had none to look into before.
            let end = max(timeOfRejection(of: delivered, in: flow), sets[0].servedAt)
            let isKnown = holders.contains { wentOn || sets[$0].servedAt <= end }
            guard !isKnown else { return .holds }
            guard !isUnseen(amongSetsLike: sets, flow) else {
                return .abstains("a key set of this issuer was not saved, or not whole")
            }
            let holder = holders.first.map { sets[$0] }
            let served = wentOn ? sets : sets.filter { $0.servedAt <= end }
            let isChecking = isChecking(delivered, with: sets, flow)
            return .violated(
                Violation(
                    evidence(delivered, kid, served, holder, flow),
                    variant: holder == nil ? "absent" : "rotated",
                    // It may have newer keys than this capture shows.
                    severity: !isChecking ? .note : wentOn ? .warning : .error,
                    explanation: isChecking ? nil : Self.unchecked,
                    exchange: delivered.idToken.place.exchange
                )
            )
        }
    }

    /// Whether the capture lacks keys that were read at the same address.
    private func isUnseen(amongSetsLike sets: [KeySetDocument], _ flow: Flow) -> Bool {
        let unseen = flow.messages.compactMap { message -> String? in
            guard case .keySet(let document) = message, document.keys == nil else { return nil }
            let answer = document.answer
            let isUnseen =
                answer.isUnseen && !answer.isRefusal || answer.status == 200 && !answer.isBodyRecorded
            return isUnseen ? document.endpoint.normalizedWithoutQuery : nil
        }
        return !unseen.isEmpty && sets.contains { unseen.contains($0.endpoint.normalizedWithoutQuery) }
    }

    private static let unchecked = """
        The ID token's header names a key (kid) that no key set of this provider had when the token came. Nothing shows that this client \
        checks the signature, and it need not, as the token came from the token endpoint over TLS (OpenID Connect Core §3.1.3.7, number 6); \
        whoever does check it refuses the token.
        """

    /// Whether the client is seen to check signatures, or to have stopped with this token.
    private func isChecking(_ delivered: DeliveredIDToken, with sets: [KeySetDocument], _ flow: Flow) -> Bool
    {
        guard let request = delivered.tokenRequest else { return true }
        let token = flow.capture[request.exchange]
        let end = timeOfRejection(of: delivered, in: flow)
        let agent = token.request.userAgent
        let hasFetched = sets.contains { set in
            if set.servedAt >= token.endedAt, set.servedAt <= end { return true }
            // Who checked at the login need not at a refresh.
            return !request.isRefresh
                && flow.capture[set.exchange].request.userAgent == agent
        }
        guard !hasFetched, !request.isRefresh else { return hasFetched }
        if let callback = delivered.login?.response?.callback,
            case .rejected = flow.fate(ofCallback: callback)
        {
            return true
        }
        return flow.isBegunAnew(after: request.exchange)
    }

    /// A token that is encrypted to a key that none of the app's own key sets has, where the app refused it.
    private func encryption(of delivered: DeliveredIDToken, _ flow: Flow) -> Violation? {
        let token = delivered.idToken.token
        guard token.form == .encrypted, let kid = token.keyID, let set = flow.appKeySets.last,
            !flow.appKeySets.contains(where: { Self.has(kid, $0) }), !flow.wentOn(after: delivered),
            flow.refusedCallback(of: delivered) != nil
        else { return nil }
        return Violation(
            [
                Evidence(
                    place: delivered.idToken.place(ofHeader: "kid"),
                    value: Masking.shown(kid, of: "kid"),
                    note: "the key it is encrypted to"
                ), set.appEvidence,
            ],
            variant: "encryption",
            explanation:
                "The ID token is encrypted to a key (kid) that the key set which the app publishes does not have, and the app refused it: it cannot decrypt what is for another key.",
            fix: """
                Keep the private half of a key until providers have fetched the key set without it, and see that the key set registered at the provider is \
                this app's, of this environment.
                """,
            title: "The ID token is encrypted to a key that is not in the app's key set",
            exchange: delivered.idToken.place.exchange
        )
    }

    /// Those of its issuer; where the capture has none and the client did not go on, those that it fetched elsewhere.
    ///
    /// `holders`: places of those that have the key.
    private func keySets(
        for delivered: DeliveredIDToken,
        _ kid: String,
        _ wentOn: Bool,
        _ flow: Flow
    ) -> (sets: [KeySetDocument], holders: [Int]) {
        let token = delivered.idToken.token
        let hosts = flow.providerHosts
        let own = flow.surroundings.readableKeySets(for: token, providerHosts: hosts)
        guard own.isEmpty, !wentOn, let request = delivered.tokenRequest else {
            return (own, flow.surroundings.readableKeySets(holding: kid, for: token, providerHosts: hosts))
        }
        let others = flow.surroundings.keySets(fetchedElsewhereFor: request)
        return (others, others.indices.filter { Self.has(kid, others[$0]) })
    }

    private static func has(_ kid: String, _ set: KeySetDocument) -> Bool {
        set.keys?.keys.contains { $0.id == kid } ?? false
    }

    private func isAsymmetric(_ token: JSONWebToken) -> Bool {
        guard let name = token.algorithm?.lowercased() else { return false }
        return name != "none" && !name.hasPrefix("hs")
    }

    /// Up to when a client may have looked for the key: its callback's answer, or what it fetched on getting
    /// the token.
    private func timeOfRejection(of delivered: DeliveredIDToken, in flow: Flow) -> Timestamp {
        guard let exchange = delivered.idToken.place.exchange else { return flow.started }
        let arrived = flow.capture[exchange].endedAt
        // What a server fetches when it has refused the callback comes too late.
        if let refused = flow.refusedCallback(of: delivered).map({ flow.capture[$0].endedAt }),
            refused >= arrived
        {
            return refused
        }
        let answered = delivered.login?.response?.callback.map { flow.capture[$0].endedAt } ?? arrived
        return max(answered, arrived + .seconds(10))
    }

    private func evidence(
        _ delivered: DeliveredIDToken,
        _ kid: String,
        _ served: [KeySetDocument],
        _ holder: KeySetDocument?,
        _ flow: Flow
    ) -> [Evidence] {
        var evidence = [
            Evidence(place: delivered.idToken.place(ofHeader: "kid"), value: Masking.shown(kid, of: "kid"))
        ]
        for set in served.suffix(3) {
            evidence.append(self.evidence(set, "served \(set.servedAt.rfc3339)", flow))
        }
        if let holder {
            evidence.append(
                self.evidence(holder, "served \(holder.servedAt.rfc3339), too late: it has the key", flow)
            )
        }
        return evidence
    }

    /// Where the client fetched it, where that is not at the issuer's.
    private func source(of set: KeySetDocument, _ flow: Flow) -> String {
        guard flow.surroundings.keysFromElsewhere[set.exchange] != nil, let host = set.url.host else {
            return ""
        }
        return ", fetched on getting the token, from \(host), which is not where the token is from"
    }

    private func evidence(_ set: KeySetDocument, _ note: String, _ flow: Flow) -> Evidence {
        let control = flow.capture[set.exchange].response?.headers.first("cache-control")
        return set.evidence(
            note: note + (control.map { ", Cache-Control: \($0)" } ?? "") + source(of: set, flow)
        )
    }
}
