import Captures
import Flows
import OAuth

/// The answer travelled another way than the request asked for: in the query instead of the fragment, in the
/// fragment instead of a form; or by a redirect that had the browser send the provider's own form on to the app.
struct ResponseModeDiffers: Rule {
    static let info = RuleInfo(
        id: "response-mode-differs",
        title: "The answer came in another place than asked",
        severity: .errorWhenRefused,
        explanation: """
            The app reads the provider's answer where it asked for it, and the provider put it somewhere else. What is in the fragment never \
            reaches a server, and tokens in a query end up in logs and histories.
            """,
        fix: """
            Ask for a response_mode that this provider supports with this response_type, see response_modes_supported in its metadata, and \
            read the parameters from there.
            """,
        badExample: """
            GET /authorize?response_type=code&response_mode=form_post&…
            302 Location: https://app.example/callback?code=…
            """,
        goodExample: """
            GET /authorize?response_type=code&response_mode=query&…
            302 Location: https://app.example/callback?code=…
            """,
        specifications: [
            SpecificationReference(
                text: "OAuth 2.0 Multiple Response Types §2.1",
                url: "https://openid.net/specs/oauth-v2-multiple-response-types-1_0.html#ResponseModes"
            ), .rfc(9700, "4.12"),
        ]
    )

    func verdict(on flow: Flow) -> Verdict {
        Verdict.first(of: flow.loginAttempts) { attempt in
            guard let response = attempt.response else {
                return tokensInQuery(of: attempt, flow).map { .violated($0) } ?? .holds
            }
            // Who could not read the request may answer it as he likes.
            guard response.error == nil else { return .holds }
            return mode(of: response, to: attempt, flow).or(sentOn(response, flow))
        }
    }

    /// Whether the answer came where it was asked for.
    private func mode(of response: AuthorizationResponse, to attempt: LoginAttempt, _ flow: Flow) -> Verdict {
        if let reason = attempt.hiddenParameters { return .abstains(reason) }
        let used = Self.used(response, flow)
        guard let (asked, isJWT, parameter) = Self.asked(attempt) else { return .holds }
        // Nobody asked for it, and the app found it all the same.
        if parameter?.value == "code", !flow.stopped(at: response) { return .holds }
        let isQueryForbidden = asked == .fragment && parameter?.name != "response_mode"
        guard asked != used || isJWT != response.isSigned else { return .holds }
        guard parameter != nil, !isQueryForbidden || used == .query else { return .holds }
        if asked == .fragment, response.deliveredBy == nil, used == .query || isOfOwnPage(response, flow) {
            // Fragments do not show on the wire, and a page may well send itself what it read there.
            return .abstains("the redirect that carried the answer is not in the capture")
        }
        let name = used.rawValue + (response.isSigned ? ".jwt" : "")
        return .violated(
            Violation(
                [parameter.map { Evidence($0) }, response.names(note: "came as \(name)")].compactMap {
                    $0
                },
                severity: flow.stopped(at: response) ? .error : .warning,
                explanation: isRead(response, flow) ? Self.read : nil,
                exchange: response.exchange
            )
        )
    }

    /// A redirect of the provider's that has an access token alone in its query, where no app looks for one.
    private func tokensInQuery(of attempt: LoginAttempt, _ flow: Flow) -> Violation? {
        guard let request = attempt.request, attempt.responseTypes.contains("token"),
            let asked = attempt.parameter("response_mode") ?? attempt.parameter("response_type"),
            let uri = attempt.parameter("redirect_uri").map({ RecordedURL($0.value) }),
            uri.origin != request.endpoint.origin
        else { return nil }
        let answer = flow.providerRedirects(of: request).first { _, target in
            target.normalizedWithoutQuery == uri.normalizedWithoutQuery
                && ["access_token", "token_type"].allSatisfy { !(target.queryItems.first($0) ?? "").isEmpty }
        }
        guard let (page, target) = answer else { return nil }
        let isRefused = flow.surroundings.landings(of: page).contains {
            flow.capture[$0].response.map { $0.status >= 400 } ?? false
        }
        let names = Parameters(target.queryItems, of: page, in: .responseLocation).shownNames
        return Violation(
            [
                Evidence(asked),
                Evidence(
                    place: Place(exchange: page, part: .responseLocation, name: ""),
                    value: Masking.shown(names, of: "names"),
                    note: "came as query"
                ),
            ],
            severity: isRefused ? .error : .warning,
            exchange: page
        )
    }

    /// A form with what the user typed at the provider, which a redirect sent on to the app together with the answer.
    private func sentOn(_ response: AuthorizationResponse, _ flow: Flow) -> Violation? {
        guard let form = SentOnForm(response, in: flow), form.secret != nil else { return nil }
        return Violation(
            form.evidence(in: flow),
            severity: .warning,
            saying: form.words,
            exchange: form.source
        )
    }

    /// Whether a page of the app's own posted the answer to its server.
    private func isOfOwnPage(_ response: AuthorizationResponse, _ flow: Flow) -> Bool {
        guard let callback = response.callback else { return false }
        let request = flow.capture[callback].request
        guard let sender = request.headers.first("origin").flatMap({ RecordedURL($0).origin }) else {
            return false
        }
        return sender == request.url.origin
    }

    /// Whether the app took the code from where it came.
    private func isRead(_ response: AuthorizationResponse, _ flow: Flow) -> Bool {
        response.code.map { code in flow.tokenRequests.contains { $0.code == code } } ?? false
    }

    private static let read = """
        The app asked for the answer in one place, the provider put it in another, and the app read it there and brought the code away. That ends with a \
        provider that does as it is asked; and what is in a query ends up in logs and histories.
        """

    /// As the provider sent it, whatever a page of the app made of it.
    private static func used(_ response: AuthorizationResponse, _ flow: Flow) -> AuthorizationResponse.Mode {
        guard response.mode != .formPost, let exchange = response.deliveredBy,
            let location = flow.capture[exchange].response?.location
        else { return response.mode }
        let isFragment = AuthorizationResponse.isResponse(
            RecordedURL(location).fragmentItems,
            mode: .fragment
        )
        return isFragment ? .fragment : .query
    }

    /// The mode that was asked for, whether signed, and the parameter that says so; nil where any will do.
    private static func asked(_ attempt: LoginAttempt) -> (AuthorizationResponse.Mode, Bool, Parameter?)? {
        let types = attempt.responseTypes
        let isFront = types.contains("token") || types.contains("id_token")
        let usual: AuthorizationResponse.Mode = isFront ? .fragment : .query
        guard let parameter = attempt.parameter("response_mode") else {
            return isFront || types == ["code"]
                ? (usual, false, attempt.parameter("response_type")) : nil
        }
        switch parameter.value {
        case "query":
            return (
                isFront ? .fragment : .query, false, isFront ? attempt.parameter("response_type") : parameter
            )
        case "fragment": return (.fragment, false, parameter)
        case "form_post": return (.formPost, false, parameter)
        case "jwt": return (usual, true, parameter)
        case "query.jwt": return (.query, true, parameter)
        case "fragment.jwt": return (.fragment, true, parameter)
        case "form_post.jwt": return (.formPost, true, parameter)
        default: return nil
        }
    }
}
