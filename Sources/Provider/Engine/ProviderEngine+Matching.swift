import Captures

/// Which transaction a request belongs to.
extension ProviderEngine {
    /// By a value that only it has: in the URL, then in the body, then in the cookies; else the last one that has a
    /// page of this address.
    func transaction(of request: RecordedRequest) -> Transaction? {
        var texts = [request.url.text]
        if let body = request.body, (body.size ?? 0) < 1 << 16, let text = body.text { texts.append(text) }
        texts.append(request.cookies.map(\.value).joined(separator: ";"))
        var ended: Transaction?
        for text in texts {
            for word in Self.words(of: text) {
                guard let found = state.transactionIDs[word].flatMap({ state.transactions[$0] }) else {
                    continue
                }
                if !found.isOver { return found }
                ended = ended ?? found
            }
        }
        for cookie in request.cookies {
            if let own = state.transactions[cookie.value], !own.isOver { return own }
        }
        if let ended { return ended }
        return state.transactions.newestFirst.prefix(100).lazy.map(\.value).first { transaction in
            guard let number = transaction.script, !transaction.isOver else { return false }
            return StepMatcher(transaction, dialect.scripts[number], dialect).step(for: request) != nil
        }
    }

    /// What may be a value in a text, through up to three encodings.
    private static func words(of text: String) -> [String] {
        var words: [String] = []
        var seen: Set<String> = []
        var current = text
        for _ in 0..<4 {
            for part in current.utf8.split(whereSeparator: { !$0.isUnreserved }) where part.count >= 6 {
                let word = String(Substring(part))
                if seen.insert(word).inserted { words.append(word) }
            }
            // Values with characters of their own stand whole between those of a query.
            for part in current.utf8.split(whereSeparator: { "?&=#\";, ".utf8.contains($0) })
            where part.count >= 6 {
                let word = String(Substring(part))
                if seen.insert(word).inserted { words.append(word) }
            }
            let decoded = PercentEncoding.decode(current)
            if decoded == current || words.count > 2000 { break }
            current = decoded
        }
        return words
    }
}
