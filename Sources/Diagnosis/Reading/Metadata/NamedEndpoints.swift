import Captures
import Flows
import OAuth

/// The metadata of authorization servers by the endpoints they name: read once for all flows of a capture.
struct NamedEndpoints {
    private struct Key: Hashable {
        var name: String
        var isIdentified: Bool
    }

    private var documents: [Key: EndpointTable<[MetadataDocument]>] = [:]

    private static let names = ["authorization_endpoint", "pushed_authorization_request_endpoint"]

    init(_ metadata: [MetadataDocument]) {
        for document in metadata where !document.isProtectedResource {
            for name in Self.names {
                guard let url = document.endpoint(name).map({ RecordedURL($0) }) else { continue }
                for isIdentified in document.issuer == nil ? [false] : [false, true] {
                    documents[Key(name: name, isIdentified: isIdentified), default: EndpointTable()]
                        .update(url, default: []) { $0.append(document) }
                }
            }
        }
    }

    /// In order of time; `name`: `authorization_endpoint` or `pushed_authorization_request_endpoint`; `isIdentified`: only
    /// documents with an issuer.
    ///
    /// A request that went over plain http is to the endpoint that they name by https, where they name none by http: what is wrong
    /// with its scheme leaves everything else to be held against them.
    func metadata(naming url: RecordedURL, as name: String, isIdentified: Bool = false) -> [MetadataDocument]
    {
        guard let table = documents[Key(name: name, isIdentified: isIdentified)] else { return [] }
        if let found = table[url] { return found }
        guard url.scheme == "http", url.port == 80 else { return [] }
        return table[RecordedURL("https" + url.text.dropFirst("http".utf8.count))] ?? []
    }
}

extension CaptureIndex {
    var namedEndpoints: NamedEndpoints { derived.value { NamedEndpoints(metadata) } }
}
