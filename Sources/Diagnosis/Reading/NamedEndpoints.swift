import Captures
import Flows
import OAuth

/// The metadata of authorization servers by the endpoints they name: read once for all flows of a capture.
struct NamedEndpoints {
    private struct Key: Hashable {
        var name: String
        var isIdentified: Bool
        var origin: String
        var path: String
    }

    private var documents: [Key: [MetadataDocument]] = [:]

    private static let names = ["authorization_endpoint", "pushed_authorization_request_endpoint"]

    init(_ metadata: [MetadataDocument]) {
        for document in metadata where !document.isProtectedResource {
            for name in Self.names {
                guard let url = document.endpoint(name).map({ RecordedURL($0) }),
                    var key = Self.key(name, url)
                else { continue }
                documents[key, default: []].append(document)
                guard document.issuer != nil else { continue }
                key.isIdentified = true
                documents[key, default: []].append(document)
            }
        }
    }

    /// In order of time; `name`: `authorization_endpoint` or `pushed_authorization_request_endpoint`; `isIdentified`: only
    /// documents with an issuer.
    func metadata(naming url: RecordedURL, as name: String, isIdentified: Bool = false) -> [MetadataDocument]
    {
        Self.key(name, url, isIdentified: isIdentified).flatMap { documents[$0] } ?? []
    }

    private static func key(_ name: String, _ url: RecordedURL, isIdentified: Bool = false) -> Key? {
        url.origin.map { Key(name: name, isIdentified: isIdentified, origin: $0, path: url.path) }
    }
}

extension CaptureIndex {
    var namedEndpoints: NamedEndpoints { derived.value { NamedEndpoints(metadata) } }
}
