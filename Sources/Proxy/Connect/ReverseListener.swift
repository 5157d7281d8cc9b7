internal import Captures
internal import NIOCore
internal import TLS

/// An origin that is played, and where; decides by which names both are called.
struct ReverseListener: Sendable {
    let played: ReverseOrigin
    /// The names of where it is played; known once that is listened on.
    let own: OwnAddress

    init(_ played: ReverseOrigin, own: OwnAddress = OwnAddress()) {
        self.played = played
        self.own = own
    }

    var origin: Origin { played.origin }

    /// What is to be done with a client's connection.
    ///
    /// - Parameters:
    ///   - hello: the client's; nil where it speaks in clear.
    ///   - entry: of the connection.
    ///   - held: what came of the client so far.
    ///   - called: the address that the client connected to, or asked the proxy for; nil where it is not known.
    ///   - isPinned: whether the client is known not to accept our certificate for the origin.
    /// - Returns: what ``InterceptionHandler`` carries out.
    func interception(
        hello: ClientHello?,
        entry: TunnelEntry,
        held: ByteBuffer,
        called: Origin?,
        isPinned: Bool
    ) -> Interception {
        let name = hello?.host
        let isNamed = name.map { isOrigin($0, port: called?.port ?? played.listeningPort) } ?? false
        return Interception(
            entry: entry,
            hello: hello,
            providerName: played.scheme == .https ? origin.hostInTLS : nil,
            clientName: name ?? called?.host ?? played.listeningHost,
            held: held,
            // Whoever has asked for the origin in TLS does so in its requests.
            listener: isNamed ? nil : self,
            isPlayed: true,
            // A client that asks for somebody else would not accept the origin's certificate either.
            passes: isPinned && isNamed && played.scheme == .https ? .clientRejectsRecorder : nil
        )
    }

    /// Whether a name that the client calls us by is the origin's, and not that of where we listen.
    private func isOrigin(_ host: String, port: Int) -> Bool {
        guard let named = Origin(authority: "\(host):\(port)", defaultPort: nil) else { return false }
        return named.hostInTLS == origin.hostInTLS && !own.isNamed(by: named)
    }

    /// A request to where the origin is played, as one in absolute form to the origin.
    ///
    /// `defaultPort`: the client's, where its `Host` names none.
    func played(_ request: ProxyRequest, defaultPort: Int) -> ProxyRequest {
        var request = request
        request.target = .absolute(origin)
        request.isSecure = played.scheme == .https
        request.isPlayed = true
        request.rewritten = naming(request.rewritten, defaultPort: defaultPort)
        return request
    }

    // MARK: Host

    /// What has to stand in place of the value of a `Host`.
    ///
    /// A client that does not name the origin has been led here by another name, which is ours: it was connected to us.
    ///
    /// - Parameters:
    ///   - value: as sent.
    ///   - defaultPort: the client's, where it names none.
    /// - Returns: the origin's; nil where the value stays.
    func replacement(forHost value: String, defaultPort: Int) -> String? {
        // What is no host and port is not ours to mend.
        guard let named = Origin(authority: value, defaultPort: defaultPort), named != origin else {
            return nil
        }
        return isOrigin(named.hostInURL, port: named.port) ? nil : played.authority
    }

    /// A request's head, byte for byte, with the origin's name in each `Host` that has another.
    func naming(_ head: [UInt8], defaultPort: Int) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(head.count + 32)
        var rest = head[...]
        var isRequestLine = true
        while let end = rest.firstIndex(of: 0x0a) {
            let line = rest[...end]
            rest = rest[(end + 1)...]
            defer { isRequestLine = false }
            guard !isRequestLine, ProxyRequest.isField(line, "host") else {
                result += line
                continue
            }
            let value = ProxyRequest.value(of: line)
            if let new = replacement(
                forHost: String(decoding: value, as: UTF8.self),
                defaultPort: defaultPort
            ) {
                result += line[..<value.startIndex]
                result += new.utf8
                result += line[value.endIndex...]
            } else {
                result += line
            }
        }
        return result + rest
    }
}
