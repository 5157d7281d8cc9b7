import Captures
import Flows
import OAuth

/// The provider does not know the grant, or does not let this client use it.
///
/// `unauthorized_client` stands for more than that at some providers: it counts where its text names the grant
/// or is absent, and nothing else of this stage is wrong with the request.
struct UnsupportedGrantType: Rule {
    static let info = RuleInfo(
        id: "unsupported-grant-type",
        title: "The provider does not know or not allow this grant",
        severity: .error,
        explanation:
            "The token request names a grant_type that this provider does not offer, or that the client is not allowed to use.",
        fix:
            "Enable the grant for the client at the provider, or use one that its metadata lists under grant_types_supported; check the spelling of grant_type.",
        badExample: """
            POST /token  grant_type=password&username=…  → 400 unsupported_grant_type
            """,
        goodExample: """
            POST /token  grant_type=authorization_code&code=…  → 200
            """,
        specifications: [.rfc(6749, "5.2")]
    )

    func verdict(on flow: Flow) -> Verdict {
        let provider = flow.providerFacts
        let calls = ClientCall.all(in: flow)
        let repaired = Set(calls.filter(\.isRepaired).map(\.exchange))
        let refusedClients = Set(calls.filter(\.isClientRefused).map(\.exchange))
        var others: Set<Int>?
        for request in flow.tokenRequests {
            if !request.isRefused(with: "unsupported_grant_type") {
                guard request.isRecorded, request.isRefused(with: "unauthorized_client"),
                    request.answer.speaksOfGrant ?? true,
                    !request.isRefused(with: "invalid_grant"),
                    !refusedClients.contains(request.exchange), !mayLackCredentials(request, flow)
                else {
                    continue
                }
                let explained = others ?? Self.explained(in: flow)
                others = explained
                guard !explained.contains(request.exchange) else { continue }
            }
            var evidence: [Evidence] = []
            if let grant = request.parameters.parameter("grant_type") {
                evidence.append(Evidence(grant))
            } else if request.isRecorded {
                evidence.append(request.missing("grant_type"))
            }
            if request.isRecorded, let metadata = provider.metadata(of: request.endpoint),
                let list = metadata.list("grant_types_supported")
            {
                evidence.append(
                    Evidence(
                        place: metadata.answer.place("grant_types_supported"),
                        value: Masking.shown(list.joined(separator: ", "), of: "list"),
                        note: list.contains(request.grantType)
                            ? "the provider knows it: it is the client that may not" : "not among them"
                    )
                )
            }
            evidence.append(request.answer.evidence())
            return .violated(
                Violation(
                    evidence,
                    severity: repaired.contains(request.exchange) ? .note : .error,
                    exchange: request.exchange
                )
            )
        }
        return deviceRefusal(in: flow, except: refusedClients).map { .violated($0) } ?? .holds
    }

    /// Whether what the client proved itself with may have been taken out of the capture: then that may be what was refused.
    private func mayLackCredentials(_ request: TokenRequest, _ flow: Flow) -> Bool {
        flow.surroundings.mayLackCredentials(at: request.exchange)
            && request.authentication.methods == [.none]
            && (request.answer.error?.description ?? "").isEmpty
    }

    /// A client that may not use the grant of devices hears of it before there is a grant (RFC 8628, section 3.1).
    private func deviceRefusal(in flow: Flow, except refusedClients: Set<Int>) -> Violation? {
        for case .deviceAuthorization(let call) in flow.messages {
            guard call.answer.isRefusal, !refusedClients.contains(call.exchange),
                let error = call.answer.error?.error,
                error == Self.deviceGrantDisabled
                    || call.answer.speaksOfGrant ?? true
                        && ["unsupported_grant_type", "unauthorized_client"].contains(error)
            else { continue }
            let client = call.authentication.clientID.map { Evidence($0) }
            return Violation(
                [client, call.answer.evidence()].compactMap(\.self),
                explanation:
                    "The client asked for a device code, and the provider does not let it use the grant of devices.",
                exchange: call.exchange
            )
        }
        return nil
    }

    /// GitHub's name for it.
    private static let deviceGrantDisabled = "device_flow_disabled"

    /// Exchanges that another rule of this stage finds something wrong with.
    private static func explained(in flow: Flow) -> Set<Int> {
        var found: Set<Int> = []
        for violation in OtherFindings.tokenRequests.violations(in: flow) where !violation.isSoftened {
            found.formUnion(violation.evidence.compactMap(\.place.exchange))
            if let exchange = violation.exchange { found.insert(exchange) }
        }
        return found
    }
}
