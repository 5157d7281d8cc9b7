/// The keys of one direction behind the handshake, which both ends may renew (RFC 9001, section 6).
struct QUICApplicationKeys {
    private var current: QUICProtection
    private var phase = false
    /// For packets that were overtaken.
    private var previous: QUICProtection?
    private var next: QUICProtection?

    init(_ first: QUICProtection) { current = first }

    /// Nil where no keys of this direction open it.
    mutating func open(_ packet: QUICPacket, _ version: QUICVersion, largest: Int) -> (
        payload: [UInt8], number: Int
    )? {
        guard let header = current.header(of: packet) else { return nil }
        let number = QUICProtection.number(header.number, size: header.numberSize, largest: largest)
        func open(_ keys: QUICProtection?) -> (payload: [UInt8], number: Int)? {
            keys?.open(packet, header, number: number).map { ($0, number) }
        }
        if header.keyPhase == phase { return open(current) }
        if let opened = open(previous) { return opened }
        if next == nil { next = current.next(version) }
        guard let opened = open(next), let renewed = next else { return nil }
        previous = current
        current = renewed
        next = nil
        phase.toggle()
        return opened
    }
}
