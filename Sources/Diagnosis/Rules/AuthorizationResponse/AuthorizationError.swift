import Captures
import Flows
import OAuth

/// The provider refused the login request with an error that no other rule has anything to say of.
///
/// A symptom: it repeats what the provider said.
struct AuthorizationError: Rule {
    static let info = RuleInfo(
        id: "authorization-error",
        title: "The provider refused the login request",
        severity: .error,
        isSymptom: true,
        explanation: """
            The provider answered the authorization request with an error, at the redirect URI or on a page of its own. What it says is all \
            that the capture knows of the reason.
            """,
        fix: """
            Go by the error's name and text; the provider's documentation explains its own codes, and its log often says more than it tells \
            the browser.
            """,
        badExample: """
            302 Location: https://app.example/callback?error=invalid_request&error_description=…&state=…
            """,
        goodExample: """
            302 Location: https://app.example/callback?code=…&state=…
            """,
        specifications: [.rfc(6749, "4.1.2.1")]
    )

    func verdict(on flow: Flow) -> Verdict {
        for attempt in flow.loginAttempts + flow.loneAnswers {
            if let lost = withoutEndpointQuery(attempt, flow) { return .violated(lost) }
            guard let refusal = refusal(of: attempt, flow), !isExplained(refusal, of: attempt, flow)
            else { continue }
            if let older = ofOlderEndpoint(refusal, attempt) { return .violated(older) }
            var evidence = [refusal.evidence()]
            if let uri = attempt.response?.parameters.parameter("error_uri") {
                evidence.append(Evidence(uri))
            }
            guard attempt.request != nil else {
                return .violated(
                    Violation(
                        evidence,
                        explanation: Self.unrequested,
                        fix: Self.unrequestedFix,
                        exchange: refusal.exchange
                    )
                )
            }
            let words = words(for: refusal, of: attempt, flow)
            return .violated(
                Violation(
                    evidence + (words?.evidence ?? []),
                    explanation: words?.explanation,
                    fix: words?.fix,
                    exchange: refusal.exchange
                )
                .toldOfFront(in: flow)
            )
        }
        if let stopped = stoppedInFront(flow) { return .violated(stopped) }
        // Asked by the browser itself: a user's own no never gets as far as the provider.
        for handed in HandedCredential.all(in: flow) {
            guard let refusal = handed.refusal, let asked = handed.assertion else { continue }
            if asked.isStatusRefused { return .violated(unknownOrigin(asked, refusal, flow)) }
            let uri = handed.response?.parameters.parameter("error_uri").map { Evidence($0) }
            return .violated(
                Violation(
                    [refusal, uri, handed.client.map { Evidence($0) }].compactMap(\.self),
                    exchange: asked.exchange
                )
            )
        }
        return (deviceRefusal(in: flow) ?? logoutRefusal(in: flow)).map { .violated($0) } ?? .holds
    }

    private static let unrequested = """
        The provider answered a login request with an error. The recording begins after that request, so what the provider says is all that the \
        capture knows of the reason.
        """
    private static let unrequestedFix = """
        Go by the error's name and text. To see what was asked for, record once more and begin before the sign-in: in a browser's developer tools, \
        open the network panel first and keep its log over the redirects.
        """

    /// What is known of a refusal that says little, or says it in words of its own.
    private func words(for refusal: RequestRefusal, of attempt: LoginAttempt, _ flow: Flow) -> (
        evidence: [Evidence], explanation: String?, fix: String
    )? {
        if refusal.error == "invalid_state" {
            let state = attempt.parameter("state").map {
                Evidence($0, note: "\($0.value.unicodeScalars.count) characters")
            }
            return ([state ?? attempt.missing("state")], Self.weakState, Self.weakStateFix)
        }
        if refusal.channel == .page,
            let assertion = BrokeredAssertion.evidence(at: refusal.exchange, in: flow)
        {
            return ([assertion], BrokeredAssertion.explanation, BrokeredAssertion.fix)
        }
        let page = flow.capture[refusal.exchange].request.url
        guard refusal.channel == .page, page.queryItems.first("errorId") != nil else { return nil }
        return ([], nil, Self.identityServer)
    }

    /// Hydra and others that are built on Fosite.
    private static let weakState = """
        This provider takes no request without a state of some length, so that nobody can guess it, and answers others with an error before it asks the \
        user for anything.
        """
    private static let weakStateFix = """
        Have the client send a random state of at least eight characters: in many libraries it is an option that is off (Passport: state: true). Compare \
        it at the callback.
        """
    private static let identityServer = """
        IdentityServer tells the reason in its own log alone, at the time of this page. unauthorized_client and invalid_request stand there for a client that \
        is not known or not enabled, a redirect URI that is not among its RedirectUris to the letter, a response type that its AllowedGrantTypes do not have, \
        and a missing code_challenge.
        """

