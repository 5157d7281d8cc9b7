import Captures
import Foundation
import JSON

/// The viewer as one file that needs nothing else: no server, no network, no other file.
package enum ViewerPage {
    /// Messages stand together in elements of so many, which are read when one of them is asked for.
    package static let messagesTogether = 32

    /// Writes the page with captures in it, piece by piece.
    ///
    /// `generator`: name and version of the program.
    /// `comparison`: the two flows that the page opens with.
    /// `nonce`: random text of this one page, in base64; scripts without it do not run (CSP 3, section 7.1).
    /// Throws what `sink` throws.
    package static func write(
        _ captures: [ViewerCapture],
        generator: String,
        comparing comparison: ViewerComparison.Choice? = nil,
        nonce: String,
        to sink: (ArraySlice<UInt8>) throws -> Void
    ) throws {
        func embed(_ value: JSONValue, as id: String) throws {
            let head = "<script type=\"application/json\" id=\"\(id)\" nonce=\"\(nonce)\">"
            try sink((Array(head.utf8) + inScript(value) + Array("</script>\n".utf8))[...])
        }
        try sink(Array(beginning(nonce).utf8)[...])
        var overview = ViewerCapture.overview(of: captures, generator: generator)
        let choices = comparison.map { [$0] } ?? ViewerComparison.choices(in: captures)
        let comparisons = choices.compactMap { ViewerComparison.document(of: $0, in: captures) }
        overview["comparisons"] = .array(
            comparisons.map { ["expected": $0["expected"] ?? .null, "seen": $0["seen"] ?? .null] }
        )
        if comparison != nil { overview["compares"] = true }
        try embed(.object(overview), as: "overview")
        for (index, comparison) in comparisons.enumerated() {
            try embed(comparison, as: "comparison-\(index)")
        }
        for (number, capture) in captures.enumerated() {
            for (index, item) in capture.report.flows.enumerated() {
                try embed(ViewerFlow.document(of: item, in: capture), as: "flow-\(number)-\(index)")
            }
            let indices = capture.report.capture.indices
            for start in stride(from: indices.lowerBound, to: indices.upperBound, by: messagesTogether) {
                let end = min(start + messagesTogether, indices.upperBound)
                try embed(
                    .array((start..<end).map { ViewerMessage.document(of: $0, in: capture) }),
                    as: "messages-\(number)-\(start / messagesTogether)"
                )
            }
        }
        try sink(Array(ending(nonce).utf8)[...])
    }

    /// What a page may do: run the viewer's own scripts, and nothing else; no text of a capture becomes markup or script
    /// even if one of them tried.
    ///
    /// `connections`: where it may ask for data.
    package static func policy(nonce: String, connections: String = "'none'", scripts: String = "") -> String
    {
        [
            "default-src 'none'", "script-src 'nonce-\(nonce)'\(scripts)",
            "style-src 'nonce-\(nonce)'\(scripts)",
            "img-src data:", "connect-src \(connections)", "base-uri 'none'", "form-action 'none'",
            "require-trusted-types-for 'script'", "trusted-types 'none'",
        ].joined(separator: "; ")
    }

    private static func beginning(_ nonce: String) -> String {
        """
        <!doctype html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta http-equiv="Content-Security-Policy" content="\(policy(nonce: nonce))">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="referrer" content="no-referrer">
        <title>authreel</title>
        <style nonce="\(nonce)">
        \(String(decoding: files["viewer.css"] ?? [], as: UTF8.self))</style>
        </head>
        <body>
        <noscript>This page draws a recorded login with scripts of its own. Allow scripts for it, or use authreel show.</noscript>

        """
    }

    /// The scripts stand behind what they read.
    private static func ending(_ nonce: String) -> String {
        let assets = files
        let modules = assets.keys.filter { $0.hasPrefix("js/") }.sorted().map { path in
            JSONObject.Member(
                name: "#viewer/" + path.dropFirst(3),
                value: .string("data:text/javascript;base64," + Base64.encode(assets[path] ?? []))
            )
        }
        let imports = String(
            decoding: inScript(["imports": .object(JSONObject(modules))]),
            as: UTF8.self
        )
        return """
            <script type="importmap" nonce="\(nonce)">\(imports)</script>
            <script type="module" nonce="\(nonce)">import "#viewer/main.js";</script>
            </body>
            </html>

            """
    }

    /// JSON in which nothing ends the script element around it, whatever a capture holds (HTML, section 4.12.1.3).
    private static func inScript(_ value: JSONValue) -> [UInt8] {
        var text: [UInt8] = []
        let bytes = JSONWriter.bytes(of: value)
        text.reserveCapacity(bytes.count)
        for byte in bytes {
            if byte == 0x3c { text += Array("\\u003c".utf8) } else { text.append(byte) }
        }
        return text
    }

    /// The files of `viewer/` by their paths.
    package static let files: [String: [UInt8]] = ViewerAssets.files.mapValues {
        Base64.decode($0.withUTF8Buffer { String(decoding: $0, as: UTF8.self) })
    }
}
