import Captures
import JOSE
import JSON
import OAuth

/// The flows that discovery, keys, registration and resource metadata belong to: documents that logins share.
struct DocumentOwners {
    /// What the ID tokens of a flow, or the logout tokens of one that is nothing else, say of their signer.
    private struct Signer {
        var issuers: Set<String> = []
        var keyIDs: Set<String> = []
    }

    private let index: CaptureIndex
    private let flows: [FlowBuilder]
    /// By where their messages went.
    private let byAddress: [String: [FlowBuilder]]
    /// By the hosts of their provider.
    private let byHost: [String: [FlowBuilder]]
    private let byClient: [String: [FlowBuilder]]
    /// By the hosts of their app.
    private let byAppHost: [String: [FlowBuilder]]
    private let byResource: [String: [FlowBuilder]]
    /// Hosts of resources that a flow asks a token for, or calls.
    private let usedResources: Set<String>
    private let signers: [Int: Signer]
    /// When each flow was over, by its number.
    private let ends: [Int: Timestamp]
    /// The endpoints of the metadata that name a key set, by its URL.
    private let endpointsByKeySet: [String: Set<String>]
    /// Of Keycloak's realms, those that a flow which went well is at, by its number and the host.
    private let realms: [Int: [String: Set<String>]]

    init(_ index: CaptureIndex, _ builders: [FlowBuilder]) {
        self.index = index
        flows = builders.filter {
            $0.grant != "connection" && $0.grant != "discovery" && $0.grant != "registration"
        }
        byAddress = Self.grouped(flows) { flow in
            Set(flow.messages.map { index.capture[$0.exchange].request.url.normalizedWithoutQuery })
        }
        byHost = Self.grouped(flows) { $0.providerHosts }
        ends = flows.reduce(into: [:]) { list, flow in
            list[flow.number] = flow.exchanges.map { index.capture[$0].endedAt }.max()
        }
        byClient = Self.grouped(flows) { $0.clientID.map { [$0] } ?? [] }
        byAppHost = Self.grouped(flows) { FlowHosts(of: $0.messages, in: index).app }
        signers = flows.reduce(into: [:]) { list, flow in
            for message in flow.messages {
                let signed: JSONWebToken? =
                    switch message {
                    case .token(let request): request.idToken?.token
                    case .backChannelLogout(let delivery) where flow.grant == "logout": delivery.token
                    default: nil
                    }
                guard let token = signed else { continue }
                if let issuer = token.issuer { list[flow.number, default: Signer()].issuers.insert(issuer) }
                if let id = token.keyID { list[flow.number, default: Signer()].keyIDs.insert(id) }
            }
        }
        (byResource, usedResources) = Self.ofResources(index, builders)
        endpointsByKeySet = index.metadata.reduce(into: [:]) { list, document in
            guard let url = document.endpoint("jwks_uri") else { return }
            list[url, default: []].formUnion(
                Self.addresses(named: Self.ownEndpoints, by: document)
            )
        }
        // What broke at its app or at an API may have broken for the very realm that these were set up with.
        realms = flows.filter { !Self.isBroken($0, index) }
            .reduce(into: [:]) { $0[$1.number] = KeycloakRealm.all(of: $1) }
    }

    /// Whether the app refused a callback of a flow, or an API a call.
    private static func isBroken(_ flow: FlowBuilder, _ index: CaptureIndex) -> Bool {
        let callbacks = flow.responses.compactMap(\.callback).compactMap {
            index.capture[$0].response?.status
        }
        let calls = flow.messages.compactMap { message in
            if case .resource(let call) = message { call.answer.status } else { nil }
        }
        return (callbacks + calls).contains { $0 >= 400 }
    }

    private static func grouped(_ flows: [FlowBuilder], by keys: (FlowBuilder) -> Set<String>) -> [String:
        [FlowBuilder]]
    {
        flows.reduce(into: [:]) { list, flow in
            for key in keys(flow) { list[key, default: []].append(flow) }
        }
    }

    /// Nil for messages of other kinds.
    func owners(of message: OAuthMessage, at exchange: Int) -> [FlowBuilder]? {
        let atHost = index.capture[exchange].request.url.host.flatMap { byHost[$0] } ?? []
        switch message {
        case .clientConfiguration(let call):
            return call.registeredClient.flatMap { byClient[$0] } ?? atHost
        case .registration(let call):
            return call.answer.parameters["client_id"].flatMap { byClient[$0] } ?? atHost
        case .discovery(let document) where document.isProtectedResource:
            return ofResource(document)
        case .discovery(let document):
            let own = flows(at: Self.addresses(named: Self.endpoints, by: document))
            if !own.isEmpty { return own }
            if !atHost.isEmpty {
                return isOfAnotherIssuer(document)
                    ? [] : atHost.filter { !KeycloakRealm.isOther(than: realms[$0.number], document) }
            }
            let ofIssuer = flows(ofIssuerAt: document.url, keys: nil)
            return ofIssuer.isEmpty ? ofResource(document) : ofIssuer
        case .keySet(let document):
            let own = flows(at: endpointsByKeySet[document.url.text] ?? [])
            if !own.isEmpty { return own }
            if !atHost.isEmpty { return atHost }
            let ofIssuer = flows(ofIssuerAt: document.url, keys: document.keys)
            // The app's own keys, which its provider fetches to verify what it signs.
            return ofIssuer.isEmpty ? document.url.host.flatMap { byAppHost[$0] } ?? [] : ofIssuer
        default: return nil
        }
    }

