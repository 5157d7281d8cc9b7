import JSON

/// Reads the file that mitmproxy writes with `-w` (its "flows").
///
/// Versions of the format from mitmproxy 0.11 (2014) to 12 (format 21): they differ in some names.
struct MitmproxyFlows {
    private let source: CaptureSource
    private let name: String
    private var exchanges: [Exchange] = []
    private var losses: [Capture.Loss] = []
    /// What of the flows is not read.
    private var leftOut = LossList()
    /// How many flows there are of each other protocol.
    private var others: [String: Int] = [:]
    private var version = ""
    /// Flows so far.
    private var count = 0

    /// More flows that are damaged are not looked past.
    private static let mostDamaged = 100

    /// `name`: what errors call the file.
    private init(_ source: CaptureSource, name: String) {
        self.source = source
        self.name = name
    }

    /// - Throws: ``CaptureError`` where there is not one flow in it.
    static func read(_ source: CaptureSource, name: String) throws(CaptureError) -> Capture {
        var flows = MitmproxyFlows(source, name: name)
        flows.walk()
        return try flows.capture()
    }

    private mutating func walk() {
        var reader = NetstringReader(source)
        var offset = 0
        while true {
            do throws(NetstringReader.Problem) {
                guard let (flow, end) = try reader.value(at: offset) else { return }
                take(flow)
                offset = end
            } catch {
                lose(error, flowAt: offset)
                guard let next = error.next, losses.count < Self.mostDamaged else { return }
                offset = next
            }
        }
    }

    private mutating func take(_ flow: TypedNetstring) {
        if version.isEmpty { version = Self.version(flow) }
        var read = MitmproxyExchange(flow, source: source)
        if let exchange = read.exchange() {
            exchanges.append(exchange)
            for (offset, what) in read.losses {
                leftOut.append(Capture.Loss(offset: offset, line: 1, what: "flow \(count): \(what)"))
            }
        } else {
            others[flow["type"]?.text ?? "http", default: 0] += 1
        }
        count += 1
    }

    private mutating func lose(_ problem: NetstringReader.Problem, flowAt offset: Int) {
        losses.append(
            Capture.Loss(
                offset: problem.offset,
                line: 1,
                what: problem.isEnd
                    ? Capture.Loss.cutOff("flow", count, after: source.size - offset)
                    : "flow \(count) is damaged at byte \(problem.offset)",
                isEnd: problem.isEnd
            )
        )
        count += 1
    }

    private func capture() throws(CaptureError) -> Capture {
        guard !exchanges.isEmpty || !others.isEmpty else {
            throw .notCapture(
                path: name,
                looksLike: "something that begins like mitmproxy's flows, of which none is whole",
                advice: "export it again: mitmdump -nr FLOWS --set hardump=login.har"
            )
        }
        var capture = Capture(foreign: exchanges, creator: "mitmproxy", version: version)
        capture.losses = losses + leftOut.all
        for (type, count) in others.sorted(by: { $0.key < $1.key }) {
            let what =
                "\(count.counted("flow")) of type \(type) \(count == 1 ? "is" : "are") no HTTP, and left out"
            capture.losses.append(Capture.Loss(offset: 0, line: 1, what: what))
        }
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
