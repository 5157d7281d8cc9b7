internal import Captures

extension ProxyRequest {
    /// Reads a head that goes on as it came: looks for nothing but where the request ends.
    ///
    /// - Parameter head: from the first byte of the request line to the empty line, both included.
    /// - Returns: what it says; ``rewritten`` is the head, ``path`` the target in whatever form.
    /// - Throws: ``Refusal`` when it is not HTTP/1, or its end cannot be known.
    static func parseForServer(_ head: [UInt8]) throws(Refusal) -> ProxyRequest {
        var lines = Self.lines(of: head)
        // A target may hold spaces that a client forgot to encode: the provider shall see them.
        guard let line = lines.popFirst(), let first = line.firstIndex(of: 0x20),
            let last = line.lastIndex(of: 0x20), last > first + 1,
            first > line.startIndex, line[..<first].allSatisfy(\.isTokenCharacter),
            isVersion(line[(last + 1)...])
        else { throw Refusal(status: 400, reason: "not a request line of HTTP/1") }
        let target = String(decoding: line[(first + 1)..<last], as: UTF8.self)
        var request = ProxyRequest(
            method: String(decoding: line[..<first], as: UTF8.self),
            target: .own(path: target),
            framing: .none,
            expectsContinue: false,
            path: target,
            rewritten: head
        )
        try request.readFields(lines)
        if request.method == "CONNECT" { request.asksForUpgrade = true }
        return request
    }

    /// Whether a head from ``parseForServer(_:)`` can be given the form that a proxy wants: its target is a path, all readers see
    /// the same in it, and nothing of it is for proxies.
    var hasFormForProxies: Bool {
        (path.utf8.first == 0x2f || path == "*") && path.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7f }
            && Self.ambiguity(of: rewritten) == nil
            && Self.withoutProxyFields(rewritten[...]).count == rewritten.count
    }
}
