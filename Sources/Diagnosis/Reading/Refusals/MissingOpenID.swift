import Captures
import Flows
import JOSE
import OAuth

/// A login whose scope lacks `openid`, and what was refused for that: its request, or UserInfo.
///
/// The missing word is a warning of its own rule; what was refused, or came without what belongs in it, is told by the rule that speaks of
/// that, in these words.
enum MissingOpenID {
    /// Whether the provider says that it misses the word; a list of what it knows beside a scope that was asked for does not.
    static func isSaid(by refusal: RequestRefusal, to attempt: LoginAttempt) -> Bool {
        let text = refusal.text.asciiLowercased()
        let asked = (attempt["scope"] ?? "").asciiLowercased().spaceDelimited
        return !asked.contains("openid") && text.containsBytes("openid") && text.containsBytes("scope")
            && lacking.contains(where: text.containsBytes) && !asked.contains(where: text.containsBytes)
    }

    /// The scope that a token was granted, or asked for, which UserInfo refuses: without the word, in a login that means to be one of
    /// OpenID Connect.
    ///
    /// Nil of a token that UserInfo took another time.
    static func scope(of call: BearerCall, in flow: Flow) -> Parameter? {
        guard call.isUserInfo, let granted = call.grantedScope(in: flow), !Placeholder.isOne(granted.value),
            !Scope.granted(granted.value).contains("openid"), isMeant(by: call, flow)
        else { return nil }
        let isTaken = flow.messages.contains { message in
            guard case .userInfo(let other) = message else { return false }
            return other.answer.isSuccess && other.token?.value == call.call.token?.value
        }
        return isTaken ? nil : granted
    }

    /// The scope of a login that was asked for without the word; nil where none was sent, or something stands in its place.
    static func scope(of login: Login) -> Parameter? {
        guard let scope = login.request.parameters.parameter("scope"), !scope.value.isEmpty,
            !Placeholder.isOne(scope.value), !scope.value.spaceDelimited.contains("openid")
        else { return nil }
        return scope
    }

    /// By its authorization request; in a server's half by the exchange of its code.
    private static func isMeant(by call: BearerCall, _ flow: Flow) -> Bool {
        if let request = flow.authorizationRequests.last {
            return OpenIDIntent.sign(of: request, in: flow) != nil
        }
        return call.grant?.request?.isCodeExchange ?? false && OpenIDIntent.userInfo(in: flow) != nil
    }

    static let ofRequest = Violation.Words(
        title: "The provider misses openid in the scope",
        explanation: explanation,
        fix: fix
    )

    static let ofUserInfo = Violation.Words(
        title: "UserInfo refused the token of a login without openid",
        explanation: explanation,
        fix: fix
    )

    static let ofGrant = Violation.Words(
        title: "UserInfo refused a token that has no scope openid",
        explanation: """
            UserInfo serves the tokens of OpenID Connect logins alone (OpenID Connect Core, section 5.3), and this one was granted without the scope \
            openid. The provider words it as it does for any token.
            """,
        fix: "Ask for the scope openid in the authorization request; a refresh cannot add it."
    )

    /// Of an ID token that lacks what one has to have: django-oidc-provider gives one without claims (OpenID Connect Core, section 3.1.2.1).
    static let ofIDToken = Violation.Words(
        explanation: """
            The scope of the login lacks openid. Without that word it is a request of OAuth alone, for which no ID token is owed; the provider gives \
            one all the same, and not what belongs in it. A client that reads it has to refuse it.
            """,
        fix: """
            Add openid to the scope of the authorization request. An app that wants access tokens alone should not read the ID token.
            """
    )

    static let explanation = """
        The login means to be one of OpenID Connect, and its scope lacks openid. Without that word it is a request of OAuth alone, for which there \
        is neither an ID token nor UserInfo, and it was refused for that.
        """

    private static let fix = "Add openid to the scope of the authorization request; a refresh cannot add it."

    /// In lower case.
    private static let lacking = [
        "missing", "require", "must", "not in scope", "without", "lack", "not include",
        "not contain",
        "no openid", "needs",
    ]
}

extension BearerCall {
    /// The scope of the answer that granted the token, where that names any, else of the login.
    func grantedScope(in flow: Flow) -> Parameter? {
        grant?.parameters.parameter("scope").flatMap { $0.value.isEmpty ? nil : $0 }
            ?? flow.authorizationRequests.last?.parameters.parameter("scope")
    }
}
