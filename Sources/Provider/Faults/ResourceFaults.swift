import Captures
import JSON
import OAuth

/// What userinfo answers (OpenID Connect Core, section 5.3; RFC 6750, section 3.1).
enum ResourceFaults {
    static let list: [Fault] = [
        fault("userinfo-sub-mismatch", "Userinfo is about another user.", mustBeRejected: true) { answer in
            guard answer.status == 200 else { return }
            answer.alterObject { $0["sub"] = "another-user" }
            guard case .token(var token, let mediaType) = answer.content else { return }
            token.claims["sub"] = "another-user"
            answer.content = .token(token, mediaType: mediaType)
        },
        fault("bearer-rejected", "Userinfo refuses every access token: 401.") {
            $0.refuse(401, "invalid_token", "the access token is not valid")
        },
        fault("insufficient-scope", "Userinfo wants a scope that was not granted: 403.") {
            $0.refuse(403, "insufficient_scope", "a scope is missing")
        },
        fault("provider-server-error:userinfo", "Userinfo answers 500.") {
            $0.becomePage(500, "Internal server error")
        },
    ]

    private static func fault(
        _ id: String,
        _ summary: String,
        mustBeRejected: Bool = false,
        _ change: @escaping @Sendable (inout BuiltAnswer) -> Void
    ) -> Fault {
        Fault(
            id,
            summary,
            of: [.userInfo],
            mustBeRejected: mustBeRejected,
            .answer { answer, context in if context.role == .userInfo { change(&answer) } }
        )
    }
}

extension BuiltAnswer {
    fileprivate mutating func refuse(_ status: Int, _ error: String, _ description: String) {
        fail(status, error, description)
        let scope = error == "insufficient_scope" ? ", scope=\"openid everything\"" : ""
        headers.append(
            "WWW-Authenticate",
            "Bearer error=\"\(error)\", error_description=\"\(description)\"\(scope)"
        )
    }
}
