import Captures
import Flows

/// Which recorded step of its script a request of a transaction is.
struct StepMatcher {
    private let transaction: Transaction
    let script: InteractionScript
    private let addresses: AddressMap
    private let passwordFields: PasswordFields
    /// Whether the recording has devices, whose users decide on pages that no client asked for (RFC 8628).
    let hasDevices: Bool

    init(_ transaction: Transaction, _ script: InteractionScript, _ dialect: ProviderDialect) {
        self.transaction = transaction
        self.script = script
        addresses = dialect.addresses
        passwordFields = dialect.passwordFields
        hasDevices = dialect.deviceAuthorization != nil
    }

    /// The recorded request that this one is: same method and path, likest query and fields, next in time.
    func step(for request: RecordedRequest) -> Int? {
        guard let url = recorded(request.url.pathAndQuery) else { return nil }
        let method = request.method == "HEAD" ? "GET" : request.method
        let sent = SignInCredentials(of: request, fields: passwordFields)
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
            let a = rank(left, url, fields)
            let b = rank(right, url, fields)
            // Among equals the earlier one.
            return (a.likeness, a.time, -left) < (b.likeness, b.time, -right)
        }
    }

    /// The sign-in whose form this is, sent with nothing typed into it.
    func emptySignIn(for request: RecordedRequest) -> Int? {
        guard let url = recorded(request.url.path) else { return nil }
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
        _ fields: Set<String>
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

    /// What was asked in the recording, where this is asked now; nil where the recording has nothing of that place.
    private func recorded(_ target: String) -> RecordedURL? {
        addresses.recorded(target).map { played in
            let back = Substitution(transaction.values.map { (old: $0.new, new: $0.old) })
            return RecordedURL(back.applied(to: played))
        }
    }
}
