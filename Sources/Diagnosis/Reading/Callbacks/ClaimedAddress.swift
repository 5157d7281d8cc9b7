import Captures
import Flows
import OAuth

/// An https redirect URI that an app claims for itself, and that a browser opened with an answer which nobody used (RFC 8252, section 7.2).
struct ClaimedAddress: Sendable {
    /// What the browser asked for.
    let callback: Int
    /// What it got, and what shows that the client is an app.
    let evidence: [Evidence]

    /// The first of a flow; nil where the system gave the answers to the app, or a server took them.
    static func opened(in flow: Flow) -> ClaimedAddress? {
        flow.derived.value { Known(address: read(flow)) }.address
    }

    private struct Known: Sendable {
        let address: ClaimedAddress?
    }

    private static func read(_ flow: Flow) -> ClaimedAddress? {
        for login in flow.logins {
            guard let response = login.response, let callback = response.callback,
                let code = response.parameter("code"),
                // What was pushed by a server that is not in the capture shows in the answer alone.
                (login.request.redirectURI.map { RecordedURL($0) } ?? response.target).scheme?.lowercased()
                    == "https",
                login.tokenRequests.isEmpty, AppHandover.relays(of: login, in: flow).isEmpty
            else { continue }
            let exchange = flow.capture[callback]
            guard exchange.request.userAgent?.hasPrefix("Mozilla/") ?? false,
                let status = exchange.response?.status, let sign = sign(of: login, in: flow)
            else { continue }
            let isMissing =
                (status == 404 || isHidden(exchange))
                && (sign.isOfTheClient || !isSentByItsSite(login, callback, flow))
            let isStatic =
                status == 200 && isStaticPage(exchange)
                && (sign.isOfTheClient
                    || isAtRest(after: callback, flow) && !isBegunByItsSite(login, callback, flow))
            let isSentOn = !isMissing && !isStatic && isSentOn(login, from: callback, flow)
            guard isMissing || isStatic || isSentOn, !isUsed(code, after: callback, in: flow) else {
                continue
            }
            return ClaimedAddress(
                callback: callback,
                evidence: [
                    flow.urlEvidence(of: callback, note: "loaded by a browser"),
                    flow.statusEvidence(
                        of: callback,
                        note: isMissing
                            ? nil
                            : "a \(isStatic ? "page" : "redirect") that sets no cookie, and nobody used the code"
                    ),
                    isSentOn ? flow.locationEvidence(of: callback) : nil, sign.evidence,
                ].compactMap(\.self) + association(of: exchange.request.url, before: callback, flow)
            )
        }
        return nil
    }

    /// The system's own look at what the domain says of apps, where that is not what it wants: Apple's by its own servers, or the domain's.
    private static func association(of url: RecordedURL, before callback: Int, _ flow: Flow) -> [Evidence] {
        guard let host = url.host else { return [] }
        let index = flow.surroundings
        let files = [".well-known/apple-app-site-association", ".well-known/assetlinks.json"]
        let last = index.order[...index.position[callback]].suffix(2000).last { exchange in
            let asked = flow.capture[exchange].request.url
            if asked.host == "app-site-association.cdn-apple.com" { return asked.path == "/a/v1/\(host)" }
            return asked.host == host && files.contains { asked.path == "/" + $0 }
        }
        guard let last, let response = flow.capture[last].response else { return [] }
        let isJSON = response.body.map { !$0.isPage } ?? true
        // What has not changed since is as it was then.
        guard response.status != 200 && response.status != 304 || !isJSON else { return [] }
        return [
            flow.urlEvidence(
                of: last,
                note: "the association file: answered with \(response.status)"
                    + (isJSON ? "" : " and a page instead of JSON")
                    + (response.location == nil ? "" : ", a redirect, which the systems do not follow")
            )
        ]
    }

    private static func isStaticPage(_ exchange: Exchange) -> Bool {
        exchange.response.map { $0.body?.isPage ?? false && $0.setCookies.isEmpty } ?? false
    }

    /// Whether a store of files says that it has none there, in the words that it has for what nobody may list (Amazon S3).
    private static func isHidden(_ exchange: Exchange) -> Bool {
        guard let response = exchange.response, response.status == 403 else { return false }
        return response.body?.text?.containsBytes("<Code>AccessDenied</Code>") ?? false
    }

    /// Whether the site sent the browser on as it does with any address that it does not know, to its first page, to one that it has not got,
    /// or to a store of apps: a server that takes a code keeps something of it, in a cookie or in the address that it sends on to, has a page
    /// that says so, or serves the app afterwards.
    private static func isSentOn(_ login: Login, from callback: Int, _ flow: Flow) -> Bool {
        let (index, exchange) = (flow.surroundings, flow.capture[callback])
        guard let response = exchange.response, let location = response.location,
            response.setCookies.isEmpty, index.areCookiesRecorded(at: callback),
            !isBegunByItsSite(login, callback, flow), !isAppServed(by: exchange, after: callback, flow)
        else { return false }
        let target = exchange.request.url.resolving(location)
        if [target.host, target.scheme].contains(where: { Self.stores.contains($0 ?? "") }) { return true }
        let came = exchange.request.url.queryItems
        guard target.isWeb, target.fragment == nil,
            target.queryItems.items.allSatisfy({ came.first($0.name) == $0.value })
        else { return false }
        let landing = FailedLoginNotice.landing(of: callback, in: index)
        let page = flow.capture[landing]
        guard landing != callback, page.request.cookies.isEmpty, isAtRest(after: landing, flow) else {
            return false
        }
        let isFirstPage = ["", "/"].contains(page.request.url.path)
        return page.response?.status == 404
            || page.response?.status == 200 && isFirstPage && isStaticPage(page)
    }

