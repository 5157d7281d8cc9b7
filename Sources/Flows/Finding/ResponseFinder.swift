import Captures
import JSON
import OAuth

/// Finds the authorization responses of a capture: in the redirects to known redirect URIs, in pages with
/// an automatic form, in the requests that arrive there, and in what else leads to an app's own scheme.
///
/// One response seen at several places is one. Behind a proxy that ends https, requests count as the browser made them.
struct ResponseFinder {
    private let capture: Capture
    private let order: [Int]
    private let targets: Set<String>
    /// Of the requests.
    private let states: Set<String>
    /// The queries that redirect URIs have of their own (RFC 6749, section 3.1.2).
    private let ownQueries: OwnQueries
    /// Whether a redirect URI is in plain http.
    private let hasPlainTargets: Bool
    private let appLinks: AppLinks
    private let pages: PageReadings

    /// `pages`: keeps the pages that are read here for who asks next.
    init(
        capture: Capture,
        pages: PageReadings,
        order: [Int],
        requests: [AuthorizationRequest],
        tokens: [TokenRequest],
        registrations: [EndpointCall]
    ) {
        self.capture = capture
        self.pages = pages
        self.order = order
        var uris = requests.compactMap(\.redirectURI) + tokens.compactMap(\.redirectURI)
        for call in registrations {
            uris += call.answer.json?["redirect_uris"]?.array?.compactMap(\.string) ?? []
        }
        uris += UnnamedTargets.targets(of: requests, in: capture, order: order)
        if requests.isEmpty { uris += LoneAnswers.targets(in: capture, order: order) }
        states = Set(requests.compactMap(\.state))
        if !requests.isEmpty {
            uris += LoneAnswers.walletTargets(in: capture, order: order, besides: states)
        }
        targets = Set(uris.map { Self.key(RecordedURL($0)) })
        ownQueries = OwnQueries(requests, tokens, uris, order: order, key: Self.key)
        hasPlainTargets = targets.contains { $0.hasPrefix("http:") }
        appLinks = AppLinks(to: uris)
    }

    func responses() -> [AuthorizationResponse] {
        guard !targets.isEmpty else { return [] }
        var trail = ResponseTrail()
        var linked: [AuthorizationResponse] = []
        for index in order {
            let exchange = capture[index]
            if exchange.isErrorAhead { continue }
            let arriving = arriving(with: exchange, index, &trail)
            if let arriving, let url = passingOn(trail.found[arriving], exchange, index) {
                trail.sentOn[url] = arriving
            } else if let delivered = delivery(exchange, index) {
                trail.deliver(delivered, at: Self.key(delivered.target))
            } else if let brought = link(in: exchange, index) {
                linked.append(brought)
            }
        }
        return linked.isEmpty ? trail.found : merged(trail.found, linked)
    }

    /// The code, in a signed answer or without one, that is brought to an app by its own scheme and not by a redirect.
    ///
    /// An error only from a page that leaves its user nothing to do: what still asks may have the answer of its "cancel" ready.
    private func link(in exchange: Exchange, _ index: Int) -> AuthorizationResponse? {
        let brought = appLinks.addresses(in: exchange).compactMap {
            redirect(to: $0, index, in: .responseBody)
        }
        if let response = brought.first(where: { !($0.code ?? "").isEmpty }) { return response }
        guard let response = brought.first, Set(brought.map(\.error?.error)).count == 1,
            response.error != nil, response.state.map(states.contains) ?? false,
            AppLinks.isLeftAlone(exchange)
        else { return nil }
        return response
    }

