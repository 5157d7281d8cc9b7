import JSON

/// Reads the file that mitmproxy writes with `-w` (its "flows").
///
/// Versions of the format from mitmproxy 0.11 (2014) to 12 (format 21): they differ in some names.
struct MitmproxyFlows {
    private let source: CaptureSource
    private let name: String

    /// `name`: what errors call the file.
    init(_ source: CaptureSource, name: String) {
        self.source = source
        self.name = name
    }

    /// - Throws: ``CaptureError`` where there is not one flow in it.
    func read() throws(CaptureError) -> Capture {
        var reader = NetstringReader(source)
        var exchanges: [Exchange] = []
        var losses: [Capture.Loss] = []
        var leftOut = LossList()
        var others: [String: Int] = [:]
        var version = ""
        var offset = 0
        var count = 0
        while true {
            do throws(NetstringReader.Problem) {
                guard let (flow, end) = try reader.value(at: offset) else { break }
                offset = end
                count += 1
                if version.isEmpty { version = Self.version(flow) }
                let type = flow["type"]?.text ?? "http"
                var read = MitmproxyExchange(flow, source: source)
                if let exchange = read.exchange() {
                    exchanges.append(exchange)
                    for (offset, what) in read.losses {
                        leftOut.append(
                            Capture.Loss(offset: offset, line: 1, what: "flow \(count - 1): \(what)")
                        )
                    }
                } else {
                    others[type, default: 0] += 1
                }
            } catch {
                losses.append(
                    Capture.Loss(
                        offset: error.offset,
                        line: 1,
                        what: error.isEnd
                            ? "flow \(count) is cut off after \(source.size - offset) bytes; the \(count) before it are whole"
                            : "flow \(count) is damaged at byte \(error.offset)",
                        isEnd: error.isEnd
                    )
                )
                count += 1
                guard let next = error.next, losses.count < 100 else { break }
                offset = next
            }
        }
        losses += leftOut.all
        for (type, count) in others.sorted(by: { $0.key < $1.key }) {
            let what = "\(count) flows of type \(type) are no HTTP, and left out"
            losses.append(Capture.Loss(offset: 0, line: 1, what: what))
        }
        guard !exchanges.isEmpty || !others.isEmpty else {
            throw .notCapture(
                path: name,
                looksLike: "something that begins like mitmproxy's flows, of which none is whole",
                advice: "export it again: mitmdump -nr FLOWS --set hardump=login.har"
            )
        }
        var capture = Capture(foreign: exchanges, creator: "mitmproxy", version: version)
        capture.losses = losses
        return capture
    }

    private static func version(_ flow: TypedNetstring) -> String {
        switch flow["version"] {
        case .number(let number)?: "flow format \(Int64(exactly: number) ?? 0)"
        case .list(let parts)?: "\(parts.compactMap(\.integer).map(String.init).joined(separator: "."))"
        default: ""
        }
    }
}
