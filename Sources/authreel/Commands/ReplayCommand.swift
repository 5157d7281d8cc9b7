import ArgumentParser
import Captures
import Diagnosis
import Flows
import Foundation
import Replay
import Reports

/// Drives recorded flows again, with fresh values, and compares.
struct ReplayCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay",
        abstract: "Drives a recorded login again, with fresh values, and compares it step by step."
    )

    @Argument(help: ArgumentHelp("HAR files of any producer.", valueName: "CAPTURE"))
    var captures: [String]
    @OptionGroup var replay: ReplayOptions
    @OptionGroup var upstream: UpstreamTrustOptions
    @Option(help: ArgumentHelp("Replay this flow only.", valueName: "ID"))
    var flow: String?
    @Flag(help: "Print what would be sent, and send nothing.")
    var plan = false
    @Option(help: ArgumentHelp("Write the new run as a capture.", valueName: "FILE.har"))
    var out: String?

    func run() async throws {
        let credentials = try replay.credentials()
        let sender = HTTPSender(.init(tls: try upstream.context(), clock: { SystemClock.now }))
        let session = ReplaySession(sender: sender, options: replay, credentials: credentials)
        for name in captures {
            let capture = try CaptureOptions.read(name)
            let flows = FlowFinder.flows(in: capture)
            for flow in flows where self.flow == nil || flow.id == self.flow {
                let prepared = try await session.prepare(flow, siblings: flows)
                for step in prepared.plan.steps {
                    print(
                        "\(flow.id) \(step.exchange) \(step.kind?.rawValue ?? "script") \(step.action) browser=\(step.isBrowser) nav=\(step.isNavigation) wait=\(String(describing: step.wait))"
                    )
                    for parameter in step.parameters { print("      \(parameter.name) \(parameter.source)") }
                }
                print("left out", prepared.plan.leftOut)
                print("secrets", prepared.plan.secrets)
                if plan { continue }
                let run = try await session.drive(prepared) { event in
                    if case .exchanged(let exchange) = event {
                        print(
                            "   ",
                            exchange.request.method,
                            exchange.request.url.text.prefix(120),
                            exchange.response?.status ?? 0,
                            exchange.response?.location?.prefix(90) ?? "",
                            exchange.failure ?? ""
                        )
                    }
                }
                for (step, result) in zip(run.plan.steps, run.results) {
                    print(step.exchange, step.kind?.rawValue ?? "script", result)
                }
                print("stop", run.stop.map { "\($0)" } ?? "-")
                if let out {
                    let writer = try CaptureWriter(path: out, version: Authreel.version)
                    try writer.append(run.exchanges)
                }
            }
        }
        await sender.stop()
    }
}
