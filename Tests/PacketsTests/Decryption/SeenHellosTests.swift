import Testing

@testable import Packets

/// Which connections of a key log nobody saw the hello of.
struct SeenHellosTests {
    private func random(_ number: UInt8) -> TLSRandom? { TLSRandom([UInt8](repeating: number, count: 32)) }

    private func line(_ label: TLSKeyLog.Label, _ number: UInt8) throws -> String {
        "\(label.rawValue) \(try #require(random(number))) \(String(repeating: "5a", count: 32))\n"
    }

    /// In the order of the lines, each once, and those of the kind that is asked for only.
    @Test func connectionsAreThoseOfTheLogWithoutTheSeenOnes() throws {
        let hellos = SeenHellos()
        var keys = TLSKeyLog()
        keys.add(Array(try line(.clientTraffic, 3).utf8))
        keys.add(Array(try line(.clientTraffic, 1).utf8))
        keys.add(Array(try line(.clientTraffic, 3).utf8))
        keys.add(Array(try line(.serverHandshakeTraffic, 2).utf8))
        keys.add(Array(try line(.masterSecret, 4).utf8))
        #expect(hellos.unseen(.clientTraffic, in: keys) == [random(3), random(1)])
        #expect(hellos.unseen(.serverHandshakeTraffic, in: keys) == [random(2)])
        // Another hello is seen, and the log goes on.
        hellos.note(try #require(random(3)))
        hellos.note(try #require(random(6)))
        keys.add(Array(try line(.clientTraffic, 6).utf8))
        keys.add(Array(try line(.clientTraffic, 5).utf8))
        #expect(hellos.unseen(.clientTraffic, in: keys) == [random(1), random(5)])
        #expect(hellos.unseen(.clientTraffic, in: keys) == [random(1), random(5)])
        #expect(hellos.unseen(.clientHandshakeTraffic, in: keys).isEmpty)
    }
}
