import Captures
import Foundation
import JSON
import TestSupport
import Testing

@testable import Reports

/// The documents that the viewer draws.
struct ViewerCaptureTests {
    static func capture(_ capture: String, named name: String? = nil) throws -> ViewerCapture {
        let file = "captures/\(capture).har"
        return ViewerCapture(
            ReportBuilder.report(
                on: try CaptureReader.read(bytes: Fixtures.bytes(file), name: file),
                named: name ?? file
            )
        )
    }

    /// Whoever looks at it has nothing else to go by.
    @Test func captureWithoutLoginsSaysHowToRecordOne() throws {
        let empty = try CaptureReader.read(bytes: Array(#"{"log":{"entries":[]}}"#.utf8), name: "empty.har")
        let capture = ViewerCapture(ReportBuilder.report(on: empty, named: "empty.har"))
        let overview = ViewerCapture.overview(of: [capture], generator: "authreel test")
        let shown = try #require(overview["captures"]?.array?.first)
        #expect(shown["advice"]?.string?.contains("record --browser") == true)
    }

    @Test func flowHasItsDiagramItsFindingsAndItsWays() throws {
        let capture = try Self.capture("token-request/pkce-verifier-mismatch")
        let overview = ViewerCapture.overview(of: [capture], generator: "authreel test")
        let shown = try #require(overview["captures"]?.array?.first)
        #expect(
            shown["redacted"] == .null && shown["exchanges"]?.array?.count == capture.report.capture.count
        )
        #expect(shown["advice"] == .null)
        let head = try #require(shown["flows"]?.array?.first)
        #expect(head["duration"] == .number(JSONNumber(text: "8580.0")))
        #expect(head["first"]?["severity"]?.string == "error" && head["settled"] == true)
        let flow = try #require(capture.flow("flow-1"))
        let rows = try #require(flow["diagram"]?["rows"]?.array)
        #expect(rows.map { $0["type"]?.string }.filter { $0 == "finding" }.count == 1)
        #expect(
            rows.first?["words"]?.string == "GET /login"
                && rows.first?["at"] == .number(JSONNumber(text: "0.0"))
        )
        // The app's redirect leads to the authorization request.
        #expect(rows[1]["form"]?.string == "redirect" && rows[1]["next"]?.int == 1)
        let finding = try #require(flow["findings"]?.array?.first)
        #expect(finding["rule"]?.string == "pkce-verifier-mismatch")
        #expect(
            finding["sources"]?.array?.first?["url"]?.string
                == "https://www.rfc-editor.org/rfc/rfc7636#section-4.1"
        )
        let way = flow["links"]?.array?.first { $0["name"]?.string == "code" }
        #expect(way?["uses"]?.array?.compactMap { $0["exchange"]?.int } == [3, 4])
        let proof = try #require(flow["pkce"]?.array?.first)
        #expect(proof["asked"]?.int == 1 && proof["proved"]?.int == 4 && proof["relation"]?.string == "hex")
        #expect(flow["mermaid"]?.string?.hasPrefix("sequenceDiagram") == true)
        #expect(flow["markdown"]?.string?.contains("pkce-verifier-mismatch") == true)
        #expect(capture.flow("flow-2") == nil && capture.message(99) == nil)
    }

    /// The rules cut secrets; who asks for one gets all of it.
    @Test(arguments: [
        ("token-request/code-altered", "code"), ("token-request/client-secret-mismatch", "Authorization"),
    ])
    func evidenceThatIsCutIsThereInFull(_ name: String, _ value: String) throws {
        let capture = try Self.capture(name)
        let findings = capture.flow("flow-1")?["findings"]?.array ?? []
        let evidence = findings.first?["evidence"]?.array?.filter { $0["shortened"] == true } ?? []
        #expect(evidence.count == 2 && evidence.contains { $0["name"]?.string == value })
        for item in evidence {
            let (cut, full) = (try #require(item["value"]?.string), try #require(item["full"]?.string))
            #expect(
                cut.hasSuffix("…(\(full.unicodeScalars.count))") && full.hasPrefix(cut.prefix { $0 != "…" })
            )
        }
    }

    @Test func nothingIsCertainOfWhatStillGoesOn() throws {
        let report = try Self.capture("token-request/pkce-verifier-mismatch").report
        let capture = ViewerCapture(report, unsettled: ["flow-1"])
        #expect(capture.heads[0]["settled"] == false && capture.heads[0]["first"] == .null)
        let flow = try #require(capture.flow("flow-1"))
        #expect(
            flow["findings"] == []
                && flow["diagram"]?["rows"]?.array?.contains { $0["type"] == "finding" } == false
        )
    }

    @Test func listsShowNoSecret() throws {
        let capture = try Self.capture("healthy/web-code-flow")
        let row = try #require(capture.exchanges.first { $0["kinds"] == ["authorization request"] })
        #expect(row["path"]?.string == "/authorize" && row["host"]?.string == "id.harbour.example")
        #expect(row["who"] == ["browser", "provider"] || row["who"]?.array?.contains("provider") == true)
        let text = JSONWriter.text(of: .array(capture.exchanges))
        let state = try #require(
            capture.flow("flow-1")?["links"]?.array?.first { $0["name"]?.string == "state" }?["origin"]?[
                "value"
            ]?.string
        )
        #expect(!text.contains(state))
    }

    @Test func whatSeveralLoginsShareIsNamedOnce() throws {
        var capture = CaptureBuilder()
        let metadata =
            #"{"issuer":"https://idp.example","authorization_endpoint":"https://idp.example/authorize","token_endpoint":"https://idp.example/token"}"#
        capture.get(
            "https://idp.example/.well-known/openid-configuration",
            body: Body(text: metadata, mediaType: "application/json")
        )
        for number in 1...3 {
            capture.redirect(
                "https://idp.example/authorize?response_type=code&client_id=app&redirect_uri=https%3A%2F%2Fapp.example%2Fcb&scope=openid&state=state-\(number)-1234567",
                to: "https://app.example/cb?code=code-\(number)-12345678&state=state-\(number)-1234567"
            )
            capture.get("https://app.example/cb?code=code-\(number)-12345678&state=state-\(number)-1234567")
        }
        let viewed = ViewerCapture(ReportBuilder.report(on: capture.capture, named: "three"))
        #expect(viewed.heads.count == 3)
        #expect(viewed.exchanges[0]["kinds"] == ["metadata"])
    }

    @Test func secretsAreCalledSo() throws {
        let capture = try Self.capture("healthy/web-code-flow")
        let messages = capture.report.capture.indices.compactMap(capture.message)
        var secret: Set<String> = []
        var open: Set<String> = []
        for value in messages.flatMap({ $0["values"]?.array ?? [] }) {
            guard let name = value["name"]?.string else { continue }
            if value["secret"] == true { secret.insert(name) } else { open.insert(name) }
        }
        #expect(secret.isSuperset(of: ["code", "state", "code_verifier", "access_token", "password"]))
        #expect(open.isSuperset(of: ["client_id", "redirect_uri", "grant_type", "scope", "token_type"]))
        let tokens = messages.flatMap { message -> [JSONValue] in message["tokens"]?.array ?? [] }
        let token = try #require(tokens.first)
        #expect(token["secret"] == ["sub", "nonce"] && token["signature"]?.string == "valid")
        #expect(token["checks"]?.array?.isEmpty == false)
    }

    @Test func bodiesThatAreNoUTF8AreReadAsBrowsersReadThem() {
        var capture = CaptureBuilder()
        let refused: [UInt8] = [0x80, 0x20] + Array("refus".utf8) + [0xe9, 0x92]
        for type in [
            "text/html; charset=\"ISO-8859-1\"", "text/plain", "text/html; charset=shift_jis", "image/x",
        ] {
            capture.get("https://a.example/", body: Body(content: .bytes(refused), mediaType: type))
        }
        capture.get("https://a.example/", body: Body(content: .bytes([0xe9, 0]), mediaType: "text/plain"))
        let viewed = ViewerCapture(ReportBuilder.report(on: capture.capture, named: "bodies"))
        let bodies = viewed.report.capture.indices.map { viewed.message($0)?["response"]?["body"] }
        #expect(
            bodies.map { $0?["text"]?.string } == ["€ refusé’", "€ refusé’", nil, nil, nil]
        )
        #expect(bodies.map { $0?["charset"]?.string == "windows-1252" } == [true, true, false, false, false])
    }

    @Test func membersOfATokenAreAsTheyWereSent() throws {
        let claims = #"{"uid":9007199254740993,"big":1e400,"aud":["a", 1.0],"uid":"twice"}"#
        let members = ViewerMessage.members(try JSONParser.parse(Array(claims.utf8)).object)
        #expect(members.array?.map { $0["name"] } == ["uid", "big", "aud", "uid"])
        #expect(
            members.array?.map { $0["text"] } == ["9007199254740993", "1e400", #"["a",1.0]"#, "twice"]
        )
        #expect(members.array?.map { $0["number"] == true } == [true, true, false, false])
        #expect(ViewerMessage.members(nil) == .null)
    }

    @Test func brokersLoginHoldsTheUpstreamOne() throws {
        var capture = CaptureBuilder()
        let outer =
            "https://broker.example/authorize?response_type=code&client_id=app&redirect_uri=https%3A%2F%2Fapp.example%2Fcb&scope=openid&state=outer-state-1234567"
        let inner =
            "https://upstream.example/auth?response_type=code&client_id=broker&redirect_uri=https%3A%2F%2Fbroker.example%2Fback&scope=openid&state=inner-state-1234567"
        capture.redirect(outer, to: inner)
        capture.redirect(
            inner,
            to: "https://broker.example/back?code=inner-code-12345678&state=inner-state-1234567"
        )
        capture.redirect(
            "https://broker.example/back?code=inner-code-12345678&state=inner-state-1234567",
            to: "https://app.example/cb?code=outer-code-12345678&state=outer-state-1234567"
        )
        capture.get("https://app.example/cb?code=outer-code-12345678&state=outer-state-1234567", body: nil)
        let viewed = ViewerCapture(ReportBuilder.report(on: capture.capture, named: "broker"))
        #expect(viewed.heads.map { $0["inside"] } == [.null, "flow-1"])
        // The broker's diagram has the login at the provider behind it, with a lane for that one.
        let diagram = try #require(viewed.flow("flow-1")?["diagram"])
        let lanes = try #require(diagram["lanes"]?.array)
        #expect(lanes.filter { $0["broker"] == true }.map { $0["host"] } == ["broker.example"])
        #expect(lanes.filter { $0["inner"] == true }.map { $0["host"] } == ["upstream.example"])
        let messages = (diagram["rows"]?.array ?? []).filter { $0["type"] == "message" }
        #expect(Set(messages.compactMap { $0["exchange"]?.int }) == [0, 1, 2, 3])
        #expect(messages.first { $0["exchange"] == 0 && $0["form"] == "redirect" }?["next"] == 1)
        let times = messages.compactMap { $0["at"]?.double }
        #expect(times == times.sorted())
    }

    /// The provider behind a broker refuses the scope, the broker tells its client something else.
    @Test func brokersWordNamesTheLoginThatBrokeIt() throws {
        var capture = CaptureBuilder()
        let outer =
            "https://broker.example/authorize?response_type=code&client_id=app&redirect_uri=https%3A%2F%2Fapp.example%2Fcb&scope=openid&state=outer-state-1234567"
        let inner =
            "https://upstream.example/auth?response_type=code&client_id=broker&redirect_uri=https%3A%2F%2Fbroker.example%2Fback&scope=openid&state=inner-state-1234567"
        let back = "https://broker.example/back?error=invalid_scope&state=inner-state-1234567"
        let told = "https://app.example/cb?error=server_error&state=outer-state-1234567"
        capture.redirect(outer, to: inner)
        capture.redirect(inner, to: back)
        capture.redirect(back, to: told)
        capture.get(told, 400, body: nil)
        let report = ReportBuilder.report(on: capture.capture, named: "broker")
        let words = "effect of scope-rejected of flow-2"
        #expect(TextReport.diagnosis(of: report, showsAbstentions: false, style: .plain).contains(words))
        let markdown = "(effect of `scope-rejected` of flow-2)"
        #expect(MarkdownReport.text(of: [report]).contains(markdown))
        let findings = try #require(ViewerCapture(report).flow("flow-1")?["findings"]?.array)
        let effect = try #require(findings.first { $0["effect_of_flow"] == "flow-2" })
        #expect(effect["effect_of"] == "scope-rejected" && effect["primary"] == false)
    }

    @Test func answerThatBrokeOffIsToldAsThat() throws {
        var capture = CaptureBuilder()
        let cut = Body(content: .bytes(Array("{\"a".utf8)), mediaType: "text/plain", isTruncated: true)
        capture.get("https://a.example/", body: cut)
        capture.get("https://a.example/", body: cut)
        var exchanges = capture.exchanges
        exchanges[1].failure = "the server closed the connection before the answer was complete"
        let viewed = ViewerCapture(ReportBuilder.report(on: Capture(exchanges), named: "cut"))
        // The recorder kept no more of the first one.
        #expect(viewed.exchanges.map { $0["broken"] } == [false, true])
        let messages = (0...1).map { viewed.message($0) }
        #expect(messages.map { $0?["broken"] } == [false, true])
        #expect(messages.map { $0?["response"]?["body"]?["truncated"] } == [true, true])
        let told = exchanges.map { DiagramWords.answer($0, at: 0) }
        #expect(told[0].words == "200" && !told[0].isFailure)
        #expect(told[1].words.hasPrefix("200 broken off: the server closed") && told[1].isFailure)
    }

    @Test func bodiesAreTextPicturesOrTheirSize() throws {
        var capture = CaptureBuilder()
        capture.get(
            "https://a.example/text",
            body: Body(content: .bytes(Array("hällo".utf8)), mediaType: "text/plain")
        )
        capture.get(
            "https://a.example/picture",
            body: Body(content: .bytes([0x89, 0x50, 0xff]), mediaType: "image/png")
        )
        capture.get(
            "https://a.example/other",
            body: Body(content: .bytes([0x89, 0x50, 0xff]), mediaType: "image/svg+xml")
        )
        let viewed = ViewerCapture(ReportBuilder.report(on: capture.capture, named: "bodies"))
        let bodies = viewed.report.capture.indices.map { viewed.message($0)?["response"]?["body"] }
        #expect(bodies[0]?["text"]?.string == "hällo" && bodies[0]?["size"]?.int == 6)
        #expect(bodies[1]?["base64"]?.string == "iVD/" && bodies[1]?["text"] == nil)
        #expect(bodies[2]?["base64"] == nil && bodies[2]?["text"] == nil && bodies[2]?["size"]?.int == 3)
    }
}
