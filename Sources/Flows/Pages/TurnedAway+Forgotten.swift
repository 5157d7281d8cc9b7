import Captures
import OAuth

extension TurnedAway {
    /// Whether an app made its browser forget the login: it sends it on, takes all cookies back that it got, and nobody is known from
    /// then on.
    ///
    /// Streamlit does so whatever was wrong with the tokens. Who asks for access alone, without `openid`, may need no session; nor
    /// does a program on this machine, which keeps its tokens itself.
    package static func isForgotten(_ callback: Int, in index: CaptureIndex) -> Bool {
        guard index.areCookiesRecorded(at: callback), takesCookiesBack(callback, in: index),
            !index.derived.value({ AskedLogins(index) }).withoutOpenID.contains(callback),
            isOfWebApp(callback, in: index)
        else { return false }
        return isNobodyKnown(behind: callback, in: index)
    }

    /// Whether it is sent on within its host, with nothing in the address that tells of it, and without the cookies it came with.
    private static func takesCookiesBack(_ callback: Int, in index: CaptureIndex) -> Bool {
        let exchange = index.capture[callback]
        guard let answer = exchange.response, answer.isRedirection,
            let location = answer.location, answer.setCookies.allSatisfy({ isDeletion($0, by: exchange) })
        else { return false }
        let deleted = Set(answer.setCookies.map(\.name))
        let sent = sessionCookies(of: exchange, in: index)
        guard !sent.isEmpty, deleted.isSuperset(of: sent) else { return false }
        let target = exchange.request.url.resolving(location)
        return target.isWeb && target.host != nil && target.host == exchange.request.url.host
            && (target.query ?? "").isEmpty && (target.fragment ?? "").isEmpty && !hasTicket(target)
            // What sends the browser on, to sign in once more say, is judged by where it leads.
            && index.landings(of: callback).contains { index.capture[$0].response?.isServed ?? false }
    }

    /// Whether more is served on this machine than the callback and the page behind it; anywhere else it is.
    private static func isOfWebApp(_ callback: Int, in index: CaptureIndex) -> Bool {
        let url = index.capture[callback].request.url
        guard let host = url.host, LoopbackHost.isLoopback(host) else { return true }
        let own = Set([callback] + index.landings(of: callback))
        let place = index.position[callback]
        let near = index.order[max(0, place - mostBeside)..<min(index.order.count, place + mostBeside)]
        return near.contains { exchange in
            let page = index.capture[exchange]
            return page.request.url.origin == url.origin && !own.contains(exchange) && !Asset.isAsset(page)
                && page.response?.isServed ?? false
        }
    }

    /// Whether nothing shows who the user is, up to the next login that he sees: no cookie, and no token.
    private static func isNobodyKnown(behind callback: Int, in index: CaptureIndex) -> Bool {
        let exchange = index.capture[callback]
        guard let host = exchange.request.url.host else { return false }
        let site = Site.of(host)
        let agent = exchange.request.userAgent
        let providers = index.derived.value { AskedLogins(index) }.providers
        var isSetAnew = false
        for position in index.order[(index.position[callback] + 1)...].prefix(mostBeside) {
            if case .authorizationRequest(let request) = index.messages[position], !request.isSilent { break }
            let later = index.capture[position]
            // While the callback is under way, its server shows tokens to others.
            let isOfServer =
                later.startedAt < exchange.endedAt && later.request.userAgent != agent
            if !isOfServer,
                later.request.headers.contains("authorization") || index.mayLackCredentials(at: position)
            {
                return false
            }
            guard let asked = later.request.url.host, asked == host || Site.of(asked) == site,
                asked == host || !providers.contains(asked)
            else { continue }
            if showsToken(later.request) || asked != host && !later.request.cookies.isEmpty { return false }
            guard asked == host, !isSetAnew else { continue }
            guard isOfServer || index.areCookiesRecorded(at: position),
                sessionCookies(of: later, in: index).isEmpty
            else { return false }
            // The next login, perhaps.
            isSetAnew = !(later.response?.setCookies.allSatisfy { isDeletion($0, by: later) } ?? true)
        }
        return true
    }

    /// The app's cookies but those against forged requests, which say of nobody that he is signed in.
    private static func sessionCookies(of exchange: Exchange, in index: CaptureIndex) -> [String] {
        ownCookies(of: exchange, in: index).filter { !isAgainstForgery($0) }
    }

    /// Whether the path may hand something to the page's script.
    private static func hasTicket(_ target: RecordedURL) -> Bool {
        target.path.split(separator: "/").contains { $0.utf8.count >= 20 }
    }

    /// Whether a header of an app's own may say who its user is.
    private static func showsToken(_ request: RecordedRequest) -> Bool {
        request.headers.fields.contains { field in
            let name = field.name.asciiLowercased()
            return name.hasPrefix("x-") && !isAgainstForgery(name)
                && ["auth", "token", "session"].contains(where: name.containsBytes)
        }
    }

    private static func isDeletion(_ cookie: SetCookie, by exchange: Exchange) -> Bool {
        isAgainstForgery(cookie.name) || cookie.value.isEmpty || cookie.isDeletion(at: exchange.endedAt)
    }

    private static func isAgainstForgery(_ name: String) -> Bool {
        ["csrf", "xsrf"].contains(where: name.asciiLowercased().containsBytes)
    }

    private static let mostBeside = 500

    /// What was asked for where an answer came to a callback.
    private struct AskedLogins: Sendable {
        /// Callbacks of logins that do not ask who the user is, as far as the capture has their requests.
        var withoutOpenID: Set<Int> = []
        /// The hosts that logins are asked of.
        let providers: Set<String>

        init(_ index: CaptureIndex) {
            providers = Set(index.authorizationRequests.compactMap(\.endpoint.host))
            let values = index.loginValues
            for response in index.responses {
                guard let callback = response.callback else { continue }
                let requests = response.state.map { values.requests(with: "state", $0) } ?? []
                let isAsked = requests.suffix(Self.mostRequests).contains { request in
                    request.parameters["scope"]?.spaceDelimited.contains("openid") ?? false
                }
                if !isAsked { withoutOpenID.insert(callback) }
            }
        }

        /// Of one state: a loop has as many as it has rounds.
        private static let mostRequests = 8
    }
}
