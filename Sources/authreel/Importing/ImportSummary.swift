import Captures
import Flows
import JSON

/// What an import tells at its end.
struct ImportSummary {
    /// A login of the merged capture, and how many of its exchanges each file tells of.
    struct Login {
        var id: String
        var exchanges: Int
        var files: [(name: String, count: Int)]
    }

    let report: MergeReport
    let logins: [Login]
    /// What could not be read of packet captures, by file.
    let packetLosses: [(name: String, what: [String])]

    /// Whether something could not be read.
    var isLossy: Bool {
        report.files.contains { !$0.losses.isEmpty } || packetLosses.contains { !$0.what.isEmpty }
    }

    /// `files`: the names of the files that tell of each exchange.
    static func logins(in capture: Capture, files: [[String]]) -> [Login] {
        FlowFinder.outlines(in: capture).map { flow in
            var counts: [(name: String, count: Int)] = []
            for exchange in flow.exchanges {
                for name in Set(files[exchange]).sorted() {
                    if let index = counts.firstIndex(where: { $0.name == name }) {
                        counts[index].count += 1
                    } else {
                        counts.append((name, 1))
                    }
                }
            }
            return Login(id: flow.id, exchanges: flow.exchanges.count, files: counts)
        }
    }

    // MARK: - For people

    /// Lines for stderr; `path` is that of the capture.
    func lines(_ path: String) -> [String] {
        var lines: [String] = []
        let isOne = report.files.count == 1
        lines.append(
            "\(path): \(report.exchanges.counted("exchange")) of "
                + (isOne ? report.files[0].name : "\(report.files.count) files")
        )
        if !isOne {
            for file in report.files {
                lines.append(
                    "  \(file.name): \(file.entries.counted("exchange")); "
                        + ClockNotes.text(of: file, isAligned: report.isAligned)
                )
            }
        }
        if !isOne || report.seenTwice > 0 { lines.append(seenTwice) }
        if report.undecided > 0 {
            lines.append(
                "\(report.undecided.counted("exchange")) may be in two files, among repeated requests that nothing tells "
                    + "apart: they stand as often as they were found"
            )
        }
        lines +=
            logins.isEmpty
            ? ["no login is in it"] : logins.prefix(Self.mostLogins).map { line(of: $0, isOne) }
        if logins.count > Self.mostLogins {
            lines.append("… and \(logins.count - Self.mostLogins) logins more")
        }
        return lines
    }

    private static let mostLogins = 10

    private var seenTwice: String {
        guard report.seenTwice > 0 else { return "no exchange is in more than one of them" }
        let isOne = report.seenTwice == 1
        return
            "\(report.seenTwice.counted("exchange")) \(isOne ? "is" : "are") in more than one of them, and "
            + "\(isOne ? "stands" : "stand") once"
            + (report.differing > 0 ? "; what they tell differently is in _authreel.differs" : "")
    }

    private func line(of login: Login, _ isOne: Bool) -> String {
        "\(login.id): \(login.exchanges.counted("exchange"))"
            + (isOne
                ? "" : ", of " + login.files.map { "\($0.name) \($0.count)" }.joined(separator: " and "))
    }

    // MARK: - For programs

    /// `out`: the capture's path.
    func json(_ out: String) -> JSONValue {
        var object: JSONObject = ["version": 1, "out": .string(out)]
        object.members += report.json.members
        object["packet_losses"] = .array(
            packetLosses.flatMap { file in
                file.what.map { ["file": .string(file.name), "what": .string($0)] }
            }
        )
        object["flows"] = .array(
            logins.map { login in
                [
                    "id": .string(login.id), "exchanges": JSONValue(login.exchanges),
                    "files": .object(
                        JSONObject(login.files.map { ($0.name, JSONValue($0.count)) })
                    ),
                ]
            }
        )
        return .object(object)
    }
}
