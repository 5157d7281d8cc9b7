import JOSE
import Reports
import Testing

/// A token as `jwt` prints it.
struct TokenTextTests {
    /// The first example of RFC 7515, appendix A.1, its signature cut: header, claims and times that have passed.
    private static let text =
        "eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9."
        + "eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ.c2ln"

    /// What reads a file has each check on one line; on a terminal no word of one is lost.
    @Test(arguments: [48, 60, 80, 100]) func checksFitTheTerminal(columns: Int) throws {
        let token = try #require(JSONWebToken.parse(Self.text))
        let checks =
            token.verify(keys: []).checks + token.checks(against: TokenExpectations(now: 1_300_819_381))
        func lines(_ columns: Int?) throws -> ArraySlice<Substring> {
            let text = TokenText.text(of: token, checks: checks, style: .plain, columns: columns)
            return text.split(separator: "\n").drop { $0 != "checks" }
        }
        let whole = try lines(nil)
        #expect(whole.count == checks.count + 1 && whole.contains { $0.count > 100 }, "\(whole)")
        let fitted = try lines(columns)
        #expect(fitted.allSatisfy { $0.count <= columns }, "\(fitted)")
        func words(_ lines: ArraySlice<Substring>) -> [Substring] {
            lines.flatMap { $0.split(separator: " ") }
        }
        #expect(words(fitted) == words(whole))
    }

    @Test(
        arguments: [
            ("1300819380", "2011-03-22T18:43:00Z"),
            (
                "1300819380000",
                "looks like milliseconds, which would be 2011-03-22T18:43:00Z; seconds are expected"
            ),
            // Not even in those.
            ("1300819380000000", nil),
        ] as [(String, String?)]
    )
    func timeInMillisecondsIsCalledThat(seconds: String, words: String?) throws {
        let parts = [#"{"alg":"none"}"#, "{\"exp\":\(seconds)}", ""].map { Base64URL.encode(Array($0.utf8)) }
        let token = try #require(JSONWebToken.parse(parts.joined(separator: ".")))
        let text = TokenText.text(of: token, checks: [], style: .plain, columns: nil)
        let line = text.split(separator: "\n").first { $0.contains("exp: ") }
        #expect(line.map(String.init) == "  exp: \(seconds)" + (words.map { "  \($0)" } ?? ""))
    }
}
