import Captures
import JSON

/// Tells two products apart that have the same paths for a login: `/authorize` and `/token` many have.
enum ProductMetadata {
    /// Whether what a recording shows of a provider, and what another says of itself, is of two products.
    ///
    /// - Parameters:
    ///   - endpoints: of each endpoint besides those of the login, whether both have it at the same path.
    ///   - read: the recorded metadata, with where they were; nil where nobody read any.
    ///   - found: those of the other provider.
    /// - Returns: false where nothing tells.
    static func areOfTwo(
        endpoints: [Bool],
        _ read: (document: JSONObject, url: String)?,
        _ found: (document: JSONObject, url: String)
    ) -> Bool {
        // The address of one may name a user, or be another system's.
        let moved = endpoints.count { !$0 }
        if moved >= 2, moved * 2 > endpoints.count { return true }
        guard let read, name(of: read.url) == name(of: found.url) else { return false }
        // From one version to the next members are added, and few go.
        let (old, new) = (names(in: read.document), names(in: found.document))
        return old.intersection(new).count * 2 < old.union(new).count
    }

    /// OpenID Connect Discovery and RFC 8414 have other members of the same provider.
    private static func name(of url: String) -> Substring? {
        let parts = RecordedURL(url).path.split(separator: "/")
        return parts.firstIndex(of: ".well-known").flatMap { parts.dropFirst($0 + 1).first }
    }

    private static func names(in document: JSONObject) -> Set<String> {
        Set(document.members.lazy.filter { $0.value != .null }.map(\.name))
    }
}