    /// The same, of those for which metadata or keys came in time: a login that was over a day before did not want them.
    ///
    /// Where there is no other, what was served tells of an earlier login as well; what was not says nothing of it.
    func ownersInTime(of message: OAuthMessage, at exchange: Int) -> [FlowBuilder]? {
        guard let all = owners(of: message, at: exchange) else { return nil }
        let isServed: Bool
        switch message {
        case .discovery(let document): isServed = document.isUsable
        case .keySet(let document): isServed = document.keys != nil
        default: return all
        }
        let time = index.capture[exchange].startedAt
        let near = all.filter { flow in ends[flow.number].map { time - $0 <= Self.reach } ?? true }
        return near.isEmpty && isServed ? all : near
    }

    private static let reach = Duration.seconds(86_400)

    /// Whether it was asked of an issuer that is none of those at its host, when no browser was sent there any more: the logins have
    /// nothing to do with it.
    private func isOfAnotherIssuer(_ document: MetadataDocument) -> Bool {
        let position = index.position[document.exchange]
        guard !document.isUsable, let host = document.url.host, let origin = document.url.origin,
            index.latest.describedOrigins.contains(origin)
        else { return false }
        return !index.latest.isDescribed(document)
            && (index.latest.authorization[host] ?? -1) < position
    }

    /// What tells documents apart of which each would do for a login: the same for those of one kind that lead to the same
    /// endpoints.
    ///
    /// - Returns: nil for messages of other kinds.
    func group(of message: OAuthMessage, at exchange: Int) -> String? {
        let host = index.capture[exchange].request.url.host ?? ""
        switch message {
        // What is read before each login would leave no room for what it was registered with.
        case .clientConfiguration(let call) where call.method == "GET":
            return "reading " + (call.registeredClient ?? "at \(host)")
        case .registration(let call), .clientConfiguration(let call):
            let client = call.registeredClient.flatMap { byClient[$0] == nil ? nil : $0 }
            return "registration " + (client ?? "at \(host)")
        case .discovery(let document) where document.isProtectedResource:
            if usedResources.contains(host) { return "resource \(document.url.text)" }
            return "resource of " + document.authorizationServers.prefix(4).joined(separator: " ")
        case .discovery(let document):
            let named = Self.addresses(named: Self.endpoints, by: document).min()
            return "discovery \(host) \(named ?? document.url.text)"
        case .keySet(let document):
            return "keys \(host) \(endpointsByKeySet[document.url.text]?.min() ?? document.url.text)"
        default: return nil
        }
    }

    private static let endpoints = [
        "authorization_endpoint", "token_endpoint", "userinfo_endpoint", "end_session_endpoint",
        "pushed_authorization_request_endpoint", "device_authorization_endpoint",
        "backchannel_authentication_endpoint",
    ]

    /// Those that no two issuers share, as they may UserInfo and the end of a session.
    private static let ownEndpoints = endpoints.filter {
        !["userinfo_endpoint", "end_session_endpoint"].contains($0)
    }

    /// Where a document says that these are, with and without a client's certificate (RFC 8705, section 5).
    private static func addresses(named names: [String], by document: MetadataDocument) -> Set<String> {
        Set(
            names.flatMap { [document.endpoint($0), document.mutualTLSAlias($0)] }
                .compactMap { $0.map { RecordedURL($0).normalizedWithoutQuery } }
        )
    }

    /// Flows with a message to one of these, in the order of their creation.
    private func flows(at addresses: Set<String>) -> [FlowBuilder] {
        var found: [Int: FlowBuilder] = [:]
        for address in addresses {
            for flow in byAddress[address] ?? [] { found[flow.number] = flow }
        }
        return found.values.sorted { $0.number < $1.number }
    }

    private func ofResource(_ document: MetadataDocument) -> [FlowBuilder] {
        document.url.host.flatMap { byResource[$0] } ?? []
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
    ///
    /// - Returns: with them the hosts that a flow itself has to do with.
    private static func ofResources(_ index: CaptureIndex, _ builders: [FlowBuilder]) -> (
        owners: [String: [FlowBuilder]], used: Set<String>
    ) {
        let documents = index.metadata.filter(\.isProtectedResource)
        guard !documents.isEmpty else { return ([:], []) }
        var byHost: [String: Set<Int>] = [:]
        var byServer: [String: Set<Int>] = [:]
        for flow in builders {
            for host in flow.messages.flatMap(resourceHosts) {
                byHost[host, default: []].insert(flow.number)
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
        let flows = Dictionary(uniqueKeysWithValues: builders.map { ($0.number, $0) })
        let found = owners.merging(byHost) { $1 }.mapValues { $0.sorted().compactMap { flows[$0] } }
        return (found, Set(byHost.keys))
    }

    /// The hosts of the resources that a message calls, or asks for a token for (RFC 8707, section 2).
    private static func resourceHosts(of message: OAuthMessage) -> [String] {
        switch message {
        case .resource(let call): [call.endpoint.host].compactMap(\.self)
        case .authorizationRequest(let request): resourceHosts(named: request.parameters)
        case .token(let request): resourceHosts(named: request.parameters)
        default: []
        }
    }

    private static func resourceHosts(named parameters: Parameters) -> [String] {
        parameters.items.filter { $0.name == "resource" }.compactMap { RecordedURL($0.value).host }
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
}
