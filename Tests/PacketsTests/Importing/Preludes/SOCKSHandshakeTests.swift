import Captures
@testable import Packets
import TestSupport
import Testing
import Wire

/// What client and SOCKS proxy say to each other, from outside.
struct SOCKSHandshakeTests {
    typealias Words = [(side: Side, bytes: [UInt8])]

    static let name: [UInt8] = [3, 10] + Array("op.example".utf8) + [1, 0xbb]
    private static let bound: [UInt8] = [1, 0, 0, 0, 0, 0, 0]

    /// Whole handshakes, with the target that they come to.
    static let handshakes: [(name: String, words: Words, authority: String, address: String?)] = [
        (
            "5",
            [
                (.client, [5, 1, 0]), (.server, [5, 0]), (.client, [5, 1, 0] + name),
                (.server, [5, 0, 0] + bound),
            ],
            "op.example:443", nil
        ),
        (
            "5 with a password",
            [
                (.client, [5, 2, 0, 2]), (.server, [5, 2]), (.client, [1, 1, 0x75, 2, 0x70, 0x77]),
                (.server, [1, 0]),
                (.client, [5, 1, 0] + name), (.server, [5, 0, 0, 3, 3] + Array("a.b".utf8) + [0, 0]),
            ],
            "op.example:443", nil
        ),
        (
            "5 with an empty password",
            [
                (.client, [5, 1, 2]), (.server, [5, 2]), (.client, [1, 0, 0]), (.server, [1, 0]),
                (.client, [5, 1, 0] + name), (.server, [5, 0, 0] + bound),
            ],
            "op.example:443", nil
        ),
        (
            "5 to an address",
            [
                (.client, [5, 1, 0]), (.server, [5, 0]), (.client, [5, 1, 0, 1, 192, 0, 2, 1, 0, 80]),
                (.server, [5, 0, 0] + bound),
            ],
            "192.0.2.1:80", "192.0.2.1:80"
        ),
        (
            "5 to an address of IPv6",
            [
                (.client, [5, 1, 0]), (.server, [5, 0]),
                (.client, [5, 1, 0, 4] + [UInt8](repeating: 0, count: 15) + [1, 0x20, 0xfb]),
                (.server, [5, 0, 0, 4] + [UInt8](repeating: 0, count: 18)),
            ],
            "[::1]:8443", "[::1]:8443"
        ),
        (
            "5, not waiting for answers",
            [(.client, [5, 1, 0] + [5, 1, 0] + name), (.server, [5, 0]), (.server, [5, 0, 0] + bound)],
            "op.example:443", nil
        ),
        (
            "4",
            [
                (.client, [4, 1, 0, 80, 192, 0, 2, 1] + Array("me\0".utf8)),
                (.server, [0, 0x5a, 0, 0, 0, 0, 0, 0]),
            ],
            "192.0.2.1:80", "192.0.2.1:80"
        ),
        // No name follows: only an address that is none but for its last byte announces one.
        (
            "4 to this host",
            [
                (.client, [4, 1, 0, 80, 0, 0, 0, 0] + Array("me\0".utf8)),
                (.server, [0, 0x5a, 0, 0, 0, 0, 0, 0]),
            ],
            "0.0.0.0:80", "0.0.0.0:80"
        ),
        (
            "4a",
            [
                (.client, [4, 1, 1, 0xbb, 0, 0, 0, 1] + Array("\0op.example\0".utf8)),
                (.server, [0, 0x5a, 1, 2, 3, 4, 5, 6]),
            ],
            "op.example:443", nil
        ),
    ]

    private func read(_ words: Words, piece: Int = .max) -> (outcome: SOCKSHandshake.Outcome, rest: Words) {
        var handshake: SOCKSHandshake?
        var outcome = SOCKSHandshake.Outcome.goesOn
        for (side, bytes) in words {
            var rest = bytes[...]
            while !rest.isEmpty {
                let next = Array(rest.prefix(piece))
                rest = rest.dropFirst(piece)
                if handshake == nil { handshake = SOCKSHandshake(next) }
                guard outcome == .goesOn, handshake != nil else { return (outcome, []) }
                outcome = next.withUnsafeBytes { handshake?.receive($0, from: side) ?? .other }
            }
        }
        let rest = handshake?.rest ?? (client: [], server: [])
        return (outcome, [(.client, rest.client), (.server, rest.server)])
    }

