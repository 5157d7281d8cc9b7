import Captures
import Diagnosis
import Flows
import Foundation
import JOSE
import LibCrypto
import Provider
import Replay
import Synchronization
import TestSupport
import Testing

/// Each rule's capture against its near miss, which works, at the provider that the near miss shows.
struct BisectedCapturesTests {
    static let names: [String] = MockedReplayTests.captures.filter { $0.hasSuffix(".near-miss.har") }.map {
        String($0.dropLast(".near-miss.har".count))
    }

    static func bisect(_ name: String) async throws -> (pair: BisectedPair, result: FlowBisection.Result)? {
        let root = Fixtures.root.appending(path: "captures")
        let good = try CaptureReader.read(path: root.appending(path: name + ".near-miss.har").path)
        let bad = try CaptureReader.read(path: root.appending(path: name + ".har").path)
        let flows = [good, bad].map { FlowFinder.flows(in: $0) }
        guard flows.allSatisfy({ $0.count == 1 }), case .works = BisectedPair.verdict(on: flows[0][0]),
            case .fails = BisectedPair.verdict(on: flows[1][0])
        else { return nil }
        var played = RecordedProviderOptions()
        played.isAsRecorded = true
        let provider = try RecordedProvider(capture: good, baseURL: "http://127.0.0.1:8090", options: played)
        let map = EndpointMap(provider.mapping.map { EndpointMap.Entry(old: $0.old, new: $0.new) })
        let pair = try BisectedPair(good, bad)
        var credentials = ReplayCredentials()
        for need in pair.good.secrets where !need.isRecorded {
            if need.name == SecretNames.clientKey {
                credentials.clientKey = MockedReplayTests.keys[need.algorithm?.keyType ?? "EC"].map {
                    ReplayCredentials.ClientKey(key: $0, id: "test-key")
                }
            } else {
                credentials.values[need.name] = "made-for-the-test"
            }
        }
        let time = Mutex(Timestamp(seconds: 1_790_000_000))
        let environment = FlowDriver.Environment(
            send: { request in
                let started = time.withLock { $0 }
                let now = time.withLock { time in
                    time = time + .milliseconds(3)
                    return time
                }
                return Exchange(
                    startedAt: started,
                    duration: now - started,
                    request: request,
                    response: provider.respond(to: request, at: now)
                )
            },
            clock: { time.withLock { $0 } },
            sleep: { pause in time.withLock { $0 = $0 + pause } },
            random: { SecureRandom.bytes($0) }
        )
        let result = await pair.bisect(
            environment,
            FlowDriver.Options(
                map: map,
                credentials: credentials,
                plan: PlanOptions(givenSecrets: credentials.names)
            )
        )
        return (pair, result)
    }

    @Test(arguments: names)
    func explore(_ name: String) async throws {
        guard let (pair, result) = try await Self.bisect(name) else { return }
        print("BISECT", name, result.ending.rawValue, result.drives, pair.labels(of: result.set), "of", pair.labels, "|", pair.failure.rule ?? "-", result.attempts.last?.failure?.rule ?? "-", result.attempts.last?.failure?.refusal?.error ?? "-", result.attempts.last?.trial.run.stop.map { "\($0)" } ?? "")
    }
}
