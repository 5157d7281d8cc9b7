import Captures
import Foundation
import JSON
import TestSupport
import Testing

@testable import Reports

/// Who may ask the viewer's server, and what it answers.
struct ViewerServingTests {
    private static let access = ViewerAccess(token: "dG9rZW4tb2YtdGhpcy1zdGFydA", port: 8123)

    private static func request(
        _ path: String,
        method: String = "GET",
        host: String? = "127.0.0.1:8123",
        headers: [(String, String)] = [],
        body: String? = nil
    ) -> RecordedRequest {
        RecordedRequest(
            method: method,
            url: RecordedURL("http://127.0.0.1:8123\(path)"),
            headers: HeaderFields((host.map { [("Host", $0)] } ?? []) + headers),
            body: body.map { Body(content: .bytes(Array($0.utf8)), mediaType: "application/json") }
        )
    }

    private static var root: String { "/\(access.token)/" }

    @Test func onlyThePageItselfMayAsk() {
        #expect(Self.access.decide(Self.request(Self.root)) == .path(""))
        #expect(Self.access.decide(Self.request(Self.root + "js/main.js")) == .path("js/main.js"))
        let own = [("Origin", "http://127.0.0.1:8123"), ("Sec-Fetch-Site", "same-origin")]
        #expect(
            Self.access.decide(Self.request(Self.root + "share", method: "POST", headers: own))
                == .path("share")
        )
        // A link in a mail opens a window of its own.
        let link = [
            ("Sec-Fetch-Site", "cross-site"), ("Sec-Fetch-Mode", "navigate"), ("Sec-Fetch-Dest", "document"),
        ]
        #expect(Self.access.decide(Self.request(Self.root, headers: link)) == .path(""))
    }

    @Test(arguments: [
        ("/", "127.0.0.1:8123", [], 404), ("/wrong/", "127.0.0.1:8123", [], 404),
        ("/dG9rZW4tb2YtdGhpcy1zdGFydA", "127.0.0.1:8123", [], 404),
        ("/dG9rZW4tb2YtdGhpcy1zdGFydB/", "127.0.0.1:8123", [], 404),
        ("/dG9rZW4tb2YtdGhpcy1zdGFydA/", "attacker.example:8123", [], 421),
        ("/dG9rZW4tb2YtdGhpcy1zdGFydA/", "localhost:8123", [], 421),
        ("/dG9rZW4tb2YtdGhpcy1zdGFydA/", "127.0.0.1", [], 421),
        (
            "/dG9rZW4tb2YtdGhpcy1zdGFydA/data/overview", "127.0.0.1:8123",
            [("Origin", "https://attacker.example")], 403
        ),
        ("/dG9rZW4tb2YtdGhpcy1zdGFydA/data/overview", "127.0.0.1:8123", [("Origin", "null")], 403),
        (
            "/dG9rZW4tb2YtdGhpcy1zdGFydA/data/overview", "127.0.0.1:8123", [("Sec-Fetch-Site", "cross-site")],
            403
        ),
        (
            "/dG9rZW4tb2YtdGhpcy1zdGFydA/", "127.0.0.1:8123",
            [("Sec-Fetch-Site", "cross-site"), ("Sec-Fetch-Mode", "navigate"), ("Sec-Fetch-Dest", "iframe")],
            403
        ),
    ])
    func othersAreRefused(_ path: String, _ host: String, _ headers: [(String, String)], _ status: Int)
        async throws
    {
        guard
            case .refused(let seen, _) = Self.access.decide(Self.request(path, host: host, headers: headers))
        else {
            Issue.record("\(path) at \(host) was let in")
            return
        }
        #expect(seen == status)
        let answer = await (try Self.responder()).answer(Self.request(path, host: host, headers: headers))
        #expect(answer.status == status && answer.headers.first("cache-control") == "no-store")
    }

    @Test func requestWithoutHostOrWithTwoIsRefused() {
        #expect(Self.access.decide(Self.request(Self.root, host: nil)) != .path(""))
        #expect(
            Self.access.decide(Self.request(Self.root, headers: [("Host", "attacker.example")])) != .path("")
        )
    }

    // MARK: - Answers

    private static func responder(_ shared: ViewerResponder.Shared = .refused(reasons: ["no"])) throws
        -> ViewerResponder
    {
        ViewerResponder(
            access: access,
            shelf: ViewerShelf(
                [
                    try ViewerCaptureTests.capture("healthy/web-code-flow"),
                    try ViewerCaptureTests.capture("token-request/pkce-verifier-mismatch"),
                ],
                generator: "test",
                isLive: false
            ),
            files: { ViewerPage.files },
            nonce: { "bm9uY2U=" },
            share: { _, _ in shared }
        )
    }

    private static func json(_ responder: ViewerResponder, _ path: String) async throws -> JSONValue {
        let answer = await responder.answer(request(root + path))
        try #require(answer.status == 200, "\(path): \(answer.status)")
        #expect(answer.headers.first("content-security-policy")?.contains("frame-ancestors 'none'") == true)
        #expect(answer.headers.first("x-content-type-options") == "nosniff")
        return try JSONParser.parse(answer.body?.bytes ?? [])
    }

    @Test func pageCarriesItsNonceAndItsPolicy() async throws {
        let responder = try Self.responder()
        let page = await responder.answer(Self.request(Self.root))
        let text = String(decoding: page.body?.bytes ?? [], as: UTF8.self)
        #expect(page.status == 200 && text.components(separatedBy: "<script nonce=\"bm9uY2U=\"").count == 3)
        let policy = try #require(page.headers.first("content-security-policy"))
        #expect(
            policy.contains("script-src 'nonce-bm9uY2U=' 'self'") && policy.contains("connect-src 'self'")
        )
        #expect(!policy.contains("unsafe") && page.headers.first("referrer-policy") == "no-referrer")
        let script = await responder.answer(Self.request(Self.root + "js/main.js"))
        #expect(script.headers.first("content-type") == "text/javascript; charset=utf-8")
        for path in [
            "js/../index.html", "%2e%2e/Package.swift", "package.json", "nothing.js", "data/nothing",
            "shared/1",
        ] {
            #expect(await responder.answer(Self.request(Self.root + path)).status == 404, "\(path)")
        }
        #expect(
            await responder.answer(Self.request(Self.root + "data/overview", method: "DELETE")).status == 405
        )
    }

    @Test func documentsAreAskedForOneByOne() async throws {
        let responder = try Self.responder()
        let overview = try await Self.json(responder, "data/overview")
        #expect(overview["captures"]?.array?.count == 2 && overview["live"] == false)
        #expect(overview["captures"]?.array?[0]["messages"] == nil)
        #expect(try await Self.json(responder, "data/flow/1/flow-1")["id"]?.string == "flow-1")
        #expect(try await Self.json(responder, "data/message/1/4")["method"]?.string == "POST")
        #expect(try await Self.json(responder, "data/comparison/0/flow-1/1/flow-1")["same"] == false)
        for path in [
            "flow/2/flow-1", "flow/0/flow-9", "message/0/-1", "message/0/1e9", "comparison/0/flow-1/7/x",
            "message/0",
        ] {
            #expect(await responder.answer(Self.request(Self.root + "data/" + path)).status == 404, "\(path)")
        }
    }

    @Test func searchFindsValuesAsTheyWereMeant() async throws {
        let responder = try Self.responder()
        // As claim of a token, which no byte of the capture spells out.
        let found = try await Self.json(responder, "data/search?q=EXP")
        #expect(found["hits"]?.array?.contains { $0["name"]?.string == "id_token exp" } == true)
        // As decoded: percent-encoded on the wire.
        let address = try await Self.json(
            responder,
            "data/search?q=https%3A%2F%2Fwww.shop.example%2Fcallback"
        )
        #expect(
            address["hits"]?.array?.contains {
                $0["name"]?.string == "redirect_uri" && $0["capture"]?.int == 1
            } == true
        )
        #expect(try await Self.json(responder, "data/search?q=")["hits"] == [])
        #expect(try await Self.json(responder, "data/search?q=stands-nowhere")["more"] == false)
    }

    @Test func sharingIsAskedForByThePageOnlyAndSavedByName() async throws {
        let name = "sh\u{e4}red\"\r\nSet-Cookie: x.har"
        let responder = try Self.responder(.done(report: ["kept": 5], name: name, bytes: Array("{}".utf8)))
        let origin = [("Origin", "http://127.0.0.1:8123"), ("Content-Type", "application/json")]
        for headers in [[], [origin[0]], [origin[1]]] {
            let answer = await responder.answer(
                Self.request(Self.root + "share", method: "POST", headers: headers, body: "{\"capture\":0}")
            )
            #expect(answer.status == 400)
        }
        let answer = await responder.answer(
            Self.request(Self.root + "share", method: "POST", headers: origin, body: "{\"capture\":0}")
        )
        let told = try JSONParser.parse(answer.body?.bytes ?? [])
        #expect(told["report"]?["kept"]?.int == 5 && told["size"]?.int == 2)
        let saved = await responder.answer(Self.request(Self.root + (try #require(told["file"]?.string))))
        #expect(saved.body?.bytes == Array("{}".utf8))
        #expect(
            saved.headers.first("content-disposition") == "attachment; filename=\"sh_red__Set-Cookie__x.har\""
        )
        let beyond = await responder.answer(
            Self.request(Self.root + "share", method: "POST", headers: origin, body: "{\"capture\":2}")
        )
        #expect(beyond.status == 400)
    }

    // MARK: - Live

    @Test func changesAreWhatIsNewAndComeAtOnce() async throws {
        let whole = try ViewerCaptureTests.capture("token-request/pkce-verifier-mismatch").report.capture
        func part(_ count: Int) -> ViewerCapture {
            let exchanges = (0..<count).map { whole[$0] }
            return ViewerCapture(ReportBuilder.report(on: Capture(exchanges), named: "live"))
        }
        let shelf = ViewerShelf([part(1)], generator: "test", isLive: true)
        async let waited = shelf.changes(after: 0)
        try await Self.isAwaited(shelf)
        shelf.replace(0, with: part(3))
        let first = await waited
        #expect(first["revision"]?.int == 1 && first["live"] == true)
        let change = try #require(first["captures"]?.array?.first)
        // The first exchange has a flow only now.
        #expect(change["exchangeCount"]?.int == 3 && change["flowCount"]?.int == 1)
        #expect(change["exchanges"]?.array?.compactMap { $0.array?.first?.int }.suffix(2) == [1, 2])
        shelf.replace(0, with: part(3))
        let none = await shelf.changes(after: 1)
        #expect(
            none["captures"]?.array?.first?["exchanges"] == []
                && none["captures"]?.array?.first?["flows"] == []
        )
        let late = await shelf.changes(after: 2, patience: .milliseconds(60))
        #expect(late["revision"]?.int == 2)
        // A page that waits for the end has to draw it before the server may go.
        async let last = shelf.changes(after: 2)
        try await Self.isAwaited(shelf)
        #expect(shelf.isDrawn)
        shelf.end()
        #expect(await last["live"] == false && !shelf.isDrawn)
        shelf.drawn()
        #expect(shelf.isDrawn)
        #expect(await shelf.changes(after: 3)["live"] == false)
    }

    private static func isAwaited(_ shelf: ViewerShelf) async throws {
        for _ in 0..<5000 where shelf.waiting == 0 { try await Task.sleep(for: .milliseconds(2)) }
        try #require(shelf.waiting == 1)
    }

    @Test func searchesOfOnePageEndNoneOfAnother() async throws {
        let responder = try Self.responder()
        let found = try await withThrowingTaskGroup(of: Int.self) { group in
            for page in 0..<40 {
                group.addTask {
                    let hits = try await Self.json(responder, "data/search?page=\(page)&q=redirect_uri")
                    return hits["hits"]?.array?.count ?? 0
                }
            }
            return try await group.reduce(into: Set<Int>()) { $0.insert($1) }
        }
        #expect(found.count == 1 && found.first != 0, "\(found)")
    }

    /// A capture that nobody records into may grow all the same.
    @Test func whetherSomebodyRecordsIsAChange() async {
        let shelf = ViewerShelf([], generator: "test", isLive: true)
        #expect(shelf.overview["recorded"] == false)
        shelf.isRecorded = true
        let change = await shelf.changes(after: 0)
        #expect(change["recorded"] == true && change["live"] == true && change["revision"]?.int == 1)
        shelf.isRecorded = true
        #expect(shelf.overview["revision"] == 1)
        shelf.end()
        #expect(shelf.overview["recorded"] == false)
    }

    /// It is told of the end when it comes back.
    @Test func serverWaitsForAPageThatIsDrawingAtTheEnd() async throws {
        let shelf = ViewerShelf([], generator: "test", isLive: true)
        _ = await shelf.changes(after: 0, patience: .milliseconds(60))
        shelf.end()
        #expect(!shelf.isDrawn)
        #expect(await shelf.changes(after: 0)["live"] == false && !shelf.isDrawn)
        shelf.drawn()
        #expect(shelf.isDrawn)
    }
}
