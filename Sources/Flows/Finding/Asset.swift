package import Captures

/// Style sheets, scripts, images, fonts: what a page loads and no login depends on.
package enum Asset {
    private static let extensions: Set<String> = [
        "css", "js", "mjs", "map", "png", "jpg", "jpeg", "gif", "svg", "ico", "webp", "avif", "woff", "woff2",
        "ttf", "otf", "eot", "mp4",
        "webm", "webmanifest",
    ]

    /// Whether an exchange is one: by the media type of its answer, else by how its path ends.
    package static func isAsset(_ exchange: Exchange) -> Bool {
        guard exchange.request.method == "GET" || exchange.request.method == "HEAD" else { return false }
        let type = exchange.response?.body?.essence ?? exchange.response?.headers.first("content-type") ?? ""
        if [
            "image/", "font/", "video/", "audio/", "text/css", "text/javascript", "application/javascript",
            "application/x-javascript",
        ].contains(where: type.hasPrefix) {
            return true
        }
        let name = exchange.request.url.path.utf8.split(separator: 0x2f).last ?? "".utf8[...]
        if name.elementsEqual("manifest.json".utf8) { return true }
        guard let dot = name.lastIndex(of: 0x2e) else { return false }
        return extensions.contains((String(name[name.index(after: dot)...]) ?? "").lowercased())
    }
}
