import Captures
import Flows
import JOSE
import JSON
import OAuth

/// A MyInfo login declares its redirect URI as claimed by an app, which MyInfo does not read.
struct SingpassHTTPSTypeOnMyinfo: Rule {
    static let info = RuleInfo(
        id: "singpass-https-type-on-myinfo",
        title: "`redirect_uri_https_type` has no effect for MyInfo",
        severity: .warning,
        explanation:
            "The request goes to MyInfo, which knows no redirect_uri_https_type: the redirect will open in the browser all the same.",
        fix:
            "Use a private-use scheme as the redirect URI of the app's MyInfo client, and leave the parameter out.",
        badExample:
            "GET /com/v4/authorize?…&redirect_uri=https%3A%2F%2Fapp.example%2Frp&redirect_uri_https_type=app_claimed_https",
        goodExample: "GET /com/v4/authorize?…&redirect_uri=sg.example.app%3A%2F%2Fcallback&app_launch_url=…",
        specifications: [SingpassGuide.mobile]
    )

    func verdict(on flow: Flow) -> Verdict {
        for (attempt, endpoint) in flow.singpassAttempts where endpoint == .myinfo {
            guard let type = attempt.parameter("redirect_uri_https_type") else { continue }
            return .violated(Violation([Evidence(type)], exchange: attempt.exchange))
        }
        return .holds
    }
}
