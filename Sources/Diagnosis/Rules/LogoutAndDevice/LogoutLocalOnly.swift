import Captures
import Flows
import JOSE
import JSON
import OAuth

/// The app signed the user out of itself, and the provider signs the same browser in again without asking.
///
/// The session at the provider outlives that of the app; it takes an end-session request by the browser that
/// holds it to end both (OpenID Connect RP-Initiated Logout, section 2). Shown at the login that follows.
struct LogoutLocalOnly: Rule {
    static let info = RuleInfo(
        id: "logout-local-only",
        title: "Signing out ended the app's session only",
        severity: .warning,
        explanation: """
            The app dropped its own session and did not tell the provider, whose session went on: the next login got a code at once, without \
            anybody entering anything. Whoever uses the browser next is the same user.
            """,
        fix: """
            On signing out send the browser to the provider's end_session_endpoint, with id_token_hint and post_logout_redirect_uri, in the very \
            browser that holds the provider's cookie; a call by the back end does not end that session.
            """,
        badExample: """
            GET https://app.example/logout → 302 /, Set-Cookie: session=; Max-Age=0
            GET /authorize?… → 302 https://app.example/callback?code=…
            """,
        goodExample: """
            GET https://app.example/logout → 302 https://id.example/logout?id_token_hint=…, Set-Cookie: session=; Max-Age=0
            GET /authorize?… → 200 the sign-in page
            """,
        specifications: [RPInitiatedLogout.section2]
    )

    func verdict(on flow: Flow) -> Verdict {
        Verdict.firstViolation(among: flow.logins) { login in
            guard isSilent(login, flow), let logout = logout(before: login, flow) else { return .holds }
            switch canEndSessions(login, flow) {
            case true: break
            case false: return .holds
            case nil:
                return .abstains("the capture does not show whether the provider has an end-session endpoint")
            }
            guard let response = login.response, let code = response.parameter("code") else {
                return .holds
            }
            var evidence = [logout]
            evidence.append(
                Evidence(
                    place: Place(exchange: login.request.exchange, part: .requestURL, name: ""),
                    value: Masking.shown(login.request.endpoint.text, of: "url"),
                    note: "the next login of this client, without prompt=login"
                )
            )
            evidence.append(
                Evidence(
                    code,
                    note: response.mode == .formPost
                        ? "answered without a question" : "answered by redirects alone"
                )
            )
            let isElsewhere = logout.place.name == "Cookie"
            return .violated(
                Violation(
                    evidence,
                    // The provider was asked, and by whom is all that is wrong.
                    severity: isElsewhere ? .note : nil,
                    explanation: isElsewhere ? Self.elsewhere : nil,
                    title: isElsewhere
                        ? "The logout request did not come from the browser that holds the provider's session"
                        : nil,
                    exchange: logout.place.exchange
                )
            )
        }
    }

    private static let elsewhere = """
        The end-session request did not come from the browser that holds the provider's session (but from the app's own HTTP client, a private window or \
        another browser), so the provider ended none: the next login brought the cookie from before and got a code at once.
        """

    // MARK: - The login that asks nothing

    /// Redirects alone lead from the request to the code, or to the page whose form posts it to the app by itself.
    private func isSilent(_ login: Login, _ flow: Flow) -> Bool {
        let prompts = Set((login.request.parameters["prompt"] ?? "").spaceDelimited)
        guard prompts.isDisjoint(with: ["login", "select_account", "consent"]),
            login.request.parameters["max_age"] != "0",
            login.response?.code != nil, let end = login.response?.deliveredBy
        else { return false }
        for exchange in [end] + flow.surroundings.redirects(leadingTo: end, atMost: 19) {
            let recorded = flow.capture[exchange]
            let isForm = exchange == end && login.response?.mode == .formPost
            guard recorded.request.method == "GET", isForm || recorded.response?.location != nil else {
                return false
            }
            if exchange == login.request.exchange { return true }
        }
        return false
    }

    /// Nil where nothing says.
    private func canEndSessions(_ login: Login, _ flow: Flow) -> Bool? {
        let documents = flow.surroundings.metadata.filter {
            $0.names(login.request.endpoint, as: "authorization_endpoint")
        }
        if documents.contains(where: { $0.endpoint("end_session_endpoint") != nil }) { return true }
        if Self.withEndpoint.contains(flow.provider) { return true }
        return documents.isEmpty && flow.provider == .generic ? nil : false
    }

    private static let withEndpoint: Set<ProviderKind> = [
        .auth0, .cognito, .curity, .entra, .forgerock, .glewlwyd, .keycloak, .lemonldap, .okta, .ping, .wso2,
    ]

