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
}
