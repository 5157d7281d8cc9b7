/// Reads what curl prints of its transfers, with `-v`, `--trace-ascii` and `--trace`.
///
/// It has no dates. With `-v` the bodies of requests are left out; those of answers stand among its lines where they were not sent
/// elsewhere.
struct CurlLog {
    private var transfers = CurlTransfers()
    private var block: CurlDump?
    /// Whether messages are dumped: what stands between the dumps is what curl was asked for, once more.
    private var isDumped = false

    /// Nil where no request is in it.
    static func read(_ source: CaptureSource) -> Capture? {
        let text = LogText(source)
        var log = CurlLog()
        text.forEachLine { log.take(LogText.withoutEnd($0), hasEnd: $0.last == 0x0a) }
        log.closeBlock()
        log.transfers.finish()
        let exchanges = log.transfers.exchanges
        // Somebody may have quoted a request.
        guard exchanges.contains(where: { $0.response != nil || $0.failure != nil }) else { return nil }
        return text.capture(of: exchanges, creator: "curl")
    }

    private mutating func take(_ whole: ArraySlice<UInt8>, hasEnd: Bool) {
        guard let line = Self.withoutMeter(whole) else { return }
        if block?.take(line) == true { return }
        let told = Self.withoutTime(line)
        closeBlock()
        block = CurlDump(told)
        if let block {
            isDumped = isDumped || block.kind != .other
        } else if told.starts(with: "== Info: ".utf8) {
            transfers.informed(String(decoding: told.dropFirst(9), as: UTF8.self))
        } else {
            take(printed: told, asItStands: line, hasEnd: hasEnd)
        }
    }

    private mutating func closeBlock() {
        guard let block else { return }
        self.block = nil
        switch block.kind {
        case .sentHead: transfers.sent(head: block.bytes)
        case .sentData: transfers.sent(data: block.bytes, isDotted: block.isDotted)
        case .receivedHead: transfers.received(head: block.bytes)
        case .receivedData: transfers.received(data: block.bytes, isDotted: block.isDotted)
        case .other: break
        }
    }

    /// A line of `-v`: the first character tells what it is.
    private mutating func take(printed: ArraySlice<UInt8>, asItStands: ArraySlice<UInt8>, hasEnd: Bool) {
        // In a ticket it may be indented.
        let line = printed.drop(while: \.isBlank)
        let rest = line.dropFirst(2)
        let isMarked = line.dropFirst().first.map { $0 == 0x20 } ?? true
        switch line.first {
        case UInt8(ascii: ">") where isMarked && (transfers.isSentHeadOpen || Self.isRequestLine(rest)):
            transfers.sent(head: rest + [0x0d, 0x0a])
        case UInt8(ascii: "<")
        where isMarked && (transfers.isReceivedHeadOpen || rest.starts(with: "HTTP/".utf8)):
            transfers.received(head: rest + [0x0d, 0x0a])
        case UInt8(ascii: "*") where isMarked && (printed.first == line.first || !transfers.takesBody):
            transfers.informed(String(decoding: rest, as: UTF8.self))
        case UInt8(ascii: "{") where Self.isCount(line), UInt8(ascii: "}") where Self.isCount(line): break
        default:
            if line.starts(with: "curl: (".utf8) {
                transfers.failed(String(decoding: line.dropFirst(6), as: UTF8.self))
            } else if !isDumped, transfers.takesBody {
                take(body: asItStands, hasEnd: hasEnd)
            }
        }
    }

    /// A line of an answer's body; behind one that has no end stands what curl says next.
    private mutating func take(body line: ArraySlice<UInt8>, hasEnd: Bool) {
        guard let start = Self.mark(in: line) else {
            transfers.received(data: line, isDotted: false)
            if hasEnd { transfers.received(data: CollectionOfOne(0x0a), isDotted: false) }
            return
        }
        transfers.received(data: line[..<start], isDotted: false)
        transfers.informed(String(decoding: line[start...].dropFirst(2), as: UTF8.self))
    }

    /// Where words of curl's begin.
    private static func mark(in line: ArraySlice<UInt8>) -> Int? {
        var rest = line
        while let star = rest.firstRange(of: sign)?.lowerBound {
            if marks.contains(where: line[star...].starts) || isResolution(line[star...]) { return star }
            rest = line[(star + 1)...]
        }
        return nil
    }

    private static let sign = Array("* ".utf8)
    private static let marks = [
        "* Connection #", "* Closing connection", "* Found bundle", "* Re-using existing",
        "* Reusing existing", "*   Trying ", "* shutting down connection",
    ].map { Array($0.utf8) }

    /// Whether a line is `* Host op.example:443 was resolved.`.
    private static func isResolution(_ line: ArraySlice<UInt8>) -> Bool {
        line.starts(with: "* Host ".utf8) && line.suffix(14).elementsEqual(" was resolved.".utf8)
    }

    private static func isRequestLine(_ line: ArraySlice<UInt8>) -> Bool {
        line.last != 0x20 && String(decoding: line.suffix(9), as: UTF8.self).containsBytes(" HTTP/")
    }

    /// `{ [123 bytes data]`.
    private static func isCount(_ line: ArraySlice<UInt8>) -> Bool {
        line.dropFirst().starts(with: " [".utf8) && line.suffix(11).elementsEqual("bytes data]".utf8)
    }

    // MARK: - What stands before

    /// `12:34:56.789012 [0-0] `, as `--trace-time` and `--trace-ids` put it there.
    private static func withoutTime(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var rest = line
        let time = rest.prefix { $0 != 0x20 }
        if time.count == 15, time.dropFirst(2).first == UInt8(ascii: ":"),
            time.allSatisfy({ $0.isASCIIDigit || $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: ".") })
        {
            rest = rest.dropFirst(16)
        }
        if rest.first == UInt8(ascii: "["), let end = rest.prefix(40).firstIndex(of: UInt8(ascii: "]")) {
            let id = rest[rest.startIndex...end].dropFirst().dropLast()
            if !id.isEmpty, id.allSatisfy({ $0.isASCIIDigit || "-x".utf8.contains($0) }) {
                rest = rest[(end + 1)...].dropFirst()
            }
        }
        return rest
    }

    /// Without the progress meter, which writes over its own line, and behind which the next words stand; nil where nothing else
    /// stands there.
    private static func withoutMeter(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        if line.starts(with: "  % Total ".utf8) || line.starts(with: "            ".utf8) && isLegend(line) {
            return nil
        }
        let start = line.lastIndex(of: 0x0d).map { $0 + 1 } ?? line.startIndex
        let meter = line[start...].prefix(meterWidth)
        guard meter.count == meterWidth, meter.count(where: { $0 == UInt8(ascii: ":") }) == 6,
            meter.allSatisfy({ $0.isASCIIDigit || " -:kMG.".utf8.contains($0) })
        else { return line }
        let rest = line[start...].dropFirst(meterWidth)
        return rest.isEmpty ? nil : rest
    }

    private static let meterWidth = 78

    private static func isLegend(_ line: ArraySlice<UInt8>) -> Bool {
        String(decoding: line.prefix(80), as: UTF8.self).containsBytes(" Dload  Upload ")
    }
}