    /// In the order of time; what a redirect brings as well, or a page shown twice, counts once.
    ///
    /// An error that a page had ready is none where the code came.
    private func merged(_ found: [AuthorizationResponse], _ linked: [AuthorizationResponse])
        -> [AuthorizationResponse]
    {
        func value(of response: AuthorizationResponse) -> String? {
            response.parameters["code"] ?? response.parameters["response"]
                ?? response.parameters["error"].map { "\($0) \(response.state ?? "")" }
        }
        let granted = Set((found + linked).compactMap { ($0.code ?? "").isEmpty ? nil : $0.state })
        let linked = linked.filter { $0.error == nil || !($0.state.map(granted.contains) ?? false) }
        var known = Set(found.compactMap(value))
        let others = linked.filter { value(of: $0).map { known.insert($0).inserted } ?? false }
        let places = Dictionary(order.enumerated().map { ($1, $0) }) { first, _ in first }
        func place(of response: AuthorizationResponse) -> Int {
            (response.deliveredBy ?? response.callback).flatMap { places[$0] } ?? 0
        }
        return (found + others).sorted { place(of: $0) < place(of: $1) }
    }

    /// The response that arrives with an exchange; nil where none does that the app might send on.
    private func arriving(with exchange: Exchange, _ index: Int, _ trail: inout ResponseTrail) -> Int? {
        if let response = trail.sentOn.removeValue(forKey: address(of: exchange).text) {
            let items = added(to: exchange.request.url, at: index)
            trail.sendOn(response, to: index, Parameters(items, of: index, in: .requestQuery))
            return response
        }
        if let response = upgraded(exchange, index, trail) {
            // HSTS: the browser asks for it by https, without a request that could be seen.
            trail.arrive(response, at: Self.key(trail.found[response].target), index)
            return response
        }
        if let arrived = arrival(exchange, index) {
            return trail.arrive(arrived, at: Self.key(arrived.target), index)
        }
        if exchange.request.method == "GET" { trail.loadPage(at: Self.key(address(of: exchange)), index) }
        return nil
    }

    // MARK: - On from the redirect URI

    /// Where a callback's answer sends the response on, as it came.
    private func passingOn(_ response: AuthorizationResponse, _ exchange: Exchange, _ index: Int) -> String? {
        guard response.mode == .query, response.sentOnBy.count < Self.mostHops,
            let location = exchange.response?.location
        else { return nil }
        let address = address(of: exchange)
        let url = address.resolving(location)
        // Not as the provider sent it: what was lost on the way to the redirect URI is not sent on either.
        let arrived = Parameters(added(to: address, at: index), of: index, in: .requestQuery)
        guard url.isWeb, url.text != address.text, carries(url, of: index, arrived) else { return nil }
        return url.text
    }

    private func carries(_ url: RecordedURL, of exchange: Int, _ parameters: Parameters) -> Bool {
        let items = added(to: url, at: exchange)
        return ["code", "error", "response", "state"].allSatisfy { items.first($0) == parameters[$0] }
    }

    private static let mostHops = 5

    /// The response that is on its way to the same URL in plain http.
    private func upgraded(
        _ exchange: Exchange,
        _ index: Int,
        _ trail: ResponseTrail
    ) -> Int? {
        let url = exchange.request.url
        guard hasPlainTargets, url.scheme == "https",
            let waiting = trail.underWay[Self.key(RecordedURL("http" + url.withoutQuery.dropFirst(5)))]
        else { return nil }
        return waiting.last { carries(url, of: index, trail.found[$0].parameters) }
    }

    // MARK: - The two sides

    private func delivery(_ exchange: Exchange, _ index: Int) -> AuthorizationResponse? {
        if let location = exchange.response?.location {
            let url = RecordedURL(location)
            if url.unreadableScheme != nil, let response = redirect(to: url, index) { return response }
            let target = address(of: exchange).resolving(location)
            return redirect(to: target.openedByIntent ?? target, index)
        }
        guard let body = exchange.response?.body, (body.size ?? 0) < 1 << 20, body.isPage else { return nil }
        let reading = pages.reading(of: index) { PageReading(body) }
        guard let forms = reading?.forms ?? body.bytes.map({ HTMLForm.all(in: $0) }) else { return nil }
        return posted(by: forms, at: address(of: exchange), index)
    }

