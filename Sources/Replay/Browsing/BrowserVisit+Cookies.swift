import Captures
import JSON

extension BrowserVisit.Cookie {
    /// A `CookieParam` of the Chrome DevTools Protocol (`Network.setCookies`).
    var devToolsParameters: JSONObject {
        var object: JSONObject = [
            "name": .string(name), "value": .string(value), "path": .string(path),
            "url": .string("\(isSecure ? "https" : "http")://\(domain)\(path)"),
            "secure": .bool(isSecure), "httpOnly": .bool(isHTTPOnly),
        ]
        if !isHostOnly { object["domain"] = .string(domain) }
        if let sameSite,
            let known = ["Strict", "Lax", "None"].first(where: { $0.lowercased() == sameSite.lowercased() })
        {
            object["sameSite"] = .string(known)
        }
        if let expiresAt { object["expires"] = JSONValue(expiresAt.seconds) }
        return object
    }
}
