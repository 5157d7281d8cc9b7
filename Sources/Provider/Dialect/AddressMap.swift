import Captures
package import JSON

/// Which recorded addresses are played where: prefixes of URLs, the longest first.
package struct AddressMap: Sendable {
    package struct Entry: Sendable, Hashable {
        /// `https://idp.example`, or with a path; without a final slash.
        package var old: String
        package var new: String
        /// The path of ``new``; empty where it is an origin.
        let path: String

        package init(old: String, new: String) {
            self.old = old
            self.new = new
            path = RecordedURL(new).path
        }
    }

    package private(set) var entries: [Entry]

    package init(_ entries: [Entry] = []) {
        self.entries = entries.sorted { ($0.old.utf8.count, $1.old) > ($1.old.utf8.count, $0.old) }
    }

    /// A URL where it is played; nil where it is no address of the recorded provider.
    package func played(_ url: String) -> String? {
        for entry in entries where Self.isPrefix(entry.old, of: url) {
            return entry.new + String(url.utf8.dropFirst(entry.old.utf8.count))
        }
        // The port of the scheme, written out.
        let parsed = RecordedURL(url)
        guard parsed.explicitPort != nil, let bare = Self.withoutDefaultPort(parsed) else { return nil }
        return played(bare)
    }

    /// A claim or member: where it is an address of the provider, the one where it is played.
    package func rewritten(_ text: String) -> String { played(text) ?? text }

    /// The same of everything in an object.
    package func rewritten(_ object: JSONObject) -> JSONObject {
        JSONObject(object.members.map { .init(name: $0.name, value: rewritten($0.value)) })
    }

    private func rewritten(_ value: JSONValue) -> JSONValue {
        switch value {
        case .string(let text): .string(rewritten(text))
        case .array(let elements): .array(elements.map { rewritten($0) })
        case .object(let object): .object(rewritten(object))
        default: value
        }
    }

    /// The recorded URL that is played at a path, which may carry a query; nil where none is.
    package func recorded(_ target: String) -> String? {
        let found = entries.filter { $0.path.isEmpty || Self.isPrefix($0.path, of: target) }
            .max { $0.path.utf8.count < $1.path.utf8.count }
        return found.map { $0.old + String(target.utf8.dropFirst($0.path.utf8.count)) }
    }

    /// Whether a URL begins with another one, at the end of a segment.
    static func isPrefix(_ prefix: String, of text: String) -> Bool {
        guard text.utf8.starts(with: prefix.utf8) else { return false }
        guard let next = text.utf8.dropFirst(prefix.utf8.count).first else { return true }
        return next == 0x2f || next == 0x3f || next == 0x23
    }

    /// Scheme and host as browsers write an origin; nil for other schemes.
    static func origin(of url: RecordedURL) -> String? {
        guard url.isWeb, let scheme = url.scheme?.lowercased(), let host = url.host else { return nil }
        let standard = scheme == "https" ? 443 : 80
        guard let port = url.explicitPort, port != standard else { return "\(scheme)://\(host)" }
        return "\(scheme)://\(host):\(port)"
    }

    private static func withoutDefaultPort(_ url: RecordedURL) -> String? {
        guard let origin = origin(of: url), let scheme = url.scheme, let authority = url.authority,
            !origin.hasSuffix(authority.lowercased())
        else { return nil }
        return origin + String(url.text.utf8.dropFirst(scheme.utf8.count + 3 + authority.utf8.count))
    }
}

extension String {
    /// The text of some of its bytes, cut between characters that were whole.
    fileprivate init(_ bytes: Substring.UTF8View) { self = String(Substring(bytes)) }
}
