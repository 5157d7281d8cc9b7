internal import Captures
internal import Wire

/// What a client and a SOCKS proxy say to each other in front of the connection that the proxy makes for it.
///
/// SOCKS 5 (RFC 1928) with or without a user name (RFC 1929), SOCKS 4 and 4a. Takes the bytes of both as they come, cut in
/// any way; the client need not wait for its answers. What it does not want, it names.
struct SOCKSHandshake {
    /// Whom the client wants to reach.
    struct Target: Equatable {
        /// A name, or an address as URLs write it.
        var host: String
        var port: UInt16
        /// Nil where it is a name, which the proxy looks up.
        var endpoint: Endpoint?

        var authority: String { "\(host):\(port)" }
    }

    enum Outcome: Equatable {
        case goesOn
        /// From here on it is the connection with the target.
        case connected(Target)
        /// The proxy does not connect; its reason.
        case refused(Target?, String)
        /// It is no SOCKS, or not for this: nothing can be read of it.
        case other
    }

    private enum State {
        case greeting
        case method
        case password
        case passwordAnswer
        case request
        case answer
        case request4
        case answer4
        case over
    }

    /// Far more than both say; the client's first bytes to the target may come with it.
    static let mostHeld = 64 << 10

    private var state: State
    /// Whom the client wants to reach, once it has said so.
    private(set) var target: Target?
    private var client: [UInt8] = []
    private var server: [UInt8] = []

    /// What came behind the handshake, once it has ended.
    var rest: (client: [UInt8], server: [UInt8]) { (client, server) }

    /// Nil where a client that begins so wants no SOCKS.
    init?(_ first: [UInt8]) {
        switch first.first {
        case 5 where first.count < 2 || first[1] > 0: state = .greeting
        // CONNECT, and BIND, which is not for this.
        case 4 where first.count < 2 || first[1] == 1: state = .request4
        default: return nil
        }
    }

    mutating func receive(_ bytes: UnsafeRawBufferPointer, from side: Side) -> Outcome {
        if side == .client { client.append(contentsOf: bytes) } else { server.append(contentsOf: bytes) }
        while true {
            switch step() {
            case .some(.goesOn): continue
            case .some(let outcome):
                state = .over
                return outcome
            case nil:
                guard client.count <= Self.mostHeld, server.count <= Self.mostHeld else { return .other }
                // Who answers before it is asked speaks something else.
                return isServerEarly ? .other : .goesOn
            }
        }
    }

    /// Whether the client has said what it has to, and nothing of the proxy's next answer has come.
    var awaitsProxy: Bool {
        switch state {
        // What comes behind a greeting may show that it was none.
        case .method: server.isEmpty && (client.first ?? 5) == 5
        case .passwordAnswer, .answer, .answer4: server.isEmpty
        case .greeting, .password, .request, .request4, .over: false
        }
    }

    private var isServerEarly: Bool {
        switch state {
        case .greeting, .password, .request, .request4: !server.isEmpty
        case .method, .passwordAnswer, .answer, .answer4, .over: false
        }
    }

    /// Reads the next message; nil where it is not whole, ``Outcome/goesOn`` where another may follow.
    private mutating func step() -> Outcome? {
        switch state {
        case .greeting:
            guard client.count >= 2, client.count >= 2 + Int(client[1]) else { return nil }
            client.removeFirst(2 + Int(client[1]))
            return go(to: .method)
        case .method: return readMethod()
        case .password:
            // A version of its own, then user name and password, each behind its length.
            guard client.count >= 2 else { return nil }
            guard client[0] == 1 else { return .other }
            let name = 2 + Int(client[1])
            guard client.count > name, client.count >= name + 1 + Int(client[name]) else { return nil }
            client.removeFirst(name + 1 + Int(client[name]))
            return go(to: .passwordAnswer)
        case .passwordAnswer:
            guard server.count >= 2 else { return nil }
            guard server[1] == 0 else { return .refused(nil, "user name or password refused") }
            server.removeFirst(2)
            return go(to: .request)
        case .request: return readRequest()
        case .answer: return readAnswer()
        case .request4: return readRequest4()
        case .answer4:
            guard server.count >= 8 else { return nil }
            guard server[0] == 0 else { return .other }
            guard server[1] == 0x5a else { return .refused(target, Self.words4(server[1])) }
            server.removeFirst(8)
            return target.map { .connected($0) }
        case .over: return nil
        }
    }

