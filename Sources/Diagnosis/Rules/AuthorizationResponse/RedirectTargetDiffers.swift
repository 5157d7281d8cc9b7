import Captures
import Flows
import JSON
import OAuth

/// The provider sent its answer to another address than the redirect URI of the request.
struct RedirectTargetDiffers: Rule {
    static let info = RuleInfo(
        id: "redirect-target-differs",
        title: "The provider redirected to another address than asked",
        severity: .error,
        explanation: """
            The request named one redirect URI and the provider's answer went to another. The app waits at the first; libraries that are \
            handed the second refuse it, since it is not theirs.
            """,
        fix: """
            Register the redirect URI exactly as the app sends it. Providers fall back to a default, or rewrite what they do not find: \
            app:/callback and app://callback are two different addresses.
            """,
        badExample: """
            GET /authorize?redirect_uri=io.example.app%3A%2Fcallback&…
            302 Location: io.example.app://callback?code=…
            """,
        goodExample: """
            GET /authorize?redirect_uri=io.example.app%3A%2Fcallback&…
            302 Location: io.example.app:/callback?code=…
            """,
        specifications: [.rfc(6749, "3.1.2")]
    )

    /// The redirect URIs of all requests of the capture, as they are compared.
    private struct KnownTargets {
        var urls: Set<ByteText>
    }

    func verdict(on flow: Flow) -> Verdict {
        if let violation = GoTrueRedirect.violation(in: flow) { return .violated(violation) }
        let known = flow.surroundings.derived.value {
            KnownTargets(
                urls: Set(
                    flow.surroundings.requestValues.redirectURIs.map { Self.normal(RecordedURL($0.text)) }
                )
            )
        }
        return Verdict.first(of: flow.loginAttempts) { attempt in
            guard let request = attempt.request, let asked = attempt.parameter("redirect_uri") else {
                return .holds
            }
            if let response = attempt.response {
                return changedQuery(response, asked, flow).map { .violated($0) } ?? .holds
            }
            for sent in deliveries(of: request, flow) {
                let address = RecordedURL(asked.value)
                let isStray =
                    Self.isOfOneApp(sent.target, address)
                    && flow.capture[sent.place.exchange ?? request.exchange].request.url.origin
                        != address.origin
                guard isAnswer(sent.items, attempt, isStray: isStray),
                    Self.isElsewhere(sent.target, than: request.endpoint, asked),
                    !known.urls.contains(Self.normal(sent.target))
                else { continue }
                let seen = sent.target.withoutQuery
                let note = Difference.note(expected: RecordedURL(asked.value).withoutQuery, seen: seen)
                return .violated(
                    Violation(
                        [
                            Evidence(asked),
                            Evidence(
                                place: sent.place,
                                value: Masking.shown(seen, of: "location"),
                                note: note
                            ),
                        ],
                        exchange: sent.place.exchange
                    )
                )
            }
            return .holds
        }
    }

    /// Parameters that a page of the provider sends to an address.
    private struct Delivery {
        var target: RecordedURL
        var items: QueryItems
        /// Where the address stands.
        var place: Place
    }

    /// What the provider sends the browser on with, by redirects and by the forms that its pages post (OAuth 2.0 Form Post Response Mode,
    /// section 2), in order of time.
    private func deliveries(of request: AuthorizationRequest, _ flow: Flow) -> [Delivery] {
        ProviderPages.of(request, in: flow).flatMap { page -> [Delivery] in
            let url = flow.capture[page].request.url
            if let location = flow.capture[page].response?.location {
                let target = url.resolving(location)
                let items = target.queryAndFragmentItems
                let place = Place(exchange: page, part: .responseLocation, name: "")
                return [Delivery(target: target, items: items, place: place)]
            }
            let forms = flow.surroundings.page(page)?.forms ?? []
            return forms.filter { $0.method == "post" && !$0.action.isEmpty }.map { form in
                Delivery(
                    target: url.resolving(form.action),
                    items: QueryItems(
                        items: form.fields.map { .init(name: $0.name, value: $0.value, rawValue: $0.value) }
                    ),
                    place: Place(exchange: page, part: .responseBody, name: "")
                )
            }
        }
    }

