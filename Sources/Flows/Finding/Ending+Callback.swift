import Captures
import OAuth

/// What an app made of the answer that came in at its callback.
extension Ending {
    /// Whether the app came to a stop at its callback, whatever the token endpoint answered it.
    func isStopped(at callback: Int, _ response: AuthorizationResponse, _ last: TokenRequest?) -> Bool {
        if isRefused(callback, response.code) || isSentToAnErrorOfItsOwn(callback),
            last?.answer.isSuccess != true || !hasSucceededElsewhere(than: callback, response)
        {
            return true
        }
        if isSentRound(callback) { return true }
        guard let last, index.isHungUp(callback, during: last.exchange) else { return false }
        return !hasSucceededElsewhere(than: callback, response)
    }

    /// Whether the app answers its callback with an error, or with a page headed by one, or leads on to a page that says so, or never
    /// got the answer.
    func isRefused(_ callback: Int, _ code: String?) -> Bool {
        CallbackRefusal(at: callback, of: code, tokens, redeemed: redeemed, in: index) != nil
    }

    /// Whether the app answers its callback with a redirect that names an error, or to its page for errors.
    func isSentToAnError(_ callback: Int) -> Bool {
        ErrorRedirect.isAnswer(to: callback, in: index)
    }

    /// The same at a page of the app's own site: what a broker tells the client that it signs in for is judged there.
    private func isSentToAnErrorOfItsOwn(_ callback: Int) -> Bool {
        let exchange = index.capture[callback]
        guard isSentToAnError(callback), let location = exchange.response?.location else { return false }
        let page = exchange.request.url.resolving(location)
        // An app on a device, for which its server signed in.
        if !page.isWeb {
            return !index.redirectURIs.contains(page.withoutQuery) && !index.isServedAfter(callback)
        }
        guard let host = exchange.request.url.host, let other = page.host, Site.of(other) == Site.of(host),
            page.withoutQuery == exchange.request.url.withoutQuery
                || !index.redirectURIs.contains(page.withoutQuery)
        else { return false }
        return other == host
            || !page.queryAndFragmentItems.items.contains { $0.name == "state" }
    }

    /// Whether the app sends its callback where it had sent an earlier one, which came back to the provider by redirects alone:
    /// the recording ends in a circle.
    private func isSentRound(_ callback: Int) -> Bool {
        guard let target = sentTo(callback), builder.responses.count > 2, !isLetIn(behind: callback) else {
            return false
        }
        let circle = Set(builder.requests.flatMap { index.redirects(leadingTo: $0.exchange) })
        return builder.responses.contains { response in
            response.callback.map { $0 != callback && circle.contains($0) && sentTo($0) == target } ?? false
        }
    }

    /// Whether the way from a callback ended at a page of the app's that is none to sign in at.
    private func isLetIn(behind callback: Int) -> Bool {
        let page = index.capture[FailedLoginNotice.landing(of: callback, in: index)]
        guard let answer = page.response, answer.isServed else { return false }
        return !ErrorRedirect.isSignInPage(page.request.url)
    }

    private func sentTo(_ callback: Int) -> String? {
        let exchange = index.capture[callback]
        return exchange.response?.location.map { exchange.request.url.resolving($0).withoutQuery }
    }

    /// The answer whose code the app had taken already, where it was loaded again and refused: nothing is lost by that, whether
    /// its token request is in the capture or not.
    func withoutReload(_ response: AuthorizationResponse) -> AuthorizationResponse {
        guard let callback = response.callback,
            isRefused(callback, response.code) || isSentToAnError(callback)
        else { return response }
        return taken(before: callback, response) ?? response
    }

    /// Whether a later try went well, or the same response had been taken already: loaded again it is refused, and nothing is lost.
    func hasSucceededElsewhere(than callback: Int, _ response: AuthorizationResponse) -> Bool {
        hasSucceededAfter(callback) || taken(before: callback, response) != nil
    }

