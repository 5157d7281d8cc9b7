import Captures
import Flows
import OAuth

extension Flow {
    /// Metadata with an issuer that names the authorization endpoint of a request, in order of time.
    func metadata(naming request: AuthorizationRequest) -> [MetadataDocument] {
        surroundings.namedEndpoints.metadata(
            naming: request.endpoint,
            as: "authorization_endpoint",
            isIdentified: true
        )
    }

    /// Metadata of authorization servers, in order of time.
    var serverMetadata: [MetadataDocument] {
        messages.compactMap {
            if case .discovery(let document) = $0, !document.isProtectedResource { document } else { nil }
        }
    }

    /// Metadata of protected resources, in order of time.
    var resourceMetadata: [MetadataDocument] {
        messages.compactMap {
            if case .discovery(let document) = $0, document.isProtectedResource { document } else { nil }
        }
    }

    /// Whether one of these resources let the client in after it had refused it: with a token from elsewhere.
    var isServedByResource: Bool {
        resourceMetadata.contains { document in
            surroundings.challenges(of: document.url.origin ?? "").last.map(surroundings.isServedLater)
                ?? false
        }
    }

    var keySets: [KeySetDocument] {
        messages.compactMap { if case .keySet(let document) = $0 { document } else { nil } }
    }

    /// Whether a client asked one of the servers that a document is of or names for anything after it had read it.
    func wentOn(after document: MetadataDocument) -> Bool {
        isAsked(surroundings.latest.grant, after: document)
    }

    /// Whether a browser was sent to one of these servers to sign in after the document was asked for.
    func isAuthorizationAsked(after document: MetadataDocument) -> Bool {
        isAsked(surroundings.latest.authorization, after: document)
    }

    /// Where an app on a device was seen again that had read a document, and had asked the provider for nothing more; nil where a browser
    /// or a server read it, or somebody went on.
    func sighting(ofAppThatStoppedAt document: MetadataDocument) -> Evidence? {
        let request = capture[document.exchange].request
        guard request.isByNativeApp,
            !wentOn(after: document), !isAuthorizationAsked(after: document), !isServedByResource
        else { return nil }
        let agent = request.userAgent
        let later = surroundings.order[(surroundings.position[document.exchange] + 1)...].prefix(500).first {
            let other = capture[$0].request
            return other.userAgent == agent && other.url.host != request.url.host
        }
        return later.map { index in
            Evidence(
                place: Place(exchange: index, part: .requestURL, name: ""),
                value: Masking.shown(capture[index].request.url.withoutQuery, of: "url"),
                note: "the app is still there, and has asked the provider for nothing more"
            )
        }
    }

    /// Whether a client asked to be registered at an address that no metadata names, and nothing is there: it was not told
    /// where to go.
    func isRegistrationGuessed(_ call: EndpointCall) -> Bool {
        saysNothingIsThere(call.answer) && isUnnamed(call)
    }

    /// Whether the flow ended with such a request at the host of this document, which was to name another server, or with one that this
    /// host refuses for want of a token, as it does all others.
    func isLost(after document: MetadataDocument) -> Bool {
        guard ending == .failure, authorizationRequests.isEmpty, let last = registrations.last else {
            return false
        }
        return last.endpoint.origin == document.url.origin
            && (isRegistrationGuessed(last) || isBehindResource(last) && isUnnamed(last))
    }

    /// Whether an answer is one of a server that has nothing at the address; frameworks for APIs say so in an `error` of no specification.
    private func saysNothingIsThere(_ answer: Answer) -> Bool {
        guard let status = answer.status, [404, 405].contains(status) else { return false }
        guard let error = answer.error?.error else { return true }
        let word = error.prefix(40).lowercased().utf8.filter(\.isASCIIAlphanumeric)
        return Self.nothing.contains(String(decoding: word, as: UTF8.self))
    }

    /// In lower case, letters and digits alone.
    private static let nothing: Set<String> = [
        "notfound", "pagenotfound", "routenotfound", "resourcenotfound", "methodnotallowed", "404", "405",
    ]

    /// Whether a registration without a token was refused at a host whose every address wants one.
    private func isBehindResource(_ call: EndpointCall) -> Bool {
        call.answer.status == 401 && call.token == nil
            && surroundings.challenges(of: call.endpoint.origin ?? "").contains {
                $0.exchange != call.exchange
                    && surroundings.position[$0.exchange] < surroundings.position[call.exchange]
            }
    }

    private func isUnnamed(_ call: EndpointCall) -> Bool {
        !surroundings.metadata.contains { $0.names(call.endpoint, as: "registration_endpoint") }
    }

    private func isAsked(_ latest: [String: Int], after document: MetadataDocument) -> Bool {
        let position = surroundings.position[document.exchange]
        let named = ["authorization_endpoint", "token_endpoint", "registration_endpoint"]
            .compactMap { document.endpoint($0).flatMap { RecordedURL($0).host } }
        let servers = document.authorizationServers.prefix(20).compactMap { RecordedURL($0).host }
        return ([document.url.host].compactMap { $0 } + named + servers).contains {
            latest[$0].map { $0 > position } ?? false
        }
    }
}
