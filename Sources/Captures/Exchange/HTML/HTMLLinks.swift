/// Where the links and forms of a page lead.
package enum HTMLLinks {
    /// Whether one of them is for signing out, by the name of its address.
    package static func leadToSignOut(in page: [UInt8]) -> Bool {
        HTMLTags(page, of: ["a", "form"]).contains { tag in
            guard let address = tag.attribute(tag.name == "a" ? "href" : "action") else { return false }
            let letters = address.utf8.prefix(longest).filter(\.isASCIIAlphanumeric)
            let name = String(decoding: letters, as: UTF8.self).asciiLowercased()
            return names.contains(where: name.containsBytes)
        }
    }

    /// In lower case, letters and digits alone.
    private static let names = ["logout", "signout", "logoff", "signoff"]
    /// In bytes of an address.
    private static let longest = 300
}
