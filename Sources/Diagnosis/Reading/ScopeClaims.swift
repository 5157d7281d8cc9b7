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
        guard request.answer.isSuccess, let token = request.accessToken,
            let call = BearerCall.all(in: flow).first(where: {
                $0.isUserInfo && $0.token.value == token && $0.call.answer.isSuccess
            })?.call,
            let answer = call.answer.json, answer["sub"]?.string != nil,
            let identity = flow.idTokens.first(where: { $0.request?.exchange == request.exchange })?.token
                .token.claims
        else { return nil }
        let granted = request.answer.parameters["scope"].flatMap { $0.isEmpty ? nil : $0 } ?? asked
        let scopes = Set(asked.split(separator: " ")).intersection(granted.split(separator: " "))
        let unmet = claims.first { scope, claim in
            scopes.contains(scope[...]) && answer[claim] == nil && identity[claim] == nil
        }
        return unmet.map { scope, claim in
            let names = answer.members.prefix(20).map(\.name)
            return Unmet(scope: scope, claim: claim, answered: names, userInfo: call)
        }
    }

    /// Those that apps look their users up by; of `profile` and `address` many have nothing, and nobody misses it.
    private static let claims: [(scope: String, claim: String)] = [
        ("email", "email"), ("phone", "phone_number"),
    ]
}
