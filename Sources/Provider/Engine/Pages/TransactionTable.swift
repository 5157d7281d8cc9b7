import Captures

/// The ways of users through the provider's pages that were begun, and by what a request is found to be of one.
///
/// Says nothing of which step of its script a request is: that is a ``StepMatcher``'s.
struct TransactionTable: Sendable {
    private var transactions = LimitedTable<Transaction>()
    /// By values that only they carry, and by the requests that began them.
    private var ids = LimitedTable<String>(limit: 100_000)

    subscript(id: String) -> Transaction? {
        get { transactions[id] }
        set { transactions[id] = newValue }
    }

    /// Begins a transaction, or goes on with it as it is now; a pushed request that began it is under way from then on.
    mutating func open(_ transaction: Transaction) {
        transactions[transaction.id] = transaction
        if let uri = transaction.login?.requestURI { ids[Self.name(ofRequest: uri)] = transaction.id }
    }

    mutating func close(_ transaction: Transaction) { transactions[transaction.id]?.isOver = true }

    // MARK: - By what they are found

    /// From now on a request that carries a value is one of this transaction.
    mutating func recognize(_ id: String, by value: String) { ids[value] = id }

    /// The same of all that only this login has, and of its request, should it come again.
    mutating func recognize(_ id: String, by login: PendingLogin) {
        for value in [login.state, login.nonce, login.challenge].compactMap({ $0 }) { ids[value] = id }
        if let key = Self.key(of: login) { ids[Self.name(ofRequest: key)] = id }
    }

    /// What tells one request of a client from the next; nil where it has nothing of its own.
    private static func key(of login: PendingLogin) -> String? {
        login.state ?? login.nonce ?? login.challenge
    }

    private static func name(ofRequest key: String) -> String { "request " + key }

    /// An unfinished login with the very same request, or one whose page is sent.
    func login(as login: PendingLogin, isPosted: Bool) -> Transaction? {
        let key = Self.key(of: login)
        if let key, let id = ids[Self.name(ofRequest: key)], let transaction = transactions[id] {
            guard !transaction.isOver, let open = transaction.login else { return nil }
            return open.isSame(as: login) || isPosted && open.isContinued(by: login) ? transaction : nil
        }
        guard key == nil else { return nil }
        return transactions.newestFirst.prefix(50).lazy.map(\.value).first {
            !$0.isOver && $0.login?.isSame(as: login) ?? false
        }
    }

    /// Whether the user is at the pages of a pushed request: a reload may name it again (RFC 9126, section 4).
    func isUnderWay(requestURI: String) -> Bool {
        let id = ids[Self.name(ofRequest: requestURI)]
        return id.flatMap { transactions[$0] }.map { !$0.isOver } ?? false
    }

    /// The transaction of which a request carries a value that only it has: in the URL, then in the body, then in the cookies; one that
    /// is over where there is no other.
    func transaction(carriedBy request: RecordedRequest) -> Transaction? {
        var texts = [request.url.text]
        if let body = request.body, (body.size ?? 0) < 1 << 16, let text = body.text { texts.append(text) }
        texts.append(request.cookies.map(\.value).joined(separator: ";"))
        var ended: Transaction?
        for text in texts {
            for word in Self.words(of: text) {
                guard let found = ids[word].flatMap({ transactions[$0] }) else { continue }
                if !found.isOver { return found }
                ended = ended ?? found
            }
        }
        for cookie in request.cookies {
            if let own = transactions[cookie.value], !own.isOver { return own }
        }
        return ended
    }

    /// The newest of those under way that a condition holds for; the oldest of many are not asked.
    func newest(where condition: (Transaction) -> Bool) -> Transaction? {
        transactions.newestFirst.prefix(100).lazy.map(\.value).first { !$0.isOver && condition($0) }
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
