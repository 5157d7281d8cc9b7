extension RecordedURL {
    /// The address that an `intent:` URI of Android stands for: what is between its scheme and its fragment, at the scheme that the
    /// fragment names (`intent://HOST/PATH?QUERY#Intent;scheme=SCHEME;package=PACKAGE;end`).
    ///
    /// Chrome opens an app by it, and another page where that is not installed. Nil for every other URL, and where no scheme is named.
    package var openedByIntent: RecordedURL? {
        guard let scheme, scheme.lowercased() == "intent", let fragment, fragment.hasPrefix("Intent;") else {
            return nil
        }
        let named = fragment.utf8.split(separator: 0x3b).first { $0.starts(with: "scheme=".utf8) }
        guard let named = named.map({ String(Substring($0.dropFirst(7))) }), !named.isEmpty else {
            return nil
        }
        let rest = text.utf8.dropFirst(scheme.utf8.count).dropLast(fragment.utf8.count + 1)
        let url = RecordedURL(named + String(Substring(rest)))
        return url.scheme == nil ? nil : url
    }
}
