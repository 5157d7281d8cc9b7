import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import JSON
import OAuth
import Testing

struct IDTokenMalformedTests {
    private let rule = "id-token-malformed"
    private let broken = "id-token/id-token-malformed"

    private func fault(_ token: String) throws -> Finding? {
        try Recording(broken).editingAnswer(of: "/token") { $0["id_token"] = .string(token) }.finding(rule)
    }

    @Test func namesTheNumberOfParts() throws {
        let finding = try #require(Recording(broken).finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.places == ["4 response.body id_token", "- response.body parts"])
        #expect(finding.evidence[1].value == "2")
    }

    @Test func leavesAnEncryptedTokenAlone() throws {
        #expect(try Recording(broken + ".near-miss").findings.filter { $0.severity != .note }.isEmpty)
    }

    private static let claims = encoded(#"{"sub":"alice"}"#)
    private static let header = encoded(#"{"alg":"RS256"}"#)

    @Test(arguments: [
        ("nonsense", "no parts separated by dots"), ("a.b.c.d", "the number of parts is neither 3 nor 5"),
        ("..", "the header is empty"), ("W10.\(claims).c2ln", "the header is no JSON object"),
        ("\(header).W10.c2ln", "the claims is no JSON object"), ("\(header)..c2ln", "the claims is empty"),
        ("\(header).\(claims).a b", "the signature is not base64url: white space inside"),
        ("\(header)=.\(claims).c2ln", "the header is not base64url: padded with ="),
        ("\(header).\(claims).a+b_", "the signature is not base64url: standard Base64 alphabet (+ and /)"),
        ("a\(String(repeating: ".", count: 1000))", "the number of parts is neither 3 nor 5"),
    ])
    func namesThePart(token: String, note: String) throws { #expect(try fault(token)?.notes.first == note) }

    @Test(arguments: ["\(header).\(claims).", "\(header).\(claims).c2ln"]) func leavesWhatCanBeReadAlone(
        token: String
    ) throws {
        #expect(try fault(token) == nil)
    }

    @Test func aNullIsMissing() throws {
        #expect(
            try Recording(broken).editingAnswer(of: "/token") { $0["id_token"] = .null }.finding(rule) == nil
        )
    }

    @Test func readsTheFrontChannel() throws {
        let recording = try Recording(broken).editing { exchange in
            guard let location = exchange.response?.location, location.contains("code=") else { return }
            exchange.response?.redirect(to: location.replacing("?", with: "#") + "&id_token=cut.off")
        }.without { $0.request.url.path == "/token" || $0.request.url.path == "/callback" }
        #expect(recording.finding(rule)?.places.first == "2 response.location id_token")
    }
}
