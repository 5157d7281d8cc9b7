import Captures
import Flows
import JOSE
import JSON
import OAuth

/// An app that claims an https redirect URI does not say so to Singpass.
///
/// Without `redirect_uri_https_type=app_claimed_https` Singpass redirects as for a web site, and the system
/// opens the address in the browser.
struct SingpassHTTPSTypeMissing: Rule {
    static let info = RuleInfo(
        id: "singpass-https-type-missing",
        title: "An app-claimed https redirect is not declared to Singpass",
        severity: .errorWhenRefused,
        explanation: """
            The redirect URI is an https address that an app claims. Singpass was not told so and sends the browser there by itself, without the \
            touch that the system wants before it hands the address to the app.
            """,
        fix:
            "Send redirect_uri_https_type=app_claimed_https with the request, or better, use a private-use scheme as the redirect URI.",
        badExample:
            "GET https://id.singpass.gov.sg/auth?…&redirect_uri=https%3A%2F%2Fapp.example%2Frp&app_launch_url=…",
        goodExample: """
            GET https://id.singpass.gov.sg/auth?…&redirect_uri=https%3A%2F%2Fapp.example%2Frp&app_launch_url=…
              &redirect_uri_https_type=app_claimed_https
            """,
        specifications: [SingpassGuide.mobile]
    )

    func verdict(on flow: Flow) -> Verdict {
        let logins = flow.logins
        return Verdict.firstViolation(among: flow.singpassAttempts) { attempt, endpoint in
            guard endpoint != .myinfo else { return .holds }
            guard attempt["redirect_uri_https_type"] == nil, let sent = attempt.parameter("redirect_uri"),
                RecordedURL(sent.value).scheme?.lowercased() == "https", let request = attempt.request
            else { return .holds }
            let login = logins.first { $0.request.exchange == request.exchange }
            guard let sign = sign(of: attempt, request, login, flow) else { return .holds }
            if let hidden = attempt.hiddenParameters {
                return .abstains(hidden)
            }
            return .violated(
                Violation(
                    [Evidence(sent), attempt.names(note: "without redirect_uri_https_type"), sign],
                    severity: isPassed(login)
                        ? .warning : ClaimedAddress.opened(in: flow) != nil ? .error : nil,
                    // With pushed requests Singpass takes no schemes of an app's own any more.
                    fix: attempt.pushed == nil
                        ? nil : "Push redirect_uri_https_type=app_claimed_https with the request.",
                    exchange: attempt.exchange
                )
            )
        }
    }

    /// Whether the login ended elsewhere than at the redirect: it never came to one, or its code was exchanged.
    private func isPassed(_ login: Login?) -> Bool {
        login?.response?.code == nil || login?.tokenRequests.isEmpty == false
    }

    /// What shows that the client is an app.
    private func sign(
        of attempt: LoginAttempt,
        _ request: AuthorizationRequest,
        _ login: Login?,
        _ flow: Flow
    ) -> Evidence? {
        if let launch = attempt.parameter("app_launch_url") {
            return Evidence(launch, note: "sent by an app")
        }
        let relay = login.flatMap { AppHandover.relays(of: $0, in: flow).first }
        guard !isServers(login, isHandedOn: relay != nil, flow),
            let exchange = relay ?? AppOnDevice.fetch(of: request, in: flow)
        else { return nil }
        return Evidence(
            place: Place(exchange: exchange, part: .requestHeader, name: "User-Agent"),
            value: Masking.shown(
                flow.capture[exchange].request.userAgent ?? "",
                of: "user-agent"
            ),
            note: relay == nil ? "an app fetched the code challenge" : "an app handed the code on"
        )
    }

    /// Whether the redirect URI is an address of the app's server, which took the code there, or sent the browser on to the app.
    private func isServers(_ login: Login?, isHandedOn: Bool, _ flow: Flow) -> Bool {
        guard let callback = login?.response?.callback, let answer = flow.capture[callback].response else {
            return false
        }
        if let location = answer.location,
            !flow.capture[callback].request.url.resolving(location).isWeb
        {
            return true
        }
        return !isHandedOn && answer.status < 400 && login?.tokenRequests.isEmpty == false
    }
}
