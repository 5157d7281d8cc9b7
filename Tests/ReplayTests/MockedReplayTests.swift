import Captures
import Diagnosis
import Flows
import Foundation
import JOSE
import JSON
import LibCrypto
import Provider
import Replay
import TestSupport
import Testing

/// Every healthy capture, played by its own mock and driven against it: the same.
struct MockedReplayTests {
    static let keys: [String: PrivateKey] = [
        "EC": try? PrivateKey.generate(.elliptic(.p256)), "RSA": try? PrivateKey.generate(.rsa(bits: 2048)),
    ].compactMapValues { $0 }

    /// What the providers sign with.
    static let providerKeys = [PrivateKey.Kind.elliptic(.p256), .rsa(bits: 2048)].compactMap {
        try? PrivateKey.generate($0)
    }

    /// What the replay of a flow came to.
    struct Outcome {
        var name: String
        var run: FlowRun
        var difference: FlowDifference?

        /// The first difference, and what stopped the run.
        var text: String {
            let first = difference?.first.map { found in
                "\(found.step?.kind.rawValue ?? "flow"): \(found.difference.label): \(found.difference.note)"
            }
            let failures = run.results.compactMap { result -> StepFailure? in
                if case .failed(let failure) = result { failure } else { nil }
            }
            return "\(name): \(first ?? "nothing to compare") \(failures) \(run.stop.map { "\($0)" } ?? "")"
        }
    }

    /// Replays every flow of a capture against the provider that is made of the capture.
    static func outcomes(of capture: Capture, named name: String) async throws -> [Outcome] {
        let flows = FlowFinder.flows(in: capture)
        let base = "http://127.0.0.1:8090"
        let played = played(with: Set(flows.compactMap(\.clientID)))
        let provider = try RecordedProvider(capture: capture, baseURL: base, options: played)
        let map = EndpointMap(provider.mapping.map { EndpointMap.Entry(old: $0.old, new: $0.new) })
        let environment = FlowDriver.Environment.inMemory { provider.respond(to: $0, at: $1) }
        let options = PlanOptions()
        let places = FlowOrder.places(of: flows, options: options)
        let credentials = credentials(missingIn: places.map(\.plan))
        var states: [Int: RunState] = [:]
        var outcomes: [Outcome] = []
        for (index, place) in places.enumerated() {
            guard !place.plan.steps.isEmpty else { continue }
            let driver = FlowDriver(
                place.plan,
                environment,
                options: FlowDriver.Options(map: map, credentials: credentials, plan: options)
            )
            let run = await driver.run(from: place.predecessor.flatMap { states[$0] } ?? RunState())
            states[index] = run.state
            let seen = FlowFinder.flows(in: Capture(run.exchanges), areOne: true).first
            let comparison = ComparisonOptions(
                mapped: provider.mapping,
                leavingOut: Set(place.plan.leftOut.map(\.exchange))
            )
            outcomes.append(
                Outcome(
                    name: "\(name)#\(place.plan.flow.id)",
                    run: run,
                    difference: seen.map { FlowDifference(place.plan.flow, $0, options: comparison) }
                )
            )
        }
        return outcomes
    }

    /// How the provider is played: clients that get encrypted tokens have keys for it, which no capture shows.
    private static func played(with clients: Set<String>) -> RecordedProviderOptions {
        var played = RecordedProviderOptions()
        played.isAsRecorded = true
        played.keys = providerKeys
        for client in clients {
            played.clientKeys[client] = keys.values.flatMap { key in
                var json = JSONWebKey(key.publicKey, id: "enc-key").json
                json["use"] = "enc"
                return [JSONWebKey(json: json), JSONWebKey(key.publicKey, id: "test-key")]
            }
        }
        return played
    }

    /// What the capture does not hold is made here.
    private static func credentials(missingIn plans: [ReplayPlan]) -> ReplayCredentials {
        let missing = plans.flatMap(\.secrets).filter { !$0.isRecorded }
        var credentials = ReplayCredentials()
        for need in missing where need.name != SecretNames.clientKey {
            credentials.values[need.name] = "made-for-the-test"
        }
        if let need = missing.first(where: { $0.name == SecretNames.clientKey }) {
            credentials.clientKey = keys[need.algorithm?.keyType ?? "EC"].map {
                ReplayCredentials.ClientKey(key: $0, id: "test-key")
            }
        }
        return credentials
    }

    /// Every capture of the repository.
    static let captures: [String] = {
        let root = Fixtures.root.appending(path: "captures")
        let names = FileManager.default.enumerator(atPath: root.path)?.compactMap { $0 as? String } ?? []
        return names.filter { $0.hasSuffix(".har") }.sorted()
    }()

