import Captures
import Foundation
import JSON
import TestSupport

/// A recorded login taken apart: the browser's half, and that of the application's server, whose clock is ahead.
///
/// What the browser sends to the application is in both.
struct SplitLogin {
    let folder: TemporaryFolder
    /// The whole login, in the order in which exchanges began.
    var original: String { folder.file("original/login.har") }
    var browser: String { folder.file("browser.har") }
    var server: String { folder.file("server.har") }
    /// How many exchanges are in both.
    private(set) var shared = 0

    /// `recording`: below `Tests/Recordings`.
    init(_ recording: String, ahead: Duration, in folder: TemporaryFolder) throws {
        self.folder = folder
        let path = Fixtures.root.appending(path: "Tests/Recordings/\(recording).har").path
        let capture = try CaptureReader.read(path: path)
        let exchanges = capture.indices.map { capture[$0] }.enumerated().sorted {
            ($0.element.startedAt, $0.offset) < ($1.element.startedAt, $1.offset)
        }.map(\.element)
        try FileManager.default.createDirectory(
            atPath: folder.file("original"),
            withIntermediateDirectories: true
        )
        try Self.write(exchanges, to: original)
        let isOfBrowser = exchanges.map { ($0.request.headers.first("user-agent") ?? "").contains("Mozilla") }
        // The application is whom the browser brings a code.
        let hosts = Set(
            exchanges.compactMap { exchange in
                exchange.request.url.queryItems.contains("code") ? exchange.request.url.authority : nil
            }
        )
        let halves = zip(exchanges, isOfBrowser)
        try Self.write(halves.filter { $1 }.map(\.0), to: browser)
        var seen: [Exchange] = []
        for (exchange, isOfBrowser) in halves {
            let isShared = isOfBrowser && hosts.contains(exchange.request.url.authority ?? "")
            guard !isOfBrowser || isShared else { continue }
            seen.append(Self.seenByServer(exchange, ahead, isShared: isShared))
            if isShared { shared += 1 }
        }
        try Self.write(seen, to: server)
    }

    /// What the browser asked comes a little later, in clear, from a proxy.
    private static func seenByServer(_ exchange: Exchange, _ ahead: Duration, isShared: Bool) -> Exchange {
        var exchange = exchange
        exchange.startedAt = exchange.startedAt + ahead
        guard isShared, let duration = exchange.duration else { return exchange }
        exchange.startedAt = exchange.startedAt + .milliseconds(1)
        exchange.duration = duration - .milliseconds(2)
        exchange.request.url = RecordedURL(
            scheme: "http",
            authority: "app.internal:8080",
            target: exchange.request.url.path + (exchange.request.url.query.map { "?\($0)" } ?? "")
        )
        exchange.request.headers.append("X-Forwarded-Proto", "https")
        return exchange
    }

    private static func write(_ exchanges: [Exchange], to path: String) throws {
        try CaptureWriter(newAt: path, version: "1", logMembers: JSONObject()).append(exchanges)
    }
}
