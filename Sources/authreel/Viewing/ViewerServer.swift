import Captures
import Foundation
import JOSE
import JSON
import LibCrypto
import Proxy
import Reports
import Sharing
import Synchronization

/// The viewer on loopback: its page, and the captures on its shelf.
struct ViewerServer: Sendable {
    let shelf: ViewerShelf
    let url: String
    let port: Int
    private let server: LocalServer
    private let lastRequest: LastRequest

    /// When something was asked for last.
    private final class LastRequest: Sendable {
        private let time = Mutex(ContinuousClock.now)

        func note() { time.withLock { $0 = .now } }

        func isLongAgo(_ least: Duration) -> Bool { time.withLock { ContinuousClock.now - $0 > least } }
    }

    /// Begins to listen.
    ///
    /// - Parameters:
    ///   - shelf: what is shown.
    ///   - port: 0 lets the system pick one.
    ///   - folder: of the viewer's own files, for work on them; nil takes those of the program.
    /// - Returns: the server, which listens.
    /// - Throws: ``CommandFailure`` where the port is not to be had.
    static func start(_ shelf: ViewerShelf, port: Int = 0, folder: String? = nil) async throws -> ViewerServer
    {
        // The token is in the address, and the address is known only when it is taken.
        let responder = Late<ViewerResponder>()
        let lastRequest = LastRequest()
        let server: LocalServer
        do {
            server = try await LocalServer.start(host: host, port: port) { request in
                lastRequest.note()
                return await responder.value?.answer(request) ?? RecordedResponse(status: 503)
            }
        } catch let error as ProxyError {
            var failure = CommandFailure(error)
            // The recorder's hint names an option that only the recorder has.
            if case .addressInUse = error {
                failure.hint = "choose another port: without --port any free one is taken"
            }
            throw failure
        }
        let access = ViewerAccess(
            token: Base64URL.encode(SecureRandom.bytes(16)),
            host: host,
            port: server.port
        )
        responder.set(
            ViewerResponder(
                access: access,
                shelf: shelf,
                files: { folder.map(files) ?? ViewerPage.files },
                nonce: ViewerFile.nonce,
                share: { await share(shelf.captures[$0], $1) }
            )
        )
        return ViewerServer(
            shelf: shelf,
            url: access.url,
            port: server.port,
            server: server,
            lastRequest: lastRequest
        )
    }

    private static let host = "127.0.0.1"

    func stop() async { await server.stop() }

    /// Tells open pages that nothing more will come, and lets them fetch all of it: they have to do without the server then.
    func finish() async {
        shelf.end()
        lastRequest.note()
        let end = ContinuousClock.now + .seconds(30)
        // A page that asks for nothing in five seconds has been closed.
        while !(lastRequest.isLongAgo(.milliseconds(400)) && shelf.isDrawn),
            !lastRequest.isLongAgo(.seconds(5)), ContinuousClock.now < end
        {
            try? await Task.sleep(for: .milliseconds(50))
        }
        await server.stop()
    }

    /// The files of a folder as they are now, as the program has them built in.
    private static func files(below folder: String) -> [String: [UInt8]] {
        let names = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
        return names.filter { ["html", "css", "js"].contains(($0 as NSString).pathExtension) }
            .reduce(into: [:]) { files, name in
                files[name] = FileManager.default.contents(atPath: "\(folder)/\(name)").map { [UInt8]($0) }
            }
    }

    // MARK: - Sharing

    private static func share(_ capture: ViewerCapture, _ wanted: JSONValue) async
        -> ViewerResponder.Shared
    {
        var options = SharingOptions()
        options.keepsAll = wanted["all"] == true
        options.keepsPersonal = wanted["keepPersonal"] == true
        options.shiftsTimes = wanted["shiftTimes"] == true
        let name = capture.report.name
        do {
            let run = try SharingRun.run(
                [(name, capture.report.capture)],
                options: options,
                scratch: { _ in try SharedFiles.scratch(for: nil) }
            )
            guard let outcome = run.outcomes.first, let text = run.texts.first, outcome.isProven else {
                return .refused(reasons: run.outcomes.flatMap(SharingRun.reasons))
            }
            let base = (((name as NSString).lastPathComponent) as NSString).deletingPathExtension
            let file = "\(base == "-" ? "login" : base).shared.har"
            return .done(
                // The path of the original may say whose it is.
                report: ViewerSharing.document(of: outcome.report, named: file),
                name: file,
                bytes: text.bytes(at: 0, count: text.size)
            )
        } catch {
            return .refused(reasons: ["\(error)"])
        }
    }
}