    private func taken(before callback: Int, _ response: AuthorizationResponse) -> AuthorizationResponse? {
        guard let code = response.code else { return nil }
        return builder.responses.last { earlier in
            guard let other = earlier.callback, other != callback, earlier.code == code,
                index.position[other] < index.position[callback], index.capture[other].response != nil,
                !index.isDetour(from: other, to: callback)
            else { return false }
            return !isRefused(other, code) && !isSentToAnError(other)
        }
    }

    /// A later try of the same callback went well (a reload, a second response).
    private func hasSucceededAfter(_ callback: Int) -> Bool {
        builder.responses.contains { response in
            guard let other = response.callback, other != callback, index.capture[other].response != nil
            else { return false }
            return !isRefused(other, response.code) && !isSentToAnError(other)
                && index.capture[other].startedAt >= index.capture[callback].startedAt
        }
    }

    // MARK: - Left there

    /// Whether the recording ends where a program on this machine has told its browser that it is done: the code is exchanged then, and
    /// that would be in the capture, as is what the program asked the provider before.
    func isLeftByItsProgram(_ response: AuthorizationResponse, _ request: AuthorizationRequest)
        -> Bool
    {
        guard response.code != nil, !response.parameters.contains("id_token"),
            let callback = response.callback,
            index.capture[callback].request.url.isOnLoopback,
            let answer = index.capture[callback].response, answer.location == nil
        else { return false }
        return index.backChannel.witness(of: response, to: request, in: index.capture) != nil
            && HandedOnCode.isCarried(response, in: index) != true
    }

    /// Whether the server at the redirect URI sent the code on to an app that asked the provider before, and nobody did anything with it.
    func isLeftByItsApp(_ response: AuthorizationResponse) -> Bool {
        guard let callback = response.callback,
            RelayedAnswer.target(of: response, in: index.capture) != nil,
            HandedOnCode.isCarried(response, in: index) == false, !isAnybodyServed(behind: callback)
        else { return false }
        return messages.contains { message in
            switch message {
            case .discovery, .keySet, .pushedRequest:
                UserAgentName.isNativeApp(
                    index.capture[message.exchange].request.userAgent ?? ""
                )
            default: false
            }
        }
    }

    /// Whether the site of a callback, or whoever was shown credentials, served somebody behind it: the app may know its user then, by
    /// whatever way the code went.
    private func isAnybodyServed(behind callback: Int) -> Bool {
        let site = Site.of(index.capture[callback].request.url.host ?? "")
        return index.order[(index.position[callback] + 1)...].contains { exchange in
            let later = index.capture[exchange]
            guard let answer = later.response, answer.isServed else { return false }
            return later.request.headers.contains("authorization")
                || Site.of(later.request.url.host ?? "") == site
        }
    }

    /// Whether a page that speaks to the provider itself was loaded at the redirect URI, and nobody was brought the code from
    /// there.
    func isLeftByItsPage(_ response: AuthorizationResponse) -> Bool {
        response.code != nil && !response.parameters.contains("id_token")
            // What stands behind a # no server sees: the page has it, or nobody.
            && (response.mode == .fragment && !isLeftForAnotherPage(response)
                || HandedOnCode.isForPage(response, of: messages, in: index.capture))
            && HandedOnCode.isCarried(response, in: index) == false
    }

    /// Whether the app's server refused what the page at the redirect URI handed to it.
    func isRefusedToItsPage(
        _ response: AuthorizationResponse,
        _ request: AuthorizationRequest,
        _ exchanges: [TokenRequest]
    ) -> Bool {
        HandedOnCode.refusal(of: response, to: request, exchangedBy: exchanges, in: index) != nil
    }

    /// Whether the browser went on to another page of the app, which may know its user by then.
    private func isLeftForAnotherPage(_ response: AuthorizationResponse) -> Bool {
        guard let callback = response.callback else { return false }
        let page = index.capture[callback].request.url
        return index.withoutAssets(after: callback).prefix(200).contains { exchange in
            let later = index.capture[exchange]
            return later.request.url.origin == page.origin && later.request.url.path != page.path
                && later.response.map { $0.isServed && $0.body?.isPage ?? false } ?? false
        }
    }
}
