internal import Captures
internal import Wire

/// Connections that are in a capture twice: the captures of two places were put into one file, and their clocks differ.
///
/// They have the bytes of an earlier one, and what no other has: the random of their client's hello, behind whatever changes addresses
/// on the way, or the numbers of an earlier one between the same ends. What they complete waits until that shows.
struct RepeatedConnections {
    /// How much a side said, and how it began.
    private struct Words: Equatable {
        private static let mostHashed = 2048

        private var count = 0
        private var hash: UInt64 = 0xcbf2_9ce4_8422_2325

        mutating func add(_ bytes: UnsafeRawBufferPointer) {
            for byte in bytes.prefix(max(0, Self.mostHashed - count)) {
                hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3
            }
            count &+= bytes.count
        }
    }

    /// What both sides said.
    private struct Talk: Equatable {
        var client = Words()
        var server = Words()
    }

    private struct Ends: Hashable {
        var client: Endpoint
        var server: Endpoint
    }

    private struct Connection {
        var ends: Ends
        /// Whether it may be an earlier one once more.
        var mayBeRepeated: Bool
        var talk = Talk()
        /// Whether all of its bytes are there.
        var isWhole = true
        /// The client's first bytes, up to the random of a hello.
        var beginning: [UInt8] = []
        var random: TLSRandom?
        /// What waits.
        var exchanges: [Exchange] = []
    }

    /// A connection that was seen to begin with a hello.
    private struct Begun {
        var time: Timestamp
        /// Once it has ended, if all of it is there.
        var talk: Talk?
    }

    /// More are not kept in mind; the first ones stay.
    private static let most = 50_000
    /// Exchanges of a connection that wait.
    private static let mostHeld = 100
    /// What a proxy passes on as it is, and what has its addresses changed on one machine, begins a second time as soon: both are told
    /// apart, and put together, by their exchanges.
    private static let nearness = Duration.milliseconds(100)
    /// Where the random of a hello stands that begins a connection (RFC 8446, sections 5.1 and 4.1.2).
    private static let random = 11..<43

    private var open: [Int: Connection] = [:]
    /// The last ones between two ends that have ended, all of which is there.
    private var ended: [Ends: Talk] = [:]
    private var begun: [TLSRandom: Begun] = [:]
    /// Connections that were found to be repeated.
    private(set) var count = 0

    mutating func opened(_ stream: Int, _ facts: TCPStreamFacts) {
        open[stream] = Connection(
            ends: Ends(client: facts.client, server: facts.server),
            mayBeRepeated: facts.hasEarlierNumbers
        )
    }

    mutating func received(
        _ bytes: UnsafeRawBufferPointer,
        of stream: Int,
        from side: Side,
        at time: Timestamp
    ) {
        guard side == .client else {
            open[stream]?.talk.server.add(bytes)
            return
        }
        open[stream]?.talk.client.add(bytes)
        if let count = open[stream]?.beginning.count, count < Self.random.upperBound {
            open[stream]?.beginning += bytes.prefix(Self.random.upperBound - count)
            noteHello(of: stream, at: time)
        }
    }

    private mutating func noteHello(of stream: Int, at time: Timestamp) {
        guard let beginning = open[stream]?.beginning, beginning.count == Self.random.upperBound,
            beginning.withUnsafeBytes({ FirstBytes($0) == .tls && FirstBytes.sender(of: $0) == .client }),
            let random = TLSRandom(beginning[Self.random])
        else { return }
        open[stream]?.random = random
        if let first = begun[random] {
            if first.talk != nil || time - first.time > Self.nearness { open[stream]?.mayBeRepeated = true }
        } else if begun.count < Self.most {
            begun[random] = Begun(time: time)
        }
    }

    /// Who uses a port and a number again, as a device does that has no random numbers, is told apart by the server's.
    mutating func answeredAnew(_ stream: Int) { open[stream]?.mayBeRepeated = false }

    mutating func lost(of stream: Int) { open[stream]?.isWhole = false }

    /// Whether what a connection completes has to wait.
    func mayBeRepeated(_ stream: Int) -> Bool { open[stream]?.mayBeRepeated == true }

    /// Takes what a connection has completed.
    ///
    /// - Returns: what need not wait any more: one that completes so much is none that was captured twice, or is read twice.
    mutating func hold(_ exchanges: [Exchange], of stream: Int) -> [Exchange] {
        guard !exchanges.isEmpty, var connection = open[stream] else { return exchanges }
        connection.exchanges += exchanges
        var released: [Exchange] = []
        if connection.exchanges.count > Self.mostHeld {
            connection.mayBeRepeated = false
            swap(&released, &connection.exchanges)
        }
        open[stream] = connection
        return released
    }

    /// Takes a connection for ended.
    ///
    /// - Returns: what has waited; nil where it is an earlier one once more, so that all of that is in the capture already.
    mutating func closed(_ stream: Int) -> [Exchange]? {
        guard let connection = open.removeValue(forKey: stream) else { return [] }
        guard connection.isWhole else {
            ended[connection.ends] = nil
            return connection.exchanges
        }
        let first = connection.random.flatMap { begun[$0]?.talk } ?? ended[connection.ends]
        if connection.mayBeRepeated, first == connection.talk {
            count += 1
            return nil
        }
        if let random = connection.random, begun[random]?.talk == nil {
            begun[random]?.talk = connection.talk
        }
        if ended.count < Self.most || ended[connection.ends] != nil {
            ended[connection.ends] = connection.talk
        }
        return connection.exchanges
    }
}
