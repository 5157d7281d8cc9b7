import Captures
import Flows
import OAuth

/// The provider answered a request of the protocol with 429, and the request did not go through later.
///
/// What says so under another status is told by the refusal itself (``Throttling``).
struct RateLimited: Rule {
    static let info = RuleInfo(
        id: "rate-limited",
        title: "The provider throttles this client",
        severity: .error,
        explanation: Throttling.explanation,
        fix: Throttling.fix,
        badExample: """
            POST /token → 429, Retry-After: 30
            """,
        goodExample: """
            POST /token → 429, Retry-After: 30
            POST /token half a minute later → 200
            """,
        specifications: [.rfc(6585, "4")]
    )

    func verdict(on flow: Flow) -> Verdict {
        var refused: [String: [Int]] = [:]
        var order: [String] = []
        var known: Set<String> = []
        for message in flow.messages where isEndpoint(message) {
            guard let status = flow.capture[message.exchange].response?.status else { continue }
            let name = name(of: message, in: flow)
            if status == 429 {
                if known.insert(name).inserted { order.append(name) }
                refused[name, default: []].append(message.exchange)
            } else if status < 400 || isAnsweredPoll(message, status) {
                refused[name] = nil
            }
        }
        let left = order.compactMap { refused[$0] }.filter { !isOtherFormRead(of: $0, in: flow) }
        guard !left.isEmpty else { return signIn(flow) }
        let isOfCode = flow.tokenRequests.contains { request in
            request.code != nil && left.contains { $0.contains(request.exchange) }
        }
        return .violated(
            Violation(
                left.prefix(4).flatMap { evidence($0, flow) },
                exchange: left.compactMap(\.first).min {
                    flow.surroundings.position[$0] < flow.surroundings.position[$1]
                },
                // A code does not last until there is time for it.
                explains: isOfCode ? [CodeExpired.info.id] : []
            )
            .toldOfFront(in: flow)
        )
    }

    /// Whether a client that waits for its user elsewhere was told how that stands, whatever it was told.
    private func isAnsweredPoll(_ message: OAuthMessage, _ status: Int) -> Bool {
        guard case .token(let request) = message else { return false }
        return request.isDecidedElsewhere && status < 500
    }

    /// Whether these asked for a document that the client got from another of the URLs at which it may be.
    private func isOtherFormRead(of refused: [Int], in flow: Flow) -> Bool {
        let documents = flow.messages.compactMap {
            if case .discovery(let document) = $0 { document } else { nil }
        }
        guard let tried = documents.first(where: { refused.contains($0.exchange) }) else { return false }
        return documents.contains {
            $0.isUsable && $0.isProtectedResource == tried.isProtectedResource
                && $0.url.origin == tried.url.origin && $0.url.withoutQuery != tried.url.withoutQuery
        }
    }

    /// A page of the provider's sign-in by which it took no more tries of a user, the last that there was.
    private func signIn(_ flow: Flow) -> Verdict {
        guard flow.ending != .success, let request = flow.authorizationRequests.last,
            flow.authorizationResponses.isEmpty,
            let last = ProviderPages.of(request, in: flow).last(where: {
                flow.isCredentialPost($0) || ForgeRockStep.isOne(flow.capture[$0])
            }),
            let response = flow.capture[last].response, response.status == 429
        else { return .holds }
        let words = PageText.alert(of: response.body) ?? PageText.start(of: response.body)
        let told = Evidence(
            place: Place(exchange: last, part: .responseBody, name: ""),
            value: Masking.shown(words, of: "body"),
            note: "what the page tells the user"
        )
        return .violated(
            Violation(
                evidence([last], flow) + (words.isEmpty ? [] : [told]),
                explanation: """
                    The provider takes no more sign-ins of this user, or from this address, after those before: they came too often, or with wrong \
                    credentials.
                    """,
                fix: """
                    Wait as long as the page or Retry-After says, or have an administrator lift the lock; then sign in with the right credentials. \
                    Where many users come from one address, a proxy's say, have the provider count by the user.
                    """,
                title: "The provider takes no more tries to sign in"
            )
        )
    }

    private func isEndpoint(_ message: OAuthMessage) -> Bool {
        switch message {
        case .resource, .authorizationResponse: false
        default: true
        }
    }

    /// The same for two requests where the second is another try of the first.
    private func name(of message: OAuthMessage, in flow: Flow) -> String {
        let request = flow.capture[message.exchange].request
        let name = request.methodAndURL
        guard case .token(let token) = message else { return name }
        return name + " \(token.code ?? token.refreshToken ?? token.grantType)"
    }

    private func evidence(_ exchanges: [Int], _ flow: Flow) -> [Evidence] {
        guard let last = exchanges.last, let response = flow.capture[last].response else { return [] }
        let url = flow.capture[last].request.url.withoutQuery
        var evidence = [
            flow.statusEvidence(
                of: last,
                note: exchanges.count > 1 ? "\(url), \(exchanges.count) times" : url
            )
        ]
        if let wait = response.headers.first("retry-after") {
            let place = Place(exchange: last, part: .responseHeader, name: "Retry-After")
            evidence.append(Evidence(place: place, value: Masking.shown(wait, of: "retry-after")))
        }
        return evidence
    }
}
