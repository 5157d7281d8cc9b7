import Captures
import Foundation
import Reports

/// The viewer of a recording that goes on.
struct LivePage: Sendable {
    private let server: ViewerServer
    private let folder: RunFolder

    /// Begins to serve it.
    ///
    /// `path`: of the capture, which is there already.
    /// Throws ``CommandFailure`` where there is no port for it.
    static func start(_ path: String) async throws -> LivePage {
        let report = ReportBuilder.report(on: try CaptureReader.read(path: path), named: path)
        let shelf = ViewerShelf(
            [ViewerCapture(named(report))],
            generator: "authreel \(Authreel.version)",
            isLive: true,
            isRecorded: true
        )
        return LivePage(server: try await ViewerServer.start(shelf), folder: try RunFolder())
    }

    var port: Int { server.port }

    /// Says where it is, and opens it where there is a browser.
    func open(_ environment: [String: String]) throws {
        StandardError.note("viewing at \(server.url)")
        if PageOpener.isPossible(environment) {
            try PageOpener.open(server.url, through: folder, environment: environment)
        }
    }

    /// Shows a newer reading of the capture.
    ///
    /// `unsettled`: flows of which nothing is certain yet.
    func show(_ report: Report, unsettled: Set<String>) {
        server.shelf.replace(0, with: ViewerCapture(Self.named(report), unsettled: unsettled))
    }

    /// By the path from the root: the page is read when nobody knows any more which folder it was recorded in.
    private static func named(_ report: Report) -> Report {
        var report = report
        report.name = URL(filePath: report.name).path
        return report
    }

    /// Tells the pages that nothing more will come.
    func end() async {
        folder.remove()
        // Where there is too much for a last look, what was open is so no longer.
        if let last = server.shelf.captures.first, !last.unsettled.isEmpty {
            show(last.report, unsettled: [])
        }
        await server.finish()
    }
}
