import Captures
import Flows
import JOSE
import JSON
import OAuth

/// Whether a refused refresh brought the token of another client (RFC 6749, sections 6 and 10.4).
enum OtherClientsRefresh {
    /// What shows it, with the names of both clients.
    case found(evidence: [Evidence], owner: String, sender: String)
    /// The login that the token comes from is not recorded.
    case unknown
    case no

    init(_ refresh: TokenRequest, in flow: Flow) {
        guard
            refresh.isRefused(
                with: "invalid_grant",
                "invalid_client",
                "unauthorized_client",
                "invalid_request"
            ),
            let sent = refresh.authentication.clientID
        else {
            self = .no
            return
        }
        guard let issued = flow.refreshHistory.issuer(of: refresh), let owner = Self.owner(of: issued, flow)
        else {
            self = Self.named(by: refresh, sent) ?? .unknown
            return
        }
        guard !owner.value.equalsBytes(of: sent.value) else {
            self = .no
            return
        }
        self = .found(
            evidence: [
                Evidence(owner, note: "the client that the refresh token was issued to"),
                Evidence(sent, note: Difference.note(expected: owner.value, seen: sent.value)),
                refresh.answer.evidence(),
            ],
            owner: owner.value,
            sender: sent.value
        )
    }

    /// Whether it is known to: a mark in the place of a client's name is no other name.
    var isFound: Bool {
        guard case .found(_, let owner, let sender) = self else { return false }
        return !Placeholder.isTakenOut(owner) && !Placeholder.isTakenOut(sender)
    }

    /// By what the token has of its own client, where it is a JWT and the provider says it, too.
    private static func named(by refresh: TokenRequest, _ sent: Parameter) -> OtherClientsRefresh? {
        let token = refresh.parameters.parameter("refresh_token")
        let claims = token.flatMap { JSONWebToken.parse($0.value)?.claims }
        let owner = ["azp", "client_id"].lazy.compactMap { name in
            claims?[name]?.string.map { (name: name, value: $0) }
        }.first
        guard StatedGrantFault(refresh) == .otherClient, let owner,
            !owner.value.equalsBytes(of: sent.value)
        else { return nil }
        return .found(
            evidence: [
                Evidence(
                    place: Place(exchange: refresh.exchange, part: .jwtClaims, name: owner.name),
                    value: Masking.shown(owner.value, of: "client_id"),
                    note: "of the refresh token"
                ),
                Evidence(sent, note: Difference.note(expected: owner.value, seen: sent.value)),
                refresh.answer.evidence(note: "in the provider's words"),
            ],
            owner: owner.value,
            sender: sent.value
        )
    }

    private static func owner(of issued: TokenRequest, _ flow: Flow) -> Parameter? {
        if let client = issued.authentication.clientID { return client }
        let login = flow.logins.first { $0.tokenRequests.contains { $0.exchange == issued.exchange } }
        return login?.request.parameters.parameter("client_id")
    }
}