    // MARK: - The logout

    /// The latest sign of a local logout before a login, with no login and no end-session request between
    /// the two.
    private func logout(before login: Login, _ flow: Flow) -> Evidence? {
        guard let redirect = login.request.redirectURI.map({ RecordedURL($0) }) else { return nil }
        let index = flow.surroundings
        let provider = login.request.endpoint.host
        let leading = chain(to: login.request.exchange, index)
        for exchange in flow.exchanges(before: login.request.exchange, within: .seconds(3600)) {
            let recorded = flow.capture[exchange]
            switch index.messages[exchange] {
            case .endSession: return logoutElsewhere(exchange, login, flow)
            case .backChannelLogout, .frontChannelLogout: return nil
            case .authorizationRequest(let other) where other.clientID == login.request.clientID: return nil
            // Whose token it was is not known of one that was saved without its body.
            case .revocation(let call)
            where call.answer.isSuccess && call.endpoint.host == provider && call.parameters.contains("token")
                && (call.authentication.clientID?.value ?? flow.clientID) == login.request.clientID:
                return call.parameters.parameter("token").map { Evidence($0, note: "revoked by the app") }
            default: break
            }
            let url = recorded.request.url
            let isApps = redirect.isWeb && url.isOfApp(answeredAt: redirect, by: login.request.endpoint)
            // The provider's logout page, called without anything that tells it from other pages.
            if url.host == provider, !isApps || url.isAtServer(of: login.request.endpoint),
                Endpoints.conventionalRole(of: url) == .endSession
            {
                return nil
            }
            guard isApps, !leading.contains(exchange),
                isSameBrowser(exchange, login, flow), let cookie = cleared(by: recorded)
            else { continue }
            return Evidence(
                place: Place(exchange: exchange, part: .responseHeader, name: "Set-Cookie"),
                value: cookie,
                note: "deleted by \(Masking.shown(url.path, of: "path"))"
            )
        }
        return nil
    }

    /// An end-session request without a cookie that was there before it, which its answer deletes, and which the login brings all
    /// the same.
    private func logoutElsewhere(_ exchange: Int, _ login: Login, _ flow: Flow) -> Evidence? {
        let logout = flow.capture[exchange]
        guard flow.surroundings.areCookiesRecorded(at: exchange),
            logout.request.url.host == login.request.endpoint.host
        else { return nil }
        let names = Set(logout.request.cookies.map(\.name))
        let deleted = Set(
            (logout.response?.setCookies ?? []).filter {
                $0.isDeletion(at: logout.endedAt) || $0.value.isEmpty
            }.map(\.name)
        )
        let kept = flow.capture[login.request.exchange].request.cookies.first { cookie in
            deleted.contains(cookie.name) && !names.contains(cookie.name)
                && flow.exchanges(before: exchange, within: .seconds(3600)).contains {
                    flow.capture[$0].request.url.host == logout.request.url.host
                        && flow.capture[$0].response?.setCookies.contains {
                            $0.name == cookie.name && $0.value == cookie.value
                        } ?? false
                }
        }
        return kept.map { cookie in
            Evidence(
                place: Place(exchange: exchange, part: .requestHeader, name: "Cookie"),
                value: CookieNames.shown(names),
                note: "the end-session request has no \(cookie.name), and the next login has it from before"
            )
        }
    }

    /// A cookie that the logout of an app takes away.
    private func cleared(by exchange: Exchange) -> String? {
        guard let response = exchange.response, response.status < 400 else { return nil }
        let path = exchange.request.url.path.lowercased()
        guard exchange.request.method == "DELETE" || Self.paths.contains(where: path.containsBytes) else {
            return nil
        }
        return response.setCookies.first {
            $0.isDeletion(at: exchange.endedAt) || $0.value.isEmpty
        }?.name
    }

    private static let paths = [
        "logout", "log-out", "log_out", "logoff", "log-off", "signout", "sign-out", "sign_out", "signoff",
        "sign-off", "disconnect",
    ]

    /// The redirects that lead to a request: an app that clears an old session on its way to the provider
    /// signs nobody out.
    private func chain(to exchange: Int, _ index: CaptureIndex) -> Set<Int> {
        Set(index.redirects(leadingTo: exchange, atMost: 20))
    }

    private func isSameBrowser(_ exchange: Int, _ login: Login, _ flow: Flow) -> Bool {
        flow.capture[exchange].request.userAgent
            == flow.capture[login.request.exchange].request.userAgent
    }
}
