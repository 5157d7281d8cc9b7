import Captures
import Flows
import JOSE
import JSON
import OAuth

/// What OpenID Connect's own scopes ask for (OpenID Connect Core, section 5.4), and what came of it.
struct ScopeClaims {
    /// A scope of which neither the ID token nor UserInfo says anything.
    struct Unmet {
        var scope: String
        var claim: String
        /// The names that UserInfo did answer with.
        var answered: [String]
        var userInfo: EndpointCall
    }

    /// The first scope of a login that was asked for, not refused, and brought nothing; nil where there is none, or UserInfo
    /// was not asked: the claims may be there.
    static func unmet(by request: TokenRequest, asked: String, in flow: Flow) -> Unmet? {
        let sources = flow.derived.value { Sources(of: flow) }
        guard request.answer.isSuccess, let token = request.accessToken, let call = sources.userInfo[token],
            let answer = call.answer.json, answer["sub"]?.string != nil,
            let identity = sources.idTokens[request.exchange]?.token.claims
        else { return nil }
        let granted = request.answer.parameters["scope"].flatMap { $0.isEmpty ? nil : $0 } ?? asked
        let scopes = Set(asked.spaceDelimited).intersection(Scope.granted(granted))
        let unmet = claims.first { scope, claim in
            scopes.contains(scope)
                && [answer[claim], identity[claim]].allSatisfy { $0 == nil || $0 == .null }
        }
        return unmet.map { scope, claim in
            let names = answer.members.filter { $0.value != .null }.prefix(20).map(\.name)
            return Unmet(scope: scope, claim: claim, answered: names, userInfo: call)
        }
    }

    /// Where the claims of a flow's logins stand, read once for all of them.
    private struct Sources: Sendable {
        /// The first call of UserInfo with an access token that was answered.
        let userInfo: [String: EndpointCall]
        /// By the request that brought it.
        let idTokens: [Int: IDToken]

        init(of flow: Flow) {
            userInfo = Dictionary(
                BearerCall.all(in: flow).lazy.filter { $0.isUserInfo && $0.call.answer.isSuccess }
                    .map { ($0.token.value, $0.call) },
                uniquingKeysWith: { first, _ in first }
            )
            let tokens = userInfo.isEmpty ? [] : flow.idTokens
            idTokens = Dictionary(
                tokens.lazy.compactMap { token, request in request.map { ($0.exchange, token) } },
                uniquingKeysWith: { first, _ in first }
            )
        }
    }

    /// Those that apps look their users up by; of `profile` and `address` many have nothing, and nobody misses it.
    private static let claims: [(scope: String, claim: String)] = [
        ("email", "email"), ("phone", "phone_number"),
    ]
}
