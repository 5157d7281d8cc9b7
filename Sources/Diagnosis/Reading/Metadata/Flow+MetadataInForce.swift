import Captures
import Flows
import OAuth

/// Metadata change, and what was read for a later login tells nothing of an earlier one.
extension Flow {
    /// Of documents in order of time, those that were served before an exchange; all of them where there is none.
    func served(_ documents: [MetadataDocument], before exchange: Int?) -> ArraySlice<MetadataDocument> {
        guard let exchange else { return documents[...] }
        let position = surroundings.position
        return documents[..<documents.partitionPoint { position[$0.exchange] >= position[exchange] }]
    }

    /// The one of several that was in force at an exchange: the last that was served before, else the first; they are in order of time.
    func inForce(_ documents: [MetadataDocument], at exchange: Int?) -> MetadataDocument? {
        served(documents, before: exchange).last ?? documents.first
    }

    /// The flow's last message: metadata that are served later, for another login, are not what this one went by.
    var lastMessage: Int? {
        derived.value { LastMessage(exchange: messages.last { !Self.isShared($0) }?.exchange) }.exchange
    }

    private struct LastMessage: Sendable {
        var exchange: Int?
    }

    /// Metadata of authorization servers that this flow may have gone by, in order of time.
    ///
    /// Not those that were read for a later login when all of this one was over, nor those that were replaced before it began, read once
    /// more at the same address.
    var metadataInForce: [MetadataDocument] {
        let documents = serverMetadata
        let own = exchanges.filter { surroundings.messages[$0].map { !Self.isShared($0) } ?? true }
        guard documents.count > 1, let first = own.first, let end = own.map({ capture[$0].endedAt }).max()
        else {
            return documents
        }
        let followed = surroundings.derived.value {
            FollowedMetadata(
                exchanges: Set(surroundings.metadata.filter(isAuthorizationAsked).map(\.exchange))
            )
        }
        var replacing: [String: Int] = [:]
        for document in served(documents, before: first) where document.isUsable {
            replacing[document.url.text] = document.exchange
        }
        let position = surroundings.position
        return documents.filter { document in
            let isLater =
                capture[document.exchange].startedAt > end && followed.exchanges.contains(document.exchange)
            return !isLater
                && replacing[document.url.text].map { position[document.exchange] >= position[$0] } ?? true
        }
    }

    /// The metadata of a capture that a sign-in at their servers follows.
    private struct FollowedMetadata: Sendable {
        var exchanges: Set<Int>
    }

    /// Documents that belong to every flow of their issuer or client.
    private static func isShared(_ message: OAuthMessage) -> Bool {
        switch message {
        case .discovery, .keySet, .registration: true
        default: false
        }
    }
}
