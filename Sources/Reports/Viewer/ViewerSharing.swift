package import JSON
package import Sharing

/// What sharing replaced and kept, as the viewer shows it before anything is saved.
package enum ViewerSharing {
    /// `{"kept", "all", "rows": [{"kind", "values", "places", "exchanges"}], "open", "personal", "markdown"}`.
    package static func document(of report: SharingReport, named name: String) -> JSONValue {
        [
            "kept": JSONValue(report.kept), "all": JSONValue(report.all),
            "rows": .array(
                report.rows.map { row in
                    [
                        "kind": .string(SharingText.words(row)), "values": JSONValue(row.values),
                        "places": JSONValue(row.places), "exchanges": .string(SharingText.list(row.entries)),
                    ]
                }
            ),
            "open": .array(report.open.map { .string($0) }), "personal": .bool(report.keepsPersonal),
            "markdown": .string(SharingMarkdown.text(of: report, named: name)),
        ]
    }
}
