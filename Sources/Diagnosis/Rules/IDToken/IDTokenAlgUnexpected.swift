import Captures
import Flows
import JOSE
import JSON
import OAuth

/// The ID token is signed with another algorithm than was agreed.
///
/// Agreed is what the client registered as `id_token_signed_response_alg`; else what the metadata lists, and RS256
/// (OpenID Connect Core, section 3.1.3.7 (7)). HS algorithms need a client with a secret (8).
struct IDTokenAlgUnexpected: Rule {
    static let info = RuleInfo(
        id: "id-token-alg-unexpected",
        title: "The ID token is signed with an unexpected algorithm",
        severity: .errorWhenRefused,
        explanation: """
            The ID token's header names a signature algorithm that this client did not register, that the provider does not list, or that needs a \
            secret the client does not have. Libraries are set to the algorithms they expect and refuse others.
            """,
        fix: AlgorithmRefusal.fix,
        badExample: """
            POST /register {"id_token_signed_response_alg":"ES256", …}
            id_token header {"alg":"RS256", …}
            """,
        goodExample: """
            POST /register {"id_token_signed_response_alg":"ES256", …}
            id_token header {"alg":"ES256", …}
            """,
        specifications: [
            .openIDConnectCore("3.1.3.7 (7, 8)", "IDTokenValidation")
        ]
    )

    func verdict(on flow: Flow) -> Verdict {
        for delivered in flow.deliveredIDTokens where !delivered.isOfTokenExchange {
            let token = delivered.idToken.token
            // One without a signature is told of elsewhere.
            guard token.form == .signed, let algorithm = token.algorithm, algorithm.lowercased() != "none",
                let expected = contradiction(to: algorithm, delivered, flow)
            else { continue }
            return .violated(
                Violation(
                    [delivered.evidence(ofHeader: "alg"), expected],
                    severity: flow.wentOn(after: delivered) ? .warning : nil,
                    exchange: delivered.idToken.place.exchange
                )
            )
        }
        return .holds
    }

    /// What says that it should be another one; nil where nothing does.
    private func contradiction(to algorithm: String, _ delivered: DeliveredIDToken, _ flow: Flow) -> Evidence?
    {
        let names = delivered.clientNames(in: flow)
        let registered = names.lazy
            .compactMap { name in
                flow.registeredClient(name, before: delivered.idToken.place.exchange)?
                    .member("id_token_signed_response_alg")
            }
            .first { !$0.value.isEmpty }
        if let registered {
            return registered.value == algorithm
                ? nil : Evidence(registered, note: "registered for this client")
        }
        if let document = flow.issuerDocuments.last,
            let list = document.answer.json?["id_token_signing_alg_values_supported"]?.array?.compactMap(
                \.string
            ),
            !list.isEmpty, !list.contains(algorithm), algorithm != SignatureAlgorithm.rs256.rawValue
        {
            return Evidence(
                place: document.answer.place("id_token_signing_alg_values_supported"),
                value: Masking.shown(list.prefix(20).joined(separator: ", "), of: "alg"),
                note: "what the provider says it signs with"
            )
        }
        guard algorithm.utf8.starts(with: "HS".utf8), let request = delivered.tokenRequest else { return nil }
        if let sought = keysSought(after: request, delivered, flow) { return sought }
        guard request.isRecorded, request.authentication.methods == [.none],
            !flow.surroundings.mayLackCredentials(at: request.exchange),
            !names.contains(where: { flow.surroundings.knownSecrets[$0] != nil })
        else { return nil }
        return Evidence(
            place: Place(exchange: request.exchange, part: .requestBody, name: "client_secret"),
            value: "none",
            note: "HS algorithms sign with the client secret, and this client has none"
        )
    }

    /// The provider's keys, where the app looked for one in them and then refused a token that the client secret did sign: it
    /// expects a signature by a public key's owner.
    private func keysSought(after request: TokenRequest, _ delivered: DeliveredIDToken, _ flow: Flow)
        -> Evidence?
    {
        let token = delivered.idToken.token
        guard flow.surroundings.verification(of: token, providerHosts: flow.providerHosts).outcome == .valid,
            let callback = flow.refusedCallback(of: delivered)
        else { return nil }
        let agent = flow.capture[request.exchange].request.userAgent
        let position = flow.surroundings.position
        for case .keySet(let document) in flow.messages
        where position[document.exchange] > position[request.exchange] {
            let exchange = flow.capture[document.exchange]
            guard let keys = document.keys?.keys, !keys.isEmpty, !keys.contains(where: { $0.type == "oct" }),
                exchange.request.userAgent == agent,
                exchange.startedAt <= flow.capture[callback].endedAt
            else { continue }
            return Evidence(
                place: document.answer.place("keys"),
                value: Masking.shown(
                    Set(keys.compactMap(\.type)).sorted().joined(separator: ", "),
                    of: "kty"
                ),
                note: "where the app looked for a key before it refused: it expects another algorithm"
            )
        }
        return nil
    }
}