    /// Whether an address is none of the provider's own: on this machine, where all have one host, by its port.
    ///
    /// The provider's pages may have another port than its endpoint there, and are told of errors.
    private static func isElsewhere(_ target: RecordedURL, than endpoint: RecordedURL, _ asked: Parameter)
        -> Bool
    {
        guard target.isWeb, let host = target.host, host == endpoint.host else { return true }
        guard LoopbackHost.isLoopback(host), target.origin != endpoint.origin else { return false }
        return target.origin == RecordedURL(asked.value).origin
            || !target.queryItems.items.contains { $0.name == "error" }
    }

    /// A redirect that lost the redirect URI's own query, or some of it: the provider has to keep it (RFC 6749, section 3.1.2).
    private func changedQuery(_ response: AuthorizationResponse, _ asked: Parameter, _ flow: Flow)
        -> Violation?
    {
        // A parameter that the answer has, too, may have been written once.
        let own = RecordedURL(asked.value).queryItems.items.filter {
            !$0.value.isEmpty && !["state", "code", "error", "iss"].contains($0.name)
        }
        guard !own.isEmpty, [.query, .fragment].contains(response.mode), let page = response.deliveredBy,
            let location = flow.capture[page].response?.location
        else { return nil }
        let items = RecordedURL(location).queryItems.items
        let kept = Set(items.flatMap { Self.readings(of: $0) })
        let lost = own.filter { Self.readings(of: $0).allSatisfy { !kept.contains($0) } }
        guard let first = lost.first else { return nil }
        // A redirect in steps may have been written by the app.
        guard RecordedURL(asked.value).origin != flow.capture[page].request.url.origin else { return nil }
        let status = response.callback.flatMap { flow.capture[$0].response?.status }
        let names = lost.map(\.name).prefix(6).joined(separator: ", ")
        let isThere = items.contains { $0.name == first.name }
        return Violation(
            [
                Evidence(asked),
                Evidence(
                    place: Place(exchange: page, part: .responseLocation, name: ""),
                    value: Masking.shown(location, of: "location"),
                    note: isThere ? "another \(first.name)" : "without \(names)"
                ),
            ],
            severity: (status ?? 0) >= 400 ? .error : .warning,
            explanation: Self.queryChanged,
            fix: Self.queryChangedFix,
            title: "The provider did not keep the query of the redirect URI",
            exchange: page
        )
    }

    /// The name and value of a parameter as a form has them, where a plus is a space, and as other parts of a URL do, where it is none.
    private static func readings(of item: QueryItems.Item) -> [[ByteText]] {
        [
            ["form", item.name, item.value], ["plain", item.name, PercentEncoding.decode(item.rawValue)],
        ].map { $0.map(ByteText.init) }
    }

    private static let queryChanged = """
        The redirect URI has a query of its own. The provider has to keep it and add its parameters behind; it sent the browser to the same \
        address without it, or with another one.
        """
    private static let queryChangedFix = """
        Register the redirect URI with its query, if the provider takes one; else keep what is in the query in the login that the state stands for, or in the path.
        """

    /// Whether what is sent is an answer to this request: with a code or error, and with its state; a code that goes astray to the app that
    /// asked (`isStray`) is one whatever became of the state.
    private func isAnswer(_ items: QueryItems, _ attempt: LoginAttempt, isStray: Bool) -> Bool {
        guard AuthorizationResponse.isResponse(items, mode: .fragment) else { return false }
        guard let state = attempt["state"], items.first("state") == state else {
            return isStray && items.first("code")?.isEmpty == false
        }
        // GitHub tells the address that is registered; a rule of the request says more of it.
        return items.first("error") != "redirect_uri_mismatch"
    }

    /// Whether two addresses are of one app: of one origin on the web, of one scheme elsewhere.
    private static func isOfOneApp(_ one: RecordedURL, _ other: RecordedURL) -> Bool {
        guard one.isWeb else { return !other.isWeb && one.scheme?.lowercased() == other.scheme?.lowercased() }
        return one.origin == other.origin
    }

    /// What browsers do not tell apart is the same.
    private static func normal(_ url: RecordedURL) -> ByteText {
        guard url.isWeb else { return ByteText(url.normalizedWithoutQuery) }
        return ByteText((url.origin ?? "") + (url.path.isEmpty ? "/" : PercentEncoding.decode(url.path)))
    }
}
