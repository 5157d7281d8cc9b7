/// A part of a capture that could not be read, or that is not in it.
package struct PacketLoss: Sendable, Hashable, CustomStringConvertible {
    /// Where in the file, in bytes, unpacked where it is gzip'ed; nil for what has no one place.
    package var offset: Int?
    /// The packet it is about, or before which it stands, from 1; the first of them where it is about several.
    package var packet: Int?
    /// For example `the capture breaks off 12 bytes into packet 17, which has 1,514`.
    package var what: String
    /// Whether a connection has no key: where there is none at all, one word says it of all.
    var isMissingKey = false

    package init(offset: Int? = nil, packet: Int? = nil, what: String) {
        self.offset = offset
        self.packet = packet
        self.what = what
    }

    /// Of a connection of which something cannot be read.
    init(_ name: String, _ entry: ConnectionEntry, _ reason: String) {
        self.init(what: "connection \(name), \(entry.client) to \(entry.host):\(entry.port): \(reason)")
        isMissingKey = reason.hasPrefix(TLSHandshakeState.noKey)
    }

    /// Why what is in a tunnel is missing that is not followed.
    static let unreadTunnel = "what goes through a tunnel in it (CONNECT) is not read"

    package var description: String {
        let places = [offset.map { "byte \($0)" }, packet.map { "packet \($0)" }].compactMap { $0 }
        return places.isEmpty ? what : "\(places.joined(separator: ", ")): \(what)"
    }
}

/// The losses of one capture: the first hundred with their places, the others as a number; the same one again and again is told
/// once.
struct PacketLossList {
    static let maximum = 100

    private var kept: [PacketLoss] = []
    /// How many more there are like the last one that is kept, right behind it.
    private var likeTheLast = 0
    private var others = 0

    mutating func append(_ loss: @autoclosure () -> PacketLoss) {
        guard kept.count < Self.maximum else {
            others += 1
            return
        }
        let next = loss()
        guard next.what != kept.last?.what else {
            likeTheLast += 1
            return
        }
        tellLike()
        kept.append(next)
    }

    private mutating func tellLike() {
        guard likeTheLast > 0 else { return }
        kept[kept.count - 1].what += ", and \(likeTheLast) more like it"
        likeTheLast = 0
    }

    var all: [PacketLoss] {
        var told = self
        told.tellLike()
        return others == 0
            ? told.kept : told.kept + [PacketLoss(what: "\(others) more places could not be read")]
    }
}
