internal import LibCrypto
internal import Wire

/// One packet, and where its parts lie in its datagram (RFC 9000, section 17).
struct QUICPacket {
    enum Kind: Hashable, Sendable {
        case initial
        /// 0-RTT.
        case earlyData
        case handshake
        case retry
        /// 1-RTT, with a short header.
        case application
    }

    /// Of a connection ID (section 17.2).
    static let longestID = 20

    /// All of it, other packets included.
    let datagram: [UInt8]
    let kind: Kind
    /// Nil with a short header.
    let version: QUICVersion?
    let destination: ArraySlice<UInt8>
    /// Empty with a short header.
    let source: ArraySlice<UInt8>
    let start: Int
    /// Where its number begins, which is hidden.
    let numberStart: Int
    /// Of the packet; others may stand behind it.
    let end: Int

    /// Reads the header that begins at a place of a datagram; nil where there is none, or of an unknown version.
    ///
    /// `idSize`: of the connection ID in a short header, which does not say it.
    init?(_ datagram: [UInt8], at start: Int, idSize: Int) {
        guard start < datagram.count else { return nil }
        self.datagram = datagram
        self.start = start
        guard datagram[start] & 0x80 != 0 else {
            guard datagram.count - start > idSize else { return nil }
            kind = .application
            version = nil
            numberStart = start + 1 + idSize
            destination = datagram[(start + 1)..<numberStart]
            source = []
            end = datagram.count
            return
        }
        var reader = TLSVectorReader(datagram[(start + 1)...])
        guard let number = reader.take(4),
            let version = QUICVersion.of(number.reduce(0) { $0 << 8 | UInt32($1) }),
            let destination = reader.vector8(), destination.count <= Self.longestID,
            let source = reader.vector8(), source.count <= Self.longestID
        else { return nil }
        self.version = version
        self.destination = destination
        self.source = source
        kind = version.types[Int(datagram[start] >> 4 & 3)]
        var rest = reader.rest
        switch kind {
        case .retry:
            numberStart = datagram.count
            end = datagram.count
            return
        case .initial:
            guard let token = VariableInteger.take(&rest), token <= rest.count else { return nil }
            rest = rest.dropFirst(token)
        case .earlyData, .handshake, .application: break
        }
        guard let length = VariableInteger.take(&rest), length <= rest.count else { return nil }
        numberStart = rest.startIndex
        end = rest.startIndex + length
    }
}
