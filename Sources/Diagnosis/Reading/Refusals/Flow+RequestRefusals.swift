import Captures
import Flows
import JSON
import OAuth

/// What the provider said to a request for a login, and on which of its pages.
extension Flow {
    /// How an authorization request was refused; nil where it went on or was not answered.
    func refusal(of request: AuthorizationRequest, _ chain: RedirectsOnward) -> RequestRefusal? {
        request.isUnseen
            ? nil : refusal(on: chain.pages(from: request.exchange), redirectURI: request.redirectURI)
    }

    /// The same of an attempt, as it was delivered or told on the pages that its request led to.
    func refusal(of attempt: LoginAttempt) -> RequestRefusal? {
        if let delivered = RequestRefusal(delivered: attempt.response) { return delivered }
        return refusal(on: attempt.pages, redirectURI: attempt["redirect_uri"])
            ?? refusal(toldToScriptOf: attempt)
    }

    /// What a page of the provider's that a script makes was told when it handed the request on.
    ///
    /// A failure behind a status of success (Casdoor). Of a call that names the client alone the page may do without the answer, and where
    /// somebody entered something later it did.
    private func refusal(toldToScriptOf attempt: LoginAttempt) -> RequestRefusal? {
        guard attempt.response == nil, let client = attempt.request?.clientID, !client.isEmpty,
            let target = attempt["redirect_uri"],
            let page = attempt.pages.last, let shown = capture[page].response, shown.status == 200
        else { return nil }
        let asked = [client, target]
        let origin = capture[page].request.url.origin
        let behind = calls(behind: page)
        let refusal = behind.lazy.compactMap { index -> RequestRefusal? in
            let call = capture[index]
            guard call.request.method == "GET", call.request.url.origin == origin,
                asked.allSatisfy({ value in call.request.url.queryItems.items.contains { $0.value == value } }
                ),
                let response = call.response, response.status == 200, StatedFailure.isOne(response.body)
            else { return nil }
            let json = Answer(of: call, at: index).json
            let words = ["msg", "message", "error_description", "error"].lazy
                .compactMap { json?[$0]?.string }.first { !$0.isEmpty }
            return words.map { words in
                RequestRefusal(
                    channel: .page,
                    exchange: index,
                    status: response.status,
                    text: words,
                    place: Place(exchange: index, part: .responseBody, name: ""),
                    isToldToScript: true
                )
            }
        }.first
        guard let refusal, !behind.contains(where: isCredentialPost) else { return nil }
        return refusal
    }

    /// What came behind a page, up to the next login's request: from there on only what is known to be of this one.
    private func calls(behind page: Int) -> [Int] {
        var isOthers = false
        return surroundings.order[(surroundings.position[page] + 1)...].prefix(Self.mostCalls).filter {
            index in
            if case .authorizationRequest = surroundings.messages[index], !exchanges.contains(index) {
                isOthers = true
            }
            return !isOthers || exchanges.contains(index)
        }
    }

    /// What a page loads before it shows anything.
    private static let mostCalls = 40

    /// What the first of these pages that refuses says; a redirect to an error page says less than the page.
    func refusal(on pages: [Int], redirectURI: String?) -> RequestRefusal? {
        let target = redirectURI.map { RecordedURL($0).normalizedWithoutQuery }
        var first: RequestRefusal?
        for page in pages {
            // The app's answer is none of the provider's.
            if capture[page].request.url.normalizedWithoutQuery == target { break }
            guard let refusal = refusal(on: page, redirectURI: redirectURI) else { continue }
            guard capture[page].response?.location != nil else { return refusal }
            first = first ?? refusal
        }
        return first
    }

    private func refusal(on page: Int, redirectURI: String?) -> RequestRefusal? {
        let exchange = capture[page]
        guard let response = exchange.response else { return nil }
        if let location = response.location {
            let target = exchange.request.url.resolving(location)
            let callback = redirectURI.map { RecordedURL($0) }
            let isAway = target.origin != exchange.request.url.origin
            let isApps =
                callback.map {
                    target.isOfApp(answeredAt: $0, by: exchange.request.url) && $0.scheme == target.scheme
                } ?? isAway
            return RequestRefusal(in: target, of: page, .responseLocation, isApps ? .delivered : .page)
        }
        // A challenge that is answered without the user's doing: by whoever is told to send the request once more with a nonce, or by a
        // browser (Kerberos), unless the endpoint says what is wrong.
        let isNegotiation = isAskedForNonce(at: page) || BrowserChallenge.isAnswer(to: exchange)
        if surroundings.messages[page] == nil,
            var stated = RequestRefusal(in: exchange.request.url, of: page, .requestQuery, .page)
        {
            // The name in the URL may be a code of the provider's own; the page has the words.
            let words = response.status >= 400 ? PageText.words(of: response.body) : ""
            if !words.isEmpty { stated.text += ": " + words }
            return stated
        }
        guard response.status >= 400 && !isNegotiation || response.status == 200,
            !surroundings.quietPages.contains(page)
        else { return nil }
        // What was read as a page of HTML is no JSON.
        let answer = surroundings.page(page) == nil ? Answer(of: exchange, at: page) : nil
        guard let (error, text) = said(by: answer, on: page) else {
            surroundings.quietPages.insert(page)
            return nil
        }
        return RequestRefusal(
            channel: .page,
            exchange: page,
            status: response.status,
            error: error,
            text: text,
            alert: answer?.error == nil ? PageText.alert(of: response.body) : nil,
            place: answer?.error?.place ?? Place(exchange: page, part: .responseBody, name: ""),
            isTextRecorded: response.body?.isRecorded ?? false
        )
    }

    /// Whether a request is to be sent once more with a nonce, and was, or shows by its proof that it never had one.
    private func isAskedForNonce(at page: Int) -> Bool {
        let exchange = capture[page]
        guard NonceChallenge.isAnswer(to: exchange) else { return false }
        let position = surroundings.position
        return exchange.request.headers.contains("dpop")
            && exchange.response?.headers.contains("dpop-nonce") ?? false
            || authorizationRequests.contains { position[$0.exchange] > position[page] }
    }

    /// The error and the words of an answer of the provider's to the browser; nil where it is no refusal.
    private func said(by answer: Answer?, on page: Int) -> (error: String?, text: String)? {
        if let stated = answer?.error { return (stated.error.lowercased(), stated.text) }
        guard let response = capture[page].response else { return nil }
        // Error pages of some providers come with 200.
        let mayHaveCode = surroundings.page(page)?.mentions(.entra) ?? true
        if response.status == 200, !(mayHaveCode && PageText.hasEntraCode(response.body)) {
            return ErrorPage.refusal(on: page, in: surroundings)
        }
        if response.status >= 400, let stated = PageText.statedError(of: response.body) {
            return (stated.first(where: RequestRefusal.codes.contains), stated.joined(separator: ": "))
        }
        let words = PageText.words(of: response.body)
        return (Self.error(headingPlain: words), words)
    }

    /// The name with which a text begins that is no page (OpenIddict's `error:invalid_scope`); nil of any other text, and of a name
    /// that says nothing of the request.
    private static func error(headingPlain words: String) -> String? {
        guard words.hasPrefix("error:") else { return nil }
        let name = words.utf8.dropFirst("error:".utf8.count).prefix {
            (0x61...0x7a).contains($0) || $0 == 0x5f
        }
        return RequestRefusal.codes.first { $0 != "access_denied" && $0.utf8.elementsEqual(name) }
    }
}
