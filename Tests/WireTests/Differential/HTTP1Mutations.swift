import TestSupport

/// Sound HTTP/1 messages, and what becomes of them when a few of their bytes are spoiled.
struct HTTP1Mutations {
    private var random: SeededGenerator

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    private mutating func any<Element>(_ elements: [Element]) -> Element {
        // The arrays of this file are not empty.
        elements[Int.random(in: 0..<elements.count, using: &random)]
    }

    private mutating func chance(_ one: Int) -> Bool { Int.random(in: 0..<one, using: &random) == 0 }

    // MARK: - Sound messages

    mutating func requests() -> HTTP1Bytes {
        var bytes: [UInt8] = []
        for _ in 0..<Int.random(in: 1...3, using: &random) {
            let method = any(["GET", "POST", "PUT", "HEAD", "OPTIONS", "DELETE", "PATCH", "CONNECT"])
            let target =
                method == "CONNECT"
                ? "idp.example:443" : any(["/", "/p?q=%2F", "/a/b;c=d", "http://idp.example/x", "*"])
            bytes += head("\(method) \(target) HTTP/1.\(chance(8) ? 0 : 1)", hasBody: method != "CONNECT")
        }
        return HTTP1Bytes(bytes: bytes)
    }

    mutating func answers() -> HTTP1Bytes {
        let methods = (0..<Int.random(in: 1...3, using: &random)).map { _ in
            any(["GET", "GET", "POST", "HEAD", "CONNECT"])
        }
        var bytes: [UInt8] = []
        for method in methods {
            if chance(5) { bytes += Array("HTTP/1.1 100 Continue\r\n\r\n".utf8) }
            let status = any(["200 OK", "204 No Content", "304 Not Modified", "302 Found", "404 ", "101 x"])
            let hasBody = method != "HEAD" && !["1", "204", "304"].contains { status.hasPrefix($0) }
            bytes += head("HTTP/1.\(chance(8) ? 0 : 1) \(status)", hasBody: hasBody)
        }
        return HTTP1Bytes(bytes: bytes, answering: methods)
    }

    private mutating func head(_ start: String, hasBody: Bool) -> [UInt8] {
        var text = start + "\r\nHost: idp.example\r\n"
        for number in 0..<Int.random(in: 0...4, using: &random) {
            let field = any([
                "X-\(number): v;\(number)", "Cookie: a=b; c=\"d\"", "Accept:*/*", "X-Empty:", "x-t: a\tb",
                "X-Utf: é", "Connection: keep-alive", "Expect: 100-continue",
            ])
            text += field + "\r\n"
        }
        let body = (0..<Int.random(in: 0...30, using: &random)).map { _ in
            UInt8.random(in: 0...255, using: &random)
        }
        switch hasBody ? Int.random(in: 0...2, using: &random) : 0 {
        case 0: return Array((text + "\r\n").utf8)
        case 1: return Array((text + "Content-Length: \(body.count)\r\n\r\n").utf8) + body
        default:
            var bytes = Array((text + "Transfer-Encoding: chunked\r\n\r\n").utf8)
            var rest = body[...]
            while !rest.isEmpty {
                let piece = rest.prefix(Int.random(in: 1...20, using: &random))
                rest = rest.dropFirst(piece.count)
                bytes += Array("\(String(piece.count, radix: 16))\(chance(4) ? ";a=b" : "")\r\n".utf8)
                bytes += piece + [0x0d, 0x0a]
            }
            return bytes + Array("0\r\n\(chance(3) ? "X-T: 1\r\n" : "")\r\n".utf8)
        }
    }

    // MARK: - Spoiled ones

    /// What has meaning to a reader of HTTP/1.
    private static let pieces = [
        "\r\n", "\n", "\r", " ", "\t", ":", ",", ";", "\0", "\u{7f}", "0\r\n\r\n", "\r\n folded",
        "Content-Length: 5\r\n", "Content-Length: 0\r\n", "Content-Length: 5, 5\r\n",
        "Content-Length: +5\r\n",
        "Transfer-Encoding: chunked\r\n", "Transfer-Encoding: gzip, chunked\r\n",
        "Transfer-Encoding: identity\r\n", "Transfer-Encoding: chunked, gzip\r\n",
        "Connection: close\r\n", "Connection: Upgrade\r\nUpgrade: websocket\r\n", "Upgrade: h2c\r\n",
        "HTTP/1.1", "HTTP/1.0", "HTTP/2.0", "HTTP/0.9", "GET / HTTP/1.1\r\n\r\n", "HTTP/1.1 200 OK\r\n\r\n",
        "Name\r\n", "Na me: x\r\n", "Name : x\r\n", ": x\r\n", "X: a\rb\r\n", "ffffffffffffffff\r\n",
        "a;b=\"c\"",
    ].map { Array($0.utf8) }

    mutating func spoil(_ subject: HTTP1Bytes) -> HTTP1Bytes {
        var subject = subject
        for _ in 0..<Int.random(in: 1...3, using: &random) where !subject.bytes.isEmpty {
            let place = Int.random(in: 0..<subject.bytes.count, using: &random)
            switch Int.random(in: 0...5, using: &random) {
            case 0: subject.bytes[place] ^= 1 << UInt8.random(in: 0...7, using: &random)
            case 1: subject.bytes.remove(at: place)
            case 2: subject.bytes[place] = any(Array("\r\n \t:;,0\0".utf8) + [0x80, 0xff])
            case 3:
                let slice = subject.bytes[place...].prefix(Int.random(in: 1...20, using: &random))
                subject.bytes.insert(contentsOf: slice, at: place)
            case 4: subject.bytes.insert(contentsOf: any(Self.pieces), at: place)
            default:
                // At the beginning of a line, where fields stand.
                let line = subject.bytes[place...].firstIndex(of: 0x0a).map { $0 + 1 } ?? place
                subject.bytes.insert(contentsOf: any(Self.pieces), at: line)
            }
        }
        return subject
    }
}
