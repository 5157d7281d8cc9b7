internal import Captures

/// Streams of one direction: settings, the tables of fields, the end of a connection.
extension HTTP3Decoder {
    mutating func receiveUnidirectional(
        _ bytes: ArraySlice<UInt8>,
        of id: Int,
        from side: Side,
        at time: Timestamp,
        into sink: inout some ExchangeEventSink
    ) {
        guard unidirectional[id] != nil || unidirectional.count < Self.maximumStreams else { return }
        var input = bytes
        if case .begun(var start) = unidirectional[id] ?? .begun([]) {
            start += input
            input = start[...]
            guard let type = VariableInteger.take(&input) else {
                unidirectional[id] = .begun(start)
                return
            }
            let kind: Unidirectional =
                switch type {
                case 0 where hasControl.insert(side).inserted: .control(HTTP3FrameReader())
                case 2 where hasEncoder.insert(side).inserted: .encoder
                default: .other
                }
            unidirectional[id] = kind
        }
        switch unidirectional[id] {
        case .control(var reader):
            while !hasLostTheThread {
                switch reader.next(&input) {
                case .needsMore:
                    unidirectional[id] = .control(reader)
                    return
                case .frame(HTTP3FrameReader.FrameType.settings, let payload):
                    settings(payload, side, time, &sink)
                case .frame(HTTP3FrameReader.FrameType.goAway, let payload):
                    closing(payload, side, time, &sink)
                case .tooLong:
                    unidirectional[id] = .other
                    return
                case .frame, .data, .otherProtocol: break
                }
            }
        case .encoder: encoder(input, side, time, &sink)
        case .begun, .other, nil: break
        }
    }

    private mutating func encoder(
        _ bytes: ArraySlice<UInt8>,
        _ side: Side,
        _ time: Timestamp,
        _ sink: inout some ExchangeEventSink
    ) {
        var input = bytes
        do throws(FieldReader.Malformed) {
            while !hasLostTheThread,
                side == .client ? try fields.client.receive(&input) : try fields.server.receive(&input)
            {
                // What is inserted later may drive out what is waited for.
                let inserted = side == .client ? fields.client.table.inserted : fields.server.table.inserted
                if let first = unblocksAt[side], inserted >= first {
                    unblock(side, until: inserted, time, &sink)
                }
            }
            guard hasLostTheThread || countTables(&sink) else {
                return lose(LossReason.noRoom, at: 0, side, time, &sink)
            }
        } catch {
            lose("a table of fields that cannot be read (\(error.reason))", at: 0, side, time, &sink)
        }
    }

    /// Counts what the tables keep; false where there is no room for it.
    private mutating func countTables(_ sink: inout some ExchangeEventSink) -> Bool {
        let change = fields.client.held + fields.server.held - tableBytes
        guard sink.mayHold(change) else { return false }
        tableBytes += change
        return true
    }

    /// Reads on where so many insertions were waited for.
    private mutating func unblock(
        _ side: Side,
        until inserted: Int,
        _ time: Timestamp,
        _ sink: inout some ExchangeEventSink
    ) {
        let ids = self[blocked: side].filter { $0.value <= inserted }.keys
        for id in ids { self[blocked: side][id] = nil }
        unblocksAt[side] = self[blocked: side].values.min()
        for id in ids.sorted() where !hasLostTheThread {
            readWaiting(of: id, side, time, &sink)
        }
    }

    private mutating func settings(
        _ payload: [UInt8],
        _ side: Side,
        _ time: Timestamp,
        _ sink: inout some ExchangeEventSink
    ) {
        var rest = payload[...]
        var capacity = 0
        while let name = VariableInteger.take(&rest), let value = VariableInteger.take(&rest) {
            if name == 1 { capacity = value }
        }
        // SETTINGS_QPACK_MAX_TABLE_CAPACITY is what the other side may use; it is said once (RFC 9114, section 7.2.4).
        let known = side == .client ? fields.server.table.allowed : fields.client.table.allowed
        guard known == nil else { return }
        if side == .client {
            fields.server.table.allowed = capacity
        } else {
            fields.client.table.allowed = capacity
        }
        unblock(side.other, until: .max, time, &sink)
    }
}
