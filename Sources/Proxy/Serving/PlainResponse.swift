internal import Captures

/// A whole answer of the proxy's own, after which the connection is closed.
struct PlainResponse {
    var status: Int
    var mediaType: String
    var body: [UInt8]
    var fileName: String?
    /// From where the page may show pictures; from nowhere without it.
    var imageSource: String?
    /// What it asks for, the value of `Proxy-Authenticate`.
    var challenge: String?

    /// The bytes to send; a HEAD request gets the head only.
    func bytes(forMethod method: String = "GET", closes: Bool = true) -> [UInt8] {
        var head = "HTTP/1.1 \(status) \(Self.phrase(status))\r\nContent-Type: \(mediaType)\r\n"
        head +=
            "Content-Length: \(body.count)\r\nConnection: \(closes ? "close" : "keep-alive")\r\nCache-Control: no-store\r\n"
        // Pages of ours speak of what others sent; nothing in them may run.
        head += "Content-Security-Policy: default-src 'none'; style-src 'unsafe-inline'"
        if let imageSource { head += "; img-src \(imageSource)" }
        head += "\r\n"
        head += "X-Content-Type-Options: nosniff\r\nVia: 1.1 authreel\r\n"
        if let challenge { head += "Proxy-Authenticate: \(challenge)\r\n" }
        if let fileName { head += "Content-Disposition: attachment; filename=\"\(fileName)\"\r\n" }
        head += "\r\n"
        return Array(head.utf8) + (method == "HEAD" ? [] : body)
    }

    /// A page that says what is wrong.
    static func problem(_ status: Int, _ title: String, _ reason: String, hint: String? = nil)
        -> PlainResponse
    {
        var text = page(title: title)
        text += "<h1>\(HTMLText.escaped(title))</h1>\n<p><code>\(HTMLText.escaped(reason))</code></p>\n"
        if let hint { text += "<p>\(HTMLText.escaped(hint))</p>\n" }
        text += "<p>This page is from authreel, the recording proxy, not from the site.</p>\n"
        return PlainResponse(status: status, mediaType: "text/html; charset=utf-8", body: Array(text.utf8))
    }

    /// For a request that cannot be acted on.
    static func unusable(_ refusal: ProxyRequest.Refusal) -> PlainResponse {
        problem(refusal.status, "authreel cannot use this request", refusal.reason)
    }

    /// For a provider that cannot be reached, or must not be.
    static func unreachable(_ origin: Origin, _ failure: UpstreamFailure) -> PlainResponse {
        problem(
            failure.status,
            failure.status == 403
                ? "authreel does not let you reach \(origin)" : "authreel cannot reach \(origin)",
            failure.reason,
            hint: failure.hint
        )
    }

    /// For a client that has not said who it is, or not rightly.
    static var unauthorized: PlainResponse {
        var page = problem(
            407,
            "authreel asks for a user name and password",
            "This recorder was started with --proxy-auth.",
            hint: "Give your client the user name and password of --proxy-auth, in its proxy settings or as "
                + "http://USER:PASSWORD@HOST:PORT; whoever started the recorder knows them."
        )
        page.challenge = "Basic realm=\"authreel\""
        return page
    }

    /// The beginning of a page; `style` stands behind the rules that all pages have.
    static func page(title: String, style: String = "") -> String {
        """
        <!doctype html>
        <html lang="en"><meta charset="utf-8"><title>\(HTMLText.escaped(title))</title>
        <meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark">
        <style>body{font:1rem/1.5 system-ui,sans-serif;max-width:45rem;margin:2rem auto;padding:0 1rem;\
        overflow-wrap:anywhere}code,pre{background:#8881;padding:.1em .2em}\(style)</style>

        """
    }

    private static func phrase(_ status: Int) -> String {
        switch status {
        case 200: "OK"
        case 400: "Bad Request"
        case 403: "Forbidden"
        case 404: "Not Found"
        case 407: "Proxy Authentication Required"
        case 408: "Request Timeout"
        case 431: "Request Header Fields Too Large"
        case 501: "Not Implemented"
        case 502: "Bad Gateway"
        default: "Error"
        }
    }
}
