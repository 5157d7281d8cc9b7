internal import Captures
internal import Wire

/// What the frames of packets say (RFC 9000, section 19).
extension QUICConnection {
    /// What a packet says, its protection taken off.
    func take(
        _ payload: [UInt8],
        at level: Level,
        from side: Side,
        keys: TLSKeyLog,
        _ sink: inout some QUICSink
    ) {
        var frames = QUICFrameReader(payload)
        while !isOver, let frame = frames.next() {
            switch frame {
            case .crypto(let offset, let bytes):
                take(crypto: bytes, at: offset, level, from: side, keys: keys, &sink)
            case .close(let close): closed(by: side, close, &sink)
            case .stream(let id, let offset, let bytes, let isLast) where level == .application:
                take(bytes, of: id, at: offset, isLast: isLast, from: side, &sink)
            case .reset(let id, let code) where level == .application:
                self[side].streams.drop(id)
                sink.reset(id, by: side, code: code)
                settle(side, &sink)
            case .stop(let id, let code) where level == .application:
                sink.stopped(id, by: side, code: code)
            case .connectionID(let id) where level == .application: ids.append((id, side))
            case .stream, .reset, .stop, .connectionID: continue
            }
        }
    }

    private func take(
        _ bytes: ArraySlice<UInt8>,
        of id: Int,
        at offset: Int,
        isLast: Bool,
        from side: Side,
        _ sink: inout some QUICSink
    ) {
        let isFollowed = self[side].streams.take(bytes, of: id, at: offset, isLast: isLast) {
            sink.received($0, of: id, from: side, isLast: $1)
        }
        if !isFollowed { giveUp(id, side, &sink) }
        settle(side, &sink)
    }

    /// Gives up what is more than there is room for.
    private func settle(_ side: Side, _ sink: inout some QUICSink) {
        guard !self[side].streams.areTooMany else {
            return stop("it has more streams at a time than are followed", &sink)
        }
        while !takeRoom(), let (id, side) = heaviest { giveUp(id, side, &sink) }
    }

    /// Takes as much room as what waits needs, or gives back what it does not.
    ///
    /// - Returns: whether there is as much.
    private func takeRoom() -> Bool {
        let wanted = self[.client].streams.held + self[.server].streams.held
        guard wanted <= Self.mostHeld else { return false }
        if wanted < sharedBytes {
            share.give(sharedBytes - wanted)
            sharedBytes = wanted
        } else if wanted > sharedBytes {
            sharedBytes += share.take(upTo: wanted - sharedBytes)
        }
        return sharedBytes == wanted
    }

    private var heaviest: (id: Int, side: Side)? {
        let side: Side = self[.client].streams.held > self[.server].streams.held ? .client : .server
        return self[side].streams.heaviest.map { ($0, side) }
    }

    /// What is missing of a stream is not waited for any longer.
    private func giveUp(_ id: Int, _ side: Side, _ sink: inout some QUICSink) {
        self[side].streams.drop(id)
        sink.lost(id, from: side)
    }
}
