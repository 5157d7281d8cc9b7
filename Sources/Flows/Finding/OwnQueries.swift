import Captures
import JSON
import OAuth

/// The queries that the redirect URIs of a capture have of their own (RFC 6749, section 3.1.2), as far as they look like an answer: what
/// stands in them is none of the provider's.
struct OwnQueries {
    private struct Pair: Hashable {
        let name: ByteText
        let value: ByteText

        init(_ item: QueryItems.Item) {
            name = ByteText(item.name)
            value = ByteText(item.value)
        }
    }

    private struct Query {
        /// In order, as often as they stand there.
        let pairs: [Pair]
        /// Where the first request with it stands in the order of time; nil where none has it.
        let since: Int?
    }

    /// By what redirect URIs are found by, and by the pair of each that the fewest others have.
    private let queries: [String: [Pair: [Query]]]
    /// Where the first authorization request stands that asks for an answer there.
    private let firstAsked: [String: Int]
    /// Where each exchange stands in the order of time.
    private let position: [Int: Int]

    /// Of redirect URIs: those of the requests, and those that are known otherwise.
    ///
    /// The order is that of the exchanges in time, the key what a redirect URI is found by.
    init(
        _ requests: [AuthorizationRequest],
        _ tokens: [TokenRequest],
        _ uris: [String],
        order: [Int],
        key: (RecordedURL) -> String
    ) {
        let urls = Self.answerLike(uris)
        guard !urls.isEmpty else {
            (queries, firstAsked, position) = ([:], [:], [:])
            return
        }
        position = Dictionary(order.enumerated().map { ($1, $0) }) { first, _ in first }
        var namings = Namings()
        for request in requests {
            guard let uri = request.redirectURI, let place = position[request.exchange] else { continue }
            namings.add(uri, askedAt: place, key(RecordedURL(uri)))
        }
        for token in tokens {
            guard let uri = token.redirectURI, let place = position[token.exchange] else { continue }
            namings.add(uri, with: token.code, at: place)
        }
        let own = urls.filter { !namings.sentBack.contains(ByteText($0.text)) }.sorted { $0.text < $1.text }
        queries = Self.queries(of: own, since: namings.since, key)
        firstAsked = namings.firstAsked
    }

    /// The addresses whose query looks like an answer, each once.
    private static func answerLike(_ uris: [String]) -> [RecordedURL] {
        Set(uris.map(ByteText.init)).map { RecordedURL($0.text) }.filter { url in
            let items = url.query == nil ? [] : url.queryItems.items
            return items.count <= mostItems && items.contains { answers.contains($0.name) }
        }
    }

    /// Where requests name their redirect URIs, in the order of time.
    private struct Namings {
        /// The first request with each.
        private(set) var since: [ByteText: Int] = [:]
        /// The first authorization request with each, by what it is found by.
        private(set) var firstAsked: [String: Int] = [:]
        /// Addresses of pages at which an answer arrived, which clients sent for the redirect URI.
        private(set) var sentBack: Set<ByteText> = []

        mutating func add(_ uri: String, askedAt place: Int, _ target: String) {
            firstAsked[target] = min(place, firstAsked[target] ?? place)
            add(ByteText(uri), at: place)
        }

        /// `code`: that a token request has beside it.
        mutating func add(_ uri: String, with code: String?, at place: Int) {
            let text = ByteText(uri)
            if let code, since[text] == nil,
                RecordedURL(uri).queryItems.items.contains(where: {
                    $0.name == "code" && $0.value.equalsBytes(of: code)
                })
            {
                sentBack.insert(text)
            }
            add(text, at: place)
        }

        private mutating func add(_ uri: ByteText, at place: Int) {
            since[uri] = min(place, since[uri] ?? place)
        }
    }

    private static func queries(
        of urls: [RecordedURL],
        since: [ByteText: Int],
        _ key: (RecordedURL) -> String
    ) -> [String: [Pair: [Query]]] {
        var uses: [Pair: Int] = [:]
        for url in urls {
            for pair in Set(url.queryItems.items.map(Pair.init)) { uses[pair, default: 0] += 1 }
        }
        var queries: [String: [Pair: [Query]]] = [:]
        for url in urls {
            let pairs = url.queryItems.items.map(Pair.init)
            guard let rarest = pairs.min(by: { (uses[$0] ?? 0) < (uses[$1] ?? 0) }) else { continue }
            let query = Query(pairs: pairs, since: since[ByteText(url.text)])
            queries[key(url), default: [:]][rarest, default: []].append(query)
        }
        return queries
    }

    /// The items of an address without those that look like a response and are a redirect URI's own.
    ///
    /// What an address has before a request names it as its redirect URI is an answer to an earlier one: a page that signs in again may
    /// name its own address, with the first answer in it. A `state` is left alone where it is the only one: some providers write what is
    /// there already once.
    func removed(from items: QueryItems, of key: String, at exchange: Int) -> QueryItems {
        guard let queries = queries[key], let place = position[exchange] else { return items }
        let isAsked = firstAsked[key].map { $0 < place } ?? false
        let pairs = items.items.map(Pair.init)
        var there: Set<Pair> = []
        let candidates = pairs.filter { there.insert($0).inserted }.flatMap { queries[$0] ?? [] }
        var own: Query?
        for query in candidates {
            guard !isAsked || (query.since ?? place) <= place, query.pairs.count > own?.pairs.count ?? 0,
                query.pairs.allSatisfy(there.contains)
            else { continue }
            own = query
        }
        guard let own else { return items }
        var left: [Pair: Int] = own.pairs.reduce(into: [:]) { $0[$1, default: 0] += 1 }
        var states = items.items.count { $0.name == "state" }
        let kept = zip(items.items, pairs).filter { item, pair in
            guard Self.answers.contains(item.name), let count = left[pair], count > 0 else { return true }
            if item.name == "state" {
                if states == 1 { return true }
                states -= 1
            }
            left[pair] = count - 1
            return false
        }
        return QueryItems(items: kept.map(\.0))
    }

    private static let answers: Set<String> = ["code", "error", "id_token", "response", "state"]
    /// A redirect URI with more was not written to be answered at.
    private static let mostItems = 64
}
