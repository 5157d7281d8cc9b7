package import Sharing

/// What sharing replaced and kept, for a ticket.
package enum SharingMarkdown {
    package static func text(of report: SharingReport, named name: String) -> String {
        var lines = [
            "## Redaction of \(MarkdownReport.code(name))", "",
            "\(report.kept) of \(report.all) exchanges are shared. No secret is left in them, and the diagnosis is the same: both were checked before the file was written.",
            "",
        ]
        if !report.rows.isEmpty {
            lines += ["| replaced | different | places | exchanges |", "| --- | ---: | ---: | --- |"]
            lines += report.rows.map {
                "| \($0.kind.rawValue) | \($0.values) | \($0.places) | \(SharingText.list($0.entries)) |"
            }
            lines.append("")
        }
        if !report.open.isEmpty {
            lines +=
                ["Kept, since they open nothing:", ""] + report.open.map { "- \(MarkdownReport.code($0))" }
                + [""]
        }
        if report.keepsPersonal { lines += ["Names and addresses of people were kept on purpose.", ""] }
        if !report.keptNames.isEmpty {
            lines += [
                "Kept on purpose: the values of "
                    + report.keptNames.map(MarkdownReport.code).joined(separator: ", ") + ".", "",
            ]
        }
        if !report.asked.isEmpty {
            // A pattern may be the very text that is not to be told.
            let counts = report.asked.enumerated().map { "- pattern \($0 + 1): \($1.values) different" }
            lines += ["Asked for:", ""] + counts + [""]
        }
        if !report.unread.isEmpty {
            lines += [
                "Bodies that could not be read were replaced as a whole: in \(SharingText.exchanges(report.unread)).",
                "",
            ]
        }
        return lines.joined(separator: "\n")
    }
}
