import Captures
import Testing

@testable import Provider

/// A request is of the transaction that it carries a value of, wherever that stands and however it is encoded.
struct TransactionTableTests {
    private static let value = "value/with+signs"

    private func login(state: String?, nonce: String? = nil, requestURI: String? = nil) -> PendingLogin {
        PendingLogin(
            clientID: "app",
            redirectURI: "https://app.example/cb",
            responseType: "code",
            scope: "openid",
            state: state,
            nonce: nonce,
            prompt: [],
            requestURI: requestURI,
            parameters: RequestParameters()
        )
    }

    private func request(_ query: String = "", cookies: String = "", body: String? = nil) -> RecordedRequest {
        RecordedRequest(
            method: body == nil ? "GET" : "POST",
            url: RecordedURL("https://id.example/page" + query),
            headers: HeaderFields(cookies.isEmpty ? [] : [("Cookie", cookies)]),
            body: body.map { Body(text: $0, mediaType: FormBody.mediaType) }
        )
    }

    private func table() -> TransactionTable {
        var table = TransactionTable()
        table.open(Transaction(id: "first-transaction", purpose: .visit))
        table.open(Transaction(id: "second-transaction", purpose: .visit))
        table.recognize("first-transaction", by: Self.value)
        table.recognize("second-transaction", by: "other-value")
        return table
    }

    @Test func requestIsFoundByWhatItCarries() {
        let once = PercentEncoding.encode(Self.value)
        let twice = PercentEncoding.encode(once)
        let requests = [
            request("?x=\(once)"), request("?next=\(twice)"), request(body: "x=\(once)"),
            request(cookies: "x=\(once)"), request(cookies: "x=first-transaction"),
        ]
        for request in requests {
            #expect(table().transaction(carriedBy: request)?.id == "first-transaction")
        }
        #expect(table().transaction(carriedBy: request("?x=nothing-known")) == nil)
    }

    @Test func urlCountsBeforeTheBodyAndWhatIsOverLast() {
        var table = table()
        let once = PercentEncoding.encode(Self.value)
        let both = request("?x=other-value", cookies: "x=\(once)")
        #expect(table.transaction(carriedBy: both)?.id == "second-transaction")
        table.close(Transaction(id: "second-transaction", purpose: .visit))
        #expect(table.transaction(carriedBy: both)?.id == "first-transaction")
        #expect(table.transaction(carriedBy: request("?x=other-value"))?.id == "second-transaction")
    }

    @Test func loginThatComesAgainIsTheSameUntilItIsOver() {
        var table = TransactionTable()
        let transaction = Transaction(id: "1", purpose: .login(login(state: "s1", nonce: "n1")))
        table.open(transaction)
        table.recognize("1", by: login(state: "s1", nonce: "n1"))
        #expect(table.login(as: login(state: "s1", nonce: "n1"), isPosted: false)?.id == "1")
        // A form of its page may leave out what the request had for the tokens.
        #expect(table.login(as: login(state: "s1"), isPosted: false) == nil)
        #expect(table.login(as: login(state: "s1"), isPosted: true)?.id == "1")
        #expect(table.login(as: login(state: "s2", nonce: "n1"), isPosted: true) == nil)
        table.close(transaction)
        #expect(table.login(as: login(state: "s1", nonce: "n1"), isPosted: false) == nil)
    }

    /// RFC 9126, section 4.
    @Test func pushedRequestIsUnderWayUntilItIsAnswered() {
        var table = TransactionTable()
        let transaction = Transaction(id: "1", purpose: .login(login(state: nil, requestURI: "urn:1")))
        #expect(!table.isUnderWay(requestURI: "urn:1"))
        table.open(transaction)
        #expect(table.isUnderWay(requestURI: "urn:1"))
        table.close(transaction)
        #expect(!table.isUnderWay(requestURI: "urn:1"))
    }
}
