/// The site of a host: what SameSite cookies compare (RFC 6265bis, section 5.2).
package enum Site {
    /// The registrable domain, without a public suffix list.
    ///
    /// Two labels, three below the usual second-level suffixes of countries and below
    /// hosting domains where every customer has a name. Addresses and single labels are their own site.
    package static func of(_ host: String) -> String {
        let labels = host.split(separator: ".")
        guard labels.count > 2, !host.utf8.contains(0x3a), UInt8(labels[labels.count - 1]) == nil else {
            return host
        }
        let two = labels.suffix(2).joined(separator: ".")
        let isCountry =
            labels[labels.count - 1].utf8.count == 2
            && secondLevels.contains(String(labels[labels.count - 2]))
        return isCountry || shared.contains(two) ? labels.suffix(3).joined(separator: ".") : two
    }

    private static let secondLevels: Set<String> = [
        "ac", "co", "com", "edu", "go", "gov", "ne", "net", "or", "org",
    ]

    private static let shared: Set<String> = [
        "azurewebsites.net", "cloudfront.net", "firebaseapp.com", "fly.dev", "github.io", "gitlab.io",
        "herokuapp.com", "netlify.app",
        "ngrok-free.app", "ngrok.io", "onrender.com", "pages.dev", "trycloudflare.com", "vercel.app",
        "web.app", "workers.dev",
    ]
}
