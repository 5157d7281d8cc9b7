internal import Wire

/// The dialogue with a SOCKS 5 proxy, up to the first byte of the tunnel (RFC 1928; user name and password: RFC 1929).
///
/// No message of it is longer than 262 bytes, so nothing needs a limit.
struct SOCKSStateMachine {
    /// Where the tunnel is to lead.
    enum Destination: Equatable {
        /// Resolved by the proxy; at most 255 bytes.
        case name(String)
        /// 4 or 16 bytes in network order.
        case address([UInt8])
    }

    enum Action: Equatable {
        case waitForMoreBytes
        case send([UInt8])
        /// The tunnel is open; the rest is already of its other end.
        case established(rest: [UInt8])
        /// The proxy tried in vain, or does not want to.
        case refused(code: UInt8)
        /// There is no going on.
        case failed(reason: String)
    }

    private enum State {
        case method
        case password
        case reply
        case decided
    }

    private static let version: UInt8 = 5
    private let destination: Destination
    private let port: Int
    private let credentials: BasicCredentials?
    private var state = State.method
    private var bytes: [UInt8] = []

    init(destination: Destination, port: Int, credentials: BasicCredentials?) {
        self.destination = destination
        self.port = port
        self.credentials = credentials
    }

    /// What is said first: the ways to sign in that we know.
    var greeting: [UInt8] { [Self.version] + (credentials == nil ? [1, 0] : [2, 0, 2]) }

    /// Whether the proxy has said that it speaks SOCKS; that takes it no connection of its own.
    var isGreeted: Bool { state != .method }

    mutating func received(_ new: some Sequence<UInt8>) -> Action {
        bytes += new
        switch state {
        case .method: return readMethod()
        case .password: return readPassword()
        case .reply: return readReply()
        case .decided: return .waitForMoreBytes
        }
    }

    private mutating func readMethod() -> Action {
        guard let version = bytes.first else { return .waitForMoreBytes }
        guard version == Self.version else {
            return decide(
                .failed(
                    reason: version == 0x48
                        ? "it speaks HTTP: name it by http://" : "its answer is not SOCKS 5"
                )
            )
        }
        guard bytes.count >= 2 else { return .waitForMoreBytes }
        let method = bytes[1]
        bytes.removeFirst(2)
        switch (method, credentials) {
        case (0, _):
            state = .reply
            return .send(request)
        case (2, let credentials?):
            state = .password
            let (user, password) = (Array(credentials.user.utf8), Array(credentials.password.utf8))
            return .send([1, UInt8(user.count)] + user + [UInt8(password.count)] + password)
        case (0xff, nil):
            return decide(.failed(reason: "it wants a user name and password, or does not let us in"))
        case (0xff, _):
            return decide(
                .failed(reason: "it takes neither a user name with password nor nobody in particular")
            )
        default:
            return decide(.failed(reason: "it chose a way to sign in that it was not offered (\(method))"))
        }
    }

    private mutating func readPassword() -> Action {
        // Some answer with SOCKS's version instead of that of the sub-negotiation.
        if let version = bytes.first, version != 1, version != Self.version {
            return decide(.failed(reason: "its answer to user name and password is not SOCKS 5"))
        }
        guard bytes.count >= 2 else { return .waitForMoreBytes }
        guard bytes[1] == 0 else {
            return decide(.failed(reason: "it does not accept the user name and password"))
        }
        bytes.removeFirst(2)
        state = .reply
        return .send(request)
    }

    private var request: [UInt8] {
        let address: [UInt8] =
            switch destination {
            case .name(let name):
                [3, UInt8(truncatingIfNeeded: name.utf8.count)] + Array(name.utf8.prefix(255))
            case .address(let bytes): [bytes.count == 4 ? 1 : 4] + bytes
            }
        return [Self.version, 1, 0] + address + [UInt8(port >> 8 & 0xff), UInt8(port & 0xff)]
    }

    private mutating func readReply() -> Action {
        if let version = bytes.first, version != Self.version {
            return decide(.failed(reason: "its reply is not SOCKS 5"))
        }
        guard bytes.count >= 2 else { return .waitForMoreBytes }
        // Some say no more than that when they refuse.
        guard bytes[1] == 0 else { return decide(.refused(code: bytes[1])) }
        guard bytes.count >= 5 else { return .waitForMoreBytes }
        guard let length = SOCKS5.addressLength(bytes) else {
            return decide(
                .failed(reason: "its reply has an address of a kind that does not exist (\(bytes[3]))")
            )
        }
        let end = 4 + length + 2
        guard bytes.count >= end else { return .waitForMoreBytes }
        return decide(.established(rest: Array(bytes[end...])))
    }

    private mutating func decide(_ action: Action) -> Action {
        state = .decided
        bytes = []
        return action
    }
}
