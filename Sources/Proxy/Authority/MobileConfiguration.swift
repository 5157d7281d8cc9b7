internal import Captures
package import LibCrypto

/// The configuration profile by which Apple's systems install a certificate.
package enum MobileConfiguration {
    /// The profile (`.mobileconfig`, an XML property list) that installs the certificate as a root.
    ///
    /// The same certificate always gives the same profile, so that installing it again replaces it.
    package static func document(for certificate: Certificate) -> [UInt8] {
        let fingerprint = Digest.of(certificate.der)
        let name = escape(certificate.commonName)
        let text = """
            <?xml version="1.0" encoding="UTF-8"?>
            <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
            <plist version="1.0">
            <dict>
            \t<key>PayloadContent</key>
            \t<array>
            \t\t<dict>
            \t\t\t<key>PayloadCertificateFileName</key>
            \t\t\t<string>authreel-ca.crt</string>
            \t\t\t<key>PayloadContent</key>
            \t\t\t<data>\(Base64.encode(certificate.der))</data>
            \t\t\t<key>PayloadDescription</key>
            \t\t\t<string>The certificate of a recorder on this network. Remove it when the recording is done.</string>
            \t\t\t<key>PayloadDisplayName</key>
            \t\t\t<string>\(name)</string>
            \t\t\t<key>PayloadIdentifier</key>
            \t\t\t<string>authreel.ca.root</string>
            \t\t\t<key>PayloadType</key>
            \t\t\t<string>com.apple.security.root</string>
            \t\t\t<key>PayloadUUID</key>
            \t\t\t<string>\(uuid(fingerprint.suffix(16)))</string>
            \t\t\t<key>PayloadVersion</key>
            \t\t\t<integer>1</integer>
            \t\t</dict>
            \t</array>
            \t<key>PayloadDescription</key>
            \t<string>Lets authreel record https. Switch on full trust in Settings, General, About, Certificate Trust Settings.</string>
            \t<key>PayloadDisplayName</key>
            \t<string>\(name)</string>
            \t<key>PayloadIdentifier</key>
            \t<string>authreel.ca</string>
            \t<key>PayloadOrganization</key>
            \t<string>authreel</string>
            \t<key>PayloadRemovalDisallowed</key>
            \t<false/>
            \t<key>PayloadType</key>
            \t<string>Configuration</string>
            \t<key>PayloadUUID</key>
            \t<string>\(uuid(fingerprint.prefix(16)))</string>
            \t<key>PayloadVersion</key>
            \t<integer>1</integer>
            </dict>
            </plist>

            """
        return Array(text.utf8)
    }

    /// A UUID of 16 bytes of a hash (RFC 9562, version 8).
    private static func uuid(_ bytes: ArraySlice<UInt8>) -> String {
        var bytes = Array(bytes)
        bytes[6] = bytes[6] & 0x0f | 0x80
        bytes[8] = bytes[8] & 0x3f | 0x80
        let digits = Array("0123456789ABCDEF".utf8)
        var text: [UInt8] = []
        for (index, byte) in bytes.enumerated() {
            if [4, 6, 8, 10].contains(index) { text.append(0x2d) }
            text += [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// As the content of an XML element; what XML 1.0 does not allow at all becomes U+FFFD.
    static func escape(_ text: String) -> String {
        var escaped = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": escaped.append(contentsOf: "&amp;".unicodeScalars)
            case "<": escaped.append(contentsOf: "&lt;".unicodeScalars)
            case ">": escaped.append(contentsOf: "&gt;".unicodeScalars)
            case "\t", "\n", "\r", "\u{20}"..."\u{fffd}", "\u{10000}"...: escaped.append(scalar)
            default: escaped.append("\u{fffd}")
            }
        }
        return String(escaped)
    }
}
