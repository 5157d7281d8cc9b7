import Captures
import Flows
import JSON
import OAuth
import Replay

/// Where replays go: to the recorded provider, to another one, or to addresses that stand for the recorded ones.
struct ReplayTarget: Sendable {
    private let fixed: EndpointMap
    /// Of the provider that is asked in place of the recorded one, with where they are.
    private let metadata: (document: JSONObject, url: String)?

    /// `issuer`: of another provider, whose metadata is read now.
    init(_ fixed: EndpointMap, against issuer: String?, _ sender: HTTPSender) async throws {
        self.fixed = fixed
        if let issuer {
            metadata = try await Self.metadata(of: issuer, sender)
        } else {
            metadata = nil
        }
    }

    /// Where the requests of a flow go.
    func map(for flow: Flow) -> EndpointMap {
        guard let metadata else { return fixed }
        var map = fixed
        map.add(RecordedEndpoints(of: flow), metadata: metadata.document, at: metadata.url)
        return map
    }

    /// The issuer of which a host, as it is printed by a server that listens, is the rest.
    private static func meant(by text: String) -> String? {
        guard let host = RecordedURL("https://\(text)").host, !host.isEmpty,
            host.contains(".") || host == "localhost", !text.contains("://")
        else { return nil }
        return "\(LoopbackHost.isLoopback(host) ? "http" : "https")://\(text)"
    }

    private static func metadata(of issuer: String, _ sender: HTTPSender) async throws -> (JSONObject, String)
    {
        let parsed = RecordedURL(issuer)
        guard ["http", "https"].contains(parsed.scheme?.lowercased() ?? ""), parsed.host?.isEmpty == false
        else {
            throw CommandFailure.unfit(
                issuer,
                for: "--against",
                taking: "the provider's issuer identifier, which is an https URL",
                hint: "--against \(meant(by: issuer) ?? "https://idp.example/realms/shop")"
            )
        }
        var refusal: String?
        for url in MetadataAddresses.of(issuer) {
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
            // A mock of a device or of pushed requests alone has neither authorization nor token endpoint.
            if response.status == 200, let document = Answer(of: exchange, at: 0).json,
                Endpoints.Role.allCases.contains(where: {
                    $0 != .keys && document[$0.rawValue]?.string != nil
                })
            {
                return (document, url)
            }
            refusal = refusal ?? "\(url) answered \(response.status)"
        }
        throw CommandFailure(
            .unavailable,
            "\(refusal ?? issuer), and no provider's metadata",
            hint:
                "--against takes the issuer identifier, as the metadata's \"issuer\" has it; --map OLD=NEW needs none"
        )
    }
}