    @Test(arguments: handshakes.map(\.name)) func handshakeNamesItsTarget(name: String) throws {
        let (_, words, authority, address) = try #require(Self.handshakes.first { $0.name == name })
        for piece in 1...20 {
            guard case .connected(let target) = read(words, piece: piece).outcome else {
                Issue.record("\(read(words, piece: piece))")
                return
            }
            #expect(target.authority == authority)
            #expect(target.endpoint?.description == address)
        }
        // Not before its last byte.
        var cut = words
        cut[cut.count - 1].bytes.removeLast()
        #expect(read(cut).outcome == .goesOn)
    }

    @Test func whatComesBehindTheHandshakeIsKept() {
        for var words in Self.handshakes.map(\.words) where words[words.count - 2].side == .client {
            words[words.count - 1].bytes += [9, 9]
            words[words.count - 2].bytes += [8]
            let rest = read(words).rest
            #expect(rest.map(\.bytes) == [[8], [9, 9]])
        }
    }

    @Test func refusalsSayWhy() {
        let five: Words = [(.client, [5, 1, 0]), (.server, [5, 0]), (.client, [5, 1, 0] + Self.name)]
        let four: Words = [(.client, [4, 1, 0, 80, 192, 0, 2, 1, 0])]
        for (words, reason) in [
            (five + [(.server, [5, 5])], "connection refused"), (five + [(.server, [5, 99])], "reply 99"),
            (
                [(.client, [5, 1, 0]), (.server, [5, 0xff])],
                "none of the client's ways to authenticate is taken"
            ),
            (
                [
                    (.client, [5, 1, 2]), (.server, [5, 2]), (.client, [1, 1, 65, 1, 66]), (.server, [1, 1]),
                ],
                "user name or password refused"
            ), (four + [(.server, [0, 0x5b, 0, 0, 0, 0, 0, 0])], "rejected or failed"),
        ] as [(Words, String)] {
            guard case .refused(_, let words) = read(words).outcome else {
                Issue.record("\(reason)")
                continue
            }
            #expect(words == reason)
        }
    }

    @Test func whatIsNoneIsOther() {
        for words in [
            [(.client, [5, 1, 0]), (.server, [4, 0])], [(.client, [5, 1, 1]), (.server, [5, 1])],
            [(.client, [5, 1, 0]), (.server, [5, 0]), (.client, [5, 2, 0] + Self.name)],
            [(.client, [5, 1, 0]), (.server, [5, 0]), (.client, [4, 1, 0] + Self.name)],
            [(.client, [5, 1, 0]), (.server, [5, 0]), (.client, [5, 1, 0, 9, 0, 0])],
            [(.client, [5, 1, 0]), (.server, [5, 0]), (.client, [5, 1, 0, 3, 1, 0x2f, 0, 80])],
            [(.client, [5, 1, 0]), (.server, [5, 0, 5])],
            [(.client, [4, 1, 0, 80, 192, 0, 2, 1] + [UInt8](repeating: 65, count: 1024))],
            [(.client, [4, 1, 0, 80, 0, 0, 0, 1, 0] + [UInt8](repeating: 65, count: 256))],
            [(.client, [4, 1, 0, 80, 0, 0, 0, 1, 0, 0])],
            [(.client, [4, 1, 0, 80, 1, 2, 3, 4, 0]), (.server, [5])],
            [(.client, [5, 1, 0] + [UInt8](repeating: 5, count: 70_000))],
        ] as [Words] {
            let outcome = read(words).outcome
            let isOther = outcome == .other || words.last?.side == .server && words.last?.bytes == [5]
            #expect(isOther, "\(words.map { $0.bytes.prefix(20) })")
        }
        for first in [[4, 2], [5, 0], [6], [0x16, 3, 1]] as [[UInt8]] {
            #expect(SOCKSHandshake(first) == nil)
        }
    }

    /// No bytes are too strange to be read.
    @Test(arguments: 0..<200 as Range<UInt64>) func changedHandshakesHoldNoMoreThanTheyMay(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var words = Self.handshakes[Int(seed) % Self.handshakes.count].words
        for _ in 0..<3 {
            let index = Int.random(in: 0..<words.count, using: &generator)
            let place = Int.random(in: 0..<words[index].bytes.count, using: &generator)
            words[index].bytes[place] = UInt8.random(in: 0...255, using: &generator)
        }
        let (outcome, rest) = read(words, piece: Int.random(in: 1...9, using: &generator))
        let sent = words.reduce(0) { $0 + $1.bytes.count }
        #expect(rest.reduce(0) { $0 + $1.bytes.count } <= sent)
        if case .connected(let target) = outcome { #expect(!target.host.isEmpty) }
    }
}
