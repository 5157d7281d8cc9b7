package import Captures
package import OAuth

/// A code that a page of the app's hands to the app's own server, by script: the callback itself only loads the page.
package enum HandedOnCode {
    /// The request by which the server was last handed the code and refused it; nil where it was not, or did not.
    ///
    /// A code that was exchanged with success (`exchanges` are the token requests of the login) is refused only by who was at
    /// work on it: the server that has the tokens, and is not content with them.
    package static func refusal(
        of response: AuthorizationResponse,
        to request: AuthorizationRequest,
        exchangedBy exchanges: [TokenRequest],
        in index: CaptureIndex
    )
        -> Int?
    {
        guard let code = code(of: response) ?? token(of: response), code.value.utf8.count >= shortest,
            let callback = response.callback,
            let answer = index.capture[callback].response, (200..<300).contains(answer.status)
        else { return nil }
        let start = index.capture[callback].startedAt
        let spellings = spellings(of: code)
        let isCode = self.code(of: response) != nil
        var carriers: [Int] = []
        for exchange in index.order[(index.position[callback] + 1)...].prefix(mostExchanges) {
            let later = index.capture[exchange]
            guard later.startedAt - start <= .seconds(60) else { break }
            guard isNoMessage(exchange, behind: callback, index), later.request.method != "OPTIONS",
                later.request.url.origin != request.endpoint.origin, later.response != nil,
                !Telemetry.isOne(later.request.url), isCode || isOfSite(later, callback, index),
                carry(of: code, spellings, by: later.request) == true
            else { continue }
            carriers.append(exchange)
        }
        guard let last = carriers.last, StatedFailure.isRefusal(index.capture[last]) else { return nil }
        let redemptions = exchanges.filter { $0.code == code.value && $0.answer.isSuccess }.map(\.exchange)
        guard redemptions.isEmpty || isRefusedByRedeemer(last, among: carriers, redemptions, index) else {
            return nil
        }
        // A token is shown more than once, and may do for one thing and not for another; a code that a page handed to the same
        // address twice was good for the first time.
        let address = index.capture[last].request.url.normalizedWithoutQuery
        let isTaken = carriers.contains { exchange in
            !StatedFailure.isRefusal(index.capture[exchange])
                && (!isCode || index.capture[exchange].request.url.normalizedWithoutQuery == address)
        }
        return isTaken ? nil : last
    }

    /// Whether the server that exchanged the code with success is the one that refused it to its page, and left it at that.
    private static func isRefusedByRedeemer(
        _ carrier: Int,
        among carriers: [Int],
        _ redemptions: [Int],
        _ index: CaptureIndex
    ) -> Bool {
        let atWork = carriers.filter { exchange in
            redemptions.contains { index.isAtWork(exchange, during: $0) }
        }
        return atWork.contains(carrier) && !index.isServedAfter(carrier)
            && atWork.allSatisfy { StatedFailure.isRefusal(index.capture[$0]) }
    }

    /// Tokens a page shows to others as well.
    private static func isOfSite(_ exchange: Exchange, _ callback: Int, _ index: CaptureIndex) -> Bool {
        Site.of(exchange.request.url.host ?? "") == Site.of(index.capture[callback].request.url.host ?? "")
    }

    /// Whether it is none of the protocol's: a token that the page hands to its own server in a query makes it look like a call.
    private static func isNoMessage(_ exchange: Int, behind callback: Int, _ index: CaptureIndex) -> Bool {
        let request = index.capture[exchange].request
        switch index.messages[exchange] {
        case nil: return true
        case .resource:
            return request.url.origin == index.capture[callback].request.url.origin
                && !request.headers.contains("authorization")
        default: return false
        }
    }

    /// Firebase's page that brings a code to Google's identity service, in the app's stead.
    package static let firebaseHelper = "/__/auth/handler"

    /// Whether the page that was loaded at a redirect URI is the client itself: a page of its origin asked the provider for
    /// metadata, keys or tokens, or it is Firebase's.
    package static func isForPage(
        _ response: AuthorizationResponse,
        of messages: [OAuthMessage],
        in capture: Capture
    ) -> Bool {
        guard let answer = response.callback.flatMap({ capture[$0].response }),
            (200..<300).contains(answer.status), answer.setCookies.isEmpty, isPage(answer),
            let origin = response.target.origin
        else { return false }
        if response.target.path == firebaseHelper { return isBegunByPage(at: origin, capture) }
        return messages.contains { message in
            switch message {
            case .discovery, .keySet, .token:
                capture[message.exchange].request.headers.first("origin").map {
                    RecordedURL($0).origin == origin
                }
                    ?? false
            default: false
            }
        }
    }

    /// Whether a page of a web app sent the browser to Firebase's helper; for an app on a device, which names itself (`apn`, `ibi`),
    /// that hands the code on by the app's own scheme.
    private static func isBegunByPage(at origin: String, _ capture: Capture) -> Bool {
        let begun = capture.indices.lazy.map { capture[$0].request.url }.filter { url in
            url.path == firebaseHelper && url.origin == origin && url.queryItems.first("authType") != nil
        }
        return !begun.isEmpty
            && begun.allSatisfy { $0.queryItems.first("apn") == nil && $0.queryItems.first("ibi") == nil }
    }

    private static func isPage(_ answer: RecordedResponse) -> Bool {
        let type = answer.body?.essence ?? answer.headers.first("content-type")?.lowercased() ?? ""
        return type.hasPrefix("text/html")
    }

    /// Whether a request behind an answer carries its code to anybody: to a token endpoint, or to whoever is to exchange it.
    ///
    /// - Parameters:
    ///   - response: the answer.
    ///   - index: where it is.
    ///   - mayCarry: whether a tunnel leads to somebody who is to have it.
    /// - Returns: nil where that cannot be known: bodies that were not saved whole, tunnels that were not opened, or more
    ///   requests than anybody looks through.
    package static func isCarried(
        _ response: AuthorizationResponse,
        in index: CaptureIndex,
        throughTunnel mayCarry: (RecordedRequest) -> Bool = { _ in true }
    ) -> Bool? {
        guard let code = code(of: response) else { return false }
        let later = index.order[(index.position[response.callback ?? response.exchange] + 1)...]
        guard later.count <= mostLaterExchanges else { return nil }
        let spellings = spellings(of: code)
        let target = response.target.normalizedWithoutQuery
        let method = response.callback.map { index.capture[$0].request.method } ?? "GET"
        var isUnknown = false
        for exchange in later {
            let request = index.capture[exchange].request
            // The page loaded once more.
            if request.method == method, request.url.normalizedWithoutQuery == target { continue }
            if request.method == "CONNECT" {
                isUnknown = isUnknown || mayCarry(request)
                continue
            }
            switch carry(of: code, spellings, by: request) {
            case true?: return true
            case nil: isUnknown = true
            case false?: break
            }
        }
        return isUnknown ? nil : false
    }

    /// Whether a request carries the code; nil where there may be more in its body than the capture shows, or than is looked at.
    private static func carry(of code: Parameter, _ spellings: [Spelling], by request: RecordedRequest)
        -> Bool?
    {
        let holdsCode: (String) -> Bool = { text in spellings.contains { text.containsBytes($0.text) } }
        if holdsCode(request.url.text) { return true }
        // A page's own parts name its address, with the code in it.
        if request.headers.fields.contains(where: {
            !$0.name.equalsIgnoringASCIICase("referer") && holdsCode($0.value)
        }
        ) {
            return true
        }
        if request.isBodyUnsaved { return nil }
        guard let body = request.body else { return false }
        guard (body.size ?? 0) < largest else { return nil }
        if let bytes = body.bytes {
            if spellings.contains(where: { bytes.firstRange(of: $0.bytes) != nil }) { return true }
            if isSealed(bytes) { return nil }
            // One of these alone is the same in every coding of a form.
            guard
                !code.value.utf8.allSatisfy({
                    $0.isASCIIAlphanumeric || $0 == 0x2d || $0 == 0x2e || $0 == 0x5f
                })
            else {
                return body.isRecorded && !body.isTruncated ? false : nil
            }
        }
        if FormBody.items(of: body)?.items.contains(where: { $0.value == code.value }) ?? false {
            return true
        }
        return body.isRecorded && !body.isTruncated ? false : nil
    }

    private static func code(of response: AuthorizationResponse) -> Parameter? {
        response.parameter("code").flatMap { $0.value.isEmpty ? nil : $0 }
    }

    /// What an answer without a code has for the app's server.
    private static func token(of response: AuthorizationResponse) -> Parameter? {
        ["access_token", "id_token"].lazy.compactMap { response.parameters.parameter($0) }.first {
            !$0.value.isEmpty
        }
    }

    private struct Spelling {
        var text: String
        var bytes: [UInt8]
    }

    /// As it is in a text of any kind.
    private static func spellings(of code: Parameter) -> [Spelling] {
        var texts: Set = [code.value, code.rawValue, PercentEncoding.encode(code.value)]
        // In JSON a slash may be escaped.
        if code.value.utf8.contains(0x2f) {
            texts.insert(
                String(decoding: code.value.utf8.flatMap { $0 == 0x2f ? [0x5c, 0x2f] : [$0] }, as: UTF8.self)
            )
        }
        texts.formUnion(wrapped(code.value))
        return texts.map { Spelling(text: $0, bytes: Array($0.utf8)) }
    }

    /// As it is in the Base64 of whatever an app wraps around it; nothing of a code that others may have by chance.
    package static func wrapped(_ code: String) -> Set<String> {
        code.utf8.count < shortestWrapped ? [] : Base64.cores(of: code.utf8)
    }

    /// Whether an app encrypted what it sent (RFC 7516, section 7.1): five parts, the first of which is a JSON object.
    private static func isSealed(_ bytes: [UInt8]) -> Bool {
        var rest = bytes[...]
        while let start = rest.firstRange(of: Array("eyJ".utf8))?.lowerBound {
            let token = rest[start...].prefix {
                $0.isASCIIAlphanumeric || $0 == 0x2d || $0 == 0x2e || $0 == 0x5f
            }
            if token.count(where: { $0 == 0x2e }) == 4 { return true }
            rest = rest[token.endIndex...]
        }
        return false
    }

    /// Shorter ones may be in a request by chance.
    private static let shortest = 8
    private static let shortestWrapped = 16
    /// Behind a callback until its server has refused the code.
    private static let mostExchanges = 200
    private static let mostLaterExchanges = 1000
    /// In bytes of a body.
    private static let largest = 1 << 16
}
