import Captures
package import Sharing

/// What sharing replaced and kept, for a person at a terminal.
package enum SharingText {
    /// `columns`: how wide lines may be; nil for as wide as they are.
    package static func text(
        of report: SharingReport,
        named name: String,
        style: TextStyle,
        columns: Int? = nil
    ) -> String {
        func wrapped(_ words: String) -> [String] {
            columns.map { words.wrapped(to: $0, indent: "  ", hanging: "  ") } ?? ["  " + words]
        }
        var lines = [style.bold(name.printable)]
        let dropped = report.all - report.kept
        lines += wrapped(
            "\(report.kept) of \(report.all) exchanges are shared"
                + (dropped > 0 ? "; the others belong to no login (--all keeps them)" : "")
        )
        if report.rows.isEmpty { lines.append("  nothing in it is secret") }
        for row in report.rows {
            let head = "  \("\(row.values)".padded(to: 5)) \(words(row).padded(to: 26)) "
            let found = "at \(places(row)), in \(exchanges(row.entries))"
            lines.append(found.behind(head, of: head.count, columns: columns))
        }
        if !report.open.isEmpty {
            lines += wrapped(
                "kept, since they open nothing: " + report.open.map(\.printable).joined(separator: ", ")
            )
        }
        if report.keepsPersonal { lines.append(style.yellow("  kept: names and addresses of people")) }
        if !report.keptNames.isEmpty {
            lines.append(
                style.yellow("  kept: the values of \(report.keptNames.joined(separator: ", "))".printable)
            )
        }
        for asked in report.asked {
            let count = asked.values == 1 ? "1 text" : "\(asked.values) different texts"
            let line = "  asked for: \(asked.pattern.printable) matches \(count)"
            lines.append(asked.values == 0 ? style.yellow(line) : line)
        }
        if !report.unread.isEmpty {
            lines.append(
                style.yellow(
                    "  bodies that could not be read, replaced as a whole: in \(exchanges(report.unread))"
                )
            )
        }
        lines.append(style.green("  no secret is left, and the diagnosis is the same"))
        return lines.joined(separator: "\n")
    }

    private static func places(_ row: SharingReport.Row) -> String {
        row.places.counted("place")
    }

    /// A kind in the singular or plural.
    static func words(_ row: SharingReport.Row) -> String {
        let name = row.kind.rawValue
        guard row.values != 1,
            !["personal data", "credentials", "unexplained random text", "asked for"].contains(name)
        else {
            return name
        }
        return name.hasSuffix("address") ? name + "es" : name + "s"
    }

    /// `exchange 5`, `exchanges 0-3, 7`.
    static func exchanges(_ entries: [Int]) -> String {
        "exchange\(entries.count == 1 ? "" : "s") \(list(entries))"
    }

    /// `0-3, 7, 9`.
    static func list(_ entries: [Int]) -> String {
        var ranges: [ClosedRange<Int>] = []
        for entry in entries {
            if let last = ranges.last, last.upperBound == entry - 1 {
                ranges[ranges.count - 1] = last.lowerBound...entry
            } else {
                ranges.append(entry...entry)
            }
        }
        let texts = ranges.map { $0.count == 1 ? "\($0.lowerBound)" : "\($0.lowerBound)-\($0.upperBound)" }
        return texts.count > 12
            ? texts.prefix(12).joined(separator: ", ") + " …" : texts.joined(separator: ", ")
    }
}
