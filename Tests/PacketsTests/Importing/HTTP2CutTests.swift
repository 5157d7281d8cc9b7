import COpenSSL
import Captures
import Packets
import Testing
import Wire

/// The calls of a back end on one connection of HTTP/2, of which the capture begins at any packet: what is read then says nothing else
/// than the whole capture does.
struct HTTP2CutTests {
    /// The connection, and the header blocks that its ends have written.
    private struct Calls {
        /// Small: fields leave the table, and come in again.
        var client = HeaderBlockWriter(capacity: 400)
        var server = HeaderBlockWriter(capacity: 300)
        let scheme: String
        /// Of the first call.
        let stream: UInt32
        var number = 0
        var words: [(side: Side, bytes: [UInt8])] = []

        /// A call with its number, which the answer has as well.
        mutating func ask(_ path: String, bearer: Int? = nil, form: String? = nil) -> Int {
            defer { number += 1 }
            var fields = [
                (":method", form == nil ? "GET" : "POST"), (":scheme", scheme), (":authority", "idp.example"),
                (":path", path), ("user-agent", "back-end"), ("x-number", "call-\(number)"),
                (Self.named, "trace-\(number)"),
            ]
            if form != nil { fields.append(("content-type", "application/x-www-form-urlencoded")) }
            if let bearer {
                fields.append(("authorization", "Bearer " + String(repeating: "a", count: bearer)))
            }
            say(.client, frame(1, form == nil ? 5 : 4, number, client.block(fields)))
            if let form { say(.client, frame(0, 1, number, Array(form.utf8))) }
            return number
        }

        mutating func answerHead(_ number: Int, status: Int = 200) {
            let fields = [
                (":status", "\(status)"), ("content-type", "application/json"), ("cache-control", "no-store"),
                ("x-answered", "call-\(number)"),
            ]
            say(.server, frame(1, 4, number, server.block(fields)))
        }

        mutating func answer(_ number: Int, _ text: String, status: Int = 200) {
            answerHead(number, status: status)
            say(.server, frame(0, 1, number, Array(text.utf8)))
        }

        mutating func say(_ side: Side, _ bytes: [UInt8]) { words.append((side, bytes)) }

        func frame(_ type: UInt8, _ flags: UInt8, _ number: Int, _ payload: [UInt8]) -> [UInt8] {
            Array(UInt32(payload.count).bigEndianBytes.dropFirst()) + [type, flags]
                + (stream + 2 * UInt32(number)).bigEndianBytes + payload
        }

        /// Its name is said once, and referred to from then on.
        static let named = "traceparent"
        static let settings: [UInt8] = [0, 0, 0, 4, 0, 0, 0, 0, 0]
        static let update: [UInt8] = [0, 0, 4, 8, 0, 0, 0, 0, 0, 0, 0, 1, 0]
    }

