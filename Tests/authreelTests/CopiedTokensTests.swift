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
        ("HOME=/\0ID=T\0SHELL=bash and more\0", "T"), ("SQLite\0 opaque.x.y", ""),
    ])
    func tokensAreFoundInWhatIsCopied(_ row: (text: String, tokens: String)) {
        let (text, tokens) = (
            row.text.replacing("T", with: Self.token), row.tokens.replacing("T", with: Self.token)
        )
        #expect(CopiedTokens.texts(in: text).joined(separator: " ") == tokens)
    }

    /// Mails and terminals break lines where they are full.
    @Test(arguments: ["", "> ", "  "], ["", "="]) func brokenTokenIsPutTogether(
        before: String,
        behind: String
    ) {
        for width in 8...45 {
            let text = "id_token: \(Self.token)"
            var rest = text[...]
            var lines: [String] = []
            while !rest.isEmpty {
                let line = rest.prefix(width)
                rest = rest.dropFirst(width)
                lines.append(before + line + (rest.isEmpty ? "" : behind))
            }
            // Where the first line has its beginning at least, and no line all three parts.
            guard lines[0].contains("eyJ"), lines.count > 1 else { continue }
            let found = CopiedTokens.texts(in: lines.joined(separator: "\r\n"))
            #expect(found == [Self.token], "\(width): \(found)")
        }
    }

    /// One token a line, a word behind the last, and lines that are none together.
    @Test(arguments: [
        ("T\nT\nT", "T T T"), ("eyJhbGciOiJF\nUzI1NiJ9", "eyJhbGciOiJF UzI1NiJ9"),
        ("eyJhbGciOiJF\nT", "eyJhbGciOiJF T"),
        ("eyJhbGciOiJFUzI1NiJ9.eyJpc3\nMiOiJqb2UifQ.c2ln\nRegards", "T Regards"),
    ])
    func linesOfOtherThingsStayApart(_ row: (text: String, tokens: String)) {
        let (text, tokens) = (
            row.text.replacing("T", with: Self.token), row.tokens.replacing("T", with: Self.token)
        )
        #expect(CopiedTokens.texts(in: text).joined(separator: " ") == tokens)
    }
}
