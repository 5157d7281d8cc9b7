internal import Captures

/// What is the proxy's own doing where it is asked for the provider, request by request: such an exchange says so, and not that the
/// provider failed; and what may be where it leads to the provider.
extension UpstreamProxy {
    /// Names this proxy in an exchange whose answer ended with its tunnel: which of the two has ended it, nobody sees behind a proxy.
    func nameWay(in exchange: inout Exchange) {
        guard let words = exchange.failure, words.hasPrefix(AnswerLoss.serverEnded) else { return }
        exchange.failure = words + Self.way(by: self)
    }

    /// Lays an exchange to this proxy where it ended the connection, or the answer is a page of its own.
    ///
    /// The page is the client's, as any answer is; the exchange has none then, for the provider gave none.
    ///
    /// - Returns: what is to be told of it, be it a page or another protocol; nil where there is nothing.
    func takeOver(_ exchange: inout Exchange, of origin: Origin) -> UpstreamFailure? {
        guard let words = exchange.failure else {
            guard let response = exchange.response, let failure = failure(by: response, of: origin)
            else { return nil }
            exchange.response = nil
            exchange.failure = failure.reason
            return failure
        }
        let end = AnswerLoss.serverEnded
        if words.hasPrefix(end) {
            exchange.failure = "connection closed by the upstream proxy \(self)" + words.dropFirst(end.count)
        }
        guard words.hasSuffix(AnswerLoss.serverSpeaksTLS) else { return nil }
        let failure = UpstreamFailure.dialogue(origin, by: self, ConnectAnswerStateMachine.tls)
        exchange.failure = failure.reason
        return failure
    }

    /// Why a provider was not reached, as an answer says that can be of nobody but this proxy; nil for all others.
    private func failure(by response: RecordedResponse, of origin: Origin) -> UpstreamFailure? {
        guard response.status >= 400 else { return nil }
        if response.status == 407 {
            let challenges = response.headers.all("proxy-authenticate").prefix(8)
            return .wantsCredentials(self, challenges.map { Self.printable($0, 200) })
        }
        guard let mark = mark(of: response, for: origin) else { return nil }
        let status = "\(response.status) \(Self.printable(response.statusText, 100))"
        let who = "the upstream proxy \(self)"
        return UpstreamFailure(
            reason: Self.isOfLostAnswer(mark.value)
                ? "ERR_EMPTY_RESPONSE: \(who) got no answer of \(origin) and answered \(status) (\(mark.text))"
                : "ERR_TUNNEL_CONNECTION_FAILED: \(who) answered \(status) in place of \(origin) (\(mark.text))",
            // Tinyproxy's answer to credentials that are wrong.
            hint: response.status == 401 ? UpstreamFailure.credentialsHint(for: self) : nil
        )
    }

    private struct Mark {
        let name: String
        let value: String

        var text: String { "\(name): \(UpstreamProxy.printable(value, 100))" }
    }

    /// The field by which a page is known as this proxy's.
    private func mark(of response: RecordedResponse, for server: Origin) -> Mark? {
        let fields = response.headers
        // Between a client and the next proxy only (RFC 9110, section 11.7.1); a server that asks for itself says how.
        if response.status == 401, fields.first("www-authenticate") == nil,
            let value = fields.first("proxy-authenticate")
        {
            return Mark(name: "Proxy-Authenticate", value: value)
        }
        let hops = fields.all("via").flatMap { $0.split(separator: ",") }
        // Both write themselves into Via of whatever they pass on; of its own pages only Squid does.
        if hops.count == 1, let hop = hops.first, !isFront(hop, of: server),
            let value = fields.first("x-squid-error")
        {
            return Mark(name: "X-Squid-Error", value: value)
        }
        if hops.isEmpty, let value = fields.first("server"), value.lowercased().hasPrefix("tinyproxy/") {
            return Mark(name: "Server", value: value)
        }
        guard let value = statedError(fields.all("proxy-status")) else { return nil }
        return Mark(name: "Proxy-Status", value: value)
    }

    /// Whether a member of `Via` (RFC 9110, section 7.6.3) names a server, or a host below it: a Squid of its own in front of it, where
    /// this proxy leaves `Via` alone.
    private func isFront(_ hop: Substring, of server: Origin) -> Bool {
        let words = hop.split(separator: " ")
        guard words.count > 1 else { return false }
        let name = words[1].prefix { $0 != ":" }.lowercased()
        return name != origin.host && (name == server.host || name.hasSuffix("." + server.host))
    }

    /// The one member of `Proxy-Status`, where it names this proxy and an error (RFC 9209, section 2).
    private func statedError(_ values: [String]) -> String? {
        guard values.count == 1, let value = values.first, !value.utf8.contains(0x2c) else { return nil }
        var parts = value.split(separator: ";").map { $0.trimmingPrefix(while: { $0 == " " }) }[...]
        guard let name = parts.popFirst()?.filter({ $0 != "\"" && $0 != " " }),
            name.lowercased() == origin.host, parts.contains(where: { $0.hasPrefix("error=") })
        else { return nil }
        return value
    }

    /// Whether Squid had asked the server by then.
    private static func isOfLostAnswer(_ value: String) -> Bool {
        ["ERR_READ_ERROR", "ERR_READ_TIMEOUT", "ERR_WRITE_ERROR", "ERR_ZERO_SIZE_OBJECT"]
            .contains(where: value.hasPrefix)
    }

    private static func printable(_ text: String, _ limit: Int) -> String {
        ConnectAnswerStateMachine.printable(Array(text.utf8)[...], limit)
    }
}