    private static func isHealthy(_ flows: [Flow]) -> Bool {
        !flows.isEmpty
            && flows.allSatisfy { flow in
                let diagnosis = Diagnostician.diagnose(flow)
                return diagnosis.outcome == .success
                    && !diagnosis.findings.contains { $0.severity == .error || $0.severity == .warning }
            }
    }

    @Test func thereAreMany() throws {
        #expect(Self.captures.count > 300)
    }

    @Test(arguments: captures)
    func healthyCaptureIsTheSameAgainstItsOwnMock(_ name: String) async throws {
        let path = Fixtures.root.appending(path: "captures/\(name)").path
        let capture = try CaptureReader.read(path: path)
        guard Self.isHealthy(FlowFinder.flows(in: capture)) else { return }
        let outcomes = try await Self.outcomes(of: capture, named: name)
        #expect(!outcomes.isEmpty, "nothing to drive")
        for outcome in outcomes {
            #expect(outcome.difference?.isSame ?? false, "\(outcome.text)")
        }
    }

    /// The last request of a circle is one that the browser did not send any more.
    @Test func circleIsTheSameWithoutTheRequestThatWasNotSent() async throws {
        let name = "user-agent/redirect-loop.har"
        let path = Fixtures.root.appending(path: "captures/\(name)").path
        let capture = try CaptureReader.read(path: path)
        let outcomes = try await Self.outcomes(of: capture, named: name)
        #expect(!outcomes.isEmpty)
        for outcome in outcomes {
            #expect(outcome.run.isComplete && outcome.difference?.isSame == true, "\(outcome.text)")
        }
        let last = try #require(capture.indices.last)
        let plan = try #require(
            FlowFinder.flows(in: capture).first.map {
                PlanBuilder($0, siblings: [$0], options: PlanOptions()).plan()
            }
        )
        #expect(plan.leftOut.contains { $0.exchange == last && $0.reason == .neverSent })
    }

    /// Some providers name no type of their pages (Glewlwyd).
    @Test func pagesWithoutATypeArePlayed() async throws {
        let path = Fixtures.root.appending(path: "captures/healthy/web-code-flow.har").path
        let recorded = try CaptureReader.read(path: path)
        var exchanges = recorded.indices.map { recorded[$0] }
        let pages = exchanges.indices.filter { exchanges[$0].response?.body?.isPage ?? false }
        #expect(!pages.isEmpty)
        for page in pages {
            exchanges[page].response?.body?.mediaType = nil
            exchanges[page].response?.headers.fields.removeAll { $0.name.lowercased() == "content-type" }
        }
        let outcomes = try await Self.outcomes(of: Capture(exchanges), named: "web-code-flow")
        #expect(!outcomes.isEmpty)
        for outcome in outcomes {
            #expect(outcome.difference?.isSame ?? false, "\(outcome.text)")
        }
    }

    /// Nothing is asked for behind a page that opens the app: the code is in what brought the page.
    @Test(arguments: [
        (#"<script>setTimeout(() => { location.href = "TARGET" }, 10)</script>"#, "text/html"),
        (#"<title>Signed in</title><a href="ESCAPED">Back to the app</a>"#, "text/html"),
        (#"{"redirect_to":"TARGET"}"#, "application/json"),
    ]) func loginWhosePageOpensTheAppIsDriven(answer: String, mediaType: String) async throws {
        let opened = try OpenedApp(by: answer, mediaType)
        let outcomes = try await Self.outcomes(of: opened.capture, named: "native-app")
        #expect(!outcomes.isEmpty)
        for outcome in outcomes {
            #expect(outcome.run.isComplete && outcome.difference?.isSame == true, "\(outcome.text)")
        }
    }

    /// Captures from elsewhere, where `AUTHREEL_MORE_CAPTURES` names them, separated by spaces.
    @Test(
        .enabled(if: ProcessInfo.processInfo.environment["AUTHREEL_MORE_CAPTURES"] != nil),
        arguments: (ProcessInfo.processInfo.environment["AUTHREEL_MORE_CAPTURES"] ?? "").split(separator: " ")
            .map(
                String.init
            )
    )
    func captureFromElsewhereIsTheSame(_ path: String) async throws {
        let capture = try CaptureReader.read(path: path)
        for outcome in try await Self.outcomes(of: capture, named: path) {
            #expect(outcome.difference?.isSame ?? false, "\(outcome.text)")
        }
    }
}
