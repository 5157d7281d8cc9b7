internal import Captures
package import LibCrypto

/// A configuration profile (`.mobileconfig`) that makes iOS, iPadOS and macOS trust an authority.
///
/// An XML property list with one payload, `com.apple.security.root`. It is a function of the certificate: the
/// same authority gives the same bytes, so that a profile that is installed again replaces itself.
package enum MobileConfiguration {
    /// The media type that makes Safari offer to install it.
    package static let mediaType = "application/x-apple-aspen-config"

    /// The profile.
    ///
    /// - Parameter certificate: the authority's.
    /// - Returns: the property list in UTF-8.
    package static func bytes(for certificate: Certificate) -> [UInt8] {
        let identity = AuthorityIdentity(certificate)
        let end = String(Timestamp(seconds: certificate.notAfter).rfc3339.prefix(10))
        let name = "authreel recorder \(identity.short)"
        let identifier = "authreel.authority.\(identity.short)"
        let text = """
            <?xml version="1.0" encoding="UTF-8"?>
            <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
            <plist version="1.0">
            <dict>
            \t<key>PayloadContent</key>
            \t<array>
            \(payload(certificate, identity, name: name, identifier: identifier, end: end))
            \t</array>
            \t<key>PayloadDescription</key>
            \t<string>The certificate of a local authreel recorder. It ends on \(end); remove it when you have \
            recorded what you wanted. On iOS it counts once it is switched on under Settings, General, About, \
            Certificate Trust Settings.</string>
            \t<key>PayloadDisplayName</key>
            \t<string>\(name)</string>
            \t<key>PayloadIdentifier</key>
            \t<string>\(identifier)</string>
            \t<key>PayloadOrganization</key>
            \t<string>authreel</string>
            \t<key>PayloadRemovalDisallowed</key>
            \t<false/>
            \t<key>PayloadType</key>
            \t<string>Configuration</string>
            \t<key>PayloadUUID</key>
            \t<string>\(uuid(of: identity, "profile"))</string>
            \t<key>PayloadVersion</key>
            \t<integer>1</integer>
            </dict>
            </plist>

            """
        return Array(text.utf8)
    }

    /// The one payload, which is the certificate; `end`: its last day.
    private static func payload(
        _ certificate: Certificate,
        _ identity: AuthorityIdentity,
        name: String,
        identifier: String,
        end: String
    ) -> String {
        let lines = certificate.pem.split(separator: "\n").filter { !$0.hasPrefix("-----") }
            .map { "\t\t\t\($0)" }.joined(separator: "\n")
        return """
            \t\t<dict>
            \t\t\t<key>PayloadCertificateFileName</key>
            \t\t\t<string>\(identity.alias).cer</string>
            \t\t\t<key>PayloadContent</key>
            \t\t\t<data>
            \(lines)
            \t\t\t</data>
            \t\t\t<key>PayloadDescription</key>
            \t\t\t<string>Lets authreel record HTTPS connections of this device. Ends on \(end).</string>
            \t\t\t<key>PayloadDisplayName</key>
            \t\t\t<string>\(name)</string>
            \t\t\t<key>PayloadIdentifier</key>
            \t\t\t<string>\(identifier).certificate</string>
            \t\t\t<key>PayloadType</key>
            \t\t\t<string>com.apple.security.root</string>
            \t\t\t<key>PayloadUUID</key>
            \t\t\t<string>\(uuid(of: identity, "certificate"))</string>
            \t\t\t<key>PayloadVersion</key>
            \t\t\t<integer>1</integer>
            \t\t</dict>
            """
    }

    /// A UUID that the fingerprint gives (RFC 9562, section 5.8).
    private static func uuid(of identity: AuthorityIdentity, _ part: String) -> String {
        var bytes = Array(Digest.of(Array("authreel \(part) \(identity.fingerprint)".utf8)).prefix(16))
        bytes[6] = bytes[6] & 0x0f | 0x80
        bytes[8] = bytes[8] & 0x3f | 0x80
        var digits = Hexadecimal.encode(bytes, isUppercase: true)[...]
        let groups = [8, 4, 4, 4, 12].map { length in
            defer { digits = digits.dropFirst(length) }
            return String(digits.prefix(length))
        }
        return groups.joined(separator: "-")
    }
}
