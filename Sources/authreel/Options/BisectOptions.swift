import ArgumentParser
import Foundation
import Replay

/// What `diff --bisect` takes besides a comparison.
struct BisectOptions: ParsableArguments {
    @Flag(
        help: """
            A works and B fails: drive A with parts of what B's requests do otherwise, until the fewest are left that make it \
            fail.
            """
    )
    var bisect = false
    @Flag(help: "With --bisect: print what would be tried, and send nothing.")
    var plan = false
    @Option(
        name: .customLong("max-drives"),
        help: ArgumentHelp(
            "With --bisect: drive no more logins than so many (default: \(Self.defaultDrives)).",
            valueName: "COUNT"
        )
    )
    var maximumDrives: Int?
    @Option(
        name: .shortAndLong,
        help: ArgumentHelp(
            "With --bisect: write the login that works and the smallest that fails as a capture.",
            valueName: "FILE.har"
        ),
        completion: .file()
    )
    var out: String?
    @Flag(name: .shortAndLong, help: "With --bisect: send requests that change something beyond the login.")
    var yes = false
    @Flag(name: .shortAndLong, help: "With --bisect: a line per request on standard error.")
    var verbose = false
    @OptionGroup(title: "With --bisect") var driving: DrivingOptions
    @OptionGroup(title: "With --bisect") var upstream: UpstreamTrustOptions

    static let defaultDrives = 60

    func validate() throws {
        if let maximumDrives, maximumDrives < FlowBisection.fewestDrives {
            throw ValidationError("--max-drives takes a number from \(FlowBisection.fewestDrives) on")
        }
        if bisect, plan, out != nil {
            throw ValidationError("--plan sends nothing that --out could hold: leave one of the two out")
        }
        guard !bisect, let option = onlyWithBisect else { return }
        throw ValidationError("\(option) goes with --bisect: without it nothing is driven")
    }

    /// The first of the given options that means nothing without `--bisect`.
    private var onlyWithBisect: String? {
        let given: [(String, Bool)] = [
            ("--plan", plan), ("--max-drives", maximumDrives != nil), ("--out", out != nil), ("--yes", yes),
            ("--verbose", verbose), ("--against", driving.against != nil),
            ("--secret", !driving.secrets.isEmpty),
            ("--allow-host", !driving.allowedHosts.isEmpty),
            ("--stand-ins", driving.sendsStandIns),
            ("--max-wait", driving.longestWait != DrivingOptions.defaultWait),
            ("--upstream-ca", !upstream.upstreamCA.isEmpty),
            ("--insecure-upstream", upstream.insecureUpstream),
        ]
        return given.first(where: \.1)?.0
    }
}
