import Captures
import Flows
import JSON
import OAuth

/// An issuer of a recording: the flows it took part in, and the hosts it spoke from.
struct RecordedIssuer {
    /// As recorded; the origin of its endpoints where nobody named it.
    ///
    /// Without a final slash.
    var identifier: String
    /// Whether the recorded identifier has one.
    var endsWithSlash = false
    var flows: [Flow]
    /// `https://host`, in the order in which they were met; the issuer's own first.
    var origins: [String]
    /// Hosts of clients: nothing there is the provider's.
    var clientOrigins: Set<String>

    /// The capture of the first flow.
    var captures: [CaptureIndex] {
        var seen: Set<ObjectIdentifier> = []
        return flows.map(\.surroundings).filter { seen.insert(ObjectIdentifier($0)).inserted }
    }

    /// What its pages have for the password where nobody sent one under a name that says so.
    ///
    /// One-time codes are hidden while they are typed as well, and each is another one.
    var passwordFields: PasswordFields {
        var fields = PasswordFields()
        for index in captures {
            for exchange in index.order.map({ index.capture[$0] }) {
                guard let origin = AddressMap.origin(of: exchange.request.url), origins.contains(origin)
                else { continue }
                if SignInCredentials(of: exchange.request)?.password != nil { return PasswordFields() }
                fields.add(exchange)
            }
        }
        return fields.filter { name in
            let name = name.lowercased()
            return !["otp", "code", "pin", "token", "answer"].contains(where: name.containsBytes)
        }
    }

    /// Sorts the flows of captures by who issued what.
    static func all(in captures: [Capture]) -> [RecordedIssuer] {
        let flows = captures.flatMap { FlowFinder.flows(in: $0) }.filter { !endpointOrigins(of: $0).isEmpty }
        var issuers: [RecordedIssuer] = []
        for flow in flows {
            guard let name = flow.issuer, let origin = AddressMap.origin(of: RecordedURL(name)) else {
                continue
            }
            let hasSlash = name.hasSuffix("/")
            let identifier = name.withoutSlash
            if let index = issuers.firstIndex(where: { $0.identifier == identifier }) {
                issuers[index].flows.append(flow)
            } else {
                issuers.append(
                    RecordedIssuer(
                        identifier: identifier,
                        endsWithSlash: hasSlash,
                        flows: [flow],
                        origins: [origin],
                        clientOrigins: []
                    )
                )
            }
        }
        for index in issuers.indices { issuers[index].findOrigins(of: issuers[index].flows) }
        // Flows that name no issuer go to the one that is known at their address.
        for flow in flows where flow.issuer.flatMap({ AddressMap.origin(of: RecordedURL($0)) }) == nil {
            let own = endpointOrigins(of: flow)
            if let index = issuers.firstIndex(where: { !Set($0.origins).isDisjoint(with: own) }) {
                issuers[index].flows.append(flow)
                issuers[index].findOrigins(of: [flow])
            } else {
                var issuer = RecordedIssuer(
                    identifier: own[0],
                    flows: [flow],
                    origins: [own[0]],
                    clientOrigins: []
                )
                issuer.findOrigins(of: [flow])
                issuers.append(issuer)
            }
        }
        return issuers
    }

    // MARK: - Hosts

    /// Takes in the hosts of flows of its own: each time those that came to it.
    private mutating func findOrigins(of flows: [Flow]) {
        for flow in flows {
            for uri in flow.authorizationRequests.compactMap(\.redirectURI) {
                if let origin = AddressMap.origin(of: RecordedURL(uri)) { clientOrigins.insert(origin) }
            }
        }
        var found = origins
        for flow in flows {
            found += Self.endpointOrigins(of: flow)
            found += Self.namedOrigins(of: flow)
            found += flow.steps.filter { $0.kind == .userInteraction }.compactMap { step in
                AddressMap.origin(of: flow.capture[step.exchange].request.url)
            }.filter { !clientOrigins.contains($0) }
            found += Self.resourceOrigins(of: flow).filter { !clientOrigins.contains($0) }
        }
        origins = found.eachOnce()
    }

    /// Of the exchanges that are the provider's by what they say.
    static func endpointOrigins(of flow: Flow) -> [String] {
        flow.messages.compactMap { message in
            switch message {
            case .resource, .authorizationResponse, .backChannelLogout, .frontChannelLogout: return nil
            case .discovery(let document) where document.isProtectedResource: return nil
            // Asked for by a client that nobody ever answered.
            default: return AddressMap.origin(of: flow.capture[message.exchange].request.url)
            }
        }
    }

    /// Of the addresses in the metadata.
    private static func namedOrigins(of flow: Flow) -> [String] {
        flow.messages.flatMap { message -> [String] in
            guard case .discovery(let document) = message, !document.isProtectedResource,
                let json = document.answer.json
            else { return [] }
            return [json, json["mtls_endpoint_aliases"]?.object ?? JSONObject()].flatMap(\.members).filter {
                $0.name.hasSuffix("_endpoint")
                    || ["issuer", "jwks_uri", "check_session_iframe"].contains($0.name)
            }.compactMap { $0.value.string.flatMap { AddressMap.origin(of: RecordedURL($0)) } }
        }
    }

    private static func resourceOrigins(of flow: Flow) -> [String] {
        flow.messages.compactMap { message in
            switch message {
            case .resource(let call): AddressMap.origin(of: call.endpoint)
            case .discovery(let document) where document.isProtectedResource:
                AddressMap.origin(of: document.url)
            default: nil
            }
        }
    }
}
