/// Whether two entries can be of one exchange: looks for what only two exchanges could differ in.
///
/// What one recorder has not seen contradicts nothing.
struct SightingComparison {
    /// How much else there is that says they are one.
    enum Tie {
        /// A value that is made for one request or login.
        case strong
        /// Nothing but place and time.
        case weak
        /// The same; where one of the two has no answer, what one client alone sends, too.
        case unanswered
    }

    let a: Exchange
    let b: Exchange
    let tie: Tie

    /// Whether nothing contradicts; both have the same method and query, and the end of the path.
    var holds: Bool {
        isPathAlike && isStatusAlike && areBodiesAlike && areHeadersAlike && areCookiesAlike && isDateAlike
            && (tie == .strong || areAnswersAlike) && a.isPushed == b.isPushed
    }

    /// A proxy may take off the beginning of a path, or put one there.
    private var isPathAlike: Bool {
        let (left, right) = (a.request.url.path, b.request.url.path)
        return left.hasSuffix(right) || right.hasSuffix(left)
    }

    /// What an answer gives out anew each time: two logins at once have the same of everything else.
    private var areAnswersAlike: Bool {
        guard let left = a.response, let right = b.response else { return true }
        let cookies = Dictionary(grouping: right.setCookies, by: \.name).mapValues { Set($0.map(\.value)) }
        guard
            left.setCookies.allSatisfy({ cookie in
                guard let values = cookies[cookie.name], !RemovedValue.isOne(cookie.value) else {
                    return true
                }
                return values.contains(cookie.value) || values.contains(where: RemovedValue.isOne)
            })
        else { return false }
        guard areAnswerIDsAlike(left.headers, right.headers) else { return false }
        guard let query = left.location.flatMap({ RecordedURL($0).query }),
            let other = right.location.flatMap({ RecordedURL($0).query })
        else { return true }
        let values = QueryItems(other)
        return QueryItems(query).items.allSatisfy { item in
            guard OneTimeValue.isOne(item.value, under: item.name), let value = values.first(item.name) else {
                return true
            }
            return RemovedValue.areAlike(value, item.value)
        }
    }

    /// What a server, or what stands before it, names each of its answers by.
    private static let answerIDs = [
        "x-request-id", "x-correlation-id", "request-id", "cf-ray", "x-amz-cf-id", "x-amzn-requestid",
        "x-ms-request-id", "x-okta-request-id", "x-forgerock-transactionid",
    ]

    /// Two programs fetch the same document within one second, and are answered the same but for that.
    private func areAnswerIDsAlike(_ left: HeaderFields, _ right: HeaderFields) -> Bool {
        // Another server on the way names the answer anew, and does not leave the other fields as they are.
        guard isSameServer, Self.hasSameNames(left, right), left.first("server") == right.first("server")
        else {
            return true
        }
        return Self.answerIDs.allSatisfy { name in
            guard let first = left.first(name), let second = right.first(name) else { return true }
            return RemovedValue.areAlike(first, second)
        }
    }

    private static func hasSameNames(_ left: HeaderFields, _ right: HeaderFields) -> Bool {
        left.fields.map { $0.name.lowercased() }.sorted()
            == right.fields.map { $0.name.lowercased() }.sorted()
    }

    /// Whether the queries are the same, but for values that somebody took out of one.
    var isQueryAlike: Bool {
        let (left, right) = (a.request.url, b.request.url)
        return (left.query ?? "").utf8.elementsEqual((right.query ?? "").utf8)
            || RemovedValue.areAlike(left.queryItems, right.queryItems)
    }

    /// Whether both were asked of one name; one that both sides of a proxy have goes by two ports.
    var isSameServer: Bool { a.request.url.mayNameServer(of: b.request.url) }

    private var isStatusAlike: Bool {
        guard let left = a.response, let right = b.response else {
            // A browser that has gone meanwhile has no answer, where its server has sent one.
            return switch tie {
            case .strong: true
            case .weak: a.response == nil && b.response == nil
            case .unanswered: a.response == nil && b.response == nil || isOfOneClient
            }
        }
        return left.status == right.status
    }

    /// Whether both have what one client alone sends: its credentials, its session, its form.
    private var isOfOneClient: Bool {
        if let credentials = a.request.headers.first("authorization"), !RemovedValue.isOne(credentials),
            credentials == b.request.headers.first("authorization")
        {
            return true
        }
        let values = Dictionary(grouping: b.request.cookies, by: \.name).mapValues { Set($0.map(\.value)) }
        let hasCookie = a.request.cookies.contains { cookie in
            cookie.value.utf8.count >= Self.shortestOwnValue && !RemovedValue.isOne(cookie.value)
                && values[cookie.name]?.contains(cookie.value) == true
        }
        if hasCookie { return true }
        guard let form = BodyFields(a.request.body), let other = BodyFields(b.request.body) else {
            return false
        }
        return form.text == other.text
            && form.items.items.contains { item in
                !Self.ofTheApp.contains(item.name) && !RemovedValue.isOne(item.value)
            }
    }

