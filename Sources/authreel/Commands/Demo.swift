import ArgumentParser
import Captures
import Diagnosis
import Flows
import Foundation
import Reports

/// One healthy and one broken login, recorded on this machine.
struct Demo: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract:
            "Records a healthy and a broken login on this machine and shows what authreel makes of them.",
        discussion: """
            Starts a provider, an application and the recording proxy on loopback, logs in twice through the proxy over TLS, and stops \
            everything again. Nothing leaves this machine; both captures stay for you to look at.

            Examples:
              authreel demo
              authreel demo --out /tmp/demo
            """
    )

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp(
            "The folder for the two captures; DIR-2 and so on where DIR has some already.",
            valueName: "DIR"
        ),
        completion: .directory
    )
    var out = "authreel-demo"

    private enum Name: String, CaseIterable {
        case healthy = "healthy.har"
        case broken = "broken.har"
    }

    mutating func run() async throws {
        let isFolderNew = try prepareFolder()
        let terminal = Terminal.standardOutput
        let demo = self
        let (healthy, broken): (Report, Report)
        do {
            (healthy, broken) = try await DemoStage.open { stage in
                let healthy = try await demo.record(.healthy, .base64url, on: stage)
                demo.tell(healthy, "1. A healthy login", terminal)
                let broken = try await demo.record(.broken, .standardBase64, on: stage)
                demo.tell(
                    broken,
                    "2. The same application, its code challenge written in the standard library's Base64",
                    terminal
                )
                return (healthy, broken)
            }
        } catch {
            // Goes only where nothing is in it.
            if isFolderNew { rmdir(out) }
            throw error
        }
        print(terminal.style.bold("Both captures are in \(out). Next:"))
        print("  \(Invocation.command("show", path(.healthy)))")
        print("  \(Invocation.command("diagnose", path(.broken)))")
        print("  \(Invocation.command("diff", path(.healthy), path(.broken)))")
        print("  \(Invocation.name) explain pkce-verifier-mismatch")
        print("your own login, in a browser that is recorded:")
        print("  \(Invocation.name) record --browser https://app.example/ --out login.har")
        try check(healthy, broken)
    }

    private func tell(_ report: Report, _ title: String, _ terminal: Terminal) {
        let (style, columns) = (terminal.style, terminal.columns)
        print(style.bold(title) + "\n")
        print(TextReport.timeline(of: report, style: style, columns: columns) + "\n")
        print(style.bold("   and what the rules say of it") + "\n")
        let width = columns ?? TextReport.widest
        print(TextReport.diagnosis(of: report, showsAbstentions: false, style: style, columns: width) + "\n")
    }

    private func path(_ name: Name) -> String { out + "/" + name.rawValue }

    /// Makes the folder, or, where it holds captures of an earlier run, the next one that does not: nothing
    /// is overwritten.
    ///
    /// - Returns: whether there was none of its name.
    private mutating func prepareFolder() throws -> Bool {
        let wanted = out
        var number = 1
        while Name.allCases.contains(where: { FileManager.default.fileExists(atPath: path($0)) }) {
            number += 1
            out = "\(wanted)-\(number)"
        }
        let isNew = !FileManager.default.fileExists(atPath: out)
        try OutputFile.makeFolder(out, example: "authreel-demo")
        return isNew
    }

    /// Records a login; half a capture is of no use to anybody, and does not stay.
    private func record(_ name: Name, _ coding: DemoRelyingParty.ChallengeCoding, on stage: DemoStage)
        async throws -> Report
    {
        do {
            try await stage.record(coding, into: path(name))
            return ReportBuilder.report(on: try CaptureReader.read(path: path(name)), named: path(name))
        } catch {
            unlink(path(name))
            throw error
        }
    }

    /// The demo is its own test: another outcome is a bug, and says so.
    private func check(_ healthy: Report, _ broken: Report) throws {
        let loud = healthy.flows.flatMap(\.diagnosis.findings).filter { $0.severity != .note }
        guard healthy.flows.count == 1, healthy.flows[0].diagnosis.outcome == .success, loud.isEmpty else {
            throw CommandFailure(
                .bug,
                "the healthy login did not come out healthy",
                hint: "please report it with \(path(.healthy))"
            )
        }
        let primary = broken.flows.flatMap(\.diagnosis.findings).first(where: \.isPrimary)
        guard broken.flows.count == 1, broken.flows[0].diagnosis.outcome == .failure,
            primary?.rule == "pkce-verifier-mismatch",
            primary?.variant != nil
        else {
            throw CommandFailure(
                .bug,
                "the broken login was not explained",
                hint: "please report it with \(path(.broken))"
            )
        }
    }
}
