package import Captures
package import OAuth

/// What became of a logout request (OpenID Connect RP-Initiated Logout, section 2), followed through the
/// provider's redirects and pages.
package struct LogoutCourse: Sendable {
    /// How it ended.
    package enum End: Sendable, Equatable {
        /// The browser went, or was sent, where the request asked it to be sent.
        case sentBack
        /// 4xx, 5xx, an error in a redirect, or a page that says so.
        case refused(Place)
        /// The same, where it was the user who said no: asked whether to sign out, they chose to stay.
        case declined(Place)
        /// A page of the provider, and nothing that the request asked for after it.
        case page(Int)
        /// Sent to another address than the one asked for, or answered without a page.
        case done
        case unanswered
    }

    /// Where the browser was at last.
    package var end: End
    /// What the provider said in refusing, in its own words; empty where it said nothing.
    package var words: String
    /// Pages of the provider on the way, in order of time.
    package var pages: [Int]
    /// Whether something was sent from one of them: the user confirmed.
    package var isConfirmed: Bool
    /// Where the request asked to be sent; nil where it did not.
    package var wanted: Parameter?

    /// Whether the provider said no, in whatever way.
    package var isRefused: Bool { if case .refused = end { true } else { false } }
    /// Whether the user said no.
    package var isDeclined: Bool { if case .declined = end { true } else { false } }

    /// Whether the user confirmed on a page of the provider's, which was asked to send the browser back and did not: the session has
    /// ended, and the user is left there.
    package var isLeftAfterConfirming: Bool {
        if case .page = end { isConfirmed && wanted != nil } else { false }
    }

    /// Parameters by which providers are told where to go next, the standard's own first.
    package static let targetNames = ["post_logout_redirect_uri", "returnTo", "logout_uri", "redirect_uri"]

    /// Follows the browser from a request to the end-session endpoint (OpenID Connect RP-Initiated Logout, section 2).
    package init(of call: EndpointCall, in index: CaptureIndex) {
        wanted =
            Self.targetNames.lazy.compactMap { name in
                call.parameters.items.first { $0.name == name && !$0.value.isEmpty }
            }.first
        end = .unanswered
        words = ""
        pages = []
        isConfirmed = false
        follow(call, index)
        if case .refused(let place) = end, Self.isDeclination(words) { end = .declined(place) }
    }

    // MARK: - Following

    private mutating func follow(_ call: EndpointCall, _ index: CaptureIndex) {
        let target = wanted.map { RecordedURL($0.value).normalizedWithoutQuery }
        var current = call.exchange
        for _ in 0..<10 {
            let exchange = index.capture[current]
            guard let response = exchange.response else { return }
            if response.status >= 400 {
                // Without an address to be sent back to the provider goes by what it knows of the app, which may break down by itself.
                if target == nil, current != call.exchange, index.isOfAppAlone(current, at: call) {
                    end = .done
                    return
                }
                words = Self.text(of: response)
                end = .refused(Place(exchange: current, part: .responseStatus, name: ""))
                return
            }
            guard let location = response.location, response.isRedirection else {
                return arrive(current, target, index)
            }
            let next = exchange.request.url.resolving(location)
            let said = next.queryItems.items.map(\.value).joined(separator: " ")
            let error = Self.error(in: next)
            if next.normalizedWithoutQuery == target, error == nil || !Self.isDeclination(said) {
                end = .sentBack
                return
            }
            if let error {
                words = said
                end = .refused(Place(exchange: current, part: .responseLocation, name: error))
                return
            }
            guard let follower = index.landings(of: current).first else {
                end = .done
                return
            }
            current = follower
        }
    }

    /// At a page, or at an answer without any.
    private mutating func arrive(_ page: Int, _ target: String?, _ index: CaptureIndex) {
        let exchange = index.capture[page]
        guard let response = exchange.response else { return }
        guard response.body?.isPage ?? false else {
            end = .done
            guard Self.isError(Answer(of: exchange, at: page)) else { return }
            words = Self.text(of: response)
            end = .refused(Place(exchange: page, part: .responseBody, name: ""))
            return
        }
        pages.append(page)
        let text = Self.text(of: response)
        let lower = text.lowercased()
        if Self.isRefusal(index.page(page)?.errorHeading)
            || Self.refusals.contains(where: lower.containsBytes)
        {
            words = text
            end = .refused(Place(exchange: page, part: .responseBody, name: ""))
            return
        }
        guard let target else {
            end = .done
            return
        }
        if let refresh = HTMLForm.refreshTarget(in: text),
            exchange.request.url.resolving(refresh).normalizedWithoutQuery == target
        {
            end = .sentBack
            return
        }
        end = .page(page)
        goOn(from: page, to: target, index)
    }

    /// From a page of the provider: what is sent from it, and whether the browser comes to the target within five minutes.
    private mutating func goOn(from page: Int, to target: String, _ index: CaptureIndex) {
        let exchange = index.capture[page]
        for later in index.withoutAssets(after: page).prefix(200) {
            let other = index.capture[later]
            guard other.startedAt - exchange.startedAt <= .seconds(300) else { return }
            // What the app's server sends to the provider meanwhile is answered without a page.
            if other.request.url.origin == exchange.request.url.origin, other.request.method == "POST",
                other.response.map({ $0.isRedirection || $0.body?.isPage ?? false }) ?? false
            {
                isConfirmed = true
            }
            guard Self.leads(other, to: target) else { continue }
            end = .sentBack
            return
        }
    }

    /// Whether the browser asks for the target, or is sent there.
    private static func leads(_ exchange: Exchange, to target: String) -> Bool {
        let url = exchange.request.url
        if url.normalizedWithoutQuery == target, exchange.request.method == "GET" { return true }
        return exchange.response?.location.map { url.resolving($0).normalizedWithoutQuery == target } ?? false
    }

    // MARK: - Reading

    private static func text(of response: RecordedResponse) -> String {
        guard let body = response.body, (body.size ?? 0) < 1 << 20, let text = body.text else { return "" }
        // A script finds the words for the number that a page of LemonLDAP::NG has.
        guard body.isPage, text.containsBytes(NumberedMessage.attribute.description),
            let message = HTMLAlert.first(in: Array(text.utf8)), NumberedMessage.begins(message)
        else { return text }
        return message + "\n" + text
    }

    /// Whether what a page is headed by says that the logout was refused: goodbyes are sorry, too, and sessions have expired.
    private static func isRefusal(_ heading: String?) -> Bool {
        guard let lower = heading?.lowercased() else { return false }
        return !["sorry to see", "expired", "logged out", "signed out", "see you"].contains(
            where: lower.containsBytes
        )
    }

    /// Whether an answer with a status of success has an error of the specifications', or one that is explained as they do: beside other
    /// words a member of that name says how it went.
    private static func isError(_ answer: Answer) -> Bool {
        guard let error = answer.error else { return false }
        return names.contains(error.standardName)
            || error.place.name == "error" && !(answer.parameters["error_description"] ?? "").isEmpty
    }

    private static let names: Set<String> = [
        "invalid_request", "invalid_client", "invalid_grant", "invalid_token", "unauthorized_client",
        "access_denied", "server_error",
    ]

    /// The parameter of a redirect that names an error.
    private static func error(in url: RecordedURL) -> String? {
        url.queryItems.items.first {
            ["error", "err", "error_code", "errorcode", "oautherrorcode"].contains($0.name.lowercased())
                && !$0.value.isEmpty
        }?.name
    }

    /// How providers word a refusal on a page with status 200, in lower case.
    private static let refusals = [
        "invalid redirect uri", "invalid parameter: redirect_uri", "invalid parameter: id_token_hint",
        "missing parameters: id_token_hint", "requires an id_token_hint",
        "parameter is missing: id_token_hint",
        "post logout uri does not match", "must be a logout redirect uri", "is not defined as a valid url in",
        "does not contain azp claim", "aadsts",
        // LemonLDAP::NG, above the form to sign in again: the session has ended before it looks at the address.
        "pe_unauthorizedurl",
    ]

    private static func isDeclination(_ words: String) -> Bool {
        let said = words.asciiLowercased()
        return declinations.contains(where: said.containsBytes)
    }

    /// How providers tell that it was the user who said no, in lower case: Django OAuth Toolkit's name for it, and WSO2's words.
    private static let declinations = ["logout_denied", "denied the logout"]
}

/// Where logins were to be answered.
private struct AnswerTargets: Sendable {
    let hosts: Set<String>
    let servers: Set<String>

    init(_ index: CaptureIndex) {
        let urls = index.authorizationRequests.compactMap { $0.redirectURI.map { RecordedURL($0) } }
        hosts = Set(urls.compactMap(\.host))
        servers = Set(urls.compactMap(\.server))
    }
}

extension CaptureIndex {
    /// Whether an exchange is at a host of an app's that is not the provider's, too.
    ///
    /// An app may have several ports there; at the provider's own host, as on a developer's machine, they tell the two apart.
    fileprivate func isOfAppAlone(_ exchange: Int, at logout: EndpointCall) -> Bool {
        let (url, provider) = (capture[exchange].request.url, capture[logout.exchange].request.url)
        guard let host = url.host, let server = url.server else { return false }
        let targets = derived.value { AnswerTargets(self) }
        guard host == provider.host else { return targets.hosts.contains(host) }
        return server != provider.server && targets.servers.contains(server)
    }
}