    /// What an app sends for each of its users.
    private static let ofTheApp: Set<String> = [
        "grant_type", "client_id", "client_secret", "scope", "audience", "resource",
    ]

    /// What is shorter may be a setting that many have.
    private static let shortestOwnValue = 8

    private var areHeadersAlike: Bool {
        // Two programs of one machine ask for the same document within one second.
        let names = tie == .strong ? ["authorization"] : ["authorization", "user-agent"]
        for name in names + (isSameServer ? Array(ExchangeMarks.requestIDs) : []) {
            guard let left = a.request.headers.first(name), let right = b.request.headers.first(name) else {
                continue
            }
            guard
                RemovedValue.areAlike(
                    ExchangeMarks.requestID(left, name),
                    ExchangeMarks.requestID(right, name)
                )
            else {
                return false
            }
        }
        return true
    }

    private var areCookiesAlike: Bool {
        let right = b.request.cookies
        guard !right.isEmpty else { return true }
        let values = Dictionary(grouping: right, by: \.name).mapValues { Set($0.map(\.value)) }
        return a.request.cookies.allSatisfy { cookie in
            guard let values = values[cookie.name] else { return true }
            return values.contains(cookie.value) || RemovedValue.isOne(cookie.value)
                || values.contains(where: RemovedValue.isOne)
        }
    }

    /// A server stamps an answer once; a proxy, that has its own name, may do it again.
    private var isDateAlike: Bool {
        guard isSameServer, let left = a.response?.headers.first("date"),
            let right = b.response?.headers.first("date"),
            left != right, let first = Timestamp(httpDate: left), let second = Timestamp(httpDate: right)
        else { return true }
        if tie != .strong, isOneServersAnswer { return false }
        return abs(first.seconds - second.seconds) <= 2
    }

    /// Whether both answers are as one server wrote them, which another on the way would have left its traces in.
    private var isOneServersAnswer: Bool {
        guard let left = a.response?.headers, let right = b.response?.headers else { return false }
        if let name = left.first("server"), name == right.first("server") { return true }
        return Self.hasSameNames(left, right)
    }

    private var areBodiesAlike: Bool {
        guard Self.areAlike(a.request.body, b.request.body) else { return false }
        // A page may be rewritten on its way, by a proxy or by a browser that saves it as text. Below another path it may be another
        // page altogether.
        if a.request.url.path != b.request.url.path, let left = a.response?.body?.essence,
            let right = b.response?.body?.essence, left != right
        {
            return false
        }
        return tie == .strong && a.request.url.path == b.request.url.path
            || Self.areAlike(a.response?.body, b.response?.body)
    }

    private static func areAlike(_ left: Body?, _ right: Body?) -> Bool {
        guard let left, let right, left.isWhole, right.isWhole else { return true }
        if let first = BodyFields(left), let second = BodyFields(right) {
            return RemovedValue.areAlike(first.items, second.items)
        }
        if let first = left.knownCount, let second = right.knownCount, first != second {
            return isVeiled(left) || isVeiled(right)
        }
        guard let first = left.bytes, let second = right.bytes else { return true }
        return first == second || isVeiled(left) || isVeiled(right)
    }

    /// Whether values were taken out of a body, as the page of a redirect has them in its link.
    private static func isVeiled(_ body: Body) -> Bool {
        guard let bytes = body.bytes, bytes.count <= largestVeiled else { return false }
        return RemovedValue.isWithin(String(decoding: bytes, as: UTF8.self))
    }

    /// Larger ones are pages, in which such words may stand.
    private static let largestVeiled = 16 << 10
}

extension Body {
    /// Whether all of it is there, in a form that can be compared.
    ///
    /// Browsers do not keep the bodies of redirects: an empty one says nothing.
    fileprivate var isWhole: Bool {
        guard !isTruncated, remainingCoding == nil, knownCount != 0 else { return false }
        if case .missing = content { return false }
        return true
    }

    /// Bytes that it has; nil where it has to be read for that.
    fileprivate var knownCount: Int? {
        switch content {
        case .bytes(let bytes): bytes.count
        case .spooled(let bytes): bytes.count
        case .deferred, .missing, .parameters: nil
        }
    }
}
