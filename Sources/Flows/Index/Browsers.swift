import Captures
import JOSE

/// Whether two requests are those of two browsers, by what each browser has of its own: its name for itself, the cookies that
/// it was given, and where it is.
package struct Browsers: Sendable {
    private let capture: Capture
    private let order: [Int]
    private let derived = DerivedValues()

    init(_ capture: Capture, order: [Int]) {
        self.capture = capture
        self.order = order
    }

    /// Read when two requests have nothing else to tell them apart: in most captures there is one browser.
    private var jars: CookieJars { derived.value { CookieJars(capture, order: order) } }

    /// Whether something shows that two exchanges are not of one browser; nothing does where they have little to tell it by.
    func areTwo(_ one: Int, _ other: Int) -> Bool {
        let (left, right) = (capture[one].request, capture[other].request)
        if differ(left.userAgent, right.userAgent) { return true }
        // Each host has cookies of its own, and may be behind proxies of its own.
        guard left.url.host == right.url.host else { return false }
        if let areOne = jars.areOne(one, other) { return !areOne }
        return areElsewhere(one, other)
    }

    /// Whether two requests for one host, of the same app or another, are those of two devices: by the browser's name for itself and
    /// by where it is, whatever cookies they have.
    package func areOnTwoDevices(_ one: Int, _ other: Int) -> Bool {
        let (left, right) = (capture[one].request, capture[other].request)
        if differ(left.userAgent, right.userAgent) { return true }
        return left.url.host == right.url.host && areElsewhere(one, other)
    }

    private func areElsewhere(_ one: Int, _ other: Int) -> Bool {
        guard let address = BrowserAddress(capture[one]) else { return false }
        return BrowserAddress(capture[other]).map(address.isOther) ?? false
    }

    private func differ(_ one: String?, _ other: String?) -> Bool {
        guard let one, let other, !Placeholder.isOne(one), !Placeholder.isOne(other) else { return false }
        return one != other
    }
}

/// The address that a browser's request came from, without its port.
private struct BrowserAddress {
    private let text: String
    /// Whether a proxy before the server names it; otherwise it is the other end of the connection.
    private let isNamed: Bool

    /// Nil where it is not told, or is that of a proxy.
    init?(_ exchange: Exchange) {
        let headers = exchange.request.headers
        let named = headers.first("x-forwarded-for")
        if named == nil, Self.ofProxies.contains(where: headers.contains) { return nil }
        // Each proxy adds the one before it, and the next request may go by other ones.
        let first = named?.split { $0 == "," || $0 == " " }.first.map(String.init)
        text = Self.withoutPort(named == nil ? exchange.client.address ?? "" : first ?? "")
        isNamed = named != nil
        // It may be `unknown`, or taken out of the capture.
        guard !text.isEmpty, text.utf8.allSatisfy(Self.isOfAddress) else { return nil }
    }

    /// Whether two are those of two browsers: one may reach the same host by both versions of the protocol.
    func isOther(than other: BrowserAddress) -> Bool {
        isNamed == other.isNamed && isVersion6 == other.isVersion6 && text != other.text
    }

    private var isVersion6: Bool { text.utf8.contains(0x3a) }

    /// Hexadecimal digits, `.` and `:`.
    private static func isOfAddress(_ byte: UInt8) -> Bool {
        byte == 0x2e || byte == 0x3a || byte.isHexadecimalDigit
    }

    /// An address of version 6 has brackets where a port may follow it.
    private static func withoutPort(_ address: String) -> String {
        if address.utf8.first == 0x5b { return String(address.dropFirst().prefix { $0 != "]" }) }
        return address.utf8.count(where: { $0 == 0x3a }) == 1
            ? String(address.prefix { $0 != ":" }) : address
    }

    /// What proxies add that do not name the browser's address, or name it in another way.
    private static let ofProxies = [
        "forwarded", "via", "x-forwarded-proto", "x-forwarded-host", "x-real-ip", "true-client-ip",
        "cf-connecting-ip",
    ]
}

/// Exchanges by the browser that keeps their cookies: what sets one and what sends it later, or two that send the same one.
private struct CookieJars: Sendable {
    /// The first exchange of each one's jar; of those alone whose cookies came back.
    private let jars: [Int: Int]

    /// In UTF-8; shorter ones are marks and settings, the same in all browsers.
    private static let minimumLength = 12

    init(_ capture: Capture, order: [Int]) {
        var owners: [String: Int] = [:]
        var joined = JoinedExchanges()
        for exchange in order {
            for cookie in Self.cookies(of: capture[exchange]) {
                if let owner = owners[cookie] {
                    joined.join(exchange, owner)
                } else {
                    owners[cookie] = exchange
                }
            }
        }
        jars = joined.firsts()
    }

    /// Whether two exchanges are of one jar; nil where that of either is not known.
    func areOne(_ one: Int, _ other: Int) -> Bool? {
        guard let left = jars[one], let right = jars[other] else { return nil }
        return left == right
    }

    /// Those that a browser would send to the same address once more, from whatever site it comes, as `NAME=VALUE`.
    private static func cookies(of exchange: Exchange) -> [String] {
        let path = exchange.request.url.path
        let set = (exchange.response?.setCookies ?? []).filter { cookie in
            cookie.sameSite?.lowercased() != "strict"
                && cookie.path.map { CookieScope.contains(path: path, cookiePath: $0) } ?? true
        }
        return (exchange.request.cookies.map { ($0.name, $0.value) } + set.map { ($0.name, $0.value) })
            .filter { $0.1.utf8.count >= minimumLength && !Placeholder.isOne($0.1) }
            .map { "\($0.0)=\($0.1)" }
    }
}

/// Sets of exchanges that grow into one another.
private struct JoinedExchanges {
    /// One of the same set that is nearer to its first; none of the first.
    private var nearer: [Int: Int] = [:]

    mutating func join(_ one: Int, _ other: Int) {
        let (left, right) = (first(of: one), first(of: other))
        if left != right { nearer[max(left, right)] = min(left, right) }
    }

    /// The first of each one's set, of those that were joined.
    mutating func firsts() -> [Int: Int] {
        for exchange in Array(nearer.keys) {
            let first = first(of: exchange)
            nearer[exchange] = first
        }
        return nearer.merging(nearer.values.map { ($0, $0) }) { $1 }
    }

    private mutating func first(of exchange: Int) -> Int {
        var exchange = exchange
        while let next = nearer[exchange] {
            // The way is halved for whoever asks next.
            if let further = nearer[next] { nearer[exchange] = further }
            exchange = next
        }
        return exchange
    }
}
