import Captures
package import JSON

/// The viewer as one file that needs nothing else: no server, no network, no other file.
package enum ViewerPage {
    /// The page with a document in it.
    ///
    /// `nonce`: random text of this one page, in base64; scripts without it do not run (CSP 3, section 7.1).
    package static func page(of document: JSONValue, nonce: String) -> String {
        let assets = files
        let modules = assets.keys.filter { $0.hasPrefix("js/") }.sorted().map { path in
            JSONObject.Member(
                name: "#viewer/" + path.dropFirst(3),
                value: .string("data:text/javascript;base64," + Base64.encode(assets[path] ?? []))
            )
        }
        let imports: JSONValue = ["imports": .object(JSONObject(modules))]
        let policy = [
            "default-src 'none'", "script-src 'nonce-\(nonce)'", "style-src 'nonce-\(nonce)'",
            "img-src data:",
            "base-uri 'none'", "form-action 'none'",
        ]
        return """
            <!doctype html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta http-equiv="Content-Security-Policy" content="\(policy.joined(separator: "; "))">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="referrer" content="no-referrer">
            <title>authreel</title>
            <style nonce="\(nonce)">
            \(String(decoding: assets["viewer.css"] ?? [], as: UTF8.self))</style>
            <script type="importmap" nonce="\(nonce)">\(inScript(imports))</script>
            <script type="application/json" id="report" nonce="\(nonce)">\(inScript(document))</script>
            <script type="module" nonce="\(nonce)">import "#viewer/main.js";</script>
            </head>
            <body>
            <noscript>This page draws a recorded login with scripts of its own. Allow scripts for it, or use authreel show.</noscript>
            </body>
            </html>

            """
    }

    /// JSON in which nothing ends the script element around it, whatever a capture holds (HTML, section 4.12.1.3).
    private static func inScript(_ value: JSONValue) -> String {
        var text: [UInt8] = []
        for byte in JSONWriter.bytes(of: value) {
            if byte == 0x3c { text += Array("\\u003c".utf8) } else { text.append(byte) }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// The files of `viewer/` by their paths.
    static var files: [String: [UInt8]] {
        ViewerAssets.files.mapValues {
            Base64.decode($0.withUTF8Buffer { String(decoding: $0, as: UTF8.self) })
        }
    }
}
