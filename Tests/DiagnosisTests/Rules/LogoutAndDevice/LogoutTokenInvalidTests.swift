import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import JOSE
import JSON
import OAuth
import Testing

struct LogoutTokenInvalidTests {
    private let rule = "logout-token-invalid"
    private let broken = "logout-and-device/logout-token-invalid"

    /// The near miss with a claim changed, which no longer verifies, and no key to tell.
    private func token(_ edit: (inout JSONObject) -> Void) throws -> Recording {
        try Recording(broken + ".near-miss").without { $0.request.url.path == "/jwks" }.editing { exchange in
            guard let old = FormBody.items(of: exchange.request.body)?.first("logout_token"),
                let token = JSONWebToken.parse(old), var claims = token.claims
            else { return }
            edit(&claims)
            let text = JSONWriter.text(of: .object(claims))
            exchange.request.body = Body(
                text: "logout_token=\(encoded("{\"alg\":\"RS256\"}")).\(encoded(text)).c2lnbmF0dXJl",
                mediaType: FormBody.mediaType
            )
        }
    }

    @Test func namesTheMissingEvent() throws {
        let recording = try Recording(broken)
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.severity == .error)
        #expect(finding.variant == nil)
        #expect(finding.places == ["7 jwt.claims events", "7 response.status "])
        #expect(recording.outcomes == [.failure])
    }

    @Test func leavesARightOneAlone() throws {
        let recording = try Recording(broken + ".near-miss")
        #expect(recording.findings.filter { $0.severity != .note }.isEmpty)
        #expect(recording.outcomes == [.success])
        #expect(try token { _ in }.finding(rule) == nil)
    }

    /// Entra's metadata for all tenants leaves a gap in the issuer.
    @Test(arguments: [("9188040d-6c67-4c5b-b112-36a304b66dad/v2.0", false), ("9188040d/v1.0", true)])
    func fillsTheGapForTheTenant(end: String, fires: Bool) throws {
        let recording = try token { $0["iss"] = .string("https://id.harbour.example/\(end)") }
            .editingAnswer(of: "/.well-known/openid-configuration") {
                $0["issuer"] = "https://id.harbour.example/{tenantid}/v2.0"
            }
        let evidence = recording.finding(rule)?.evidence ?? []
        #expect(evidence.contains { $0.place.name == "iss" } == fires)
    }

    /// 400 is said of a token; anything else by who does not look at it, or by nobody.
    @Test(
        arguments: [
            (400, "", "is not acceptable"), (500, "", "is not acceptable"), (404, "", "to the app's logout"),
            (403, "", "to the app's logout"), (503, "", "to the app's logout"),
            (nil, "ECONNREFUSED: connection refused by 127.0.0.1:3000", "there was no connection"),
            (nil, "certificate verify failed: self signed certificate", "there was no connection"),
            (nil, "net::ERR_EMPTY_RESPONSE", "did not answer"),
            (nil, "the recorder stopped", "did not answer"),
        ] as [(Int?, String, String)]
    )
    func tokenThatTheAppDidNotTakeIsTold(status: Int?, failure: String, words: String) throws {
        let recording = try Recording(broken + ".near-miss").editing { exchange in
            guard FormBody.items(of: exchange.request.body)?.first("logout_token") != nil else { return }
            if let status {
                exchange.response?.status = status
            } else {
                exchange.response = nil
                exchange.failure = failure
            }
        }
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary && finding.severity == .error)
        #expect(finding.variant == (status == nil ? "undelivered" : "rejected"))
        #expect(finding.title.contains(words))
        #expect(recording.finding("host-unreachable") == nil)
        #expect(recording.outcomes == [.failure])
    }

    @Test func checksEveryClaim() throws {
        let changes: [(String, JSONValue?)] = [
            ("nonce", "n-0S6_WzA2Mj"), ("iss", "https://id.other.example"), ("aud", "shop-other"),
            ("exp", 1_700_000_000),
        ]
        for (name, value) in changes {
            let finding = try #require(try token { $0[name] = value }.finding(rule), "\(name)")
            #expect(
                finding.places.first == "7 jwt.claims \(name)"
                    || finding.places.first == "6 jwt.claims \(name)"
            )
            // The app took it.
            #expect(finding.severity == .warning)
        }
        for none in [nil, JSONValue.null] {
            let finding = try token { $0["sid"] = none }.finding(rule)
            #expect(finding?.places.first?.hasSuffix("jwt.claims sub") == true)
        }
    }

    @Test func checksTheSignature() throws {
        let recording = try Recording(broken + ".near-miss").editing { exchange in
            guard let old = FormBody.items(of: exchange.request.body)?.first("logout_token") else { return }
            let parts = old.split(separator: ".")
            exchange.request.body = Body(
                text: "logout_token=\(parts[0]).\(parts[1]).\(parts[2].reversed().map(String.init).joined())",
                mediaType: FormBody.mediaType
            )
        }
        #expect(recording.finding(rule)?.places.first == "7 jwt.header alg")
    }

    /// Nobody signed the one, and the other only the app can read.
    @Test func tokenWithoutASignatureIsNoneAndAnEncryptedOneUnknown() throws {
        let recording = try Recording(broken + ".near-miss")
        let exchange = recording.exchanges.last { $0.request.url.path == "/backchannel-logout" }
        let signed = try #require(FormBody.items(of: exchange?.request.body)?.first("logout_token"))
        let claims = signed.split(separator: ".")[1]
        let unsigned = recording.sending(
            "logout_token",
            "\(encoded(#"{"alg":"none"}"#)).\(claims).",
            to: "/backchannel-logout"
        )
        #expect(unsigned.finding(rule)?.notes.first == "not signed")
        let encrypted = recording.sending(
            "logout_token",
            "eyJhbGciOiJSU0EtT0FFUCIsImVuYyI6IkEyNTZHQ00ifQ.AA.AA.AA.AA",
            to: "/backchannel-logout"
        )
        #expect(encrypted.finding(rule) == nil)
        #expect(encrypted.abstention(rule)?.contains("encrypted") == true)
    }

    @Test(arguments: [302, 400, 501]) func tellsARightOneThatTheAppRefused(status: Int) throws {
        let recording = try Recording(broken + ".near-miss").answering("/backchannel-logout", status)
            .answering("/backchannel-logout", header: "Location", status == 302 ? "/login" : nil)
        let finding = try #require(recording.finding(rule))
        #expect(finding.variant == "rejected")
        #expect(finding.severity == .error)
        #expect(recording.outcomes == [.failure])
    }

    /// What only the capture lacks may have been a good one.
    @Test(arguments: LostAnswers.reasons)
    func leavesARightOneAloneWhoseAnswerTheCaptureLacks(reason: String, fires: Bool) throws {
        let recording = try Recording(broken + ".near-miss").editing { exchange in
            guard exchange.request.url.path == "/backchannel-logout" else { return }
            exchange.response = nil
            exchange.failure = reason
            exchange.duration = .seconds(1)
        }
        #expect((recording.finding(rule) != nil) == fires)
        #expect(recording.finding(rule)?.isPrimary != false)
        #expect(recording.outcomes.contains(.failure) == fires)
    }

    @Test func namesWhatIsNoToken() throws {
        let recording = try Recording(broken).sending("logout_token", "no-token", to: "/backchannel-logout")
        #expect(recording.finding(rule)?.notes.first == "not a JWT")
    }

    @Test func readsADeliveryThatIsAllThereIs() throws {
        let recording = Recording(Array(try Recording(broken).exchanges.suffix(1)))
        #expect(recording.flows.map(\.grant) == ["logout"])
        #expect(recording.finding(rule) != nil)
    }

    /// In a frame of the provider's page, whose loading a browser may give up when it has gone on.
    @Test(
        arguments: [
            (400, "https://other.example", true), (404, nil, true), (200, "https://other.example", false),
            (302, nil, false), (nil, nil, false),
        ] as [(Int?, String?, Bool)]
    )
    func frontChannelLogoutThatTheAppRefusesIsTold(status: Int?, issuer: String?, fires: Bool) throws {
        let recording = try Recording(broken + ".near-miss").editing { exchange in
            guard FormBody.items(of: exchange.request.body)?.first("logout_token") != nil else { return }
            let sent = issuer ?? "https://id.harbour.example"
            exchange.request.method = "GET"
            exchange.request.body = nil
            exchange.request.url = RecordedURL(
                "https://www.shop.example/frontchannel-logout?iss=\(sent)&sid=08a5019c-17e1-4977"
            )
            exchange.response = status.map { RecordedResponse(status: $0) }
            if status == nil { exchange.failure = "net::ERR_ABORTED" }
        }
        let finding = recording.finding(rule)
        #expect((finding != nil) == fires)
        guard let finding else { return }
        #expect(finding.isPrimary)
        #expect(finding.variant == "rejected")
        #expect(finding.evidence[0].note == issuer.map { _ in "the provider is https://id.harbour.example" })
        #expect(finding.places.last == "7 response.status ")
    }
}
