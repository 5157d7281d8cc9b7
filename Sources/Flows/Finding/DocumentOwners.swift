import Captures
import JOSE
import JSON
import OAuth

/// The flows that discovery, keys, registration and resource metadata belong to: documents that logins share.
struct DocumentOwners {
    /// What the ID tokens of a flow say of their signer.
    private struct Signer {
        var issuers: Set<String> = []
        var keyIDs: Set<String> = []
    }

    private let index: CaptureIndex
    private let flows: [FlowBuilder]
    /// Where the messages of a flow went, by its number: looked up once a document, so made once a flow.
    private let addresses: [Int: Set<String>]
    private let signers: [Int: Signer]
    private let byResource: [String: [FlowBuilder]]

    init(_ index: CaptureIndex, _ builders: [FlowBuilder]) {
        self.index = index
        flows = builders.filter {
            $0.grant != "connection" && $0.grant != "discovery" && $0.grant != "registration"
        }
        addresses = builders.reduce(into: [:]) { list, flow in
            list[flow.number] = Set(
                flow.messages.map { Self.address(index.capture[$0.exchange].request.url) }
            )
        }
        signers = flows.reduce(into: [:]) { list, flow in
            for case .token(let request) in flow.messages {
                guard let token = request.idToken?.token else { continue }
                if let issuer = token.issuer { list[flow.number, default: Signer()].issuers.insert(issuer) }
                if let id = token.keyID { list[flow.number, default: Signer()].keyIDs.insert(id) }
            }
        }
        byResource = Self.ofResources(index, builders)
    }

    /// Nil for messages of other kinds.
    func owners(of message: OAuthMessage, at exchange: Int) -> [FlowBuilder]? {
        let host = index.capture[exchange].request.url.host
        switch message {
        case .registration(let call):
            let client = call.answer.parameters["client_id"]
            let own = flows.filter { client != nil && $0.clientID == client }
            return own.isEmpty ? flows.filter { host.map($0.providerHosts.contains) ?? false } : own
        case .discovery(let document) where document.isProtectedResource:
            return host.flatMap { byResource[$0] } ?? []
        case .discovery(let document):
            let named = Set(
                ["authorization_endpoint", "token_endpoint", "userinfo_endpoint", "end_session_endpoint"]
                    .compactMap { document.endpoint($0).map { Self.address(RecordedURL($0)) } }
            )
            let own = flows.filter { addresses[$0.number].map { !$0.isDisjoint(with: named) } ?? false }
            if !own.isEmpty { return own }
            let atHost = flows.filter { host.map($0.providerHosts.contains) ?? false }
            if !atHost.isEmpty { return atHost }
            let ofIssuer = flows(ofIssuerAt: document.url, keys: nil)
            return ofIssuer.isEmpty ? host.flatMap { byResource[$0] } ?? [] : ofIssuer
        case .keySet(let document):
            let issuers = index.metadata.filter { $0.endpoint("jwks_uri") == document.url.text }
            let named = Set(
                issuers.flatMap { metadata in
                    ["authorization_endpoint", "token_endpoint"].compactMap {
                        metadata.endpoint($0).map { Self.address(RecordedURL($0)) }
                    }
                }
            )
            let own = flows.filter { addresses[$0.number].map { !$0.isDisjoint(with: named) } ?? false }
            if !own.isEmpty { return own }
            let atHost = flows.filter { host.map($0.providerHosts.contains) ?? false }
            return atHost.isEmpty ? flows(ofIssuerAt: document.url, keys: document.keys) : atHost
        default: return nil
        }
    }

    /// Where a document sends its reader next.
    static func hostsNamed(by message: OAuthMessage) -> [String] {
        guard case .discovery(let document) = message else { return [] }
        let names = ["authorization_endpoint", "token_endpoint", "jwks_uri", "registration_endpoint"]
        let urls =
            document.isProtectedResource
            ? document.authorizationServers : names.compactMap { document.endpoint($0) }
        return urls.prefix(20).compactMap { RecordedURL($0).host }
    }

    /// The flows that metadata of protected resources belongs to, by the resource's host: those that ask for a token for it or call
    /// it with one, else those at the servers it names.
    private static func ofResources(_ index: CaptureIndex, _ builders: [FlowBuilder]) -> [String:
        [FlowBuilder]]
    {
        let documents = index.metadata.filter(\.isProtectedResource)
        guard !documents.isEmpty else { return [:] }
        var byHost: [String: Set<Int>] = [:]
        var byServer: [String: Set<Int>] = [:]
        for flow in builders {
            for message in flow.messages {
                switch message {
                case .resource(let call):
                    call.endpoint.host.map { _ = byHost[$0, default: []].insert(flow.number) }
                case .authorizationRequest(let request):
                    for item in request.parameters.items where item.name == "resource" {
                        RecordedURL(item.value).host.map { _ = byHost[$0, default: []].insert(flow.number) }
                    }
                case .token(let request):
                    for item in request.parameters.items where item.name == "resource" {
                        RecordedURL(item.value).host.map { _ = byHost[$0, default: []].insert(flow.number) }
                    }
                default: break
                }
            }
            guard flow.grant != "connection" else { continue }
            for host in flow.providerHosts { byServer[host, default: []].insert(flow.number) }
        }
        let resources = Set(documents.compactMap(\.url.host))
        var owners: [String: Set<Int>] = [:]
        // A server's own metadata at the resource's host leads on, too.
        for document in index.metadata {
            guard let host = document.url.host, resources.contains(host), byHost[host] == nil else {
                continue
            }
            for server in [host] + hostsNamed(by: .discovery(document)) {
                owners[host, default: []].formUnion(byServer[server] ?? [])
            }
        }
        return owners.merging(byHost) { $1 }.mapValues { numbers in
            builders.filter { numbers.contains($0.number) }
        }
    }

    /// Flows that a document at another host belongs to: their tokens name it as issuer or have one of its keys; else those
    /// at a host of the same provider.
    private func flows(ofIssuerAt url: RecordedURL, keys: JSONWebKeySet?) -> [FlowBuilder] {
        let ids = Set((keys?.keys ?? []).compactMap(\.id))
        let own = flows.filter { flow in
            guard let signer = signers[flow.number] else { return false }
            return !signer.keyIDs.isDisjoint(with: ids) || signer.issuers.contains { Self.isBelow(url, $0) }
        }
        guard own.isEmpty, let host = url.host else { return own }
        let kind = ProviderRecognizer.kind(of: [
            ProviderRecognizer.Sight(host: host, path: url.path, cookies: [])
        ])
        guard kind != .generic else { return [] }
        return flows.filter { $0.providerHosts.contains { ProviderRecognizer.kind(ofHost: $0) == kind } }
    }

    /// Whether a URL is at the origin of an issuer, and its path at or below the issuer's.
    private static func isBelow(_ url: RecordedURL, _ issuer: String) -> Bool {
        let issuer = RecordedURL(issuer)
        guard issuer.isWeb, issuer.origin == url.origin else { return false }
        let path = issuer.path.hasSuffix("/") ? issuer.path : issuer.path + "/"
        return url.path.hasPrefix(path)
    }

    private static func address(_ url: RecordedURL) -> String { (url.origin ?? "") + url.path }
}