    private func redirect(to url: RecordedURL, _ index: Int, in part: Place.Part = .responseLocation)
        -> AuthorizationResponse?
    {
        guard targets.contains(Self.key(url)) else { return nil }
        let modes: [(AuthorizationResponse.Mode, QueryItems)] = [
            (.query, added(to: url, at: index)), (.fragment, url.fragmentItems),
        ]
        guard let (mode, items) = modes.first(where: { AuthorizationResponse.isResponse($1, mode: $0) })
        else { return nil }
        return AuthorizationResponse(
            mode: mode,
            parameters: Parameters(items, of: index, in: part),
            deliveredBy: index,
            target: RecordedURL(url.withoutQuery)
        )
    }

    /// What one of the forms of the page at an address posts to a redirect URI.
    private func posted(by forms: [HTMLForm], at address: RecordedURL, _ index: Int)
        -> AuthorizationResponse?
    {
        for form in forms where form.method == "post" {
            let target = address.resolving(form.action)
            let items = QueryItems(
                items: form.fields.map { QueryItems.Item(name: $0.name, value: $0.value, rawValue: $0.value) }
            )
            guard targets.contains(Self.key(target)), AuthorizationResponse.isResponse(items, mode: .formPost)
            else { continue }
            return AuthorizationResponse(
                mode: .formPost,
                parameters: Parameters(items, of: index, in: .responseBody),
                deliveredBy: index,
                target: RecordedURL(target.withoutQuery)
            )
        }
        return nil
    }

    private func arrival(_ exchange: Exchange, _ index: Int) -> AuthorizationResponse? {
        let url = address(of: exchange)
        guard targets.contains(Self.key(url)), exchange.request.method != "OPTIONS" else { return nil }
        let target = RecordedURL(url.withoutQuery)
        if exchange.request.method == "POST", let form = FormBody.items(of: exchange.request.body),
            AuthorizationResponse.isResponse(form, mode: .formPost)
        {
            return AuthorizationResponse(
                mode: .formPost,
                parameters: Parameters(form, of: index, in: .requestBody),
                callback: index,
                target: target
            )
        }
        let items = added(to: url, at: index)
        guard AuthorizationResponse.isResponse(items, mode: .query), !isPageOfItsOwn(items) else {
            return nil
        }
        return AuthorizationResponse(
            mode: .query,
            parameters: Parameters(items, of: index, in: .requestQuery),
            callback: index,
            target: target
        )
    }

    /// The query of an address without what looks like a response and is the redirect URI's own.
    private func added(to url: RecordedURL, at exchange: Int) -> QueryItems {
        ownQueries.removed(from: url.queryItems, of: Self.key(url), at: exchange)
    }

    /// A page of the app's at the address of its redirect URI, the home page of one that is nothing but a page, may have an
    /// `error` of its own: none that is known, and of no request.
    private func isPageOfItsOwn(_ items: QueryItems) -> Bool {
        guard let error = items.first("error"), items.first("code") == nil, items.first("id_token") == nil,
            items.first("response") == nil, items.first("iss") == nil,
            items.first("error_description") == nil,
            items.first("error_uri") == nil, !states.isEmpty
        else { return false }
        if let state = items.first("state"), states.contains(state) { return false }
        return !AuthorizationErrors.names.contains(error)
    }

    /// Where the browser sent a request, unless the app itself takes its redirect URI for the one behind the proxy.
    private func address(of exchange: Exchange) -> RecordedURL {
        let url = exchange.request.url
        let address = exchange.request.urlOfBrowser
        return address.text != url.text && targets.contains(Self.key(url)) ? url : address
    }

    /// What a redirect URI is found again by, its own query aside: the browser writes it in its own way.
    private static func key(_ url: RecordedURL) -> String { url.normalizedWithoutQuery }
}
