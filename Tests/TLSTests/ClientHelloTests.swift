import TLS
import Testing

struct ClientHelloTests {
    private typealias Result = ClientHelloPeek.Result

    /// A hello of these extensions, in records of at most `recordSize` bytes.
    private func hello(
        _ extensions: [(type: Int, data: [UInt8])],
        recordSize: Int = 16_384,
        suites: [Int] = [0x1301]
    ) -> [UInt8] {
        var body: [UInt8] = [3, 3] + [UInt8](repeating: 0xaa, count: 32) + [0]
        body += big(suites.count * 2) + suites.flatMap(big) + [1, 0]
        let list = extensions.flatMap { big($0.type) + big($0.data.count) + $0.data }
        body += big(list.count) + list
        let message = [1, UInt8(body.count >> 16)] + big(body.count & 0xffff) + body
        return stride(from: 0, to: message.count, by: recordSize).flatMap { start -> [UInt8] in
            let part = message[start..<min(start + recordSize, message.count)]
            return [22, 3, 1] + big(part.count) + part
        }
    }

    private func big(_ number: Int) -> [UInt8] { [UInt8(number >> 8), UInt8(number & 0xff)] }

    private func serverName(_ name: String) -> (type: Int, data: [UInt8]) {
        let entry = [0] + big(name.utf8.count) + Array(name.utf8)
        return (0, big(entry.count) + entry)
    }

    private func alpn(_ names: String...) -> (type: Int, data: [UInt8]) {
        let list = names.flatMap { [UInt8($0.utf8.count)] + Array($0.utf8) }
        return (16, big(list.count) + list)
    }

    private var full: [(type: Int, data: [UInt8])] {
        [(10, [0, 2, 0, 29]), serverName("login.example"), alpn("h2", "http/1.1")]
    }

    private let wanted = ClientHello(serverName: "login.example", alpn: ["h2", "http/1.1"])

    @Test(arguments: [16_384, 100, 7, 1])
    func helloIsFoundHoweverItIsSplit(_ recordSize: Int) {
        let bytes = hello(full, recordSize: recordSize)
        var whole = ClientHelloPeek()
        #expect(whole.received(bytes) == .found(wanted))
        var single = ClientHelloPeek()
        let results = bytes.map { single.received([$0]) }
        #expect(results.dropLast().allSatisfy { $0 == .needsMoreBytes })
        #expect(results.last == .found(wanted))
        for split in bytes.indices.dropFirst() {
            var peek = ClientHelloPeek()
            #expect(peek.received(bytes[..<split]) == .needsMoreBytes, "split at \(split)")
            #expect(peek.received(bytes[split...]) == .found(wanted), "split at \(split)")
        }
    }

    @Test(
        arguments: [
            ([0xc02f, 0x009c, 0x002f], nil, true), ([0xc02f, 0xc02b], nil, false),
            ([0x1301, 0xc02f], nil, false),
            ([0x1301], [0x0804, 0x0401], true), ([0x1301], [0x0804, 0x0403], false),
            ([0x0a0a, 0xcca9], [0x0203], false),
        ] as [([Int], [Int]?, Bool)]
    )
    func clientThatTakesNoKeyOnACurveIsKnown(suites: [Int], signatures: [Int]?, wantsRSA: Bool) {
        let list = signatures.map { [(type: 13, data: big($0.count * 2) + $0.flatMap(big))] } ?? []
        var peek = ClientHelloPeek()
        #expect(
            peek.received(hello(full + list, suites: suites))
                == .found(
                    ClientHello(serverName: "login.example", alpn: ["h2", "http/1.1"], wantsRSA: wantsRSA)
                )
        )
    }

    @Test(arguments: [1_216, 20_000, 60_000])
    func helloWithLargeKeySharesIsFound(_ size: Int) {
        // X25519MLKEM768 takes 1216 bytes; classical schemes of the future take more than a record.
        let bytes = hello([(51, [UInt8](repeating: 7, count: size))] + full)
        var peek = ClientHelloPeek()
        #expect(peek.received(bytes) == .found(wanted))
    }

    @Test func bytesBehindTheHelloDoNotMatter() {
        var peek = ClientHelloPeek()
        #expect(peek.received(hello(full) + [20, 3, 3, 0, 1, 1]) == .found(wanted))
    }

    @Test func helloWithoutExtensionsHasNoNames() {
        var peek = ClientHelloPeek()
        #expect(peek.received(hello([])) == .found(ClientHello()))
    }

    static let notTLS: [(name: String, bytes: [UInt8], knownAfter: Int)] = [
        ("HTTP", Array("GET / HTTP/1.1".utf8), 1),
        ("SSH", Array("SSH-2.0-x".utf8), 1),
        ("SSLv2 hello", [0x80, 0x2e, 1, 3, 1], 1),
        ("alert record", [21, 3, 1, 0, 2, 2, 40], 1),
        ("version 4", [22, 4, 1], 2),
        ("empty record", [22, 3, 1, 0, 0, 22], 5),
        ("record too long", [22, 3, 1, 0x40, 0x01, 1], 5),
        ("server hello", [22, 3, 1, 0, 4, 2, 0], 6),
        ("message of 16 MB", [22, 3, 1, 0, 4, 1, 0xff, 0xff, 0xff], 9),
        ("message of 64 KiB and one", [22, 3, 1, 0, 4, 1, 1, 0, 1], 9),
    ]

    @Test(arguments: notTLS.indices)
    func whatIsNotTLSIsKnownAtTheFirstByteThatSaysSo(_ index: Int) {
        let row = Self.notTLS[index]
        var peek = ClientHelloPeek()
        for (position, byte) in row.bytes.enumerated() {
            let wanted: Result = position + 1 < row.knownAfter ? .needsMoreBytes : .notTLS
            #expect(peek.received([byte]) == wanted, "\(row.name), byte \(position)")
        }
        var whole = ClientHelloPeek()
        #expect(whole.received(row.bytes) == .notTLS, "\(row.name)")
    }

    /// Lengths that lie, names that are empty or twice there: never a crash, never more than what can be
    /// read.
    @Test func everyByteMayBeAnything() {
        let bytes = hello(full)
        var generator = SystemRandomNumberGenerator()
        for position in 5..<bytes.count {
            for value in [0, 1, 0x7f, 0xff, UInt8.random(in: 0...255, using: &generator)] {
                var broken = bytes
                broken[position] = value
                var peek = ClientHelloPeek()
                if case .found(let hello) = peek.received(broken) {
                    #expect(hello.alpn.count <= 9)
                    #expect((hello.serverName?.utf8.count ?? 0) <= 40)
                }
            }
        }
    }
}
