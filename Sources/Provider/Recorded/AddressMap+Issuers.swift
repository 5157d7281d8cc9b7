import Captures

extension AddressMap {
    /// Where the hosts of recorded issuers are played below one base URL.
    ///
    /// The first issuer's own host keeps its paths at the root; every further host lies below a folder of its name.
    ///
    /// `base`: scheme, host and port, without a final slash.
    /// `issuer`: what the first issuer is to be called; nil keeps its recorded path.
    init(of issuers: [RecordedIssuer], base: String, issuer: String?) {
        var entries: [Entry] = []
        var seen: Set<String> = []
        if let issuer, let first = issuers.first {
            // Where the issuer is a whole host, that host lies at its new name.
            entries.append(Entry(old: first.identifier, new: issuer.withoutSlash))
        }
        var isRootFree = true
        for origin in issuers.flatMap(\.origins)
        where !entries.contains(where: { $0.old == origin }) && seen.insert(origin).inserted {
            // http and https of one host are one place.
            let twin =
                origin.hasPrefix("https://")
                ? "http://" + origin.dropFirst(8) : "https://" + origin.dropFirst(7)
            if let known = entries.first(where: { $0.old == twin }) {
                entries.append(Entry(old: origin, new: known.new))
                continue
            }
            let folder = isRootFree ? "" : "/" + Self.folder(of: origin)
            isRootFree = false
            entries.append(Entry(old: origin, new: base + folder))
        }
        self.init(entries)
    }

    private static func folder(of origin: String) -> String {
        let url = RecordedURL(origin)
        return (url.host ?? "host") + (url.explicitPort.map { "-\($0)" } ?? "")
    }
}
