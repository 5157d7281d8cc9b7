import Captures
import Flows
import JOSE
import OAuth

/// A refresh token that the provider issued otherwise: changed on its way, or a token of another kind.
struct WrongRefreshToken {
    /// The token that was issued and the one that was sent.
    var evidence: [Evidence]
    /// Whether it is the refresh token but for a step that changes it; else it is another token as it was issued.
    var isAltered: Bool

    /// Nil where the token was issued as it was sent, and where nothing like it was.
    init?(of refresh: TokenRequest, in flow: Flow) {
        let issued = flow.surroundings.issuedTokens
        guard refresh.isRefresh, let sent = refresh.parameters.parameter("refresh_token"),
            !sent.value.isEmpty,
            !Placeholder.isTakenOut(sent.value), !issued.refreshTokenValues.contains(sent.value)
        else { return nil }
        if let other = issued.others[sent.value] {
            isAltered = false
            evidence = [
                Evidence(other, note: "issued as \(other.name)"),
                Evidence(sent, note: "sent as refresh_token"),
            ]
            return
        }
        // A capture may have any number of them; what was spoilt is of late.
        for token in issued.refreshTokens.suffix(50).reversed() {
            guard let change = AlteredValue.change(from: token, to: sent.value) else { continue }
            isAltered = true
            evidence = [
                Evidence(token, note: "issued, \(token.value.unicodeScalars.count.counted("character"))"),
                Evidence(sent, note: change),
            ]
            return
        }
        return nil
    }
}

/// What the token endpoints of a capture gave out: read once for all flows.
struct IssuedTokens {
    /// In the order of the requests.
    private(set) var refreshTokens: [Parameter] = []
    private(set) var refreshTokenValues: Set<String> = []
    /// Access tokens and ID tokens.
    private(set) var others: [String: Parameter] = [:]

    fileprivate init(_ requests: [TokenRequest]) {
        for request in requests where request.answer.isSuccess {
            for name in ["access_token", "id_token"] {
                guard let token = request.answer.parameters.parameter(name), !token.value.isEmpty else {
                    continue
                }
                others[token.value] = token
            }
            guard let token = request.answer.parameters.parameter("refresh_token"), !token.value.isEmpty
            else {
                continue
            }
            refreshTokens.append(token)
            refreshTokenValues.insert(token.value)
        }
    }
}

extension CaptureIndex {
    var issuedTokens: IssuedTokens { derived.value { IssuedTokens(tokenRequests) } }
}
