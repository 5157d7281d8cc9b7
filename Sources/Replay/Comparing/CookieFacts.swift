import Captures
import Flows
import OAuth

/// What an answer does to a browser's cookies.
enum CookieFacts {
    static func add(
        _ cookies: [SetCookie],
        of exchange: Int,
        context: ReadingContext,
        to list: inout FactList
    ) {
        let time = context.flow.capture[exchange].endedAt
        for cookie in cookies.prefix(60) {
            let place = Place(exchange: exchange, part: .responseHeader, name: cookie.name)
            let name = "Set-Cookie " + context.learned.skeleton(of: baseName(cookie.name))
            let isGone = cookie.value.isEmpty || cookie.isDeletion(at: time)
            // What the browser sends back within the login matters to it.
            let isSent = context.isSent(cookie.name, after: exchange)
            list.add(
                place,
                .init(isGone ? "deleted" : "set", .verdict),
                as: .init(name: name, aspect: "Set-Cookie"),
                weighing: .init(presence: isSent ? .difference : .note)
            )
            guard !isGone else { continue }
            for (attribute, value, weight) in attributes(cookie) {
                list.add(
                    place,
                    .init(value, attribute == "Domain" ? .url : .verdict),
                    as: .init(name: name, aspect: attribute),
                    weighing: .init(presence: nil, value: weight)
                )
            }
        }
    }

    /// Without the prefixes that a server can give over TLS only (RFC 6265bis, section 4.1.3).
    static func baseName(_ name: String) -> String {
        for prefix in ["__Host-", "__Secure-"] where name.utf8.starts(with: prefix.utf8) {
            return String(name.dropFirst(prefix.count))
        }
        return name
    }

    private static func attributes(_ cookie: SetCookie) -> [(String, String, DifferenceWeight)] {
        [
            ("SameSite", cookie.sameSite?.lowercased() ?? "(none)", .difference),
            ("Secure", cookie.isSecure ? "yes" : "no", .difference),
            ("HttpOnly", cookie.isHTTPOnly ? "yes" : "no", .note),
            ("Path", cookie.path ?? "(none)", .difference),
            ("Domain", cookie.domain ?? "(none)", .difference),
            (
                "kept",
                cookie.maxAge == nil && cookie.expires == nil ? "until the browser is closed" : "for a time",
                .note
            ),
        ]
    }
}
