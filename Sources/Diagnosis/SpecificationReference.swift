/// A section of a specification that a rule rests on.
package struct SpecificationReference: Sendable, Hashable {
    /// As it is written in reports: `RFC 7636 §4.2`, `OpenID Connect Core §3.1.3.7 (11)`.
    package var text: String
    /// Where it can be read; nil where there is no stable address.
    package var url: String?

    init(text: String, url: String?) {
        self.text = text
        self.url = url
    }

    /// A section of an RFC by its number, as in `.rfc(6749, "4.1.3")`.
    package static func rfc(_ number: Int, _ section: String) -> SpecificationReference {
        SpecificationReference(
            text: "RFC \(number) §\(section)",
            url: "https://www.rfc-editor.org/rfc/rfc\(number)#section-\(section)"
        )
    }

    /// A section of OpenID Connect Core 1.0 by its number and the name of its anchor, as in `.openIDConnectCore("9", "ClientAuthentication")`.
    static func openIDConnectCore(_ section: String, _ anchor: String) -> SpecificationReference {
        openIDConnect("Core", section, anchor)
    }

    /// The same of OpenID Connect Discovery 1.0.
    static func openIDConnectDiscovery(_ section: String, _ anchor: String) -> SpecificationReference {
        openIDConnect("Discovery", section, anchor)
    }

    private static func openIDConnect(_ name: String, _ section: String, _ anchor: String)
        -> SpecificationReference
    {
        SpecificationReference(
            text: "OpenID Connect \(name) §\(section)",
            url: "https://openid.net/specs/openid-connect-\(name.lowercased())-1_0.html#\(anchor)"
        )
    }
}
