import Captures
import Flows
import JSON
import OAuth

extension Flow {
    /// Metadata of the authorization server that this flow talks to: documents that name one of the endpoints
    /// it uses.
    ///
    /// In order of time. Metadata of another tenant at the same host does not count.
    var issuerDocuments: [MetadataDocument] {
        derived.value { IssuerDocuments(list: readIssuerDocuments()) }.list
    }

    private struct IssuerDocuments: Sendable {
        var list: [MetadataDocument]
    }

    private func readIssuerDocuments() -> [MetadataDocument] {
        let used = Set(
            messages.compactMap { message -> String? in
                switch message {
                case .authorizationRequest, .token: Self.address(capture[message.exchange].request.url)
                default: nil
                }
            }
        )
        return messages.compactMap { message in
            guard case .discovery(let document) = message, !document.isProtectedResource else { return nil }
            let named = ["authorization_endpoint", "token_endpoint"].compactMap { document.endpoint($0) }
            let aliases = document.answer.json?["mtls_endpoint_aliases"]?["token_endpoint"]?.string
            let isUsed = (named + [aliases].compactMap { $0 }).contains {
                used.contains(Self.address(RecordedURL($0)))
            }
            return isUsed ? document : nil
        }
    }

    private static func address(_ url: RecordedURL) -> String { (url.origin ?? "") + url.path }
}