    /// Three times the calls behind a login, with others meanwhile; one answer is in several frames, and they in several packets.
    private static func calls(_ scheme: String, stream: UInt32) -> Calls {
        var calls = Calls(scheme: scheme, stream: stream)
        calls.say(.client, Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8) + Calls.settings)
        calls.say(.server, Calls.settings)
        for turn in 0..<3 {
            let token = calls.ask("/token", form: "grant_type=authorization_code&code=code-\(turn)")
            calls.answer(token, "{\"access_token\":\"\(turn)\",\"token_type\":\"Bearer\"}")
            // Its head is in two packets.
            let claims = calls.ask("/userinfo", bearer: 2000)
            calls.answer(claims, "{\"sub\":\"user-\(turn)\"}")
            let keys = calls.ask("/jwks")
            let pieces = (0..<3).map { "\"\($0)\(String(repeating: "k", count: 4000))\"" }
            calls.answerHead(keys)
            calls.say(.server, calls.frame(0, 0, keys, Array("[\(pieces[0]),".utf8)))
            let middle = calls.frame(0, 0, keys, Array("\(pieces[1]),".utf8))
            calls.say(.server, Array(middle.prefix(2000)))
            let refused = calls.ask("/userinfo")
            calls.say(.client, Calls.update)
            calls.say(.server, Array(middle.dropFirst(2000)))
            calls.answer(refused, "{}", status: 401)
            calls.say(.server, calls.frame(0, 1, keys, Array("\(pieces[2])]".utf8)))
            let first = calls.ask("/introspect", form: "token=\(turn)")
            let second = calls.ask("/introspect", form: "token=other")
            calls.answer(second, "{\"active\":false}")
            calls.answer(first, "{\"active\":true}")
            calls.say(.server, Calls.update)
        }
        return calls
    }

    private static func packets(_ calls: Calls) throws -> (packets: [MadePacket], keyLog: [UInt8]) {
        var made = PacketBuilder()
        guard calls.scheme == "https" else {
            made.server.port = 8080
            made.converse(calls.words)
            return (made.packets, [])
        }
        var options = TLSPair.Options()
        options.versions = TLS1_3_VERSION...TLS1_3_VERSION
        options.alpn = ["h2"]
        let pair = try TLSPair(options)
        try pair.handshake()
        for (side, bytes) in calls.words { try pair.send(bytes, from: side) }
        made.converse(pair.wire)
        return (made.packets, pair.keyLog)
    }

    private static func number(_ exchange: Exchange) -> Int? {
        exchange.request.headers.first("x-number").flatMap { Int($0.dropFirst("call-".count)) }
    }

    /// After so many calls all that is in a table of this size was put there within them.
    private static let known = 8

    @Test(arguments: ["http", "https"], [1, 40_001] as [UInt32])
    func whatACutCaptureSaysTheWholeOneSaysToo(scheme: String, stream: UInt32) throws {
        let calls = Self.calls(scheme, stream: stream)
        let (packets, keyLog) = try Self.packets(calls)
        let whole = PacketImport(packets, keyLog: keyLog)
        #expect(whole.exchanges.compactMap(Self.number).sorted() == Array(0..<calls.number))
        #expect(whole.exchanges.allSatisfy { $0.failure == nil && $0.malformations.isEmpty })
        var readOfLater = 0
        for cut in 1..<packets.count {
            let part = PacketImport(Array(packets[cut...]), keyLog: keyLog).exchanges
                .filter { $0.request.method != "CONNECT" }
            let numbers = part.compactMap(Self.number)
            try #require(numbers.count == part.count && Set(numbers).count == numbers.count, "cut at \(cut)")
            guard let first = numbers.min() else { continue }
            for exchange in part {
                let number = Self.number(exchange)
                let same = try #require(whole.exchanges.first { Self.number($0) == number })
                Self.expect(exchange, toSayNothingBut: same, isAll: (number ?? 0) >= first + Self.known, cut)
            }
            // Those are all there, too.
            #expect(
                numbers.filter { $0 >= first + Self.known }.sorted()
                    == Array(min(first + Self.known, calls.number)..<calls.number),
                "cut at \(cut)"
            )
            if cut > packets.count / 3 { readOfLater += part.count }
        }
        #expect(readOfLater > 0)
    }

    /// `isAll`: whether there is nothing that may be missing.
    private static func expect(
        _ part: Exchange,
        toSayNothingBut whole: Exchange,
        isAll: Bool,
        _ cut: Int
    ) {
        let place: Comment = "cut at \(cut), \(whole.request.url.text)"
        let (asked, said) = (part.request, whole.request)
        let isNamed = asked.headers.contains("host")
        #expect(part.startedAt == whole.startedAt, place)
        #expect(asked.method == said.method && asked.httpVersion == said.httpVersion, place)
        #expect(asked.url.path == (part.isTargetUnknown ? "/" : said.url.path), place)
        #expect(asked.url.scheme == said.url.scheme, place)
        #expect(asked.url.host == (isNamed ? said.url.host : "10.0.0.2"), place)
        // The path is no field of these.
        let unknown = part.unknownFields.request - (part.isTargetUnknown ? 1 : 0)
        #expect(isPart(asked.headers, of: said.headers, without: unknown), place)
        #expect(asked.body?.bytes == said.body?.bytes, place)
        if isAll {
            #expect(withoutNamed(asked.headers) == withoutNamed(said.headers) && part.failure == nil, place)
        }
        guard part.failure == nil || part.isTargetUnknown, part.response?.status != 0 else {
            #expect(part.failure == AnswerLoss.statusMissing || part.isTargetUnknown, place)
            #expect(whole.response?.status == 401, place)
            return
        }
        guard let response = part.response, let answer = whole.response else {
            #expect(Bool(false), place)
            return
        }
        #expect(response.status == answer.status, place)
        #expect(isPart(response.headers, of: answer.headers, without: part.unknownFields.response), place)
        #expect(response.headers.first("x-answered") == asked.headers.first("x-number"), place)
        #expect(response.body?.bytes == answer.body?.bytes, place)
        #expect(response.body?.isTruncated == false, place)
        if isAll { #expect(response.headers == answer.headers, place) }
    }

    private static func withoutNamed(_ headers: HeaderFields) -> [HeaderFields.Field] {
        headers.fields.filter { $0.name != Calls.named }
    }

    /// In their order; `count`: how many are not there.
    private static func isPart(_ part: HeaderFields, of whole: HeaderFields, without count: Int) -> Bool {
        var rest = whole.fields[...]
        return part.fields.count + count == whole.fields.count
            && part.fields.allSatisfy { field in
                guard let place = rest.firstIndex(of: field) else { return false }
                rest = rest[(place + 1)...]
                return true
            }
    }
}
