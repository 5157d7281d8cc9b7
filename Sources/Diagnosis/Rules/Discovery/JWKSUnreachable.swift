import Captures
import Flows
import JOSE
import OAuth

/// The provider's keys were asked for, and no answer held any.
///
/// One key set among the answers is enough, and so is an answer that the one read before still holds.
struct JWKSUnreachable: Rule {
    static let info = RuleInfo(
        id: "jwks-unreachable",
        title: "The provider's signing keys could not be read",
        severity: .error,
        explanation:
            "The key endpoint that the metadata names gave no key set, so no signature of this provider can be checked.",
        fix: """
            Ask the URL from where the client runs. Look at the routing of that path, at a firewall between client and provider, and whether \
            jwks_uri names an address that only the provider itself can reach.
            """,
        badExample: """
            {…,"jwks_uri":"https://id.example/jwks"}
            GET https://id.example/jwks → 404
            """,
        goodExample: """
            {…,"jwks_uri":"https://id.example/jwks"}
            GET https://id.example/jwks → 200 {"keys":[{"kty":"RSA",…}]}
            """,
        specifications: [
            .rfc(7517, "5"),
            .openIDConnectCore("10.1.1", "RotateSigKeys"),
        ]
    )

    func verdict(on flow: Flow) -> Verdict {
        let unread = UnreadKeySet(in: flow)
        let documents = unread.documents
        if !documents.isEmpty {
            let evidence = documents.prefix(4).flatMap { self.evidence(of: $0, flow) }
            if let algorithm = secretsAlgorithm(without: documents, flow) {
                return .violated(Violation(evidence + [algorithm], saying: Self.bySecret))
            }
            let explains: Set<String> = areMissed(documents, flow) ? ["callback-rejected-by-app"] : []
            return .violated(Violation(evidence, explains: explains).toldOfFront(in: flow))
        }
        if let elsewhere = UndeclaredKeys.violation(in: flow) { return .violated(elsewhere) }
        return unread.isUnsaved ? .abstains("the key set was not saved") : .holds
    }

    /// Whether the app's server asked for them while it worked on a callback that it refused, be it once more.
    private func areMissed(_ documents: [KeySetDocument], _ flow: Flow) -> Bool {
        let asked = Set(documents.map(\.exchange))
        return RejectedCallback.all(in: flow).contains { callback in
            callback.failedCalls(in: flow).contains { call in
                call.place.exchange.map(asked.contains) ?? false
            }
        }
    }

    /// The algorithm of an ID token that the client's secret signed, where the provider answered with data that hold no keys: it has none.
    private func secretsAlgorithm(without documents: [KeySetDocument], _ flow: Flow) -> Evidence? {
        guard
            documents.allSatisfy({ document in
                (200..<300).contains(document.answer.status ?? 0) && document.answer.json != nil
            }),
            let delivered = flow.deliveredIDTokens.last(where: {
                $0.idToken.token.algorithm?.utf8.starts(with: "HS".utf8) ?? false
            })
        else { return nil }
        return delivered.evidence(ofHeader: "alg")
    }

    private static let bySecret = Violation.Words(
        title: "The provider publishes no keys: it signs with the client's secret",
        explanation: """
            The ID token is signed with the client's secret (an HS algorithm), and the key endpoint answered with a document that holds no keys, for there are none. A client \
            that looks for a public key to verify with finds none.
            """,
        fix: """
            Give the provider a key to sign with where the client wants RS256: authentik does as it did here as long as no Signing Key is chosen in the provider's settings. Or set the client to HS256, \
            with its secret for the key.
            """
    )

    private func evidence(of document: KeySetDocument, _ flow: Flow) -> [Evidence] {
        let place = Place(exchange: document.exchange, part: .requestURL, name: "")
        var evidence = [
            Evidence(place: place, value: Masking.shown(document.endpoint.text, of: "url")),
            document.answer.statusEvidence(),
        ]
        let isSuccess = document.answer.status.map { $0 < 300 } ?? false
        let body = flow.capture[document.exchange].response?.body
        // A key that stands by itself may be one to sign with.
        let isKey = document.answer.json != nil && body?.text?.containsBytes("\"kty\"") ?? false
        let names = document.answer.parameters.items.map(\.name).prefix(20).joined(separator: ", ")
        let start =
            isKey ? Masking.shown(names, of: "members") : Excerpt.start(of: body?.bytes ?? [], 120)
        guard isSuccess || !start.isEmpty else { return evidence }
        evidence.append(
            Evidence(
                place: document.answer.place(""),
                value: start.isEmpty ? "empty" : start,
                note: isSuccess
                    ? document.answer.json == nil ? "no JSON object" : "no array keys in it" : nil
            )
        )
        return evidence
    }
}