    /// A request to the authorization endpoint's path without the query that is part of its URL (RFC 6749, section 3.1), to which
    /// nothing came that asks the user for anything.
    private func withoutEndpointQuery(_ attempt: LoginAttempt, _ flow: Flow) -> Violation? {
        guard flow.ending != .success, attempt.response == nil, let request = attempt.request,
            !request.isUnseen, flow.capture[request.exchange].response != nil
        else { return nil }
        let url = flow.capture[request.exchange].request.url
        let asked = EndpointAddress(url)
        let named = flow.serverMetadata.compactMap { document in
            document.endpoint("authorization_endpoint").map { (document, RecordedURL($0)) }
        }
        let addresses = named.map { EndpointAddress($0.1) }
        guard let index = addresses.firstIndex(where: { $0.place == asked.place }),
            // Another query of the same names may be another endpoint, of which no metadata tell.
            !addresses.contains(where: { $0.takes(asked) || $0.place == asked.place && $0.contradicts(asked) }
            ),
            !attempt.pages.contains(where: { page in
                (flow.capture[page].response?.body?.bytes).map { HTMLForm.isAsking(in: $0) } ?? false
            })
        else { return nil }
        let (document, endpoint) = named[index]
        return Violation(
            [
                Evidence(
                    place: Place(exchange: request.exchange, part: .requestURL, name: ""),
                    value: Masking.shown(url.text, of: "url"),
                    note: "where the browser was sent"
                ),
                Evidence(
                    place: document.answer.place("authorization_endpoint"),
                    value: Masking.shown(endpoint.text, of: "url"),
                    note: "where the endpoint is"
                ),
            ],
            explanation: """
                The authorization endpoint's URL has a query of its own, by which the server knows it from what else there is at the same path. The client put \
                its parameters in that query's place, and the browser came to another page.
                """,
            fix: """
                Add the parameters to the query that the authorization_endpoint of the metadata has, with & (RFC 6749, section 3.1 wants it kept): a matter of the \
                client's library, or of an address that was typed in without it.
                """,
            title: "The login request has not the query of the authorization endpoint",
            exchange: request.exchange
        )
    }

    /// Entra's endpoints of version 1 have no tokens for personal accounts of Microsoft.
    private func ofOlderEndpoint(_ refusal: RequestRefusal, _ attempt: LoginAttempt) -> Violation? {
        let numbers = ["aadsts500201", "aadsts500202"]
        guard let request = attempt.request, refusal.says(numbers) else { return nil }
        return Violation(
            [
                Evidence(
                    place: Place(exchange: request.exchange, part: .requestURL, name: ""),
                    value: Masking.shown(request.endpoint.text, of: "url"),
                    note: "where the app asked"
                ), refusal.evidence(around: numbers),
            ],
            explanation: """
                The user signed in with a personal Microsoft account, or one from elsewhere, and the app asked at an endpoint of Entra's \
                first version, which issues tokens for accounts of organizations alone.
                """,
            fix: """
                Take the endpoints of version 2: /oauth2/v2.0/authorize and /oauth2/v2.0/token, with scope instead of resource, under \
                common or consumers. The app's registration has to allow personal accounts as well.
                """,
            title: "The endpoint has no tokens for this kind of account",
            exchange: refusal.exchange,
            isCause: true
        )
    }

    /// Some firewalls answer with a page and success: the last one that the login came to.
    private func stoppedInFront(_ flow: Flow) -> Violation? {
        guard flow.ending != .success else { return nil }
        return flow.loginAttempts.lazy.compactMap { attempt -> Violation? in
            guard attempt.response == nil, let request = attempt.request,
                let page = ProviderPages.of(request, in: flow).last,
                let response = flow.capture[page].response, (200..<300).contains(response.status),
                FrontRefusal(of: page, in: flow) != nil
            else { return nil }
            let words = PageText.start(of: response.body)
            return Violation(
                [
                    Evidence(
                        place: Place(exchange: page, part: .responseStatus, name: ""),
                        value: "\(response.status)"
                    ),
                    words.isEmpty
                        ? nil
                        : Evidence(
                            place: Place(exchange: page, part: .responseBody, name: ""),
                            value: Masking.shown(words, of: "body")
                        ),
                ]
                .compactMap(\.self),
                exchange: page
            )
            .toldOfFront(in: flow)
        }.first
    }

