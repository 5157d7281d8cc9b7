import Captures
import Flows
import OAuth

/// A client that proves itself by a certificate called the endpoint that does not ask for one.
///
/// Providers that offer both have another address for certificates (RFC 8705, section 5), so that browsers are
/// not asked for them.
struct MTLSAliasNotUsed: Rule {
    static let info = RuleInfo(
        id: "mtls-alias-not-used",
        title: "The client certificate endpoint was not used",
        severity: .error,
        explanation: """
            The client authenticates by its TLS certificate. The provider's metadata names an address of its own for such clients; the request \
            went to the plain one, where no certificate is asked for, and was refused.
            """,
        fix: """
            Post to the URL under mtls_endpoint_aliases.token_endpoint, with the client's certificate. If a proxy ends the TLS connection in \
            between, see that it passes the certificate on.
            """,
        badExample: """
            token_endpoint: https://id.example/token, mtls_endpoint_aliases.token_endpoint: https://mtls.id.example/token
            POST https://id.example/token  client_id=shop&…  → 401 invalid_client
            """,
        goodExample: """
            token_endpoint: https://id.example/token, mtls_endpoint_aliases.token_endpoint: https://mtls.id.example/token
            POST https://mtls.id.example/token  client_id=shop&…  → 200
            """,
        specifications: [.rfc(8705, "5")]
    )

    func verdict(on flow: Flow) -> Verdict {
        let provider = flow.providerFacts
        for call in ClientCall.all(in: flow) {
            guard call.answer.isRefusal, call.answer.error?.error == "invalid_client",
                let metadata = provider.metadata(of: call.endpoint),
                let name = Self.names[call.kind], let alias = unusedAlias(name, in: metadata, by: call),
                MutualTLS.isRegistered(call, in: flow) || MutualTLS.isOnlyMethod(at: call.endpoint, provider)
            else { continue }
            return .violated(
                Violation(
                    [
                        Evidence(
                            place: metadata.answer.place("mtls_endpoint_aliases"),
                            value: Masking.shown(alias, of: name),
                            note: "for clients with a certificate"
                        ),
                        Evidence(
                            place: Place(exchange: call.exchange, part: .requestURL, name: ""),
                            value: call.endpoint.text,
                            note: "where the request went"
                        ), call.answer.evidence(),
                    ],
                    severity: call.isRepaired ? .note : .error,
                    fix: call.kind == .token ? nil : Self.fix(at: name),
                    exchange: call.exchange
                )
            )
        }
        return .holds
    }

    /// The alias of an endpoint, where the endpoint beside it was called.
    private func unusedAlias(_ name: String, in metadata: MetadataDocument, by call: ClientCall) -> String? {
        guard let alias = metadata.mutualTLSAlias(name), let plain = metadata.endpoint(name), plain != alias,
            RecordedURL(plain).isEndpoint(call.endpoint)
        else { return nil }
        return alias
    }

    /// What the metadata calls the endpoints at which a client proves itself.
    private static let names: [ClientCall.Kind: String] = [
        .token: "token_endpoint", .pushedRequest: "pushed_authorization_request_endpoint",
        .revocation: "revocation_endpoint", .introspection: "introspection_endpoint",
    ]

    private static func fix(at name: String) -> String {
        """
        Post to the URL under mtls_endpoint_aliases.\(name), with the client's certificate, as to all endpoints that have one there. If a proxy \
        ends the TLS connection in between, see that it passes the certificate on.
        """
    }
}
