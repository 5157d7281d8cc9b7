internal import Captures

/// Decides what to do with a client's connection from its first request on, before any exchange is decoded.
///
/// Collects the head and nothing else; looks at each byte once.
struct ConnectStateMachine {
    enum Action: Equatable {
        case waitForMoreBytes
        /// Answer and close.
        case respond(ProxyRequest.Refusal)
        /// Ask for credentials; the client may try again on this connection, unless it is to be closed.
        case demandCredentials(method: String, closes: Bool)
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
    private let isAuthorized: (ProxyRequest) -> Bool
    /// How often credentials were asked for.
    private var demands = 0
    /// Bytes to come of the body of a request that was not carried out.
    private var unwanted = 0
    private var bytes: [UInt8] = []
    private var scanner = HeadScanner()
    private var isDecided = false
    /// What was refused, from its first byte on; empty where nothing was.
    private(set) var refused: [UInt8] = []

    /// - Parameters:
    ///   - maximumHeadBytes: beyond, the answer is 431.
    ///   - isOwn: whether an address is the proxy's own, so that a request to it is for the set-up page.
    ///   - isAuthorized: whether a request for somebody else may be carried out.
    init(
        maximumHeadBytes: Int,
        isOwn: @escaping @Sendable (Origin) -> Bool,
        isAuthorized: @escaping (ProxyRequest) -> Bool = { _ in true }
    ) {
        self.maximumHeadBytes = maximumHeadBytes
        self.isOwn = isOwn
        self.isAuthorized = isAuthorized
    }

    /// How often a client may try without the right credentials before it has to connect anew.
    static let maximumDemands = 8
    /// How long the body of a request may be that is not carried out, and is read all the same.
    static let maximumUnwantedBytes = 65_536

    /// What has come of a request whose head is not whole.
    var begun: [UInt8] { bytes }

    /// Whether nothing of a request is there.
    var isIdle: Bool { !isDecided && bytes.isEmpty }

    mutating func received(_ new: some Sequence<UInt8>) -> Action {
        guard !isDecided else { return .waitForMoreBytes }
        bytes += new
        passOver()
        // What cannot be a method need not be waited for: a TLS hello without CONNECT, a scanner, noise.
        if let word = bytes.prefix(32).firstIndex(where: { !$0.isTokenCharacter }),
            bytes[word] != 0x20 || word == 0
        {
            return decide(.respond(.init(status: 400, reason: Self.otherProtocol(bytes.first))))
        }
        guard let end = scanner.length(in: bytes) else {
            return bytes.count > maximumHeadBytes ? decide(.respond(tooLong)) : .waitForMoreBytes
        }
        guard end <= maximumHeadBytes else { return decide(.respond(tooLong)) }
        do throws(ProxyRequest.Refusal) {
            return act(on: try ProxyRequest.parse(Array(bytes[..<end])), end)
        } catch {
            return decide(.respond(error))
        }
    }

    /// Takes away what stands before a request: the body of one that was not carried out, and empty lines, which are skipped (RFC
    /// 9112, section 2.2).
    private mutating func passOver() {
        if unwanted > 0 {
            let count = min(unwanted, bytes.count)
            bytes.removeFirst(count)
            unwanted -= count
        }
        guard scanner.scanned == 0 else { return }
        let lead = bytes.prefix { $0 == 0x0d || $0 == 0x0a }.count
        if lead > 0 { bytes.removeFirst(lead) }
    }

    private var tooLong: ProxyRequest.Refusal {
        .init(status: 431, reason: "the request head is longer than \(maximumHeadBytes) bytes")
    }

    /// `end`: how long its head is.
    private mutating func act(on request: ProxyRequest, _ end: Int) -> Action {
        switch request.target {
        case .tunnel(let origin) where isOwn(origin):
            decide(.serveTunnel(origin, rest: Array(bytes[end...])))
        case .absolute(let origin) where isOwn(origin): decide(.serve(OwnRequest(request)))
        case .tunnel where !isAuthorized(request), .absolute where !isAuthorized(request):
            demand(request, end)
        case .tunnel(let origin): decide(.tunnel(origin, rest: Array(bytes[end...])))
        case .absolute: decide(.forward(bytes: bytes))
        case .own: decide(.serve(OwnRequest(request)))
        }
    }

    /// What is spoken instead of HTTP/1, by its first byte.
    private static func otherProtocol(_ first: UInt8?) -> String {
        switch first {
        // RFC 8446, section 5.1.
        case 0x16: "TLS is spoken to the proxy itself: name it by http://, in HTTPS_PROXY as well"
        // RFC 1928, section 3.
        case 4, 5: "SOCKS is spoken, and this is an HTTP proxy: name it by http://"
        default: "not a request of HTTP/1"
        }
    }

    private mutating func demand(_ request: ProxyRequest, _ end: Int) -> Action {
        demands += 1
        let length: Int? =
            switch request.framing {
            case .none: 0
            // Whoever asks first, and is refused, does not send it.
            case .length(let length): request.expectsContinue ? nil : length
            case .chunked: nil
            }
        guard let length, length <= Self.maximumUnwantedBytes, demands < Self.maximumDemands else {
            return decide(.demandCredentials(method: request.method, closes: true))
        }
        bytes.removeFirst(end)
        scanner = HeadScanner()
        unwanted = length
        return .demandCredentials(method: request.method, closes: false)
    }

    /// Time is up: nil when the head is complete.
    mutating func timedOut() -> Action? {
        guard !isDecided else { return nil }
        return decide(.respond(.late))
    }

    private mutating func decide(_ action: Action) -> Action {
        isDecided = true
        if case .respond = action { refused = bytes }
        bytes = []
        return action
    }
}
