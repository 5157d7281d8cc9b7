import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import JOSE
import JSON
import OAuth
import TestSupport
import Testing

struct LogoutHintInvalidTests {
    private let rule = "logout-hint-invalid"
    private let broken = "logout-and-device/logout-hint-invalid"

    private func hint(_ value: String) throws -> Recording {
        try Recording(broken).editing { exchange in
            guard exchange.request.url.path == "/end-session" else { return }
            exchange.request.url = RecordedURL(
                Recording.changing(exchange.request.url.text, "id_token_hint", value)
            )
        }
    }

    private func token(_ claims: String) -> String {
        "\(encoded("{\"alg\":\"RS256\"}")).\(encoded(claims)).c2lnbmF0dXJl"
    }

    @Test func knowsTheAccessToken() throws {
        let recording = try Recording(broken)
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary)
        #expect(
            finding.places == [
                "8 request.query id_token_hint", "5 response.body access_token", "8 response.status ",
            ]
        )
        #expect(recording.outcomes == [.failure])
    }

    @Test func leavesAnExpiredHintAlone() throws {
        #expect(try Recording(broken + ".near-miss").findings.filter { $0.severity != .note }.isEmpty)
        let expired = token(#"{"iss":"https://id.harbour.example","aud":"shop-web","exp":1700000000}"#)
        #expect(try hint(expired).finding(rule) == nil)
    }

    @Test(arguments: [("", false), ("shop-app", true)])
    func comparesWithTheClientThatIsNamed(client: String, fires: Bool) throws {
        let good = token(#"{"iss":"https://id.harbour.example","aud":"shop-web"}"#)
        let recording = try hint(good).editingLast("/end-session") {
            $0.request.url = RecordedURL(Recording.changing($0.request.url.text, "client_id", client))
        }
        #expect((recording.finding(rule) != nil) == fires)
    }

    /// Entra's metadata for all tenants leaves a gap in the issuer, which any tenant fills, and nothing else.
    @Test(arguments: [("9188040d-6c67-4c5b-b112-36a304b66dad/v2.0", false), ("9188040d/v1.0", true)])
    func fillsTheGapForTheTenant(end: String, fires: Bool) throws {
        let hint = token(#"{"iss":"https://id.harbour.example/\#(end)","aud":"shop-web"}"#)
        let recording = try self.hint(hint).editingAnswer(of: "/.well-known/openid-configuration") {
            $0["issuer"] = "https://id.harbour.example/{tenantid}/v2.0"
        }
        #expect((recording.finding(rule) != nil) == fires)
    }

    /// Keycloak's words for a hint of a session or a realm that it does not know any more: nothing to compare shows it.
    @Test(arguments: [
        ("Invalid parameter: id_token_hint", true), ("The id_token_hint has expired", false),
        ("Sorry", false),
    ])
    func leavesAHintWithoutFaultToTheRefusal(words: String, isNamed: Bool) throws {
        let good = try Recording(broken + ".near-miss").editing { exchange in
            guard exchange.request.url.path == "/end-session" else { return }
            exchange.response = RecordedResponse(status: 400)
            exchange.response?.body = Body(text: "<p>\(words)</p>", mediaType: "text/html")
        }
        #expect(good.finding(rule) == nil)
        let refusal = try #require(good.finding("authorization-error"))
        #expect(refusal.isPrimary)
        #expect(refusal.fix.contains("realm and environment") == isNamed)
        #expect(refusal.notes.contains("nothing that can be seen in it is wrong") == isNamed)
    }

    /// WSO2 takes the client of an ID token from that claim.
    @Test(arguments: [
        ("Provided ID Token does not contain azp claim with client ID.", true), ("Sorry.", false),
    ])
    func showsTheClaimThatWSO2Misses(words: String, fires: Bool) throws {
        let own = token(#"{"iss":"https://id.harbour.example","aud":"shop-web"}"#)
        let recording = try hint(own).editing { exchange in
            guard exchange.request.url.path == "/end-session" else { return }
            exchange.response = RecordedResponse(status: 400)
            exchange.response?.body = Body(text: "<p>\(words)</p>", mediaType: "text/html")
        }
        let finding = recording.finding(rule)
        #expect((finding?.isPrimary == true) == fires)
        if fires {
            #expect(finding?.places.first == "8 jwt.claims azp")
            #expect(finding?.evidence.first?.value == "missing")
            #expect(recording.finding("authorization-error") == nil)
        }
        let named = token(#"{"iss":"https://id.harbour.example","aud":"shop-web","azp":"shop-web"}"#)
        #expect(
            try hint(named).editing { exchange in
                guard exchange.request.url.path == "/end-session" else { return }
                exchange.response = RecordedResponse(
                    status: 400,
                    body: Body(text: "<p>\(words)</p>", mediaType: "text/html")
                )
            }.finding(rule) == nil
        )
    }

    @Test func namesWhatIsNoToken() throws {
        #expect(try hint("not-a-token-at-all").finding(rule)?.notes.first == "not a JWT")
    }

    @Test func comparesAudienceAndIssuer() throws {
        let other = try hint(token(#"{"iss":"https://id.harbour.example","aud":"shop-app"}"#))
        #expect(
            other.finding(rule)?.places.prefix(2) == ["8 jwt.claims aud", "2 request.query client_id"]
        )
        let issuer = try hint(token(#"{"iss":"https://id.other.example","aud":"shop-web"}"#))
        #expect(issuer.finding(rule)?.places.first == "8 jwt.claims iss")
    }

    @Test func leavesWhatTheProviderTookAlone() throws {
        let recording = try Recording(broken).editing { exchange in
            guard exchange.request.url.path == "/end-session" else { return }
            exchange.response = RecordedResponse(status: 302)
            exchange.response?.redirect(to: "https://www.shop.example/goodbye")
        }
        #expect(recording.finding(rule) == nil)
    }

    /// It asks the user, as it does where there is no hint, and stays on its own page.
    @Test(arguments: [("shop-app", true, true), ("", true, false), ("shop-app", false, false)])
    func warnsWhereTheProviderWentOnWithoutTheHint(audience: String, isConfirmed: Bool, fires: Bool) throws {
        let issued = try #require(
            Recording(broken).flows.first?.tokenRequests.first?.answer.parameters["id_token"]
        )
        let other = token(#"{"iss":"https://id.harbour.example","aud":"\#(audience)"}"#)
        var recording = try hint(audience.isEmpty ? issued : other)
        let index = try #require(
            recording.exchanges.firstIndex { $0.request.url.path == "/end-session" }
        )
        recording.exchanges[index].response = RecordedResponse(
            status: 200,
            body: Body(text: "<form method=post>Sign out?</form>", mediaType: "text/html")
        )
        var confirmation = recording.exchanges[index]
        confirmation.startedAt = confirmation.startedAt + .seconds(2)
        confirmation.request.url = confirmation.request.url.resolving("/end-session")
        confirmation.request.method = isConfirmed ? "POST" : "GET"
        confirmation.response = RecordedResponse(
            status: 200,
            body: Body(text: "<p>Harbour</p>", mediaType: "text/html")
        )
        recording.exchanges.append(confirmation)
        let finding = recording.finding(rule)
        #expect((finding != nil) == fires)
        if let finding {
            #expect(finding.severity == .warning)
            #expect(finding.places.prefix(2) == ["8 jwt.claims aud", "2 request.query client_id"])
        }
    }

    @Test func abstainsOnAnEncryptedHint() throws {
        let hint = "\(encoded("{\"alg\":\"RSA-OAEP\",\"enc\":\"A128GCM\"}")).AAAA.BBBB.CCCC.DDDD"
        #expect(try self.hint(hint).finding(rule) == nil)
        #expect(try self.hint(hint).abstention(rule) != nil)
    }

    /// Whatever it says, the provider cannot have made it; where it does not speak of that, something else may be the reason.
    @Test(arguments: [
        (true, "ID token signature validation failed.", true),
        (false, "ID token signature validation failed.", false), (true, "Bad request", false),
    ])
    func verifiesTheSignatureOfARefusedHint(isForged: Bool, words: String, fires: Bool) throws {
        let issued = try #require(
            Recording(broken).flows.first?.tokenRequests.first?.answer.parameters["id_token"]
        )
        let parts = issued.split(separator: ".").map(String.init)
        let first = parts[2].hasPrefix("A") ? "B" : "A"
        let forged = "\(parts[0]).\(parts[1]).\(first)\(parts[2].dropFirst())"
        let finding = try hint(isForged ? forged : issued).editing { exchange in
            guard exchange.request.url.path == "/end-session" else { return }
            exchange.response = RecordedResponse(status: 400, body: .html("<h1>\(words)</h1>"))
        }.finding(rule)
        #expect((finding?.isPrimary == true) == fires)
        guard let finding else { return }
        #expect(finding.places == ["8 request.query id_token_hint", "8 response.status "])
        #expect(finding.notes.first == "its signature does not verify")
    }
}
