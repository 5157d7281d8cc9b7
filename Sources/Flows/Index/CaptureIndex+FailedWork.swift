import Captures

extension CaptureIndex {
    /// The request that a server was at work on when a call of its own was made, and that came to nothing: the app did not get
    /// what it needed to begin a login or to end it.
    ///
    /// By the processes of both, or by the server's address where only packets were seen.
    package func failedWork(behind exchange: Int) -> Int? {
        failedWork(behind: exchange) { mayBeOfServer(capture[exchange].client, of: capture[$0]) }
    }

    /// The same, where something else than addresses and processes tells whose work it is.
    package func failedWork(behind exchange: Int, where isOfServer: (Int) -> Bool) -> Int? {
        let failed = capture[exchange]
        return order[..<position[exchange]].suffix(Self.mostRequestsAtATime).last { other in
            let asked = capture[other]
            guard asked.startedAt <= failed.startedAt, asked.endedAt >= failed.endedAt,
                asked.request.method != "CONNECT"
            else { return false }
            return isFruitless(other) && isOfServer(other)
        }
    }

    /// Whether a server hung up on a request without an answer after it had sent one of its own on account of it.
    package func isHungUp(_ request: Int, during other: Int) -> Bool {
        let asked = capture[request]
        guard asked.response == nil, asked.failure.flatMap({ TransportFailure($0) }) == .unanswered else {
            return false
        }
        return isAtWork(request, during: other)
    }

    /// Whether a request was sent while its server may have been at work on another.
    package func isAtWork(_ request: Int, during other: Int) -> Bool {
        let asked = capture[request]
        return capture[other].startedAt >= asked.startedAt && capture[other].startedAt <= asked.endedAt
    }

    /// Whether a server that refused a request answered others well afterwards: whoever asks goes on all the same.
    ///
    /// Not by its page to sign in at, where the next try begins. Another port of its host is another server's, the provider's on a
    /// developer's machine.
    package func isServedAfter(_ refusal: Int) -> Bool {
        let refused = capture[refusal]
        return order[(position[refusal] + 1)...].prefix(Self.mostLater).contains { exchange in
            let later = capture[exchange]
            return later.startedAt >= refused.endedAt && later.startedAt - refused.endedAt <= .seconds(300)
                && later.request.url.server == refused.request.url.server
                && later.request.method != "OPTIONS"
                && later.response.map { $0.status < 400 } ?? false && !Asset.isAsset(later)
                && !(later.request.method == "GET" && ErrorRedirect.isSignInPage(later.request.url))
        }
    }

    private static let mostLater = 1000

    /// A server that works on more is one whose requests nobody can tell apart.
    private static let mostRequestsAtATime = 50

    private func isFruitless(_ exchange: Int) -> Bool {
        let asked = capture[exchange]
        guard let response = asked.response else { return asked.failure != nil }
        guard response.status < 400, FailedLoginNotice.page(behind: exchange, in: self) == nil else {
            return true
        }
        guard let location = response.location?.lowercased() else { return false }
        return ["error", "fail"].contains(where: location.containsBytes)
    }

    private func mayBeOfServer(_ client: ClientFacts, of asked: Exchange) -> Bool {
        if client.process != nil { return client.isOther(than: asked.client) }
        guard let own = client.address.map(Self.host),
            let server = asked.connection.serverAddress.map(Self.host)
        else { return false }
        return own == server
    }

    /// `ADDRESS:PORT` without the port.
    private static func host(_ address: String) -> Substring {
        address.utf8.lastIndex(of: 0x3a).map { address[..<$0] } ?? address[...]
    }
}
