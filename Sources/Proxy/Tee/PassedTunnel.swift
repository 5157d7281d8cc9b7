internal import Captures
internal import Wire

/// How many bytes went through a tunnel that is nobody's business, and the entry that tells of them.
struct PassedTunnel {
    private var sent = 0
    private var received = 0
    private let makeEntry: (_ sent: Int, _ received: Int) -> Exchange

    init(_ makeEntry: @escaping (_ sent: Int, _ received: Int) -> Exchange) { self.makeEntry = makeEntry }

    mutating func count(_ bytes: Int, from side: Side) {
        switch side {
        case .client: sent += bytes
        case .server: received += bytes
        }
    }

    var entry: Exchange { makeEntry(sent, received) }
}
