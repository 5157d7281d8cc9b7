import Captures
import Flows
import OAuth

extension Flow {
    var revokedTokens: RevokedTokens {
        derived.value { RevokedTokens(among: messages, in: surroundings) }
    }

    /// The revocation before a refresh with which its token ended (RFC 7009, section 2.1); empty where the capture shows none.
    func evidence(ofRevocationBefore refresh: TokenRequest) -> [Evidence] {
        guard refresh.isRefresh, let token = refresh.refreshToken else { return [] }
        return revokedTokens.revocation(ofRefreshToken: token, before: refresh.exchange).map {
            evidence(of: $0, before: refresh.exchange)
        } ?? []
    }

    /// What was given back how long before an exchange that was refused, and that the provider took it.
    func evidence(of revocation: EndpointCall, before exchange: Int) -> [Evidence] {
        guard let token = revocation.parameters.parameter("token") else { return [] }
        let age = max(capture[exchange].startedAt - capture[revocation.exchange].endedAt, .zero)
        return [
            Evidence(token, note: "revoked by the client, \(age.words) before"),
            revocation.answer.statusEvidence(note: "the provider accepted the revocation"),
        ]
    }
}
