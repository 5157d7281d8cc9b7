import Captures
import Diagnosis
import Flows
import Foundation
import JOSE
import LibCrypto
import Provider
import Replay
import TestSupport
import Testing

/// Each rule's capture against its near miss, which works, at the provider that the near miss shows.
struct BisectedCapturesTests {
    /// What the second does otherwise and is refused for, by capture.
    static let causes: [(name: String, label: String)] = [
        ("authorization-request/pkce-method-omitted", "authorization_request code_challenge"),
        ("authorization-request/redirect-uri-has-fragment", "authorization_request redirect_uri"),
        ("authorization-request/redirect-uri-double-encoded", "authorization_request redirect_uri"),
        ("logout-and-device/logout-redirect-not-registered", "end_session_request post_logout_redirect_uri"),
        ("refresh/refresh-scope-widened", "refresh_request scope"),
        ("registration/registration-redirect-differs", "authorization_request redirect_uri"),
        ("token-request/client-auth-duplicate", "token_request client authentication"),
        ("token-request/code-reused", "token_request step"),
        ("token-request/dpop-proof-invalid", "token_request DPoP htu"),
        ("token-request/pkce-verifier-missing", "token_request code_verifier"),
        ("token-request/redirect-uri-token-mismatch", "token_request redirect_uri"),
    ]

    /// What makes no difference to the requests: what the provider answered does.
    static let ofTheProvider = [
        "id-token/id-token-signature-invalid", "discovery/discovery-issuer-mismatch",
        "token-response/token-type-invalid",
    ]

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
        played.keys = MockedReplayTests.providerKeys
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
        let environment = FlowDriver.Environment.inMemory { provider.respond(to: $0, at: $1) }
        let result = await pair.bisect(
            environment,
            FlowDriver.Options(
                map: map,
                credentials: credentials,
                plan: PlanOptions()
            )
        )
        return (pair, result)
    }

    @Test(arguments: causes)
    func causeIsFoundAndItsRunHasTheFinding(_ name: String, _ label: String) async throws {
        let (pair, result) = try #require(try await Self.bisect(name))
        #expect(pair.labels(of: result.set) == [label], "\(result.ending) \(pair.labels)")
        #expect(result.isMinimal && result.drives <= 5)
        #expect(result.proof?.failure?.rule == pair.failure.rule && pair.failure.rule != nil)
    }

    @Test(arguments: ofTheProvider)
    func whatTheProviderDidOtherwiseIsNoChange(_ name: String) async throws {
        let (pair, result) = try #require(try await Self.bisect(name))
        #expect(pair.changes.isEmpty && result.ending == .nothingToTry, "\(pair.labels)")
    }
}
