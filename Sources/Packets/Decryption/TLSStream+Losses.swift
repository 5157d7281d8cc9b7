internal import Wire

/// Missing bytes and broken records: what is still known of the place in the stream, and where the next record is looked for.
extension TLSStream {
    mutating func lose(_ count: Int, _ direction: TLSDirection, _ sink: inout some TLSStreamSink) {
        guard !direction.isStopped else { return }
        if direction.waits != nil { return direction.holdGap(count) }
        var count = count
        if direction.skipped > 0 {
            let within = min(direction.skipped, count)
            direction.skipped -= within
            count -= within
            guard count > 0 else { return }
        }
        if var search = direction.search {
            search.passed += direction.unread &+ min(count, Int.max / 4)
            search.offset = 0
            if search.beginsInTheMiddle { search.lost = (search.lost ?? 0) &+ min(count, Int.max / 4) }
            direction.search = search
            direction.dropUnread()
            if direction.carriesData { sink.lostPlace(of: direction.side) }
            return
        }
        let header = direction.partial.withUnsafeBytes { TLSRecordHeader($0[direction.start...]) }
        if let header, header.size - direction.unread >= count {
            return loseWithinRecord(header, missing: count, direction, &sink)
        }
        if direction.epoch == .plain {
            if header?.type == TLSContentType.handshake { readBegunRecord(direction, &sink) }
            readHalfHello(direction, &sink)
            guard !direction.isStopped, canSearch(direction, losing: count, &sink) else { return }
        }
        loseMessages(direction)
        let passed = direction.unread &+ min(count, Int.max / 4)
        direction.dropUnread()
        losePlace(direction, passed: passed, &sink)
    }

    /// From here on the next record is looked for.
    private func losePlace(_ direction: TLSDirection, passed: Int, _ sink: inout some TLSStreamSink) {
        direction.search = TLSRecordSearch(candidates: nil, passed: passed, offset: 0)
        if direction.carriesData { sink.lostPlace(of: direction.side) }
    }

    /// The missing bytes are all of one record, whose end is known.
    private mutating func loseWithinRecord(
        _ header: TLSRecordHeader,
        missing count: Int,
        _ direction: TLSDirection,
        _ sink: inout some TLSStreamSink
    ) {
        let left = header.size - direction.unread - count
        if isInClear(header, direction) {
            if direction.epoch == .plain, header.type == TLSContentType.handshake {
                loseMessageBytes(count, header, left: left, direction, &sink)
            } else {
                direction.dropUnread()
                direction.skipped = left
            }
        } else if direction.epoch == .plain {
            // The keys are not made: the record is looked for behind the hole.
            let passed = direction.unread + count
            direction.dropUnread()
            direction.search = TLSRecordSearch(candidates: nil, passed: passed, offset: 0)
        } else {
            loseProtected(header, left: left, direction, &sink)
        }
    }

    /// Whether what a record says can be read without keys.
    private func isInClear(_ header: TLSRecordHeader, _ direction: TLSDirection) -> Bool {
        switch direction.epoch {
        case .plain: !(header.type == TLSContentType.applicationData && handshake.isTLS13)
        case .legacy: false
        case .early, .handshake, .application: header.type != TLSContentType.applicationData
        }
    }

    /// What stands around the hole is read as if the record had been cut there.
    ///
    /// `left`: bytes of the record behind the hole.
    private mutating func loseMessageBytes(
        _ count: Int,
        _ header: TLSRecordHeader,
        left: Int,
        _ direction: TLSDirection,
        _ sink: inout some TLSStreamSink
    ) {
        readBegunRecord(direction, &sink)
        guard !direction.isStopped else { return }
        readHalfHello(direction, &sink)
        direction.messages.skip(count)
        direction.dropUnread()
        if direction.messages.isLost, !canSearch(direction, losing: count, &sink) { return }
        guard left > 0 else { return }
        let version = header.version
        direction.partial = [
            header.type, UInt8(version >> 8), UInt8(version & 255), UInt8(left >> 8), UInt8(left & 255),
        ]
    }

    /// The record cannot be opened any more; the next one is where it ends.
    ///
    /// `left`: bytes of it that are still to come.
    private mutating func loseProtected(
        _ header: TLSRecordHeader,
        left: Int,
        _ direction: TLSDirection,
        _ sink: inout some TLSStreamSink
    ) {
        if direction.carriesData {
            let overhead = direction.protection?.overhead
            sink.lostPlaintext(
                atMost: max(0, header.length - (overhead ?? 0)),
                isExact: overhead != nil && header.type == TLSContentType.applicationData,
                from: direction.side
            )
        }
        loseMessages(direction)
        if direction.passableEarlyData > 0 {
            // It may have been the last of it, or the Finished: from here on what does not authenticate is searched.
            direction.passableEarlyData = 0
        } else {
            direction.number &+= 1
        }
        direction.dropUnread()
        direction.skipped = left
    }

    /// Whether the keys of what comes are known without what is missing; says so where they are not.
    private mutating func canSearch(
        _ direction: TLSDirection,
        losing count: Int,
        _ sink: inout some TLSStreamSink
    ) -> Bool {
        // Of the server's hello the search may do without.
        if handshake.hasServerHello || direction.side == .server && handshake.clientHellos > 0 { return true }
        if handshake.clientHellos == 0 {
            if direction.side == .server {
                holdGap(count, direction)
            } else if isOfNoOwner {
                // What comes next may be a record, as what came first was.
                direction.dropUnread()
            } else {
                stopBoth("its ClientHello is not whole in the capture", &sink)
            }
        } else {
            holdGap(count, direction)
        }
        return false
    }

    private func holdGap(_ count: Int, _ direction: TLSDirection) {
        direction.waits = .peer
        let passed = direction.unread &+ min(count, Int.max / 4)
        direction.dropUnread()
        direction.holdGap(passed)
    }

    /// Messages of a handshake go over many records; those behind it have records of their own.
    private func loseMessages(_ direction: TLSDirection) {
        if direction.epoch == .handshake || direction.epoch == .plain {
            direction.messages.lose()
        } else {
            direction.messages.reset()
        }
    }

    /// `partial` begins with a record that does not authenticate, or is none.
    mutating func beginSearch(_ direction: TLSDirection, _ sink: inout some TLSStreamSink) {
        loseMessages(direction)
        // The record itself is tried again: it may be under the keys that come next.
        losePlace(direction, passed: 0, &sink)
    }
}
