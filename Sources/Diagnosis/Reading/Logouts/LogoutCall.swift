import Captures
import Flows
import JOSE
import JSON
import OAuth

/// A logout request of a flow with what became of it.
struct LogoutCall {
    /// The family of logout endpoints, as they differ in what they read.
    enum Dialect {
        /// OpenID Connect RP-Initiated Logout.
        case standard
        /// Auth0's own `/v2/logout`: `client_id` and `returnTo`.
        case auth0
        /// Cognito's `/logout`: `client_id` and `logout_uri`, or `redirect_uri` to sign in again.
        case cognito

        /// The parameters by which it is told where to go next, the usual one first.
        var targetNames: [String] {
            switch self {
            case .standard: ["post_logout_redirect_uri"]
            case .auth0: ["returnTo"]
            case .cognito: ["logout_uri", "redirect_uri"]
            }
        }
    }

    var call: EndpointCall
    var course: LogoutCourse
    var dialect: Dialect
    /// Named by metadata, or at an address that only a provider has.
    var isKnown: Bool

    /// In order of time.
    static func all(in flow: Flow) -> [LogoutCall] { flow.derived.value { Found(in: flow) }.calls }

    /// Followed once for all rules.
    private struct Found: Sendable {
        let calls: [LogoutCall]

        init(in flow: Flow) {
            // Where the flow speaks to a provider.
            let origins = Set(
                flow.messages.lazy.compactMap { message in
                    switch message {
                    case .authorizationRequest, .token, .discovery, .userInfo:
                        flow.capture[message.exchange].request.url.origin
                    default: nil
                    }
                }
            )
            calls = flow.messages.compactMap { message in
                guard case .endSession(let call) = message else { return nil }
                return LogoutCall(call, at: origins, in: flow)
            }
        }
    }

    private init(_ call: EndpointCall, at origins: Set<String>, in flow: Flow) {
        self.call = call
        course = LogoutCourse(of: call, in: flow.surroundings)
        let path = call.endpoint.path.lowercased()
        dialect =
            if flow.provider == .cognito {
                .cognito
            } else if path.hasSuffix("/v2/logout"), !path.hasSuffix("/openid-connect/v2/logout") {
                .auth0
            } else {
                .standard
            }
        isKnown =
            Self.metadata(of: call, in: flow) != nil || Endpoints.isProtocolLogout(call.endpoint)
            || call.endpoint.origin.map(origins.contains) ?? false
            || call.endpoint.host.map { $0.hasSuffix(".amazoncognito.com") } ?? false
    }

    /// The document that names this endpoint.
    static func metadata(of call: EndpointCall, in flow: Flow) -> MetadataDocument? {
        flow.surroundings.metadata.first { $0.names(call.endpoint, as: "end_session_endpoint") }
    }

    /// Whether it says where to go next by names alone that an endpoint of a dialect of its own does not read.
    var isMisnamed: Bool {
        dialect != .standard && course.wanted != nil
            && !dialect.targetNames.contains(where: call.parameters.contains)
    }

    var hint: Parameter? {
        call.parameters.items.first { $0.name == "id_token_hint" && !$0.value.isEmpty }
    }

    /// The client that it names; an empty `client_id` names none.
    var client: Parameter? {
        call.parameters.items.first { $0.name == "client_id" && !$0.value.isEmpty }
    }

    /// The provider's words in lower case; empty unless it refused.
    var refusalText: String { course.isRefused ? course.words.lowercased() : "" }

    /// Whether the provider's words blame the hint, and neither its age, which is no reason, nor another parameter.
    var isHintNamed: Bool {
        let text = refusalText
        return ["id_token_hint", "id token hint"].contains(where: text.containsBytes)
            && !["expired", "post_logout_redirect_uri", "client_id", "missing", "required", "provided"]
                .contains(where: text.containsBytes)
    }

    /// The words of the page by which the provider refused, as a person reads them; nil where it was none.
    func refusingPage(in flow: Flow) -> String? {
        guard case .refused(let place) = course.end, place.part == .responseBody,
            let body = place.exchange.flatMap({ flow.capture[$0].response?.body })
        else { return nil }
        return PageText.words(of: body)
    }

    /// What the provider answered, as evidence; `words` are quoted where they stand in it.
    func answer(quoting words: String? = nil, in flow: Flow) -> Evidence {
        switch course.end {
        case .refused(let place), .declined(let place):
            let isStatus = place.part == .responseStatus
            let status = place.exchange.flatMap { flow.capture[$0].response?.status } ?? 0
            let said = refusingPage(in: flow) ?? course.words
            guard !isStatus || words != nil else {
                return Evidence(
                    place: place,
                    value: "\(status)",
                    note: course.isDeclined ? "the user declined" : "refused"
                )
            }
            let text = words.map { Excerpt.around($0, in: said) } ?? Excerpt.start(of: said, 120)
            return Evidence(
                place: isStatus ? Place(exchange: place.exchange, part: .responseBody, name: "") : place,
                value: Masking.shown(text, of: "text"),
                note: "refused with status \(status)"
            )
        case .page(let page):
            return flow.statusEvidence(of: page, note: "a page of the provider's, and no way back after it")
        case .sentBack where !course.pages.isEmpty:
            return flow.statusEvidence(of: course.pages[0], note: "a page of the provider's first")
        default: return call.answer.statusEvidence()
        }
    }

    /// The names of what was sent, for evidence of what was not.
    var names: Evidence {
        let isQuery = call.parameters.items.first?.place.part != .requestBody
        return Evidence(
            place: Place(exchange: call.exchange, part: isQuery ? .requestQuery : .requestBody, name: ""),
            value: call.parameters.items.map(\.name).prefix(12).joined(separator: ", ")
        )
    }
}

extension Flow {
    /// Whether the user was signed out before an exchange, and did not sign in again.
    func isSignedOut(before exchange: Int) -> Bool {
        derived.value { SessionEnds(among: messages, in: surroundings) }.isOver(before: exchange)
    }
}
