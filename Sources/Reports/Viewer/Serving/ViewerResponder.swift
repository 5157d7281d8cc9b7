package import Captures
import Foundation
package import JSON
import Synchronization

/// Answers the viewer's page: its files, and the documents that it draws.
package final class ViewerResponder: Sendable {
    /// What sharing a capture came to.
    package enum Shared: Sendable {
        /// `report` as the page shows it, `bytes` what is saved.
        case done(report: JSONValue, name: String, bytes: [UInt8])
        case refused(reasons: [String])
    }

    /// Shares one of the captures with options, `{"all", "keepPersonal", "shiftTimes"}`.
    package typealias Sharer = @Sendable (_ capture: Int, _ options: JSONValue) async -> Shared

    private let access: ViewerAccess
    private let shelf: ViewerShelf
    private let files: @Sendable () -> [String: [UInt8]]
    private let nonce: @Sendable () -> String
    private let share: Sharer
    private let state = Mutex(State())

    private struct State {
        /// By page the last search that it asked for; an older one is over.
        var searches: [String: Int] = [:]
        var shares = 0
        /// The last that was shared: it can be saved.
        var shared: (number: Int, name: String, bytes: [UInt8])?
    }

    /// - Parameters:
    ///   - access: who may ask.
    ///   - shelf: what is shown.
    ///   - files: those of `viewer/` by their paths.
    ///   - nonce: random text of one page, in base64.
    ///   - share: makes a capture without secrets.
    package init(
        access: ViewerAccess,
        shelf: ViewerShelf,
        files: @escaping @Sendable () -> [String: [UInt8]],
        nonce: @escaping @Sendable () -> String,
        share: @escaping Sharer
    ) {
        self.access = access
        self.shelf = shelf
        self.files = files
        self.nonce = nonce
        self.share = share
    }

    /// The answer to a request; nothing of it is kept anywhere.
    package func answer(_ request: RecordedRequest) async -> RecordedResponse {
        switch access.decide(request) {
        case .refused(let status, let reason): return Self.text(status, "authreel: \(reason)\n")
        case .path(let path):
            if path == "share" { return await share(request) }
            guard ["GET", "HEAD"].contains(request.method) else { return Self.text(405, "GET only\n") }
            if path.hasPrefix("data/") { return await document(at: path.dropFirst(5), request) }
            if path.hasPrefix("shared/") { return saved(path.dropFirst(7)) }
            return file(path)
        }
    }

    // MARK: - Files

    private func file(_ path: String) -> RecordedResponse {
        let name = path.isEmpty ? "index.html" : path
        guard let bytes = files()[name], let type = Self.types[name.split(separator: ".").last ?? ""] else {
            return Self.text(404, "there is no \(path)\n")
        }
        guard name == "index.html" else { return Self.response(200, type, bytes) }
        let nonce = nonce()
        let page = String(decoding: bytes, as: UTF8.self)
            .replacing("<script", with: "<script nonce=\"\(nonce)\"")
        return Self.response(
            200,
            type,
            Array(page.utf8),
            policy: ViewerPage.policy(nonce: nonce, connections: "'self'", scripts: " 'self'")
        )
    }

    private static let types: [Substring: String] = [
        "html": "text/html; charset=utf-8", "css": "text/css; charset=utf-8",
        "js": "text/javascript; charset=utf-8",
    ]

    // MARK: - Documents

    private func document(at path: Substring, _ request: RecordedRequest) async -> RecordedResponse {
        let parts = path.split(separator: "/").map { PercentEncoding.decode(String($0)) }
        let captures = shelf.captures
        func capture(_ index: Int) -> ViewerCapture? {
            guard parts.indices.contains(index), let number = Int(parts[index]) else { return nil }
            return captures.indices.contains(number) ? captures[number] : nil
        }
        func parameter(_ name: String) -> String? {
            request.url.queryItems.items.first { $0.name == name }?.value
        }
        switch parts.first {
        case "overview": return Self.json(.object(shelf.overview))
        case "flow" where parts.count == 3: return Self.found(capture(1)?.flow(parts[2]))
        case "message" where parts.count == 3:
            return Self.found(Int(parts[2]).flatMap { capture(1)?.message($0) })
        case "comparison" where parts.count == 5:
            guard let first = Int(parts[1]), let second = Int(parts[3]) else { break }
            return Self.found(
                ViewerComparison.document(
                    of: .init(
                        expected: .init(capture: first, flow: parts[2]),
                        seen: .init(capture: second, flow: parts[4])
                    ),
                    in: captures
                )
            )
        case "search":
            return search(for: parameter("q") ?? "", by: parameter("page") ?? "")
        case "drawn":
            shelf.drawn()
            return Self.json(.object([:]))
        case "changes":
            return Self.json(await shelf.changes(after: parameter("after").flatMap(Int.init) ?? 0))
        default: break
        }
        return Self.text(404, "there is no such thing here\n")
    }

    /// `page`: what it calls itself; a search that it does not wait for any more is no answer.
    private func search(for query: String, by page: String) -> RecordedResponse {
        let number = state.withLock { state in
            // Pages that are open still ask again.
            if state.searches.count > Self.mostPages { state.searches = [:] }
            state.searches[page, default: 0] += 1
            return state.searches[page]
        }
        func isOver() -> Bool { state.withLock { $0.searches[page] != number } }
        let hits = ViewerSearch.hits(of: query, in: shelf.captures, isOver: isOver)
        return isOver() ? Self.text(409, "the page has asked for something else\n") : Self.json(hits)
    }

    private static let mostPages = 100

    // MARK: - Sharing

    private func share(_ request: RecordedRequest) async -> RecordedResponse {
        guard request.method == "POST", request.headers.contains("origin"),
            request.headers.first("content-type")?.hasPrefix("application/json") == true,
            let options = try? JSONParser.parse(request.body?.bytes ?? []),
            let capture = options["capture"]?.int.flatMap(Int.init(exactly:)),
            shelf.captures.indices.contains(capture)
        else { return Self.text(400, "the viewer's own page asks for this\n") }
        switch await share(capture, options) {
        case .refused(let reasons):
            return Self.json(["refused": .array(reasons.map { .string($0) })])
        case .done(let report, let name, let bytes):
            let number = state.withLock { state in
                state.shares += 1
                state.shared = (state.shares, name, bytes)
                return state.shares
            }
            return Self.json([
                "report": report, "name": .string(name), "size": JSONValue(bytes.count),
                "file": .string("shared/\(number)"),
            ])
        }
    }

    private func saved(_ number: Substring) -> RecordedResponse {
        guard let shared = state.withLock({ $0.shared }), String(shared.number) == number else {
            return Self.text(404, "it was shared anew since\n")
        }
        var response = Self.response(200, "application/json", shared.bytes)
        let name = String(
            shared.name.map { $0.isASCII && ($0.isLetter || $0.isNumber || "._-".contains($0)) ? $0 : "_" }
        )
        response.headers.append("Content-Disposition", "attachment; filename=\"\(name)\"")
        return response
    }

    // MARK: - Answers

    private static func found(_ value: JSONValue?) -> RecordedResponse {
        value.map(json) ?? text(404, "there is no such thing here\n")
    }

    private static func json(_ value: JSONValue) -> RecordedResponse {
        response(200, "application/json", JSONWriter.bytes(of: value))
    }

    private static func text(_ status: Int, _ text: String) -> RecordedResponse {
        response(status, "text/plain; charset=utf-8", Array(text.utf8))
    }

    private static func response(
        _ status: Int,
        _ type: String,
        _ bytes: [UInt8],
        policy: String = "default-src 'none'"
    ) -> RecordedResponse {
        RecordedResponse(
            status: status,
            headers: HeaderFields([
                ("Content-Type", type), ("Cache-Control", "no-store"),
                ("Content-Security-Policy", policy + "; frame-ancestors 'none'"),
                ("X-Content-Type-Options", "nosniff"), ("X-Frame-Options", "DENY"),
                ("Referrer-Policy", "no-referrer"),
                ("Cross-Origin-Opener-Policy", "same-origin"),
                ("Cross-Origin-Resource-Policy", "same-origin"),
            ]),
            body: Body(content: .bytes(bytes), mediaType: type, size: bytes.count)
        )
    }
}
