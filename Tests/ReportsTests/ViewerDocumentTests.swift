import Captures
import Foundation
import JSON
import TestSupport
import Testing

@testable import Reports

/// The document that the viewer draws, and the page around it.
struct ViewerDocumentTests {
    private static func report(_ capture: String, named name: String? = nil) throws -> Report {
        let file = "captures/\(capture).har"
        return ReportBuilder.report(
            on: try CaptureReader.read(bytes: Fixtures.bytes(file), name: file),
            named: name ?? file
        )
    }

    @Test func flowHasItsDiagramItsFindingsAndItsWays() throws {
        let report = try Self.report("token-request/pkce-verifier-mismatch")
        let document = ViewerDocument.document(of: report, generator: "authreel test")
        #expect(document["redacted"] == .null && document["exchanges"]?.array?.count == report.exchangeCount)
        #expect(document["messages"]?.array?.count == report.exchangeCount)
        let flow = try #require(document["flows"]?.array?.first)
        #expect(flow["duration"] == .number(JSONNumber(text: "8580.0")))
        let rows = try #require(flow["diagram"]?["rows"]?.array)
        #expect(rows.map { $0["type"]?.string }.filter { $0 == "finding" }.count == 1)
        #expect(
            rows.first?["words"]?.string == "GET /login"
                && rows.first?["at"] == .number(JSONNumber(text: "0.0"))
        )
        let finding = try #require(flow["findings"]?.array?.first)
        #expect(finding["rule"]?.string == "pkce-verifier-mismatch")
        #expect(
            finding["sources"]?.array?.first?["url"]?.string
                == "https://www.rfc-editor.org/rfc/rfc7636#section-4.1"
        )
        let way = flow["links"]?.array?.first { $0["name"]?.string == "code" }
        #expect(way?["uses"]?.array?.compactMap { $0["exchange"]?.int } == [3, 4])
    }

    @Test func secretsAreCalledSo() throws {
        let report = try Self.report("healthy/web-code-flow")
        let messages = ViewerMessage.messages(of: report)
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

    @Test func whatACaptureHoldsEndsNoScript() throws {
        let report = try Self.report("healthy/web-code-flow", named: "</script><script>alert(1)</script><!--")
        let page = ViewerPage.page(
            of: ViewerDocument.document(of: report, generator: "test"),
            nonce: "bm9uY2U="
        )
        #expect(page.components(separatedBy: "</script>").count == 4)
        #expect(!page.contains("<script>") && !page.contains("<!--"))
        #expect(page.contains("script-src 'nonce-bm9uY2U='"))
        // Whole and small: without the capture it is the viewer alone.
        let empty = ViewerPage.page(of: ["flows": []], nonce: "bm9uY2U=")
        #expect(empty.utf8.count < 400_000)
        for name in ["main", "dom", "diagram", "message"] {
            #expect(empty.contains("\"#viewer/\(name).js\":\"data:"))
        }
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
        let report = ReportBuilder.report(on: capture.capture, named: "bodies")
        let bodies = ViewerMessage.messages(of: report).map { $0["response"]?["body"] }
        #expect(bodies[0]?["text"]?.string == "hällo" && bodies[0]?["size"]?.int == 6)
        #expect(bodies[1]?["base64"]?.string == "iVD/" && bodies[1]?["text"] == nil)
        #expect(bodies[2]?["base64"] == nil && bodies[2]?["text"] == nil && bodies[2]?["size"]?.int == 3)
    }
}
