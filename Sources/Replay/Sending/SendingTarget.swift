internal import Captures

/// Where a request goes, and how it is written there.
struct SendingTarget {
    var scheme: String
    /// Without user information, which no request carries (RFC 9110, section 4.2.4).
    var authority: String
    /// Dialled: the server, or the proxy before it.
    var host: String
    var port: Int
    /// The authority to ask a proxy for; nil asks for none.
    var connect: String?
    /// Nil speaks in clear.
    var serverName: String?
    /// The server's, also where a proxy is dialled.
    var serverPort: Int
    /// Whether the proxy is told the whole URL (RFC 9112, section 3.2.2).
    var isAbsolute: Bool
    var origin: String

    init(_ url: RecordedURL, proxy: (host: String, port: Int)?) throws(HTTPSenderError) {
        guard let origin = url.origin, let host = url.host, let port = url.port else {
            throw .unsupportedURL(url.text)
        }
        let name = host.utf8.first == 0x5b ? String(host.dropFirst().dropLast()) : host
        let isTLS = url.scheme?.lowercased() == "https"
        scheme = isTLS ? "https" : "http"
        authority = url.hostAndPort ?? host
        (self.host, self.port) = proxy ?? (name, port)
        connect = proxy != nil && isTLS ? "\(host):\(port)" : nil
        serverName = isTLS ? name : nil
        serverPort = port
        isAbsolute = proxy != nil && !isTLS
        self.origin = origin
    }

    var key: String { origin }

    func bytes(of request: RecordedRequest) -> [UInt8] {
        let url = request.url
        let path = request.targetPath + (url.query.map { "?\($0)" } ?? "")
        // A proxy is asked for the URL without a path then (RFC 9112, section 3.2.4).
        let target = isAbsolute ? "\(scheme)://\(authority)\(path == "*" ? "" : path)" : path
        var bytes = Array("\(request.method) ".utf8)
        bytes += SentText(target, isLatin1: request.isURLLatin1).bytes
        bytes += " HTTP/1.1\r\n".utf8
        let body = request.body?.bytes ?? []
        if !request.headers.contains("host") { bytes += "Host: \(authority)\r\n".utf8 }
        for field in request.headers.fields {
            bytes += field.sentName.bytes
            bytes += ": ".utf8
            bytes += field.sentValue.bytes
            bytes += "\r\n".utf8
        }
        if !body.isEmpty || request.method == "POST", !request.headers.contains("content-length") {
            bytes += "Content-Length: \(body.count)\r\n".utf8
        }
        return bytes + "\r\n".utf8 + body
    }
}