    private mutating func go(to next: State) -> Outcome {
        state = next
        return .goesOn
    }

    // MARK: - Version 5

    private mutating func readMethod() -> Outcome? {
        guard server.count >= 2 else { return nil }
        guard server[0] == 5 else { return .other }
        let method = server[1]
        server.removeFirst(2)
        switch method {
        case 0: return go(to: .request)
        case 2: return go(to: .password)
        case 0xff: return .refused(nil, "none of the client's ways to authenticate is taken")
        // GSSAPI may encrypt all that follows.
        default: return .other
        }
    }

    private mutating func readRequest() -> Outcome? {
        guard client.count >= 5 else { return nil }
        guard client[0] == 5, client[1] == 1, let length = SOCKS5.addressLength(client) else { return .other }
        guard client.count >= length + 6 else { return nil }
        let port = UInt16(client[4 + length]) << 8 | UInt16(client[5 + length])
        if client[3] == 3 {
            guard let host = Self.host(client[5..<(4 + length)]) else { return .other }
            target = Target(host: host, port: port)
        } else {
            let endpoint = Endpoint(address: Array(client[4..<(4 + length)]), port: port)
            target = Target(host: endpoint.addressText, port: port, endpoint: endpoint)
        }
        client.removeFirst(length + 6)
        return go(to: .answer)
    }

    private mutating func readAnswer() -> Outcome? {
        guard server.count >= 2 else { return nil }
        guard server[0] == 5 else { return .other }
        guard server[1] == 0 else {
            return .refused(target, SOCKS5.words(ofReply: server[1]) ?? "reply \(server[1])")
        }
        guard server.count >= 5 else { return nil }
        guard let length = SOCKS5.addressLength(server) else { return .other }
        guard server.count >= length + 6 else { return nil }
        server.removeFirst(length + 6)
        return target.map { .connected($0) }
    }

    // MARK: - Version 4

    private mutating func readRequest4() -> Outcome? {
        guard client.count >= 8 else { return nil }
        guard client[1] == 1 else { return .other }
        guard let name = end(of: 8, atMost: 1024) else { return nil }
        guard name.isThere else { return .other }
        let port = UInt16(client[2]) << 8 | UInt16(client[3])
        let address = Array(client[4..<8])
        var size = name.end
        if address[..<3].allSatisfy({ $0 == 0 }), address[3] != 0 {
            // 4a: an address that cannot be announces a name behind that of the user.
            guard let last = end(of: size, atMost: 256) else { return nil }
            guard last.isThere, let host = Self.host(client[size..<(last.end - 1)]) else { return .other }
            target = Target(host: host, port: port)
            size = last.end
        } else {
            let endpoint = Endpoint(address: address, port: port)
            target = Target(host: endpoint.addressText, port: port, endpoint: endpoint)
        }
        client.removeFirst(size)
        return go(to: .answer4)
    }

    /// Where a text ends, behind its zero; nil where that has not come, not there where it is too long.
    private func end(of start: Int, atMost count: Int) -> (end: Int, isThere: Bool)? {
        let text = client.dropFirst(start).prefix(count)
        if let zero = text.firstIndex(of: 0) { return (zero + 1, true) }
        return text.count < count ? nil : (start, false)
    }

    private static func words4(_ code: UInt8) -> String {
        switch code {
        case 0x5b: "rejected or failed"
        case 0x5c: "rejected, as the client runs no identd that is reached"
        case 0x5d: "rejected, as identd names another user"
        default: "reply \(code)"
        }
    }

    /// A name that can be one; addresses of IPv6 come as texts, too.
    private static func host(_ bytes: ArraySlice<UInt8>) -> String? {
        guard !bytes.isEmpty, bytes.allSatisfy({ $0.isHostNameCharacter || $0 == 0x3a }) else {
            return nil
        }
        return URLAuthority.bracketed(String(decoding: bytes, as: UTF8.self))
    }
}
