import ArgumentParser
import Foundation

/// Who walks through the provider's pages in a replay.
struct ReplayBrowserOptions: ParsableArguments {
    @Flag(
        help: ArgumentHelp(
            "Let Chromium, without a window, walk through the provider's pages: for pages that need their scripts."
        )
    )
    var browser = false

    @Flag(help: "Open a window and let somebody sign in by hand; the replay goes on by itself then.")
    var interactive = false

    @Option(
        name: .customLong("browser-program"),
        help: ArgumentHelp(
            "Which browser: chromium, chrome, edge, brave, or the path of one of their family.",
            valueName: "NAME"
        )
    )
    var browserProgram: String?

    func validate() throws {
        guard browserProgram == nil || isWanted else {
            throw ValidationError("--browser-program says which browser --browser or --interactive starts")
        }
    }

    /// Whether a browser is to be started; a window is one.
    var isWanted: Bool { browser || interactive }

    /// Nobody signs in in two windows at once.
    func width(_ width: Int) -> Int { interactive ? 1 : width }

    /// Nil where no browser is wanted.
    ///
    /// Throws ``CommandFailure`` when it could not be started.
    func configuration(_ trust: UpstreamTrustOptions) throws -> ReplayBrowser.Configuration? {
        guard isWanted else { return nil }
        let environment = ProcessInfo.processInfo.environment
        let program = try BrowserProgram.findDrivable(
            browserProgram,
            searchPath: ProgramPath.searchPath(environment)
        )
        return ReplayBrowser.Configuration(
            launcher: try BrowserLauncher(
                program: program,
                isHeadless: !interactive,
                environment: environment,
                remedy: "--browser signs in without a window, with what was recorded"
            ),
            isInteractive: interactive,
            upstreamTrust: try trust.certificates(),
            insecureUpstream: trust.insecureUpstream,
            environment: environment
        )
    }
}
