import Captures
import Flows
import JSON
import OAuth

/// The redirect URIs of a capture's clients, each where it stands first: in registrations, then in requests.
struct KnownRedirectURIs: Sendable {
    private let byClient: [String?: RedirectURIsInOrder]
    /// Of those that are registered at http, or were answered there.
    private let acceptedInClear: Set<String>

    /// Those of the capture that a flow is of.
    static func of(_ flow: Flow) -> KnownRedirectURIs {
        flow.surroundings.derived.value { KnownRedirectURIs(in: flow.surroundings) }
    }

    private init(in index: CaptureIndex) {
        var found: [String?: [RedirectURIsInOrder.Known]] = [:]
        var accepted = index.responses.filter { $0.error == nil }.map(\.target)
        for call in index.registrations {
            for uri in (call.answer.json?["redirect_uris"]?.array ?? []).compactMap(\.string) {
                found[call.answer.parameters["client_id"], default: []].append(
                    (uri, call.answer.place("redirect_uris"))
                )
                accepted.append(RecordedURL(uri))
            }
        }
        for request in index.authorizationRequests {
            guard let parameter = request.parameters.parameter("redirect_uri") else { continue }
            found[request.clientID, default: []].append((parameter.value, parameter.place))
        }
        byClient = found.mapValues { RedirectURIsInOrder($0) }
        acceptedInClear = Set(accepted.filter { $0.scheme?.lowercased() == "http" }.compactMap(\.origin))
    }

    /// Whether a provider is known to answer at the origin of a URI that is one at http.
    func areAcceptedInClear(at uri: RecordedURL) -> Bool {
        uri.origin.map(acceptedInClear.contains) ?? false
    }

    /// The other redirect URI of a client that has most in common with one from the start on; nil where it
    /// has no other.
    func nearest(to uri: String, of client: String?) -> RedirectURIsInOrder.Known? {
        byClient[client]?.nearest(to: uri)
    }
}

/// A client's redirect URIs by their bytes: most in common with one has what stands next to it.
struct RedirectURIsInOrder: Sendable {
    typealias Known = (uri: String, place: Place)

    /// By their bytes, each once, with the place that came first in the capture.
    private let known: [Known]

    /// - Parameter found: in the order of the capture.
    init(_ found: [Known]) {
        var seen: Set<ByteText> = []
        known = found.filter { seen.insert(ByteText($0.uri)).inserted }
            .sorted { $0.uri.utf8.lexicographicallyPrecedes($1.uri.utf8) }
    }

    /// The one that has most in common with a URI from the start on, that URI aside.
    func nearest(to uri: String) -> Known? {
        let behind = known.partitionPoint { !$0.uri.utf8.lexicographicallyPrecedes(uri.utf8) }
        let isKnown = known.indices.contains(behind) && known[behind].uri.equalsBytes(of: uri)
        return [behind - 1, isKnown ? behind + 1 : behind].filter(known.indices.contains)
            .max { known[$0].uri.commonPrefixLength(with: uri) < known[$1].uri.commonPrefixLength(with: uri) }
            .map { known[$0] }
    }
}
