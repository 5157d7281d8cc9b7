import Captures

/// Which exchange led to which by a redirect.
enum RedirectChain {
    /// For each exchange that a redirect points at, the latest earlier exchange that does; of several browsers that were sent to
    /// one address, its own.
    static func sources(in capture: Capture, order: [Int], _ browsers: Browsers) -> [Int: Int] {
        var targets = PendingRedirects(capture, browsers)
        var leadsToPlain = false
        var sources: [Int: Int] = [:]
        for index in order {
            let exchange = capture[index]
            let location = exchange.response?.location
            guard location != nil || !targets.isEmpty else { continue }
            // Behind a proxy that ends https the browser's address is another.
            let url = exchange.request.urlOfBrowser
            let address = key(url)
            let plain = leadsToPlain ? withoutUpgrade(address) : nil
            let source =
                targets.source(of: index, at: address) ?? plain.flatMap { targets.source(of: index, at: $0) }
            if let source { sources[index] = source }
            if let location {
                let target = key(url.resolving(location))
                targets.insert(index, to: target)
                leadsToPlain = leadsToPlain || target.hasPrefix("http://")
            }
            // A page seen in between: what comes to the same address later was not sent there by the old
            // redirect. A request that was given up is made again.
            if exchange.request.method == "GET", let source, exchange.response != nil {
                for address in [address, plain].compactMap(\.self) { targets.remove(source, at: address) }
            }
        }
        return sources
    }

    /// Where a server had sent a browser that asks a host over https alone (RFC 6797, section 8.3), in the usual ports.
    private static func withoutUpgrade(_ key: String) -> String? {
        guard key.hasPrefix("https://"), let port = key.utf8.firstRange(of: Array(":443/".utf8)),
            key.utf8[key.utf8.index(key.startIndex, offsetBy: 8)..<port.lowerBound].firstIndex(of: 0x2f)
                == nil
        else { return nil }
        return "http://" + key[key.utf8.index(key.startIndex, offsetBy: 8)..<port.lowerBound] + ":80/"
            + key[port.upperBound...]
    }

    /// Fragments never reach the wire, and a browser writes the rest in its own way: what a server sends raw or encodes without
    /// need, it and the recorder may write otherwise (RFC 3986, section 6.2.2).
    private static func key(_ url: RecordedURL) -> String {
        let text = url.normalizedWithoutQuery + (url.query.map { "?\($0)" } ?? "")
        guard text.utf8.contains(where: { $0 == 0x25 || $0 == 0x2b }) else { return text }
        var output: [UInt8] = []
        output.reserveCapacity(text.utf8.count)
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            if byte == 0x2b {
                output.append(0x20)
            } else if byte == 0x25, let high = rest.first?.hexadecimalValue,
                let low = rest.dropFirst().first?.hexadecimalValue
            {
                let decoded = high << 4 | low
                rest = rest.dropFirst(2)
                // What separates parts stays apart from what only looks so.
                if separators.contains(decoded) {
                    output += [0x25, decoded]
                } else {
                    output.append(decoded)
                }
            } else {
                output.append(byte)
            }
        }
        return String(decoding: output, as: UTF8.self)
    }

    /// `#`, `%`, `&`, `+`, `=`.
    private static let separators: Set<UInt8> = [0x23, 0x25, 0x26, 0x2b, 0x3d]
}

/// Redirects that nobody was seen to follow yet, by where they lead.
private struct PendingRedirects {
    /// Of each browser the last one.
    private var sources: [String: [Int]] = [:]
    private let capture: Capture
    private let browsers: Browsers

    /// Of more that are sent to one address nobody looks at the first.
    private static let mostBrowsers = 8
    /// Which of two browsers that look alike follows first is the one that was sent first, unless it is gone.
    private static let longestWay = Duration.seconds(5)

    init(_ capture: Capture, _ browsers: Browsers) {
        self.capture = capture
        self.browsers = browsers
    }

    var isEmpty: Bool { sources.isEmpty }

    mutating func insert(_ source: Int, to target: String) {
        let others = (sources[target] ?? []).filter { browsers.areTwo($0, source) }
        sources[target] = others.suffix(Self.mostBrowsers - 1) + [source]
    }

    /// The redirect that an exchange follows.
    func source(of exchange: Int, at address: String) -> Int? {
        guard let all = sources[address], all.count > 1 else { return sources[address]?.last }
        let own = all.filter { !browsers.areTwo($0, exchange) }
        let start = capture[exchange].startedAt
        return own.first { start - capture[$0].endedAt <= Self.longestWay } ?? own.last ?? all.last
    }

    /// Forgets where the browser of a redirect was sent.
    mutating func remove(_ source: Int, at address: String) {
        guard let all = sources[address] else { return }
        let others = all.filter { browsers.areTwo($0, source) }
        sources[address] = others.isEmpty ? nil : others
    }
}
