internal import Captures
internal import NIOCore
internal import Wire

/// The head of a request to the proxy: what decides where it goes, and its lines as they came.
struct ProxyRequest: Equatable {
    /// Where a request goes.
    enum Target: Equatable {
        /// `CONNECT host:port`.
        case tunnel(Origin)
        /// `GET http://host:port/path`, or `https`.
        case absolute(Origin)
        /// Anything else that is said to the proxy itself; the path as sent.
        case own(path: String)
    }

    /// How the body is delimited (RFC 9112, section 6.3).
    enum Framing: Equatable {
        case none
        case length(Int)
        case chunked
    }

    var method: String
    var target: Target
    /// Whether the URL is one of `https`: TLS with the server is left to us.
    var isSecure = false
    /// Whether it came to an address where its origin is played, which is always opened.
    var isPlayed = false
    var framing: Framing
    var expectsContinue: Bool
    /// Whether another protocol may be spoken after it.
    var asksForUpgrade = false
    /// Whether its head means the same in no other form, so that it has to reach the server as it came.
    var isVerbatim = false
    /// The path and query of the URL.
    var path: String
    /// What the client says it is; empty where it does not.
    var userAgent = ""
    /// The value of its `Proxy-Authorization`; nil where there is none, or more than one.
    var proxyAuthorization: [UInt8]?
    /// The head as a server wants it: origin-form, without what is for proxies only; everything else byte for
    /// byte.
    var rewritten: [UInt8]

    /// Whether a proxy on the way has to leave the connection to it.
    var wantsTunnel: Bool { asksForUpgrade || isVerbatim }

    /// Why a head is not one: what to answer, and why.
    struct Refusal: Error, Equatable {
        var status: Int
        var reason: String

        /// A head that has begun has to end in time.
        static let late = Refusal(status: 408, reason: "no complete request arrived in time")

        /// Why its entry has no answer.
        var failure: String { "the recorder cannot use this request: \(reason)" }
    }

    /// Reads a head.
    ///
    /// - Parameter head: from the first byte of the request line to the empty line, both included.
    /// - Returns: what it says.
    /// - Throws: ``Refusal`` when it cannot be acted on.
    static func parse(_ head: [UInt8]) throws(Refusal) -> ProxyRequest {
        let lines = Self.lines(of: head)
        guard let line = lines.first else { throw Refusal(status: 400, reason: "no request line") }
        let words = line.split(separator: 0x20, omittingEmptySubsequences: false)
        guard words.count == 3, words[0].allSatisfy(\.isTokenCharacter), !words[0].isEmpty,
            isVersion(words[2]), !words[1].isEmpty,
            words[1].allSatisfy({ $0 > 0x20 && $0 != 0x7f })
        else { throw Refusal(status: 400, reason: "not a request line of HTTP/1") }
        let method = String(decoding: words[0], as: UTF8.self)
        let text = String(decoding: words[1], as: UTF8.self)

        var request = ProxyRequest(
            method: method,
            target: .own(path: text),
            framing: .none,
            expectsContinue: false,
            path: text,
            rewritten: []
        )
        var requestTarget = Array(words[1])
        if method == "CONNECT" {
            guard let origin = Origin(authority: text, defaultPort: nil) else {
                throw Refusal(status: 400, reason: "CONNECT wants host:port")
            }
            request.target = .tunnel(origin)
        } else if let url = AbsoluteForm(words[1]) {
            guard let origin = Origin(authority: url.authority, defaultPort: url.isSecure ? 443 : 80) else {
                throw Refusal(status: 400, reason: "the URL has no usable host and port")
            }
            if let ambiguity = Self.ambiguity(of: head) {
                throw Refusal(status: 400, reason: "\(ambiguity): it could be read in two ways")
            }
            request.target = .absolute(origin)
            request.isSecure = url.isSecure
            // The server itself is meant, and no page of it (RFC 9112, section 3.2.4).
            requestTarget = method == "OPTIONS" && !url.hasPath ? [0x2a] : url.path
            request.path = String(decoding: url.path, as: UTF8.self)
        }
        if case .own = request.target, let refusal = Self.otherScheme(text) { throw refusal }
        try request.readFields(lines.dropFirst())
        request.rewrite(target: requestTarget, version: words[2], head: head)
        return request
    }

    /// The lines of a head without their ends, and without the empty ones at its end.
    static func lines(of head: [UInt8]) -> ArraySlice<ArraySlice<UInt8>> {
        let lines = head[...].split(separator: 0x0a, omittingEmptySubsequences: false).map { line in
            line.last == 0x0d ? line.dropLast() : line
        }
        let end = lines.lastIndex { !$0.isEmpty }.map { $0 + 1 }
        return lines[..<(end ?? 0)]
    }

    /// A target that is an `http` or `https` URL.
    struct AbsoluteForm {
        let isSecure: Bool
        let authority: String
        /// What stands behind the authority.
        private let rest: ArraySlice<UInt8>

        /// Nil for other targets.
        init?(_ target: ArraySlice<UInt8>) {
            guard let scheme = ["http://", "https://"].first(where: { Self.hasPrefix($0, target) }) else {
                return nil
            }
            isSecure = scheme == "https://"
            let behind = target.dropFirst(scheme.utf8.count)
            guard !behind.isEmpty else { return nil }
            let end = behind.firstIndex { $0 == 0x2f || $0 == 0x3f || $0 == 0x23 } ?? behind.endIndex
            authority = String(decoding: behind[..<end], as: UTF8.self)
            rest = behind[end...]
        }

        /// The origin-form.
        var path: [UInt8] { rest.first == 0x2f ? Array(rest) : [0x2f] + rest }

        var hasPath: Bool { rest.contains { $0 == 0x2f || $0 == 0x3f } }

