package import Captures
package import JSON
import OAuth

/// Where the endpoints of the recording are in this run.
package struct EndpointMap: Sendable {
    /// A URL, or the beginning of URLs, with what stands for it.
    package struct Entry: Sendable, Hashable {
        package var old: String
        package var new: String

        package init(old: String, new: String) {
            self.old = old
            self.new = new
        }
    }

    /// Longest first.
    package private(set) var entries: [Entry] = []
    /// Issuer identifiers of the recording with those of this run.
    package private(set) var issuers: [Entry] = []
    /// The provider is another product: its pages are not the recorded ones.
    package var isOtherProvider = false

    package init(_ entries: [Entry] = []) {
        for entry in entries { add(entry) }
    }

    package mutating func add(_ entry: Entry) {
        guard !entry.old.isEmpty, entry.old != entry.new, !entries.contains(where: { $0.old == entry.old })
        else {
            return
        }
        entries.append(entry)
        entries.sort { $0.old.utf8.count > $1.old.utf8.count }
    }

    /// Whether something stands for a URL, be it itself.
    func covers(_ url: RecordedURL) -> Bool {
        let asked = EndpointAddress(url)
        return entries.contains { entry in
            [entry.old, entry.new].contains { EndpointAddress(RecordedURL($0)).takes(asked) }
        } || moved(url) != nil
    }

    /// The URL of this run.
    package func mapped(_ url: RecordedURL) -> RecordedURL {
        guard let (endpoint, query) = moved(url) else { return url }
        let queries = [endpoint.query, query].compactMap(\.self)
        return RecordedURL(
            endpoint.withoutQuery + (queries.isEmpty ? "" : "?" + queries.joined(separator: "&"))
                + (url.fragment.map { "#\($0)" } ?? "")
        )
    }

    /// Where the endpoint of a URL is in this run, with the query that is its own, and what the request has in its query besides; nil
    /// where nothing stands for it.
    package func moved(_ url: RecordedURL) -> (endpoint: RecordedURL, query: String?)? {
        let text = url.withoutQuery
        var ofPath: [(old: RecordedURL, new: RecordedURL)] = []
        for entry in entries {
            let (old, new) = (RecordedURL(entry.old), RecordedURL(entry.new))
            if old.query != nil {
                let (named, asked) = (EndpointAddress(old), EndpointAddress(url))
                if named.takes(asked) { return (new, Self.rest(of: url.query, without: [old, new])) }
                if named.place == asked.place { ofPath.append((old, new)) }
                continue
            }
            guard text.utf8.starts(with: entry.old.utf8) else { continue }
            let rest = text.utf8.dropFirst(entry.old.utf8.count)
            // `https://sso.example` is no beginning of `https://sso.example.com`.
            guard rest.first == nil || rest.first == 0x2f || entry.old.utf8.last == 0x2f else { continue }
            guard !rest.isEmpty else { return (new, Self.rest(of: url.query, without: [new])) }
            return (RecordedURL(new.withoutQuery + String(Substring(rest))), url.query)
        }
        // Of the only endpoint at a path another query matters as little as where it has none.
        guard url.query != nil, ofPath.count == 1, let (old, new) = ofPath.first else { return nil }
        return (new, Self.rest(of: url.query, without: [old, new]))
    }

    /// What a query has besides that of endpoints; nil where that is nothing.
    private static func rest(of query: String?, without endpoints: [RecordedURL]) -> String? {
        let own = Set(
            endpoints.flatMap { $0.queryItems.items.map { [$0.name, $0.value.asciiLowercased()] } }
        )
        guard let query, !own.isEmpty else { return query }
        let pairs = query.utf8.split(separator: 0x26).map { String(Substring($0)) }
        let others = pairs.filter { pair in
            QueryItems(pair).items.allSatisfy { !own.contains([$0.name, $0.value.asciiLowercased()]) }
        }
        return others.isEmpty ? nil : others.joined(separator: "&")
    }

    /// The text of a value: a URL at which something of the provider is, or its name.
    package func mapped(value: String) -> String {
        if let issuer = issuers.first(where: { $0.old == value }) { return issuer.new }
        return mapped(RecordedURL(value)).text
    }

    // MARK: - Another provider

    /// Maps the endpoints of a flow to those that another provider's metadata names, role by role.
    ///
    /// `recorded`: the endpoints of the flow by role; `metadata`: of the provider that is asked now.
    package mutating func add(
        recorded: [String: String],
        issuer: String?,
        metadata: JSONObject,
        discoveryURLs: [String]
    ) {
        let roles = Endpoints.Role.allCases.compactMap { role -> Entry? in
            guard let old = recorded[role.rawValue], let new = metadata[role.rawValue]?.string else {
                return nil
            }
            return Entry(old: old, new: new)
        }
        for entry in roles { add(entry) }
        if let issuer, let new = metadata["issuer"]?.string {
            issuers.append(Entry(old: issuer, new: new))
            for url in discoveryURLs {
                add(Entry(old: url, new: Self.wellKnown(new)))
            }
        }
        // Endpoints of equal paths tell where the rest is, too.
        let pairs = entries
        for pair in pairs {
            if let prefix = Self.commonPrefix(of: pair) { add(prefix) }
        }
        // A product has its paths: where none is the same, it is another one.
        let isKnown = (roles + pairs).contains { entry in
            entry.old == entry.new || RecordedURL(entry.old).path.isEmpty
                || Self.commonPrefix(of: entry) != nil
        }
        isOtherProvider = !roles.isEmpty && !isKnown
    }

    /// Where an issuer's metadata is (OpenID Connect Discovery, section 4).
    package static func wellKnown(_ issuer: String) -> String {
        (issuer.hasSuffix("/") ? String(issuer.dropLast()) : issuer) + "/.well-known/openid-configuration"
    }

    /// What stands before the path that both have.
    private static func commonPrefix(of entry: Entry) -> Entry? {
        let (old, new) = (RecordedURL(entry.old), RecordedURL(entry.new))
        let path = old.path
        guard let origin = old.scheme.flatMap({ scheme in old.authority.map { "\(scheme)://\($0)" } }),
            path.utf8.count > 1 || old.query != nil && old.query == new.query,
            new.withoutQuery.hasSuffix(path)
        else { return nil }
        return Entry(old: origin, new: String(new.withoutQuery.dropLast(path.count)))
    }
}
