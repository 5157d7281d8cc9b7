import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import JSON
import OAuth
import Testing

struct IDTokenAlgNoneTests {
    private let rule = "id-token-alg-none"
    private let broken = "id-token/id-token-alg-none"

    @Test func namesTheHeader() throws {
        let finding = try #require(Recording(broken).finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.places == ["4 jwt.header alg"])
        #expect(finding.evidence[0].value == "none")
        #expect(finding.notes == ["the signature is empty"])
    }

    /// The answer says what was registered, whether or not the request was saved.
    @Test(arguments: [true, false]) func whatWasRegisteredIsANote(isSaved: Bool) throws {
        let recording = try Recording(broken + ".near-miss").editing { exchange in
            guard exchange.request.url.path == "/register", !isSaved else { return }
            exchange.request.body = Body(content: .missing)
        }
        let finding = try #require(recording.finding(rule))
        #expect(finding.severity == .note)
        #expect(finding.places == ["5 jwt.header alg", "0 response.body id_token_signed_response_alg"])
    }

    @Test func anEmptySignatureIsNoneWhateverTheHeaderSays() throws {
        #expect(try Recording(broken).editingIDToken(header: { $0["alg"] = "RS256" }).finding(rule) != nil)
    }

    @Test(arguments: ["None", "NONE"]) func readsAnyCase(name: String) throws {
        let recording = try Recording("id-token/id-token-nonce-missing").editingIDToken(header: {
            $0["alg"] = .string(name)
        })
        #expect(recording.finding(rule)?.notes == ["a signature is there all the same"])
    }

    @Test func isAnErrorThoughTheClientWentOn() throws {
        let recording = try Recording(broken).goingOn
        #expect(recording.finding(rule)?.severity == .error)
        #expect(recording.outcomes == [.failure])
    }

    @Test func leavesEncryptedAndSignedTokensAlone() throws {
        #expect(try Recording(broken).withEncryptedIDToken.finding(rule) == nil)
        #expect(try Recording("healthy/web-code-flow").finding(rule) == nil)
    }

    /// The client may be the one that asked for it; one that asked for signed tokens is not.
    @Test(arguments: [("none", false), ("RS256", true)])
    func abstainsWhereTheRegistrationsAnswerWasCutOff(asked: String, fires: Bool) throws {
        let recording = try Recording(broken + ".near-miss").editing { exchange in
            guard exchange.request.url.path == "/register" else { return }
            exchange.request.body = Body(
                text:
                    #"{"redirect_uris":["https://www.shop.example/callback"],"id_token_signed_response_alg":"\#(asked)"}"#,
                mediaType: "application/json"
            )
            exchange.response?.body = Body(
                content: .bytes(Array(#"{"client_"#.utf8)),
                mediaType: "application/json",
                isTruncated: true
            )
        }
        #expect((recording.finding(rule) != nil) == fires)
        #expect((recording.abstention(rule) != nil) == !fires)
    }
}