    /// Whether the site of a callback answered well to something that no browser asked.
    private static func isAppServed(by exchange: Exchange, after callback: Int, _ flow: Flow) -> Bool {
        let site = exchange.request.url.host.map(Site.of)
        return flow.exchanges(after: callback, within: .seconds(120)).contains { index in
            let later = flow.capture[index]
            guard later.request.url.host.map(Site.of) == site, let status = later.response?.status,
                !(later.request.headers.first("user-agent")?.hasPrefix("Mozilla/") ?? false)
            else { return false }
            return status < 400
        }
    }

    /// Where an app is to be had: hosts, and schemes of the stores' own.
    private static let stores: Set<String> = [
        "apps.apple.com", "itunes.apple.com", "play.google.com", "market", "itms-apps",
    ]

    /// What shows that the client is an app; of this very client, or of some app in the file.
    private static func sign(of login: Login, in flow: Flow) -> (evidence: Evidence, isOfTheClient: Bool)? {
        if let client = RegisteredClient.of(login.request.clientID, before: login.request.exchange, in: flow),
            let type = client.evidence("application_type"), type.value == "native"
        {
            return (type, true)
        }
        let index = flow.surroundings
        if let fetch = AppOnDevice.fetch(of: login.request, in: flow),
            let agent = PublicAgent(of: flow.capture[fetch].request, at: fetch)
        {
            return (agent.evidence, true)
        }
        for message in flow.messages {
            guard case .discovery = message,
                let agent = PublicAgent(of: flow.capture[message.exchange].request, at: message.exchange),
                agent.kind == .native
            else { continue }
            return (agent.evidence, false)
        }
        for request in index.tokenRequests.prefix(500) where request.clientID == login.request.clientID {
            guard let agent = PublicAgent(of: flow.capture[request.exchange].request, at: request.exchange),
                agent.kind == .native
            else { continue }
            return (agent.evidence, true)
        }
        return nil
    }

    /// Whether the app's own site sent the browser to the provider, or knows it by a cookie: then it is a web app's login.
    private static func isBegunByItsSite(_ login: Login, _ callback: Int, _ flow: Flow) -> Bool {
        !flow.capture[callback].request.cookies.isEmpty || isSentByItsSite(login, callback, flow)
    }

    private static func isSentByItsSite(_ login: Login, _ callback: Int, _ flow: Flow) -> Bool {
        let site = flow.capture[callback].request.url.host.map(Site.of)
        let source = flow.surroundings.redirectedFrom[login.request.exchange]
        return source.map { flow.capture[$0].request.url.host.map(Site.of) == site } ?? false
    }

    /// Whether the page asked its own server for nothing afterwards: what signs somebody in goes on.
    private static func isAtRest(after callback: Int, _ flow: Flow) -> Bool {
        let host = flow.capture[callback].request.url.host
        return !flow.exchanges(after: callback, within: .seconds(120)).contains { index in
            let later = flow.capture[index]
            guard later.request.url.host == host,
                later.request.userAgent?.hasPrefix("Mozilla/") ?? false,
                !isOfTheBrowser(later)
            else { return false }
            let body = later.response?.body
            guard body?.isPage ?? false, later.request.method == "GET" else {
                return later.request.method != "GET" || body?.essence == "application/json"
            }
            return !flow.surroundings.areCookiesRecorded(at: index)
                || goesOn(later, behind: flow.capture[callback])
        }
    }

    /// What any page brings on, whatever it does: icons, reports of visits, what a browser looks up by itself.
    private static func isOfTheBrowser(_ exchange: Exchange) -> Bool {
        let url = exchange.request.url
        if let use = exchange.request.headers.first("sec-fetch-dest"), Self.decorations.contains(use) {
            return true
        }
        return Asset.isAsset(exchange) || Telemetry.isOne(exchange.request)
            || url.path.utf8.starts(with: "/.well-known/".utf8)
    }

    /// Whether a page goes on with what the one before it began, and is not just another page of the site that somebody opens:
    /// it has a session, or comes at once.
    private static func goesOn(_ page: Exchange, behind callback: Exchange) -> Bool {
        let headers = page.request.headers
        if headers.first("sec-fetch-mode").map({ $0 != "navigate" }) ?? false { return true }
        if !page.request.cookies.isEmpty || page.response?.setCookies.isEmpty == false { return true }
        return page.startedAt - callback.endedAt < Self.atOnce
    }

    private static let atOnce = Duration.seconds(5)
    /// What a browser says that it asks for something for (Fetch Metadata, section 2.1).
    private static let decorations: Set<String> = [
        "audio", "font", "image", "manifest", "style", "track", "video",
    ]

    /// Whether anything later carries the code on, other than an account of where the user was.
    private static func isUsed(_ code: Parameter, after callback: Int, in flow: Flow) -> Bool {
        let carried = CarriedCode(code)
        return flow.exchanges(after: callback, within: .seconds(600)).contains { index in
            let request = flow.capture[index].request
            if Telemetry.isOne(request) { return CarriedCode.isGiven(code.value, by: request) }
            return AppHandover.carries(code.value, carried, request)
        }
    }
}
