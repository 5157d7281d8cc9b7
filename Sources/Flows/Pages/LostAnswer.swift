import Captures

/// A callback whose answer got lost on the way to the app: what stands in front sent the browser on to another spelling of the same address
/// (https for http, with or without `www.`, a slash at the end) without its query, or by a redirect that makes a GET of a form.
package enum LostAnswer {
    /// The exchange at which the app refused a callback that brought it nothing any more; nil where the answer was not lost so.
    package static func refusal(behind callback: Int, in index: CaptureIndex) -> Int? {
        let asked = index.capture[callback].request
        guard let response = index.capture[callback].response, (300..<400).contains(response.status),
            let location = response.location, let landing = index.landings(of: callback).first,
            let status = index.capture[landing].response?.status, status >= 400
        else { return nil }
        let target = asked.url.resolving(location)
        let came = index.capture[landing].request
        guard isRespelled(asked.url, target), came.method == "GET",
            !target.queryItems.items.contains(where: { names.contains($0.name) }),
            asked.method == "POST" || asked.url.queryItems.items.contains(where: { names.contains($0.name) })
        else { return nil }
        return landing
    }

    /// Whether two addresses name the same place, and not by the same string.
    private static func isRespelled(_ url: RecordedURL, _ other: RecordedURL) -> Bool {
        guard url.isWeb, other.isWeb, place(url) == place(other) else { return false }
        return url.scheme != other.scheme || url.host != other.host || url.path != other.path
    }

    private static func place(_ url: RecordedURL) -> [String] {
        let host = (url.host ?? "").lowercased()
        return [
            host.hasPrefix("www.") ? String(host.dropFirst(4)) : host,
            url.path.utf8.last == 0x2f ? String(url.path.dropLast()) : url.path,
        ]
    }

    /// What an answer consists of; an error is told by its name alone.
    private static let names: Set<String> = [
        "code", "state", "id_token", "access_token", "response", "error",
    ]
}
