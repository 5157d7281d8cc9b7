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
            let answer = index.capture[callback].response, answer.isSuccessful
        else { return nil }
        let isCode = self.code(of: response) != nil
        let carriers = carriers(of: code, isCode: isCode, behind: callback, to: request, in: index)
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

    /// The requests within a minute behind a callback that bring a code to anybody but the provider.
    private static func carriers(
        of code: Parameter,
        isCode: Bool,
        behind callback: Int,
        to request: AuthorizationRequest,
        in index: CaptureIndex
    ) -> [Int] {
        let start = index.capture[callback].startedAt
        let carried = CarriedCode(code)
        return index.order[(index.position[callback] + 1)...].prefix(mostExchanges)
            .prefix { index.capture[$0].startedAt - start <= .seconds(60) }
            .filter { exchange in
                let later = index.capture[exchange]
                return isNoMessage(exchange, behind: callback, index) && later.request.method != "OPTIONS"
                    && later.request.url.origin != request.endpoint.origin && later.response != nil
                    && !Telemetry.isOne(later.request) && (isCode || isOfSite(later, callback, index))
                    && carried.isCarried(by: later.request) == true
            }
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

    /// Whether a request behind an answer carries its code to anybody: to a token endpoint, or to whoever is to exchange it; not to
    /// services that are told every address.
    ///
    /// - Parameters:
    ///   - response: the answer.
    ///   - index: where it is.
    ///   - mayCarry: whether a tunnel leads to somebody who is to have it; where that is known, tunnels count that stood before the
    ///     answer came and were still open then.
    /// - Returns: nil where that cannot be known: bodies that were not saved whole, tunnels that were not opened, or more
    ///   requests than anybody looks through.
    package static func isCarried(
        _ response: AuthorizationResponse,
        in index: CaptureIndex,
        throughTunnel mayCarry: ((Exchange) -> Bool)? = nil
    ) -> Bool? {
        guard let code = code(of: response) else { return false }
        let delivery = response.callback ?? response.exchange
        let later = index.order[(index.position[delivery] + 1)...]
        guard later.count <= mostLaterExchanges else { return nil }
        let carried = CarriedCode(code)
        let target = response.target.normalizedWithoutQuery
        let method = response.callback.map { index.capture[$0].request.method } ?? "GET"
        var isUnknown = mayCarry.map { isTunnelOpen(at: delivery, in: index, to: $0) } ?? false
        for exchange in later {
            let request = index.capture[exchange].request
            // The page loaded once more.
            if request.method == method, request.url.normalizedWithoutQuery == target { continue }
            if request.method == "CONNECT" {
                isUnknown = isUnknown || mayCarry?(index.capture[exchange]) ?? true
                continue
            }
            let isHere = carried.isCarried(by: request)
            let isReport = Telemetry.isOne(request) && !CarriedCode.isGiven(code.value, by: request)
            if isHere == false || isReport { continue }
            if isHere == true { return true }
            isUnknown = true
        }
        return isUnknown ? nil : false
    }

    /// Whether bytes passed unread, on a connection made before an answer came, after it had come.
    private static func isTunnelOpen(
        at delivery: Int,
        in index: CaptureIndex,
        to mayCarry: (Exchange) -> Bool
    ) -> Bool {
        let end = index.capture[delivery].endedAt
        return index.order[..<index.position[delivery]].suffix(mostLaterExchanges).contains { earlier in
            let tunnel = index.capture[earlier]
            return tunnel.request.method == "CONNECT" && tunnel.tunnel.reason != nil
                && tunnel.tunnel.sentBytes ?? 0 > 0 && tunnel.failure == nil && tunnel.endedAt > end
                && mayCarry(tunnel)
        }
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

    /// Shorter ones may be in a request by chance.
    private static let shortest = 8
    /// Behind a callback until its server has refused the code.
    private static let mostExchanges = 200
    private static let mostLaterExchanges = 1000
}
