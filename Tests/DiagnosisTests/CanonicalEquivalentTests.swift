import Captures
import Diagnosis
import DiagnosisTestSupport
import JSON
import Testing

/// Texts that Unicode calls equal and protocols do not: é as one code point, and as e with an accent behind it.
struct CanonicalEquivalentTests {
    private static let one = "caf\u{e9}-0123456789abcdef"
    private static let other = "cafe\u{301}-0123456789abcdef"
    private static let words = "the same text in another Unicode normal form, from character "

    /// What a rule says where the two stand against each other, and that it says nothing where one stands twice.
    private func notes(
        _ rule: String,
        _ capture: String,
        _ edit: (Recording, String, String) throws -> Recording
    )
        throws -> String
    {
        let whole = try Recording(capture)
        #expect(try edit(whole, Self.one, Self.one).finding(rule) == nil)
        let finding = try #require(try edit(whole, Self.one, Self.other).finding(rule))
        return finding.notes.joined(separator: "\n")
    }

    @Test func redirectURIOfTheTokenRequestIsAnother() throws {
        let address = "https://www.shop.example/callback?shop="
        let notes = try notes("redirect-uri-token-mismatch", "token-request/redirect-uri-token-mismatch") {
            $0.asking("redirect_uri", address + $1).sending("redirect_uri", address + $2)
        }
        #expect(notes.contains(Self.words + "43"))
    }

    @Test func clientIsAnother() throws {
        let notes = try notes("code-wrong-client", "token-request/code-wrong-client") {
            $0.asking("client_id", $1).sending("client_id", $2)
        }
        #expect(notes.contains("in another spelling: " + Self.words + "4"))
    }

    @Test func stateThatComesBackIsAnother() throws {
        let notes = try notes("state-mismatch", "authorization-response/state-mismatch") {
            whole,
            sent,
            came in
            whole.asking("state", sent).editing { exchange in
                if exchange.request.url.path == "/callback" {
                    exchange.request.url = RecordedURL(
                        Recording.changing(exchange.request.url.text, "state", came)
                    )
                }
                if let location = exchange.response?.location, location.contains("/callback?code") {
                    exchange.response?.redirect(to: Recording.changing(location, "state", came))
                }
            }
        }
        #expect(notes.contains(Self.words + "4"))
    }

    @Test(arguments: [
        ("id-token-nonce-mismatch", "nonce", "nonce"), ("id-token-audience-mismatch", "client_id", "aud"),
    ])
    func claimIsAnother(rule: String, parameter: String, claim: String) throws {
        let notes = try notes(rule, "id-token/" + rule) { whole, sent, came in
            let asked = whole.asking(parameter, sent)
            return (parameter == "client_id" ? asked.sending(parameter, sent) : asked).editingIDToken {
                $0[claim] = .string(came)
            }
        }
        #expect(notes.contains(Self.words + "4"))
    }

    @Test func issuerIsAnother() throws {
        let address = "https://id.harbour.example/"
        let notes = try notes("id-token-issuer-mismatch", "id-token/id-token-issuer-mismatch") {
            whole,
            stated,
            came in
            whole.editingAnswer(of: "/.well-known/openid-configuration") {
                $0["issuer"] = .string(address + stated)
            }.editingIDToken { $0["iss"] = .string(address + came) }
        }
        #expect(notes.contains(Self.words + "31"))
    }

    @Test func userIsAnother() throws {
        _ = try notes("userinfo-sub-mismatch", "resource-calls/userinfo-sub-mismatch") {
            whole,
            stated,
            came in
            whole.editingIDToken { $0["sub"] = .string(stated) }.editingAnswer(of: "/userinfo") {
                $0["sub"] = .string(came)
            }
        }
    }
}
