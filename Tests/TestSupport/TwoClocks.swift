package import Captures
import JSON

/// A login of which the browser and the backend were recorded by a clock of their own.
package enum TwoClocks {
    /// The healthy login of a web application as two files tell of it, in the order of the recorded times; what the clocks are ahead
    /// of each other is not known.
    ///
    /// - Parameters:
    ///   - files: 1 for the same in one file.
    ///   - change: an exchange as its recorder noted it.
    /// - Returns: what an import made of them.
    /// - Throws: where the capture cannot be read.
    package static func login(files: Int = 2, _ change: (inout Exchange) -> Void) throws -> Capture {
        let path = "captures/healthy/web-code-flow.har"
        let whole = try CaptureReader.read(bytes: Fixtures.bytes(path), name: path)
        let exchanges = whole.indices.map { index in
            var exchange = whole[index]
            let isBrowsers = exchange.client.process == "firefox" || files < 2
            exchange.provenance.seen = [.init(file: isBrowsers ? "browser.har" : "server.har", entry: index)]
            change(&exchange)
            return exchange
        }
        var capture = Capture(exchanges.sorted { $0.startedAt < $1.startedAt })
        let clocks: [ImportStatement.Clock] = [.reference, .unknown]
        let statement = ImportStatement(
            files: zip(["browser.har", "server.har"], clocks).prefix(files).map {
                .init(name: $0, clock: $1)
            },
            isAligned: false
        )
        capture.logMembers["_authreel"] = ["imported": statement.json]
        return capture
    }

    /// The same with a callback that a busy browser noted late, by milliseconds; 40 lie between it and the token request.
    package static func login(callbackLateBy late: Int, files: Int = 2) throws -> Capture {
        try login(files: files) { exchange in
            if isCallback(exchange) { exchange.startedAt = exchange.startedAt + .milliseconds(late) }
        }
    }

    package static func isCallback(_ exchange: Exchange) -> Bool {
        exchange.request.url.text.contains("/callback?")
    }
}