        private static func hasPrefix(_ scheme: String, _ target: ArraySlice<UInt8>) -> Bool {
            target.count >= scheme.utf8.count
                && zip(target, scheme.utf8).allSatisfy {
                    $0 == $1 || ((0x41...0x5a).contains($0) && $0 | 0x20 == $1)
                }
        }
    }

    /// Why a URL of another scheme than `http` goes nowhere; nil for what is no URL.
    private static func otherScheme(_ target: String) -> Refusal? {
        guard let end = target.firstRange(of: "://")?.lowerBound else { return nil }
        let scheme = target[..<end].lowercased()
        guard scheme.utf8.allSatisfy({ $0.isASCIIAlphanumeric || [0x2b, 0x2d, 0x2e].contains($0) }) else {
            return nil
        }
        return switch scheme {
        case "http", "https": Refusal(status: 400, reason: "the URL has no usable host and port")
        case "ws", "wss": Refusal(status: 400, reason: "\(scheme) goes through a proxy by CONNECT")
        default: Refusal(status: 501, reason: "only http, https and what they carry go through this proxy")
        }
    }

    mutating func readFields(_ lines: ArraySlice<ArraySlice<UInt8>>) throws(Refusal) {
        var lengths: [Int] = []
        var codings: [ArraySlice<UInt8>] = []
        var authorizations: [[UInt8]] = []
        for line in lines {
            if Self.isField(line, "content-length") {
                for part in Self.value(of: line).split(separator: 0x2c, omittingEmptySubsequences: false) {
                    guard let length = Int(String(decoding: Self.trim(part), as: UTF8.self)), length >= 0,
                        Self.trim(part).allSatisfy({ $0.isASCIIDigit })
                    else { throw Refusal(status: 400, reason: "Content-Length is not a number") }
                    lengths.append(length)
                }
            } else if Self.isField(line, "transfer-encoding") {
                // Only blanks are no part of a coding: a CR is, wherever others may end the line.
                codings.append(line.drop { $0 != 0x3a }.dropFirst())
            } else if Self.isField(line, "user-agent") {
                userAgent = String(decoding: Self.value(of: line), as: UTF8.self)
            } else if Self.isField(line, "proxy-authorization") {
                authorizations.append(Array(Self.value(of: line)))
            } else if Self.isField(line, "upgrade") {
                asksForUpgrade = true
            } else if Self.isField(line, "expect") {
                expectsContinue = Self.lowercased(Self.value(of: line)) == "100-continue"
            }
        }
        proxyAuthorization = authorizations.count == 1 ? authorizations[0] : nil
        guard Set(lengths).count <= 1 else {
            throw Refusal(status: 400, reason: "two Content-Length values that differ")
        }
        if !codings.isEmpty {
            // Its end is known to nobody but the client (RFC 9112, section 6.3).
            guard TransferCodings(codings).endInChunked else {
                throw Refusal(status: 400, reason: TransferCodings.endlessRequest)
            }
            framing = .chunked
        } else if let length = lengths.first, length > 0 {
            framing = .length(length)
        }
    }

    /// Copies the head line by line, line ends included, so that nothing else changes.
    private mutating func rewrite(target: [UInt8], version: ArraySlice<UInt8>, head: [UInt8]) {
        rewritten.reserveCapacity(head.count)
        rewritten += method.utf8
        rewritten.append(0x20)
        rewritten += target
        rewritten.append(0x20)
        rewritten += version
        var rest = head[...]
        if let end = rest.firstIndex(of: 0x0a) {
            let lineEnd = end > rest.startIndex && rest[end - 1] == 0x0d ? end - 1 : end
            rewritten += rest[lineEnd...end]
            rest = rest[(end + 1)...]
        }
        rewritten += Self.withoutProxyFields(rest)
    }

    /// The lines behind a request line, line ends included, without those that are for proxies only.
    static func withoutProxyFields(_ lines: ArraySlice<UInt8>) -> [UInt8] {
        var kept: [UInt8] = []
        kept.reserveCapacity(lines.count)
        var isLeftOut = false
        var rest = lines
        while let end = rest.firstIndex(of: 0x0a) {
            let line = rest[...end]
            rest = rest[(end + 1)...]
            // A line that is folded belongs to the one before (RFC 9112, section 5.2).
            if line.first != 0x20, line.first != 0x09 {
                isLeftOut = isField(line, "proxy-authorization") || isField(line, "proxy-connection")
            }
            if !isLeftOut { kept += line }
        }
        return kept + rest
    }

    // MARK: Bytes

    static func isField(_ line: ArraySlice<UInt8>, _ name: StaticString) -> Bool {
        name.withUTF8Buffer { name in
            guard line.count > name.count else { return false }
            guard zip(line, name).allSatisfy({ $0 == $1 || ((0x41...0x5a).contains($0) && $0 | 0x20 == $1) })
            else {
                return false
            }
            return trim(line.dropFirst(name.count)).first == 0x3a
        }
    }

    static func value(of line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        guard let colon = line.firstIndex(of: 0x3a) else { return [] }
        return trim(line[(colon + 1)...])
    }

    private static func trim(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var bytes = bytes.drop(while: \.isBlank)
        while let last = bytes.last, last.isBlank || last == 0x0d || last == 0x0a {
            bytes.removeLast()
        }
        return bytes
    }

    private static func lowercased(_ bytes: ArraySlice<UInt8>) -> String {
        String(decoding: bytes, as: UTF8.self).lowercased()
    }

    /// `HTTP/1.` and a digit (RFC 9112, section 2.3).
    static func isVersion(_ word: ArraySlice<UInt8>) -> Bool {
        word.count == 8 && word.starts(with: "HTTP/1.".utf8)
            && word.last.map { $0.isASCIIDigit } == true
    }
}
