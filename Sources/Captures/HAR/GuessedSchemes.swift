import JSON

/// Requests to the machine itself whose URLs had no scheme, and which of them went by TLS after all.
///
/// A port speaks either TLS or not: what another entry of the file says of it holds for all.
struct GuessedSchemes {
    private var guesses: [Int] = []

    /// Takes note of an exchange whose scheme nobody named.
    mutating func note(_ exchange: Exchange, at index: Int, request: JSONValue?) {
        let url = exchange.request.url
        guard url.scheme == "http", LoopbackHost.isLoopback(url.host ?? ""), let request = request?.object,
            Producers.isSchemeGuessed(of: request)
        else { return }
        guesses.append(index)
    }

    /// Gives them the scheme that others name for their server.
    ///
    /// Others are URLs that have one, `Origin` and `Referer`, and a redirect to the very URL; where a server sends its
    /// browsers may be wrong.
    ///
    /// - Returns: the exchanges that have another one now.
    func settle(_ exchanges: inout [Exchange]) -> Set<Int> {
        guard !guesses.isEmpty else { return [] }
        let place = { (url: RecordedURL) in url.hostAndPort?.lowercased() ?? "" }
        let places = Set(guesses.map { place(exchanges[$0].request.url) })
        let targets = Set(guesses.map { "https" + exchanges[$0].request.url.text.dropFirst(4) })
        var secure: Set<String> = []
        for exchange in exchanges {
            let fields = exchange.request.headers
            let location = exchange.response?.location.flatMap { targets.contains($0) ? $0 : nil }
            for text in [
                exchange.request.url.text, fields.first("origin"), fields.first("referer"), location,
            ] {
                guard let text, text.hasPrefix("https://") else { continue }
                let named = place(RecordedURL(text))
                if places.contains(named) { secure.insert(named) }
            }
        }
        let changed = guesses.filter { secure.contains(place(exchanges[$0].request.url)) }
        for index in changed {
            exchanges[index].request.url = RecordedURL(
                "https" + exchanges[index].request.url.text.dropFirst(4)
            )
        }
        return Set(changed)
    }
}
