package import Captures
import OAuth

extension RecordedURL {
    /// Whether two web addresses name the same place, and not by the same string.
    ///
    /// That is https for http, with or without `www.`, or a slash at the end of the path; queries are not looked at.
    package func isRespelled(as other: RecordedURL) -> Bool {
        guard isWeb, other.isWeb, place == other.place else { return false }
        return scheme != other.scheme || host != other.host || path != other.path
    }

    private var place: [String] {
        let host = (host ?? "").lowercased()
        return [
            host.hasPrefix("www.") ? String(host.dropFirst(4)) : host, path.withoutSlash,
        ]
    }
}
