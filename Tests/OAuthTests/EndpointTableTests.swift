import Captures
import OAuth
import Testing

struct EndpointTableTests {
    private func table(_ urls: String...) -> EndpointTable<String> {
        urls.reduce(into: EndpointTable()) { $0.add(RecordedURL("https://id.example/" + $1), $1) }
    }

    @Test(
        arguments: [
            ("i?p=a&state=1", "i?p=a"), ("i?state=1&p=A", "i?p=a"), ("i?p=b&q=2", "i?p=b&q=2"),
            ("i?p=b", "i?p=b"), ("i?p=c", nil), ("i", nil), ("j?p=b", nil),
        ] as [(String, String?)]
    )
    func ofSeveralTheOneIsMeantWhoseQueryIsAllThere(asked: String, value: String?) {
        let table = table("i?p=a", "i?p=b", "i?p=b&q=2")
        #expect(table[RecordedURL("https://id.example:443/" + asked)] == value)
    }

    @Test func onePathWithoutAQueryTakesWhatNoOtherDoes() {
        let table = table("", "?p=b")
        #expect(table[RecordedURL("https://id.example?p=b&x=1")] == "?p=b")
        #expect(table[RecordedURL("https://id.example/?x=1")]?.isEmpty == true)
    }

    @Test func theOnlyOneOfAPathIsMeantWhateverTheQuery() {
        let table = table("i?p=a")
        #expect(table[RecordedURL("https://id.example/i?p=b")] == "i?p=a")
        #expect(table.entry(of: RecordedURL("https://id.example/i?p=b")) == nil)
    }

    @Test(
        arguments: [
            ("token", "token", true), ("token", "token?p=b", true), ("token?p=a", "token", true),
            ("token?p=a", "token?p=b", false), ("token?p=a", "token?p=A", true),
            ("token?p=a%2Fb", "token?p=a/b", true), ("token", "tokens", false),
            // The same to the eye alone.
            ("token?p=caf%C3%A9", "token?p=cafe%CC%81", false),
            ("token?p=caf%C3%A9", "token?p=caf%c3%a9", true),
        ]
    )
    func endpointsAreOneUnlessSomethingTellsThemApart(named: String, asked: String, isSame: Bool) {
        let url = { RecordedURL("https://id.example/" + $0) }
        #expect(url(named).isEndpoint(url(asked)) == isSame)
    }

    /// A copy of all that is known of an endpoint, made for each document that names it, takes time that grows with their square.
    @Test func whatBelongsToAnEndpointIsChangedWhereItIs() {
        final class Documents: Sendable {}
        let url = RecordedURL("https://id.example/i?p=a")
        var table = EndpointTable<Documents>()
        table.add(url, Documents())
        var isAlone = false
        table.update(url, default: Documents()) { isAlone = isKnownUniquelyReferenced(&$0) }
        #expect(isAlone)
    }

    /// A number against caches is in the query of many a request.
    @Test(
        arguments: [
            ("?r=0.7264", ""), ("?r=oauth/token", "?r=oauth/token"), ("?route=token", "?route=token"),
        ]
    )
    func loneRIsOfNoEndpoint(query: String, own: String) {
        let base = "https://id.example/oauth/"
        let url = RecordedURL(base + query)
        #expect(Endpoints().endpoint(of: url).text == base + own)
    }
}
