import Testing

@testable import authreel

/// What of a copied text is taken for tokens.
struct CopiedTokensTests {
    private static let token = "eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJqb2UifQ.c2ln"

    @Test(arguments: [
        ("T T", "T T"), ("Bearer T", "T"), ("T\ngarbage\nT", "T garbage T"), ("eyJhbGciOiJF", "eyJhbGciOiJF"),
        ("\"id_token\": \"T\",", "T"), ("https://app.example/cb#state=a.b.c&id_token=T", "T"), ("T,T", "T T"),
        ("{\"a\":\"opaque.x.y\",\"b\":[{\"c\":\"T\"}],\"d\":3}", "T"), ("{\"access_token\":\"opaque\"}", ""),
        ("{\"log\":{\"entries\":[{\"text\":\"T\"}]}}", ""), ("{T", "T"), ("", ""),
        ("{\"a\":\"eyJhIjoxfQ==.e30=.YQ==\"}", "eyJhIjoxfQ==.e30=.YQ=="), ("name:", ""),
    ])
    func tokensAreFoundInWhatIsCopied(_ row: (text: String, tokens: String)) {
        let (text, tokens) = (
            row.text.replacing("T", with: Self.token), row.tokens.replacing("T", with: Self.token)
        )
        #expect(CopiedTokens.texts(in: text).joined(separator: " ") == tokens)
    }
}
