import Captures
import Flows
import OAuth

/// A call that an API refuses because the organization whose data is asked for has not let the token, or the app, in: the login is good, and
/// the user's own data come.
enum OrganizationRefusal {
    /// The first of a flow's; nil where there is none.
    static func violation(in flow: Flow) -> Violation? {
        for (call, refusal) in BearerCall.refused(in: flow, with: [403]) where call.isWithAccessToken {
            guard refusal.status == 403, let said = said(by: refusal, in: flow) else { continue }
            return Violation(
                [
                    Evidence(
                        place: Place(exchange: call.call.exchange, part: .responseStatus, name: ""),
                        value: "\(refusal.status)"
                    ), said, call.address, Evidence(call.token),
                ],
                explanation: """
                    The API took the token and refuses this call alone: the organization that it asks about wants each token, each app, or each address that is \
                    called from, to be let in by somebody, and this one was not. Scopes do not change that.
                    """,
                fix: """
                    Where single sign-on is enforced, send the user to the address that the answer names, or have them authorize the token for the organization in \
                    their settings, with a session of its single sign-on. Where apps are restricted, an owner of the organization has to approve this one; where addresses \
                    are, add the one that the app calls from.
                    """,
                title: "The organization has not let this token in",
                exchange: call.call.exchange
            )
        }
        return nil
    }

    /// Where the answer says so: GitHub's header for it, or its words.
    private static func said(by refusal: BearerRefusal, in flow: Flow) -> Evidence? {
        let headers = flow.capture[refusal.exchange].response?.headers
        if let value = headers?.first("x-github-sso"), value.hasPrefix("required") {
            return Evidence(
                place: Place(exchange: refusal.exchange, part: .responseHeader, name: "X-GitHub-SSO"),
                value: Masking.shown(String(value.prefix { $0 != "?" }), of: "header")
            )
        }
        let body = refusal.body.asciiLowercased()
        guard words.contains(where: body.containsBytes) else { return nil }
        return Evidence(
            place: Place(exchange: refusal.exchange, part: .responseBody, name: ""),
            value: Excerpt.start(of: refusal.body)
        )
    }

    /// In lower case.
    private static let words = [
        "organization saml enforcement", "oauth app access restrictions", "has an ip allow list enabled",
    ]
}
