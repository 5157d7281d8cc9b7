import JSON

extension JSONWebToken {
    /// What `crit` says that nobody here can heed: a token with it is to be refused, be its signature good or not.
    ///
    /// Nil where the header has no `crit`. No extension is understood here, so that every `crit` fails: RFC 7515,
    /// section 4.1.11; RFC 7516, section 4.1.13.
    var criticalExtensionsCheck: TokenCheck? {
        guard let header, let value = header["crit"] else { return nil }
        return TokenCheck(
            "crit",
            .failed,
            Self.flaw(ofCritical: value, in: header),
            form == .signed ? "RFC 7515 §4.1.11" : "RFC 7516 §4.1.13"
        )
    }

    private static func flaw(ofCritical value: JSONValue, in header: JSONObject) -> String {
        guard let elements = value.array else { return "\(JSONWriter.text(of: value)) is no list of names" }
        let names = elements.compactMap(\.string)
        guard names.count == elements.count else { return "not every element of the list is a name" }
        guard !names.isEmpty else { return "an empty list" }
        if let name = names.first(where: registeredMembers.contains) {
            return "names \(name), which is no extension"
        }
        if Set(names).count < names.count { return "names an extension twice" }
        if let name = names.first(where: { header[$0] == nil }) {
            return "names \(name), which the header does not have"
        }
        return "demands \(names.joined(separator: ", ")), not understood here"
    }

    /// Defined by RFC 7515, section 4.1; RFC 7516, section 4.1; RFC 7518, section 4.
    private static let registeredMembers: Set<String> = [
        "alg", "jku", "jwk", "kid", "x5u", "x5c", "x5t", "x5t#S256", "typ", "cty", "crit", "enc", "zip",
        "epk", "apu", "apv", "iv", "tag", "p2s", "p2c",
    ]
}
