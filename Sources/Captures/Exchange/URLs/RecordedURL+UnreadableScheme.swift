extension RecordedURL {
    /// What was meant as the scheme and is none, for a character that schemes do not have (RFC 3986, section 3.1), as `my_app` of
    /// `my_app://callback`; nil where there is a scheme, or nothing looks like one.
    ///
    /// Browsers read such an address as a path on the server that they are at (URL Standard, section 4.4).
    package var unreadableScheme: String? {
        guard scheme == nil, authority == nil, let colon = path.utf8.firstIndex(of: 0x3a) else { return nil }
        let name = path[..<colon]
        // A host with its port (`127.0.0.1:8080`) has no slash behind the colon.
        guard path[colon...].utf8.starts(with: [0x3a, 0x2f]), let first = name.utf8.first,
            first.isASCIIAlphanumeric, name.utf8.allSatisfy(Self.isMeantForScheme)
        else { return nil }
        return String(name)
    }

    /// What schemes are made of, and the underscore that identifiers of apps have besides.
    private static func isMeantForScheme(_ byte: UInt8) -> Bool {
        byte.isASCIIAlphanumeric || byte == 0x2b || byte == 0x2d || byte == 0x2e || byte == 0x5f
    }
}
