extension RecordedRequest {
    /// The URL as the browser had it, where a proxy in front of the server tells of https that it ended, and of the host that it was
    /// asked for.
    package var urlOfBrowser: RecordedURL {
        let first = { (name: String) in
            self.headers.first(name)?.split(separator: ",").first.map { $0.filter { $0 != " " } }
        }
        guard url.scheme == "http", first("x-forwarded-proto")?.lowercased() == "https" else { return url }
        let rest = url.text.dropFirst("http://".count)
        guard let host = first("x-forwarded-host"), !host.isEmpty else {
            return RecordedURL("https://" + rest)
        }
        return RecordedURL("https://" + host + rest.drop { $0 != "/" && $0 != "?" })
    }
}
