internal import Captures

/// Reads what a proxy answers to `CONNECT`, up to the first byte of the tunnel.
///
/// The proxy may be hostile: what it says is kept up to a limit, and looked at once.
struct ConnectAnswerStateMachine {
    enum Action: Equatable {
        case waitForMoreBytes
        /// The tunnel is open; the rest is already of its other end.
        case established(rest: [UInt8])
        /// The proxy does not want to.
        case refused(Refusal)
        /// What came is no answer.
        case failed(reason: String)
    }

    /// An answer that is not 2xx.
    struct Refusal: Equatable {
        var status: Int
        /// What follows the status in its line, printable.
        var statusText: String
        /// The values of `Proxy-Authenticate`, printable.
        var challenges: [String]
    }

    /// Of a proxy that was spoken to in clear.
    static let tls = "it speaks TLS: name it by https://"

    private let maximumHeadBytes: Int
    private var bytes: [UInt8] = []
    private var scanner = HeadScanner()
    private var headBytes = 0
    private var isDecided = false

    init(maximumHeadBytes: Int) { self.maximumHeadBytes = maximumHeadBytes }

    mutating func received(_ new: some Sequence<UInt8>) -> Action {
        guard !isDecided else { return .waitForMoreBytes }
        bytes += new
        while true {
            let start = Array("HTTP/1.".utf8)
            guard zip(bytes, start).allSatisfy({ $0 == $1 }) else {
                // A TLS alert, or a hello that asks for one.
                let isTLS = bytes.first == 0x15 || bytes.first == 0x16
                return decide(
                    .failed(reason: isTLS ? Self.tls : "its answer is not HTTP/1")
                )
            }
            guard let end = scanner.length(in: bytes) else {
                guard headBytes + bytes.count <= maximumHeadBytes else { return decide(tooLong) }
                return .waitForMoreBytes
            }
            headBytes += end
            guard headBytes <= maximumHeadBytes else { return decide(tooLong) }
            if let action = answer(Array(bytes[..<end]), rest: Array(bytes[end...])) { return decide(action) }
            bytes = Array(bytes[end...])
            scanner = HeadScanner()
        }
    }

    /// What a whole head says; nil for an interim answer, which another one follows.
    private func answer(_ head: [UInt8], rest: [UInt8]) -> Action? {
        let lines = ProxyRequest.lines(of: head)
        guard let line = lines.first, let (status, text) = Self.statusLine(line) else {
            return .failed(reason: "its answer has no status line of HTTP/1")
        }
        switch status {
        case 100, 102...199: return nil
        // Whatever its fields say of a body: there is none (RFC 9110, section 9.3.6).
        case 200...299: return .established(rest: rest)
        default:
            let challenges = lines.dropFirst().filter { ProxyRequest.isField($0, "proxy-authenticate") }
            return .refused(
                Refusal(
                    status: status,
                    statusText: Self.printable(text, 100),
                    challenges: challenges.prefix(8).map { Self.printable(ProxyRequest.value(of: $0), 200) }
                )
            )
        }
    }

    private var tooLong: Action {
        .failed(reason: "the head of its answer is longer than \(maximumHeadBytes) bytes")
    }

    private mutating func decide(_ action: Action) -> Action {
        isDecided = true
        bytes = []
        return action
    }

    private static func statusLine(_ line: ArraySlice<UInt8>) -> (Int, ArraySlice<UInt8>)? {
        let words = line.split(separator: 0x20, maxSplits: 2, omittingEmptySubsequences: false)
        guard words.count >= 2, words[0].count == 8, words[1].count == 3,
            words[1].allSatisfy({ $0.isASCIIDigit }),
            let status = Int(String(decoding: words[1], as: UTF8.self)), status >= 100, status != 101
        else { return nil }
        return (status, words.count > 2 ? words[2] : [])
    }

    /// Text for messages: what could steer a terminal is left out.
    static func printable(_ bytes: ArraySlice<UInt8>, _ limit: Int) -> String {
        let text = String(decoding: bytes.prefix(limit * 4), as: UTF8.self)
        let scalars = text.unicodeScalars.filter {
            !($0.properties.generalCategory == .control || $0.properties.generalCategory == .format)
        }
        let kept = String(String.UnicodeScalarView(scalars.prefix(limit)))
        return scalars.count > limit || bytes.count > limit * 4 ? kept + "…" : kept
    }
}
