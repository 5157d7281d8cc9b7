@testable import Captures

/// What messages carry as text or coded: cookies, forms, URLs, pages, dates, codings.
enum TextTarget {
    static func check(_ input: [UInt8]) throws(FuzzFinding) {
        let text = String(decoding: input, as: UTF8.self)
        try url(text)
        try form(text)
        try date(text)
        try base64(input, text)
        _ = (CookieHeader.pairs(text), SetCookie(parsing: text), HTMLText.decode(input))
        _ = (HTMLForm.all(in: text), HTMLForm.refreshTarget(in: text))
        let body = Body(text: text, mediaType: "multipart/form-data; boundary=b")
        _ = (MultipartForm.items(of: body), FormBody.misnamedItems(of: body), body.isPage)
        for coding in ["gzip", "deflate", "br", "zstd"] {
            let result = ContentCoding.decode(input, codings: [coding], limit: 10_000)
            try require(
                result.remaining != nil || result.bytes.count <= 10_000,
                "\(result.bytes.count) bytes of \(coding)"
            )
        }
    }

    private static func url(_ text: String) throws(FuzzFinding) {
        let url = RecordedURL(text)
        var joined = url.withoutQuery
        if let query = url.query { joined += "?" + query }
        if let fragment = url.fragment { joined += "#" + fragment }
        try require(Array(joined.utf8) == Array(text.utf8), "the parts of a URL make \(joined)")
        _ = (url.host, url.port, url.origin, url.hostAndPort, url.queryItems, url.fragmentItems)
        let base = RecordedURL("https://idp.example/a/b?c=d")
        let resolved = base.resolving(text)
        if let scheme = resolved.scheme, scheme == "https", resolved.authority != nil {
            _ = CookieScope.defaultPath(of: resolved)
        }
        _ = base.resolving(text).resolving("../x")
    }

    private static func form(_ text: String) throws(FuzzFinding) {
        let items = QueryItems(text).items.map { ($0.name, $0.value) }
        let again = QueryItems(FormBody.encode(items)).items
        // An item without a name and a value is no item any more.
        let wanted = items.flatMap { [Array($0.utf8), Array($1.utf8)] }
        try require(
            again.flatMap { [Array($0.name.utf8), Array($0.value.utf8)] } == wanted,
            "a form comes back as \(again)"
        )
        let decoded = PercentEncoding.decode(PercentEncoding.encode(text))
        try require(Array(decoded.utf8) == Array(text.utf8), "percent coding")
    }

    private static func date(_ text: String) throws(FuzzFinding) {
        for time in [Timestamp(rfc3339: text), Timestamp(httpDate: text)].compactMap({ $0 }) {
            // Microseconds are written.
            let written = time.rfc3339
            let again = Timestamp(rfc3339: written)
            try require(again?.rfc3339 == written, "\(written) is read as \(again?.rfc3339 ?? "nothing")")
            try require(again?.seconds == time.seconds, "\(written) is another second")
        }
    }

    private static func base64(_ input: [UInt8], _ text: String) throws(FuzzFinding) {
        try require(Base64.decode(Base64.encode(input)) == input, "Base64 of \(input.count) bytes")
        let utf8 = Array(text.utf8)
        for isPadded in [true, false] {
            guard let strict = Base64.decodeStrictly(utf8[...], isPadded: isPadded) else { continue }
            try require(strict == Base64.decode(text), "Base64, read strictly and leniently")
        }
    }
}
