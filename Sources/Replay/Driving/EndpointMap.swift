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

    /// Of two for the same old address the first counts.
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
        return RecordedURL(Self.text(endpoint, query) + (url.fragment.map { "#\($0)" } ?? ""))
    }

    /// Where a request goes in this run, with no more of its query than belongs to the address.
    ///
    /// `address`: the same of the recording.
    func mapped(_ url: RecordedURL, asFarAs address: RecordedURL) -> RecordedURL {
        guard let (endpoint, query) = moved(url) else { return address }
        return RecordedURL(Self.text(endpoint, Self.part(of: query, in: [address])))
    }

    private static func text(_ endpoint: RecordedURL, _ query: String?) -> String {
        let queries = [endpoint.query, query].compactMap(\.self)
        return endpoint.withoutQuery + (queries.isEmpty ? "" : "?" + queries.joined(separator: "&"))
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
        guard let query, endpoints.contains(where: { $0.query != nil }) else { return query }
        return pairs(of: query, areIn: endpoints, false)
    }

    /// What a query has of that of endpoints; nil where that is nothing.
    private static func part(of query: String?, in endpoints: [RecordedURL]) -> String? {
        query.flatMap { pairs(of: $0, areIn: endpoints, true) }
    }

    private static func pairs(of query: String, areIn endpoints: [RecordedURL], _ isWanted: Bool) -> String? {
        let own = Set(
            endpoints.flatMap { $0.queryItems.items.map { [$0.name, $0.value.asciiLowercased()] } }
        )
        let pairs = query.utf8.split(separator: 0x26).map { String(Substring($0)) }
        let kept = pairs.filter { pair in
            let isOwn = QueryItems(pair).items.contains {
                own.contains([$0.name, $0.value.asciiLowercased()])
            }
            return isOwn == isWanted
        }
        return kept.isEmpty ? nil : kept.joined(separator: "&")
    }

    /// The text of a value: a URL at which something of the provider is, or its name.
    package func mapped(value: String) -> String {
        if let issuer = issuers.first(where: { $0.old == value }) { return issuer.new }
        return mapped(RecordedURL(value)).text
    }

    // MARK: - Another provider

    /// Maps the endpoints of a flow to those that another provider's metadata names, role by role.
    ///
    /// - Parameters:
    ///   - recorded: the endpoints of the flow.
    ///   - metadata: of the provider that is asked now.
    ///   - metadataURL: where they are.
    package mutating func add(
        _ recorded: RecordedEndpoints,
        metadata: JSONObject,
        at metadataURL: String
    ) {
        func entries(of endpoints: [String: String], _ roles: [Endpoints.Role] = Endpoints.Role.allCases)
            -> [Entry]
        {
            roles.compactMap { role in
                guard let old = endpoints[role.rawValue], let new = metadata[role.rawValue]?.string else {
                    return nil
                }
                return Entry(old: old, new: new)
            }
        }
        // Before those of the roles: a client with a certificate has asked there.
        for (role, old) in recorded.aliases.sorted(by: { $0.key < $1.key }) {
            if let new = metadata["mtls_endpoint_aliases"]?[role]?.string { add(Entry(old: old, new: new)) }
        }
        let roles = entries(of: recorded.byRole)
        for entry in roles { add(entry) }
        if let issuer = recorded.issuer, let new = metadata["issuer"]?.string {
            issuers.append(Entry(old: issuer, new: new))
            for url in recorded.discoveryURLs { add(Entry(old: url, new: metadataURL)) }
        }
        // A product has its paths: where one is another, it is another product. A client may have asked at a wrong one, and
        // the addresses of others than those two may name a user (MyInfo).
        let login: [Endpoints.Role] = [.authorization, .token]
        let telling = [
            entries(of: recorded.documented, login), entries(of: recorded.byRole, login),
            entries(of: recorded.documented),
        ]
        .first { !$0.isEmpty }
        let further = entries(of: recorded.byRole, Endpoints.Role.allCases.filter { !login.contains($0) })
        isOtherProvider =
            !(telling ?? roles).allSatisfy(Self.isAtTheSamePath)
            || ProductMetadata.areOfTwo(
                endpoints: further.map(Self.isAtTheSamePath),
                recorded.metadata,
                (metadata, metadataURL)
            )
        guard !isOtherProvider else { return }
        // Endpoints of equal paths tell where the rest is, too.
        for entry in roles {
            if let prefix = Self.commonPrefix(of: entry) { add(prefix) }
        }
    }

    private static func isAtTheSamePath(_ entry: Entry) -> Bool {
        entry.old == entry.new || RecordedURL(entry.old).path.isEmpty || commonPrefix(of: entry) != nil
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
