import Captures
import Flows
import JOSE
import JSON
import OAuth

/// A login of an app on an iPhone does not tell the Singpass app where to return to.
///
/// The Singpass app opens `app_launch_url` when it is done; without it the user has to find the way back to
/// the app alone, and the login waits in a browser that nobody sees. On Android the system returns by itself.
struct SingpassAppLaunchURLMissing: Rule {
    static let info = RuleInfo(
        id: "singpass-app-launch-url-missing",
        title: "The Singpass app cannot send the user back to this app",
        severity: .warning,
        explanation: """
            On iOS the user approves the login in the Singpass app, which opens app_launch_url afterwards. The request of this app has none, so \
            the user stays in the Singpass app.
            """,
        fix: "Send the app link that is registered for this client as app_launch_url.",
        badExample:
            "GET /auth?…&redirect_uri=sg.example.app%3A%2F%2Fcallback  User-Agent: Mozilla/5.0 (iPhone; …)",
        goodExample:
            "GET /auth?…&redirect_uri=sg.example.app%3A%2F%2Fcallback&app_launch_url=https%3A%2F%2Fapp.example%2Flaunch",
        specifications: [SingpassGuide.mobile]
    )

    func verdict(on flow: Flow) -> Verdict {
        Verdict.firstViolation(among: flow.singpassAttempts) { attempt, _ in
            guard attempt["app_launch_url"] == nil else { return .holds }
            guard let sent = attempt.parameter("redirect_uri") else {
                return attempt.hiddenParameters.map { .abstains($0) } ?? .holds
            }
            let isPrivate = RecordedURL(sent.value).scheme != nil && !RecordedURL(sent.value).isWeb
            guard isPrivate || attempt["redirect_uri_https_type"] == "app_claimed_https" else {
                return .holds
            }
            guard let agent = flow.capture[attempt.exchange].request.userAgent else {
                return .abstains("the agent of the login was not recorded")
            }
            guard AppOnDevice.isIOS(agent) else { return .holds }
            if let hidden = attempt.hiddenParameters {
                return .abstains(hidden)
            }
            return .violated(
                Violation(
                    [
                        Evidence(sent), attempt.names(note: "without app_launch_url"),
                        Evidence(
                            place: Place(
                                exchange: attempt.exchange,
                                part: .requestHeader,
                                name: "User-Agent"
                            ),
                            value: Masking.shown(agent, of: "user-agent")
                        ),
                    ],
                    exchange: attempt.exchange
                )
            )
        }
    }
}
