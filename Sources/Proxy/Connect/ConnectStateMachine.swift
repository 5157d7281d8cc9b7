/// Decides what to do with a client's connection from its first request on, before any exchange is decoded.
///
/// Collects the head and nothing else; looks at each byte once.
struct ConnectStateMachine {
    enum Action: Equatable {
        case waitForMoreBytes
        /// Answer and close.
        case respond(ProxyRequest.Refusal)
        /// Dial, answer, and look at what comes then; the rest are bytes that came behind the head.
        case tunnel(Origin, rest: [UInt8])
        /// A tunnel to the proxy itself: answer, and serve what is asked for inside.
        case serveTunnel(Origin, rest: [UInt8])
        /// A request in absolute form; all bytes, head included.
        case forward(bytes: [UInt8])
        /// A request to the proxy itself.
        case serve(OwnRequest)
    }

    private let maximumHeadBytes: Int
    private let isOwn: @Sendable (Origin) -> Bool
    private var bytes: [UInt8] = []
    private var scanned = 0
    private var isDecided = false

    /// - Parameters:
    ///   - maximumHeadBytes: beyond, the answer is 431.
    ///   - isOwn: whether an address is the proxy's own, so that a request to it is for the set-up page.
    init(maximumHeadBytes: Int, isOwn: @escaping @Sendable (Origin) -> Bool) {
        self.maximumHeadBytes = maximumHeadBytes
        self.isOwn = isOwn
    }

    mutating func received(_ new: some Sequence<UInt8>) -> Action {
        guard !isDecided else { return .waitForMoreBytes }
        bytes += new
        // Empty lines before a request are skipped (RFC 9112, section 2.2).
        if scanned == 0 {
            let lead = bytes.prefix { $0 == 0x0d || $0 == 0x0a }.count
            if lead > 0 { bytes.removeFirst(lead) }
        }
        // What cannot be a method need not be waited for: a TLS hello without CONNECT, a scanner, noise.
        if let word = bytes.prefix(32).firstIndex(where: { !ProxyRequest.isTokenByte($0) }),
            bytes[word] != 0x20 || word == 0
        {
            return decide(.respond(.init(status: 400, reason: "not a request of HTTP/1")))
        }
        guard let end = endOfHead() else {
            guard bytes.count <= maximumHeadBytes else {
                return decide(
                    .respond(
                        .init(
                            status: 431,
                            reason: "the request head is longer than \(maximumHeadBytes) bytes"
                        )
                    )
                )
            }
            return .waitForMoreBytes
        }
        guard end <= maximumHeadBytes else {
            return decide(
                .respond(
                    .init(status: 431, reason: "the request head is longer than \(maximumHeadBytes) bytes")
                )
            )
        }
        do throws(ProxyRequest.Refusal) {
            let request = try ProxyRequest.parse(Array(bytes[..<end]))
            switch request.target {
            case .tunnel(let origin) where isOwn(origin):
                return decide(.serveTunnel(origin, rest: Array(bytes[end...])))
            case .tunnel(let origin): return decide(.tunnel(origin, rest: Array(bytes[end...])))
            case .absolute(let origin) where isOwn(origin): return decide(.serve(OwnRequest(request)))
            case .absolute: return decide(.forward(bytes: bytes))
            case .own: return decide(.serve(OwnRequest(request)))
            }
        } catch {
            return decide(.respond(error))
        }
    }

    /// Time is up: nil when the head is complete.
    mutating func timedOut() -> Action? {
        guard !isDecided else { return nil }
        return decide(.respond(.init(status: 408, reason: "no complete request arrived in time")))
    }

    private mutating func decide(_ action: Action) -> Action {
        isDecided = true
        bytes = []
        return action
    }

    private mutating func endOfHead() -> Int? {
        while scanned < bytes.count {
            defer { scanned += 1 }
            guard bytes[scanned] == 0x0a, scanned > 0 else { continue }
            if bytes[scanned - 1] == 0x0a { return scanned + 1 }
            if scanned > 1, bytes[scanned - 1] == 0x0d, bytes[scanned - 2] == 0x0a { return scanned + 1 }
        }
        return nil
    }
}
