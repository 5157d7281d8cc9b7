import Captures
import Flows
import JSON
import OAuth

extension Flow {
    /// Metadata of the authorization server that this flow talks to: documents that name one of the endpoints
    /// it uses.
    ///
    /// In order of time, without those that were read for a later login where the address had been read before: a client may fetch one of
    /// several documents when it has the ID token. Metadata of another tenant at the same host does not count.
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
                case .authorizationRequest, .token:
                    capture[message.exchange].request.url.normalizedWithoutQuery
                default: nil
                }
            }
        )
        let documents = messages.compactMap { message -> MetadataDocument? in
            guard case .discovery(let document) = message, !document.isProtectedResource else { return nil }
            let named = [
                document.endpoint("authorization_endpoint"), document.endpoint("token_endpoint"),
                document.mutualTLSAlias("token_endpoint"),
            ]
            let isUsed = named.compactMap(\.self).contains {
                used.contains(RecordedURL($0).normalizedWithoutQuery)
            }
            return isUsed ? document : nil
        }
        let inTime = served(documents, before: lastMessage)
        let known = Set(inTime.map(\.url.text))
        return inTime + documents[inTime.endIndex...].filter { !known.contains($0.url.text) }
    }
}
