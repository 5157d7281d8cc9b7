import Captures
import Flows
import OAuth

/// The token request's grant is none of those the client was registered for, and was refused.
struct RegistrationGrantMissing: Rule {
    static let info = RuleInfo(
        id: "registration-grant-missing",
        title: "The client was not registered for this grant",
        severity: .error,
        explanation: """
            The client was registered for other grants than the one its token request names. Where a registration names none, it is for \
            authorization_code alone.
            """,
        fix: """
            Register every grant that the client uses in `grant_types`, for most `authorization_code` together with `refresh_token`.
            """,
        badExample: """
            POST /register {"grant_types":["authorization_code"],…} → 201
            POST /token  grant_type=refresh_token&… → 400 unauthorized_client
            """,
        goodExample: """
            POST /register {"grant_types":["authorization_code","refresh_token"],…} → 201
            POST /token  grant_type=refresh_token&… → 200
            """,
        specifications: [.rfc(7591, "2")]
    )

    func verdict(on flow: Flow) -> Verdict {
        guard !flow.registrations.isEmpty else { return .holds }
        for request in flow.tokenRequests {
            guard request.isRefused(with: "unauthorized_client", "unsupported_grant_type", "invalid_grant"),
                let grant = request.parameters.parameter("grant_type"),
                let client = RegisteredClient.of(request.clientID, before: request.exchange, in: flow)
            else { continue }
            let list = client.list("grant_types")
            guard list != nil || !client.hasOwnDefaults else { continue }
            let registered = list ?? ["authorization_code"]
            guard !registered.contains(grant.value), !isOfAnotherCause(request),
                !wasGranted(request, to: client, flow)
            else { continue }
            let stated =
                client.evidence("grant_types", note: "registered")
                ?? Evidence(
                    place: client.call.answer.place("grant_types"),
                    value: "authorization_code",
                    note: "registered: what holds where none is named"
                )
            return .violated(
                Violation([stated, Evidence(grant), request.answer.evidence()], exchange: request.exchange)
            )
        }
        return .holds
    }

    /// Whether the provider says of the grant itself what is wrong with it, so that the client may use its kind.
    private func isOfAnotherCause(_ request: TokenRequest) -> Bool {
        guard request.isRefused(with: "invalid_grant") else { return false }
        return StatedGrantFault(request) != nil || RefusedGrant.isCalledExpired(request)
            || request.isRefresh && RefreshTokenEnd.isStated(by: request.answer)
    }

    /// Whether the client got tokens by this grant before, so registered: a server may read a registration that names no grants as it likes.
    private func wasGranted(_ request: TokenRequest, to client: RegisteredClient, _ flow: Flow) -> Bool {
        let position = flow.surroundings.position
        let since = position[client.call.exchange]
        return flow.surroundings.tokenRequests.contains { other in
            let place = position[other.exchange]
            return since < place && place < position[request.exchange] && other.answer.isSuccess
                && other.clientID == client.clientID && other.grantType == request.grantType
        }
    }
}
