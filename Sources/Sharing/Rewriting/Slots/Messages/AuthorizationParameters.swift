import Captures

/// What an `Authorization` field says in parameters (RFC 9110, section 11.4): `Digest username="ada", response="…"`, AWS's
/// `Credential=…, Signature=…`, OAuth 1.0, Hawk.
enum AuthorizationParameters {
    /// None where it is a token and no list.
    ///
    /// `text`: behind the scheme.
    static func slots(in text: ArraySlice<UInt8>) -> [Slot] {
        var slots: [Slot] = []
        var rest = text.drop(while: isSeparator)
        while !rest.isEmpty {
            let name = rest.prefix { $0.isASCIIWordByte || $0 == 0x2d || $0 == 0x2e }
            guard !name.isEmpty, name.endIndex + 1 < rest.endIndex, rest[name.endIndex] == 0x3d else {
                return []
            }
            let behind = rest[(name.endIndex + 1)...]
            let value: ArraySlice<UInt8>
            if behind.first == 0x22 {
                value = behind.dropFirst().prefix { $0 != 0x22 }
                guard value.endIndex < rest.endIndex else { return [] }
                rest = rest[(value.endIndex + 1)...]
            } else {
                value = behind.prefix { !isSeparator($0) }
                guard value.first != 0x3d else { return [] }
                rest = rest[value.endIndex...]
            }
            slots.append(slot(SlotReader.string(name), value))
            rest = rest.drop(while: isSeparator)
        }
        return slots
    }

    private static func isSeparator(_ byte: UInt8) -> Bool { byte == 0x2c || byte == 0x26 || byte <= 0x20 }

    /// What is not known to say how something was signed is what was signed with, or the signature.
    private static func slot(_ name: String, _ value: ArraySlice<UInt8>) -> Slot {
        let key = SecretRoles.normalized(name)
        // Which key it is, before the region and the service.
        let value = key == "credential" ? value.prefix { $0 != 0x2f } : value
        let range = value.startIndex..<value.endIndex
        guard !manners.contains(key), value.count >= shortest else { return Slot(name: name, range: range) }
        if case .secret = SecretRoles.role(of: name, in: .authorization), key != "credential" {
            return Slot(name: name, range: range)
        }
        return Slot(name: "authorization", range: range)
    }

    private static let shortest = 6
    private static let manners: Set<String> = [
        "realm", "uri", "algorithm", "qop", "nc", "charset", "userhash", "signedheaders", "headers", "ts",
        "created",
        "expires", "version", "oauthsignaturemethod", "oauthtimestamp", "oauthversion", "oauthcallback",
        "oauthconsumerkey", "keyid", "se", "sr", "skn",
    ]
}
