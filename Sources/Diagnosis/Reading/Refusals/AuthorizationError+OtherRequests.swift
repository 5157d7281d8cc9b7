import Captures
import Flows
import OAuth

/// Refusals of what is asked besides authorization requests, of which no other rule has anything to say: by the browser itself, for a device, to
/// sign out.
extension AuthorizationError {
    /// Of what the browser itself asked (FedCM, One Tap): a user's own no never gets as far as the provider.
    func handedRefusal(in flow: Flow) -> Violation? {
        for handed in HandedCredential.all(in: flow) {
            guard let refusal = handed.refusal, let asked = handed.assertion else { continue }
            if asked.isStatusRefused { return unknownOrigin(asked, refusal, flow) }
            let uri = handed.response?.parameters.parameter("error_uri").map { Evidence($0) }
            return Violation(
                [refusal, uri, handed.client.map { Evidence($0) }].compactMap(\.self),
                exchange: asked.exchange
            )
        }
        return nil
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
    func deviceRefusal(in flow: Flow) -> Violation? {
        for call in ClientCall.all(in: flow)
        where call.kind == .deviceAuthorization || call.kind == .backchannelAuthentication {
            guard call.answer.isRefusal, !call.isClientRefused, let status = call.answer.status,
                status < 500,
                !(flow.capture[call.exchange].response.map(Throttling.isOne) ?? false),
                !flow.surroundings.isTakenBehindRedirect(call.exchange), !isExplained(call.exchange, flow)
            else { continue }
            if let redirected = RedirectedCall.violation(
                of: call.answer,
                endpoint:
                    "\(call.kind == .deviceAuthorization ? "device" : "backchannel") authorization endpoint",
                in: flow
            ) {
                return redirected.toldOfFront(in: flow)
            }
            return call.kind == .deviceAuthorization
                ? withoutDeviceCode(call, status, flow) : withoutSignIn(call)
        }
        return nil
    }

    private func withoutSignIn(_ call: ClientCall) -> Violation {
        let remedy = call.answer.error.flatMap { Self.remedies[$0.error] }
        let hints = ["login_hint", "binding_message"]
        let sent =
            remedy == nil
            ? [] : call.parameters.items.filter { hints.contains($0.name) }.map { Evidence($0) }
        return Violation(
            [call.answer.evidence()] + sent,
            explanation: remedy == nil
                ? """
                The provider did not ask the user to sign in on their own device. What it says is all that the capture knows of the reason.
                """
                : "The provider did not ask the user to sign in on their own device, and names why (OpenID Connect CIBA §13).",
            fix: remedy,
            exchange: call.exchange
        )
    }

    /// What is to be done, by the name of the error (OpenID Connect CIBA, section 13).
    private static let remedies = [
        "unknown_user_id": """
        The provider has no user of that hint. Send it in the form by which the provider knows its users (an e-mail address, a phone \
        number with its country, a number of its own), or the ID token of an earlier login as id_token_hint.
        """,
        "expired_login_hint_token": "Have the login_hint_token made anew, right before it is sent.",
        "missing_user_code": """
        The provider wants a code that only the user knows (backchannel_user_code_parameter): ask for it, and send it as user_code.
        """,
        "invalid_user_code": "The user's code was wrong: ask for it once more, and send it as user_code.",
        "invalid_binding_message": """
        Make the binding message short and of plain letters and digits: it has to fit on the user's device beside the question, and some \
        providers take no more than twenty characters.
        """,
    ]

    private func withoutDeviceCode(_ call: ClientCall, _ status: Int, _ flow: Flow) -> Violation {
        let other = status == 404 || status == 405 ? endpoint(otherThan: call, flow) : nil
        let start = other == nil ? call.parameters.parameter("start_url") : nil
        return Violation(
            [call.answer.evidence(), other, start.map { Evidence($0) }].compactMap(\.self),
            explanation: other == nil
                ? "The provider gave the device no code. What it says is all that the capture knows of the reason."
                : "The device asked for a code at another address than the one that the provider's metadata names, where nothing answers it.",
            fix: other == nil
                ? start.map { _ in Self.startFix }
                : "Send the request to the device_authorization_endpoint of the metadata.",
            title: other == nil ? nil : "The provider takes requests for device codes at another address",
            exchange: call.exchange
        )
    }

    /// AWS IAM Identity Center says no word of the reason.
    private static let startFix = """
        Compare sso_start_url and sso_region with the settings of IAM Identity Center: the start URL is that of its access portal, and the region the one that it \
        was set up in, whichever regions are worked in. The host that was asked names the region that the client took.
        """

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
    func logoutRefusal(in flow: Flow) -> Violation? {
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
}
