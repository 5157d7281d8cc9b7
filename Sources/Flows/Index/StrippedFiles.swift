import Captures
import JSON
import OAuth

/// The files whose cookies and credentials were left out by what wrote them: a capture, or those that an import was made of.
///
/// A file that has any of them is whole, and so is what saw the connections themselves. Of the others it is known where a browser
/// went to an authorization endpoint, where the developer tools of Chrome wrote the file, which leave them out unless told
/// otherwise, and where a page had asked whether it may send a credential that the request behind it does not have. The credentials
/// alone were left out where no request has one, and UserInfo told who the user is to somebody who showed no token.
struct StrippedFiles: Sendable {
    /// Whether it is so of the whole capture, in which a browser went to an authorization endpoint.
    let areAll: Bool
    /// By name; without one the capture that is no import.
    private let files: Set<String>
    /// Those that have cookies, perhaps, and no credentials, among them.
    private let withoutCredentials: Set<String>

    init(_ capture: Capture, _ requests: [AuthorizationRequest], _ messages: [Int: OAuthMessage]) {
        areAll = Self.isSanitized(capture, requests)
        let facts = areAll ? [:] : Self.facts(of: capture, requests, messages)
        let recorders = capture.recordersByFile
        files = Set(
            facts.filter { file, facts in
                // Of an import of one file the entries do not name it.
                let names = (recorders[file].map { [$0] } ?? capture.recorders).map(\.name)
                return facts.isStripped(byDefault: names.allSatisfy { $0 == Self.developerTools })
            }.keys
        )
        withoutCredentials = files.union(facts.filter { $0.value.lacksCredentials }.keys)
    }

    func contains(_ exchange: Exchange) -> Bool { isLeftOut(of: exchange, in: files) }

    /// Whether a request without an `Authorization` header may have had one.
    func mayLackCredentials(_ exchange: Exchange) -> Bool {
        exchange.mayHaveSent("authorization") || isLeftOut(of: exchange, in: withoutCredentials)
    }

    private func isLeftOut(of exchange: Exchange, in files: Set<String>) -> Bool {
        guard areAll || !files.isEmpty, exchange.client.address == nil else { return false }
        if areAll { return true }
        let seen = exchange.provenance.seen
        return seen.isEmpty ? files.contains("") : seen.allSatisfy { files.contains($0.file) }
    }

    private static func isSanitized(_ capture: Capture, _ requests: [AuthorizationRequest]) -> Bool {
        // Who saw the browser's connection itself saw that there was none.
        !requests.isEmpty && requests.allSatisfy { capture[$0.exchange].client.address == nil }
            && capture.indices.allSatisfy { hasNone(capture[$0]) }
            // Where nobody answered nobody set a cookie: a replay without a network.
            && capture.indices.contains { capture[$0].response != nil }
    }

    private static func hasNone(_ exchange: Exchange) -> Bool {
        !exchange.request.headers.contains("cookie")
            && !exchange.request.headers.contains("authorization")
            && exchange.request.listedCookies.isEmpty
            && !(exchange.response?.headers.contains("set-cookie") ?? false)
            && (exchange.response?.listedCookies.isEmpty ?? true)
    }

    // MARK: - Each by itself

    /// What a file alone saw.
    private struct Facts {
        var hasNone = true
        var hasCredential = false
        var isServedWithoutToken = false
        var isAnswered = false
        var hasConnections = false
        var logins = 0
        /// Those whose connection nobody saw.
        var toldLogins = 0
        /// Calls that a page was allowed to make with an `Authorization` header, and since when.
        private var allowed: [String: Timestamp] = [:]
        /// When the last of those ended that pages of other origins made without one.
        private var calls: [String: Timestamp] = [:]

        mutating func note(_ exchange: Exchange) {
            guard !hasCredential else { return }
            hasCredential = exchange.request.headers.contains("authorization")
            hasNone = hasNone && StrippedFiles.hasNone(exchange)
            if exchange.client.address != nil { hasConnections = true }
            guard let response = exchange.response else { return }
            isAnswered = true
            let request = exchange.request
            guard request.headers.contains("origin") else { return }
            if request.method == "OPTIONS" {
                guard response.isSuccessful,
                    request.headers.listed("access-control-request-headers").contains("authorization"),
                    // For a while browsers took the star for it.
                    !response.headers.listed("access-control-allow-headers")
                        .isDisjoint(with: ["authorization", "*"]),
                    let method = request.headers.first("access-control-request-method")
                else { return }
                let call = "\(method) \(request.url.withoutQuery)"
                allowed[call] = min(allowed[call] ?? exchange.endedAt, exchange.endedAt)
            } else if exchange.client.address == nil {
                let call = request.methodAndURL
                calls[call] = max(calls[call] ?? exchange.endedAt, exchange.endedAt)
            }
        }

        /// Chrome counts a call from before its preflight on, and lists it first.
        private var lacksAllowed: Bool {
            allowed.contains { call, time in calls[call].map { time <= $0 } ?? false }
        }

        var lacksCredentials: Bool { !hasCredential && (lacksAllowed || isServedWithoutToken) }

        func isStripped(byDefault: Bool) -> Bool {
            guard hasNone, isAnswered else { return false }
            if logins > 0 { return toldLogins == logins }
            return lacksAllowed || byDefault && !hasConnections
        }
    }

    private static func facts(
        of capture: Capture,
        _ requests: [AuthorizationRequest],
        _ messages: [Int: OAuthMessage]
    ) -> [String: Facts] {
        let file = { (exchange: Int) -> String? in
            let seen = capture[exchange].provenance.seen
            return seen.count > 1 ? nil : seen.first?.file ?? ""
        }
        var facts: [String: Facts] = [:]
        for index in capture.indices {
            guard let file = file(index) else { continue }
            facts[file, default: Facts()].note(capture[index])
            if case .userInfo(let call) = messages[index], isServedWithoutToken(call, capture[index]) {
                facts[file]?.isServedWithoutToken = true
            }
        }
        for request in requests {
            guard let file = file(request.exchange) else { continue }
            facts[file]?.logins += 1
            if capture[request.exchange].client.address == nil { facts[file]?.toldLogins += 1 }
        }
        return facts
    }

    /// Who speaks of a session's user to a page of its own knows it by a cookie.
    private static func isServedWithoutToken(_ call: EndpointCall, _ exchange: Exchange) -> Bool {
        call.token == nil && exchange.client.address == nil && exchange.request.cookies.isEmpty
            && call.answer.isSuccess && call.answer.json?["sub"]?.string != nil
    }

    /// `log.creator.name` of Chrome, Edge and their kin.
    private static let developerTools = "WebInspector"
}