    /// Google shows nothing then, and its script writes a line to the console alone.
    private func unknownOrigin(_ asked: EndpointCall, _ refusal: Evidence, _ flow: Flow) -> Violation {
        let exchange = flow.capture[asked.exchange].request
        let origin = exchange.headers.first("origin") ?? exchange.headers.first("referer")
        let page = Evidence(
            place: Place(
                exchange: asked.exchange,
                part: .requestHeader,
                name: exchange.headers.contains("origin") ? "Origin" : "Referer"
            ),
            value: origin.map { Masking.shown($0, of: "origin") } ?? "none",
            note: origin == nil ? "the page sent none" : "the page that asked"
        )
        let client = asked.parameters.parameter("client_id").map { Evidence($0) }
        return Violation(
            [refusal, page, client].compactMap(\.self),
            explanation: """
                Google's script asked who is signed in before it offers a sign-in (One Tap, or the button with a name). The answer is 403: the page's origin is \
                not among those that the client is registered with. Nothing is shown to the user then; the browser's console says "The given origin is not \
                allowed for the given client ID".
                """,
            fix: """
                Add the origin to the client's authorized JavaScript origins at Google, exactly, with scheme and port (for development http://localhost as well as \
                http://localhost:PORT), and let the page send it: Referrer-Policy: no-referrer-when-downgrade where it is not https. A change takes some minutes.
                """,
            title: "Google does not know the page's origin for this client",
            exchange: asked.exchange
        )
    }

    /// Of a request for a device code, or for a sign-in on the user's own device, of which no other rule has anything to say.
    private func deviceRefusal(in flow: Flow) -> Violation? {
        for call in ClientCall.all(in: flow)
        where call.kind == .deviceAuthorization || call.kind == .backchannelAuthentication {
            guard call.answer.isRefusal, !call.isClientRefused, let status = call.answer.status,
                status < 500,
                !(flow.capture[call.exchange].response.map(RateLimited.isOne) ?? false),
                !isExplained(call.exchange, flow)
            else { continue }
            guard call.kind == .deviceAuthorization else {
                return Violation(
                    [call.answer.evidence()],
                    explanation: """
                        The provider did not ask the user to sign in on their own device. What it says is all that the capture knows of the reason.
                        """,
                    exchange: call.exchange
                )
            }
            let other = status == 404 || status == 405 ? endpoint(otherThan: call, flow) : nil
            return Violation(
                [call.answer.evidence(), other].compactMap(\.self),
                explanation: other == nil
                    ? "The provider gave the device no code. What it says is all that the capture knows of the reason."
                    : "The device asked for a code at another address than the one that the provider's metadata names, where nothing answers it.",
                fix: other == nil
                    ? nil : "Send the request to the device_authorization_endpoint of the metadata.",
                title: other == nil ? nil : "The provider takes requests for device codes at another address",
                exchange: call.exchange
            )
        }
        return nil
    }

    /// What the metadata of the server names, where a device asked somewhere else.
    private func endpoint(otherThan call: ClientCall, _ flow: Flow) -> Evidence? {
        flow.serverMetadata.lazy.compactMap { document -> Evidence? in
            let name = "device_authorization_endpoint"
            guard let named = document.endpoint(name).map({ RecordedURL($0) }),
                named.origin == call.endpoint.origin,
                !named.isEndpoint(call.endpoint)
            else { return nil }
            return Evidence(
                place: document.answer.place(name),
                value: Masking.shown(named.text, of: "url"),
                note: "where the provider takes such requests"
            )
        }.first
    }

