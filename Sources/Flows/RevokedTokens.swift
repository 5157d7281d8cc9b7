import JOSE
package import OAuth

/// The tokens of a flow that its client gave back (RFC 7009), and those that end with them.
///
/// With a refresh token end the access tokens of its grant, and a provider may end the refresh token with an access token (section
/// 2.1). What was taken out of the capture is known by no value, and is none of these.
package struct RevokedTokens: Sendable {
    private struct Token: Sendable {
        /// What the tokens that descend from one another have in common: a refresh goes on with the grant of its refresh token.
        var grant: Int
        var isRefresh: Bool
        /// Of the answer that gave it out, by its place in the order of time.
        var issued: Int
    }

    private var known: [String: Token] = [:]
    /// In the order of time.
    private var revocations: [EndpointCall] = []
    private let position: [Int]

    package init(among messages: [OAuthMessage], in index: CaptureIndex) {
        position = index.position
        for message in messages {
            switch message {
            case .token(let request) where request.answer.isSuccess: add(request)
            case .revocation(let call) where call.answer.isSuccess: revocations.append(call)
            default: break
            }
        }
    }

    private mutating func add(_ request: TokenRequest) {
        let issued = position[request.exchange]
        let grant = request.refreshToken.flatMap { known[$0]?.grant } ?? issued
        for (token, isRefresh) in [(request.accessToken, false), (request.issuedRefreshToken, true)] {
            guard let token, !Placeholder.isOne(token), known[token] == nil else { continue }
            known[token] = Token(grant: grant, isRefresh: isRefresh, issued: issued)
        }
    }

    /// Whether any token was given back before an exchange.
    package func isAny(before exchange: Int) -> Bool {
        revocations.contains { position[$0.exchange] < position[exchange] }
    }

    /// The last revocation of this very token that was answered with success before an exchange.
    package func revocation(of token: String, before exchange: Int) -> EndpointCall? {
        revocations.last { call in
            call.parameters["token"] == token && !Placeholder.isOne(token)
                && position[call.exchange] < position[exchange]
        }
    }

    /// The last revocation before an exchange with which a token ends that was given out before it: of another one of its grant,
    /// one of the two a refresh token.
    package func revocation(ofGrantOf token: String, before exchange: Int) -> EndpointCall? {
        guard let asked = known[token] else { return nil }
        return revocations.last { call in
            guard let value = call.parameters["token"], value != token, let revoked = known[value] else {
                return false
            }
            return revoked.grant == asked.grant && (revoked.isRefresh || asked.isRefresh)
                && asked.issued < position[call.exchange] && position[call.exchange] < position[exchange]
        }
    }
}
