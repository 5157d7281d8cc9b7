import JSON

/// Requests to the machine itself whose URLs had no scheme, and which of them went by TLS after all.
///
/// A port speaks either TLS or not: what another entry of the file says of it holds for all.
struct GuessedSchemes {
    private var guesses: [Int] = []

    /// Takes note of an exchange, if nobody named its scheme.
    mutating func note(_ exchange: Exchange, at index: Int, isGuessed: @autoclosure () -> Bool) {
        let url = exchange.request.url
        guard url.scheme == "http", LoopbackHost.isLoopback(url.host ?? ""), isGuessed() else { return }
        guesses.append(index)
    }

    /// Gives the requests of another program's file the URLs that they get when they are read again as entries of a HAR file.
    static func complete(_ exchanges: inout [Exchange]) {
        var schemes = GuessedSchemes()
        for index in exchanges.indices {
            let request = exchanges[index].request
            let target = request.url.text
            let text = Producers.url(ofTarget: target, request.headers) ?? target
            let whole = HAREntry.absolute(text, method: request.method)
            guard whole != target else { continue }
            exchanges[index].request.url = RecordedURL(whole)
            schemes.note(
                exchanges[index],
                at: index,
                isGuessed: Producers.isSchemeGuessed(of: target, request.headers)
            )
        }
        _ = schemes.settle(&exchanges)
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