    /// Of the logout that ended a flow which went well until then, where no rule of its stage has anything to say.
    private func logoutRefusal(in flow: Flow) -> Violation? {
        guard flow.ending == .failure, !flow.tokenRequests.contains(where: \.answer.isRefusal),
            RejectedCallback.all(in: flow).isEmpty, let logout = LogoutCall.all(in: flow).last,
            case .refused(let place) = logout.course.end, let exchange = place.exchange,
            let status = flow.capture[exchange].response?.status, status < 500, status != 429
        else { return nil }
        let isExplained = LogoutAndDeviceRules.list.contains { rule in
            guard case .violated(let violation) = flow.verdict(of: rule) else { return false }
            return violation.severity != .note && violation.faultyExchange == logout.call.exchange
        }
        guard !isExplained else { return nil }
        // A hint that the provider repeats is a token.
        let words = Masking.hiding(logout.call.parameters["id_token_hint"] ?? "", in: logout.course.words)
        return Violation(
            [
                words.isEmpty
                    ? logout.answer(in: flow)
                    : Evidence(
                        place: Place(exchange: exchange, part: .responseBody, name: ""),
                        value: Masking.shown(Excerpt.start(of: words, 120), of: "body"),
                        note: "refused with status \(status)"
                    ),
                Evidence(
                    place: Place(exchange: logout.call.exchange, part: .requestQuery, name: ""),
                    value: Masking.shown(
                        logout.call.parameters.items.map(\.name).joined(separator: ", "),
                        of: "parameters"
                    ),
                    note: "what was sent"
                ),
            ],
            explanation:
                "The provider answered the logout request with an error. What it says is all that the capture knows of the reason.",
            fix: """
                Go by the provider's words and its log; it names what it misses or does not accept of id_token_hint, client_id and \
                post_logout_redirect_uri.
                """,
            title: "The provider refused the logout request",
            exchange: logout.call.exchange
        )
    }

    private func isExplained(_ exchange: Int, _ flow: Flow) -> Bool {
        (Self.reasons + [UnsupportedGrantType()]).contains { rule in
            guard case .violated(let violation) = flow.verdict(of: rule) else { return false }
            return violation.faultyExchange == exchange
        }
    }

    private func refusal(of attempt: LoginAttempt, _ flow: Flow) -> RequestRefusal? {
        if attempt.response != nil { return RequestRefusal(delivered: attempt.response) }
        guard let request = attempt.request else { return nil }
        if let refusal = attempt.refusal, isTold(refusal, request, flow) { return refusal }
        // After the user did something: only what names an error of the protocol, not a wrong password.
        let pages = ProviderPages.of(request, in: flow)
        return pages.lazy.compactMap { page in
            flow.refusal(on: [page], redirectURI: request.redirectURI)
        }.first { isTold($0, request, flow) && ($0.isOAuthError || $0.text.containsBytes("AADSTS")) }
            ?? SignInEnd.refusal(on: pages, in: flow)
    }

    /// Told to the user by the provider, or to the app for what it asked.
    private func isTold(_ refusal: RequestRefusal, _ request: AuthorizationRequest, _ flow: Flow) -> Bool {
        guard (refusal.status ?? 0) < 500, refusal.status != 429 else { return false }
        if refusal.isOfTheRequest { return true }
        // Where nobody knows the redirect URI, another host may be the app, told of the user's own no.
        return refusal.channel == .page
            && (request.redirectURI != nil
                || flow.capture[refusal.exchange].request.url.host == request.endpoint.host)
    }

    /// Whether a rule that knows the reason points at the same place.
    private func isExplained(_ refusal: RequestRefusal, of attempt: LoginAttempt, _ flow: Flow) -> Bool {
        // What was registered is wrong in the request itself, whatever the refusal says.
        let isRegistrations = RegistrationRules.list.contains { rule in
            guard case .violated(let violation) = flow.verdict(of: rule) else { return false }
            return violation.evidence.contains { $0.place.exchange == attempt.exchange }
        }
        if isRegistrations { return true }
        let redirect = flow.surroundings.redirectedFrom[refusal.exchange]
        return Self.reasons.contains { rule in
            guard case .violated(let violation) = flow.verdict(of: rule) else { return false }
            return violation.evidence.contains { evidence in
                evidence.place == refusal.place
                    || evidence.place.exchange == refusal.exchange
                        && [.responseBody, .responseStatus].contains(evidence.place.part)
                    // The text beside the error's name, in the address of the provider's page.
                    || evidence.place.exchange == refusal.exchange
                        && (refusal.exchange != attempt.exchange || refusal.place.part == .responseLocation)
                        && refusal.channel == .page
                        && evidence.place.part == refusal.place.part
                    // Told better by the page that the redirect leads to.
                    || refusal.channel == .page && refusal.place.part == .responseLocation
                        && evidence.place.exchange.flatMap { flow.surroundings.redirectedFrom[$0] }
                            == refusal.exchange
                    // Told already by the redirect to the page.
                    || redirect != nil && evidence.place.exchange == redirect
                        && evidence.place.part == .responseLocation
            }
        }
    }

    /// Rules about why a provider refuses a request.
    private static let reasons: [any Rule] =
        RegistrationRules.list + AuthorizationRequestRules.list + UserAgentRules.list
        + [UserCancelled(), AccessDeniedByPolicy(), ProviderServerError(), ACRNotSatisfied()]
        + ProviderSpecificRules.list
}
