import Captures
import Flows
import JOSE
import JSON
import OAuth

/// A web app asks Google for a refresh token with the scope that others use for it.
///
/// Google knows no `offline_access`: it gives web apps a refresh token for `access_type=offline`, and apps on
/// a device in any case.
struct GoogleOfflineMissing: Rule {
    static let info = RuleInfo(
        id: "google-offline-missing",
        title: "Google gives refresh tokens only on request",
        severity: .note,
        explanation:
            "The scope offline_access has no effect at Google. Without access_type=offline a web app gets no refresh token.",
        fix:
            "Send access_type=offline, and prompt=consent where a refresh token is wanted again from a user who has agreed before.",
        badExample: "GET /o/oauth2/v2/auth?…&scope=openid+offline_access",
        goodExample: "GET /o/oauth2/v2/auth?…&scope=openid&access_type=offline&prompt=consent",
        specifications: [
            SpecificationReference(
                text: "Google OAuth 2.0 for web servers",
                url: "https://developers.google.com/identity/protocols/oauth2/web-server"
            )
        ]
    )

    func verdict(on flow: Flow) -> Verdict {
        for attempt in flow.loginAttempts {
            guard isAtGoogle(attempt, flow), isOfWebApp(attempt), attempt["access_type"] != "offline",
                let scope = attempt.parameter("scope"),
                Scope.values(scope.value).contains("offline_access")
            else { continue }
            return .violated(
                Violation(
                    [Evidence(scope), attempt.names(note: "without access_type")],
                    exchange: attempt.exchange
                )
            )
        }
        return .holds
    }

    private func isAtGoogle(_ attempt: LoginAttempt, _ flow: Flow) -> Bool {
        guard let client = attempt["client_id"] else { return false }
        return flow.provider == .google || client.hasSuffix(".apps.googleusercontent.com")
    }

    /// Programs on a device get a refresh token at Google without asking for one.
    private func isOfWebApp(_ attempt: LoginAttempt) -> Bool {
        guard let redirect = attempt["redirect_uri"].map({ RecordedURL($0) }), redirect.isWeb else {
            return false
        }
        return !redirect.isOnLoopback
    }
}
