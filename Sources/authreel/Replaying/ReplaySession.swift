import Captures
import Flows
import Foundation
import JSON
import LibCrypto
import OAuth
import Replay

/// Replays the flows of captures: finds the provider, drives each plan, keeps what came of it.
struct ReplaySession {
    let sender: HTTPSender
    let options: ReplayOptions
    let credentials: ReplayCredentials

    /// The plan of a flow and where its requests go.
    struct Prepared {
        var plan: ReplayPlan
        var map: EndpointMap
    }

    func prepare(_ flow: Flow, siblings: [Flow]) async throws -> Prepared {
        let plan = PlanBuilder(flow, siblings: siblings, options: try options.planOptions(credentials)).plan()
        var map = try options.map()
        if let issuer = options.against {
            let metadata = try await metadata(of: issuer)
            map.add(
                recorded: RecordedEndpoints.of(flow),
                issuer: flow.issuer,
                metadata: metadata,
                discoveryURLs: RecordedEndpoints.discoveryURLs(of: flow)
            )
        }
        return Prepared(plan: plan, map: map)
    }

    func drive(_ prepared: Prepared, tell: @escaping @Sendable (ReplayEvent) -> Void) async throws -> FlowRun
    {
        let sender = sender
        let environment = FlowDriver.Environment(
            send: { await sender.exchange($0) },
            clock: { SystemClock.now },
            sleep: { try await Task.sleep(for: $0) },
            random: { SecureRandom.bytes($0) },
            tell: tell
        )
        let driver = FlowDriver(
            prepared.plan,
            environment,
            options: FlowDriver.Options(
                map: prepared.map,
                credentials: credentials,
                plan: try options.planOptions(credentials),
                longestWait: .seconds(options.longestWait)
            )
        )
        return await driver.run()
    }

    /// The provider's metadata (OpenID Connect Discovery, section 4; RFC 8414, section 3).
    private func metadata(of issuer: String) async throws -> JSONObject {
        let url = EndpointMap.wellKnown(issuer)
        let exchange = await sender.exchange(
            RecordedRequest(
                method: "GET",
                url: RecordedURL(url),
                headers: HeaderFields([("Accept", "application/json")])
            )
        )
        guard let response = exchange.response else {
            throw CommandFailure(
                .unavailable,
                "\(url): \(exchange.failure ?? "no answer")",
                hint: "is the provider running? --upstream-ca FILE trusts its certificate authority"
            )
        }
        let document = Answer(of: exchange, at: 0).json
        guard response.status == 200, let document,
            document["authorization_endpoint"]?.string != nil || document["token_endpoint"]?.string != nil
        else {
            throw CommandFailure(
                .unavailable,
                "\(url) answered \(response.status), and no provider's metadata",
                hint:
                    "--against takes the issuer identifier, as the metadata's \"issuer\" has it; --map OLD=NEW needs none"
            )
        }
        return document
    }
}
