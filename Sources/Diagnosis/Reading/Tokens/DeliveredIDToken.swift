import Captures
import Flows
import JOSE
import OAuth

/// An ID token with the exchange of messages that it answers.
struct DeliveredIDToken {
    var idToken: IDToken
    /// The token request that brought it; nil for the front channel.
    var tokenRequest: TokenRequest?
    /// The login it belongs to; nil where its authorization request is not recorded.
    var login: Login?
    /// How it was handed over; nil for logins with redirects.
    var handed: HandedCredential?

    /// Brought by a grant that opens no login: what a login asked for need not come again.
    var isOfRefresh: Bool { tokenRequest?.isRefresh ?? false }

    var isOfTokenExchange: Bool {
        tokenRequest?.isTokenExchange ?? false
    }
}

extension Flow {
    /// Every ID token of the flow with its login.
    var deliveredIDTokens: [DeliveredIDToken] {
        derived.value { DeliveredIDTokens(list: readDeliveredIDTokens()) }.list
    }

    private struct DeliveredIDTokens: Sendable {
        var list: [DeliveredIDToken]
    }

    private func readDeliveredIDTokens() -> [DeliveredIDToken] {
        let logins = askedLogins
        let handed = HandedCredential.all(in: self)
        var byExchange: [Int: Int] = [:]
        var byResponse: [Int: Int] = [:]
        for (place, login) in logins.enumerated() {
            for request in login.tokenRequests where byExchange[request.exchange] == nil {
                byExchange[request.exchange] = place
            }
            for exchange in [login.response?.exchange, login.response?.callback].compactMap(\.self)
            where byResponse[exchange] == nil {
                byResponse[exchange] = place
            }
        }
        return idTokens.map { token, request in
            let place =
                if let request { byExchange[request.exchange] } else {
                    token.place.exchange.flatMap { byResponse[$0] }
                }
            return DeliveredIDToken(
                idToken: token,
                tokenRequest: request,
                login: place.map { logins[$0] },
                handed: handed.first { $0.response?.parameters["id_token"] == token.token.text }
            )
        }
    }
}
