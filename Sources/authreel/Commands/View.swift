import ArgumentParser
import Captures
import Foundation
import Reports
import Sharing

/// The viewer, served on loopback.
struct View: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract:
            "Shows the logins of captures in a browser: who said what to whom, and where it went wrong.",
        discussion: """
            The page is served on this machine alone, under an address that is another one at each start and that nobody can \
            guess. What a capture holds neither runs nor loads anything. A capture that another authreel is recording grows \
            on the page as well. Ctrl-C ends it.

            Several captures stand side by side, to compare a login with one that worked, or a replay with its recording.

            Examples:
              authreel view login.har
              authreel view yesterday.har today.har
              authreel view --no-open --port 8123 login.har
              authreel show --format html --out login.html login.har   # one file instead
            """
    )

    @Argument(
        help: ArgumentHelp("HAR files of any producer; - reads standard input.", valueName: "CAPTURE"),
        completion: .file()
    )
    var captures: [String]

    @Option(help: ArgumentHelp("The port on 127.0.0.1; any free one by default.", valueName: "PORT"))
    var port = 0

    @Flag(inversion: .prefixedNo, help: "Open the page in your browser.")
    var open = true

    @Option(
        help: ArgumentHelp(
            "The viewer's own files, read anew for each page.",
            valueName: "DIR",
            visibility: .hidden
        ),
        completion: .directory
    )
    var viewerDir: String?

    @OptionGroup var identities: IdentityOptions

    func validate() throws {
        guard (0...65535).contains(port) else { throw ValidationError("--port takes a number up to 65535") }
        guard captures.count(where: { $0 == "-" }) < 2 else {
            throw ValidationError("standard input is one capture")
        }
        if let viewerDir, !FileManager.default.fileExists(atPath: "\(viewerDir)/index.html") {
            throw ValidationError("--viewer-dir: there is no \(viewerDir)/index.html")
        }
    }

    func run() async throws {
        let shown = try captures.map { path in
            ViewerCapture(
                ReportBuilder.report(
                    on: try identities.read(path),
                    named: path == "-" ? "standard input" : path
                )
            )
        }
        let signals = Interruption.signals()
        // A capture that is opened with a key is not opened again behind its owner's back.
        let paths = captures.map { $0 == "-" || Self.isEncrypted($0) ? nil : $0 }
        let shelf = ViewerShelf(
            shown,
            generator: "authreel \(Authreel.version)",
            isLive: paths.contains { $0 != nil }
        )
        let follower = CaptureFollower(paths: paths, shelf: shelf)
        let server = try await ViewerServer.start(shelf, port: port, folder: viewerDir)
        // Cancelled by the signal that is waited for below.
        let following = Task { [follower] in
            var follower = follower
            await follower.run()
        }
        print(server.url)
        fflush(nil)
        let environment = ProcessInfo.processInfo.environment
        let folder = try RunFolder()
        if open, PageOpener.isPossible(environment) {
            try PageOpener.open(server.url, through: folder, environment: environment)
        } else {
            StandardError.note("open it in a browser; Ctrl-C ends it")
        }
        for await _ in signals { break }
        following.cancel()
        folder.remove()
        await server.stop()
    }

    private static func isEncrypted(_ path: String) -> Bool {
        guard let source = try? CaptureSource(path: path) else { return false }
        return AgeFile.isBegun(by: source.bytes(at: 0, count: AgeFile.recognizedBytes))
    }
}
