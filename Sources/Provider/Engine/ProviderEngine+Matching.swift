import Captures

/// Which transaction a request belongs to, and which recorded step it is.
extension ProviderEngine {
    // MARK: - Transactions

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
            return step(for: request, in: transaction, dialect.scripts[number]) != nil
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

    // MARK: - Steps

    /// The recorded request that this one is: same method and path, likest query and fields, next in time.
    func step(for request: RecordedRequest, in transaction: Transaction, _ script: InteractionScript) -> Int?
    {
        let target = request.url.pathAndQuery
        guard let played = dialect.addresses.recorded(target) else { return nil }
        let back = Substitution(transaction.values.map { (old: $0.new, new: $0.old) })
        let url = RecordedURL(back.applied(to: played))
        let method = request.method == "HEAD" ? "GET" : request.method
        let sent = SignInCredentials(of: request, fields: dialect.passwordFields)
        // Where nobody ever got in, the answer to everybody is that one.
        let hasOnlyFailures = !script.steps.contains { $0.credentials?.password != nil && !$0.isFailedSignIn }
        let candidates = script.steps.indices.filter { index in
            let step = script.steps[index]
            guard step.method == method, !step.isFailedSignIn || hasOnlyFailures,
                Self.isSamePlace(step.url, url)
            else {
                return false
            }
            if (step.credentials?.password != nil) != (sent?.password != nil), !step.isSafe { return false }
            guard step.delivery != nil, index > 0 else { return true }
            return !transaction.isOver && script.isReady(index, served: transaction.served)
        }
        let fields = method == "GET" ? [] : Set(request.sentForm.items.map(\.name))
        return candidates.max { left, right in
            let a = rank(left, url, fields, transaction, script)
            let b = rank(right, url, fields, transaction, script)
            // Among equals the earlier one.
            return (a.likeness, a.time, -left) < (b.likeness, b.time, -right)
        }
    }

    /// The sign-in whose form this is, sent with nothing typed into it.
    func emptySignIn(for request: RecordedRequest, in transaction: Transaction, _ script: InteractionScript)
        -> Int?
    {
        guard let played = dialect.addresses.recorded(request.url.path) else { return nil }
        let url = RecordedURL(
            Substitution(transaction.values.map { (old: $0.new, new: $0.old) }).applied(to: played)
        )
        let fields = Set(request.sentForm.items.map(\.name))
        return script.steps.indices.first { index in
            let step = script.steps[index]
            return step.credentials?.password != nil && step.method == request.method && step.fields == fields
                && Self.isSamePlace(step.url, url)
        }
    }

    private static func isSamePlace(_ left: RecordedURL, _ right: RecordedURL) -> Bool {
        // One may have been told as http what the other was as https.
        guard left.host == right.host, left.explicitPort == right.explicitPort else { return false }
        if left.path == right.path { return true }
        return PercentEncoding.decode(left.path) == PercentEncoding.decode(right.path)
    }

    private func rank(
        _ index: Int,
        _ url: RecordedURL,
        _ fields: Set<String>,
        _ transaction: Transaction,
        _ script: InteractionScript
    ) -> (likeness: Int, time: Int) {
        let step = script.steps[index]
        let asked = step.url.queryItems.items
        let given = url.queryItems.items
        let isSame = Set(asked.map { [$0.name, $0.value] }) == Set(given.map { [$0.name, $0.value] })
        let hasNames = Set(asked.map(\.name)) == Set(given.map(\.name))
        var likeness = isSame ? 4 : hasNames ? 2 : 0
        if !step.isSafe, step.fields == fields { likeness += 1 }
        let next = script.nextChange(after: transaction.progress)
        let isNow = index > transaction.progress && index <= next
        let isServed = transaction.served.contains(index)
        // Now and not yet seen; now; the latest before; what comes later.
        let time =
            isNow
            ? (isServed ? 3_000_000 + index * 2 : 4_000_000 - index)
            : index <= transaction.progress ? 2_000_000 + index : 1_000_000 - index
        return (likeness, time)
    }
}
