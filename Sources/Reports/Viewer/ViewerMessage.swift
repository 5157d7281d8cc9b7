import Captures
import Flows
import JOSE
import JSON

/// One exchange in full, as the viewer shows it.
enum ViewerMessage {
    /// Of a longer body only so many bytes are shown.
    private static let mostBytes = 1 << 20

    static func document(of index: Int, in capture: ViewerCapture) -> JSONValue {
        let exchange = capture.report.capture[index]
        let steps = capture.rows.steps[index] ?? []
        let secrets = capture.secrets
        var object: JSONObject = [
            "exchange": JSONValue(index), "method": .string(exchange.request.method),
            "url": .string(exchange.request.url.text),
            "address": .string(address(exchange.request.url)),
            "started": JSONReport.time(exchange.startedAt),
        ]
        object["time"] =
            exchange.duration.map { _ in
                ViewerTime.milliseconds(exchange.endedAt, since: exchange.startedAt)
            } ?? .null
        object["client"] = exchange.client.process.map { .string($0) } ?? .null
        object["failure"] = exchange.failure.map { .string($0) } ?? .null
        object["broken"] = .bool(exchange.isBrokenOff)
        object["malformed"] = .array(
            exchange.malformations.map { .string("\($0.side.rawValue): \($0.reason)") }
        )
        object["request"] = [
            "headers": fields(exchange.request.headers, secrets),
            "body": exchange.request.body.map { body($0, secrets) } ?? .null,
        ]
        object["response"] =
            exchange.response.map { response in
                [
                    "status": JSONValue(response.status),
                    "statusText": .string(response.statusText), "headers": fields(response.headers, secrets),
                    "body": response.body.map { body($0, secrets) } ?? .null,
                ]
            } ?? .null
        object["socket"] = ViewerSocket.document(of: exchange, secrets)
        var collector = OccurrenceCollector()
        let occurrences = collector.occurrences(in: exchange, at: index)
        object["values"] = .array(
            occurrences.prefix(mostValues).map { .object(ViewerFlow.occurrence($0, in: capture)) }
        )
        object["more"] = JSONValue(max(0, occurrences.count - mostValues))
        object["steps"] = .array(steps.map { .string(DiagramWords.kind($0.kind)) })
        object["tokens"] = .array(steps.flatMap(\.tokens).map { token($0, secrets) })
        object["cookies"] = .array(Array(capture.cookies.cookies(of: index).prefix(mostCookies)))
        return .object(object)
    }

    /// What of a URL is no secret: it without user information, query and fragment.
    private static func address(_ url: RecordedURL) -> String {
        guard let hostAndPort = url.hostAndPort else { return url.withoutQuery }
        return (url.scheme.map { "\($0):" } ?? "") + "//" + hostAndPort + url.path
    }

    private static func fields(_ fields: HeaderFields, _ secrets: ViewerSecrets) -> JSONValue {
        .array(
            fields.fields.prefix(mostValues).map { field in
                let name = field.name.lowercased()
                let isOpen =
                    (openFields.contains(name) || openPrefixes.contains(where: name.hasPrefix))
                    && !secrets.holds(field.value)
                return [
                    "name": .string(field.name), "value": .string(field.value), "open": .bool(isOpen),
                ]
            }
        )
    }

    /// Header fields that open nothing; of others nobody knows.
    private static let openFields: Set<String> = [
        "accept", "accept-charset", "accept-encoding", "accept-language", "accept-ranges", "age", "allow",
        "alt-svc", "cache-control", "connection", "content-encoding", "content-language", "content-length",
        "content-security-policy", "content-type", "date", "dnt", "expect", "expires", "host", "keep-alive",
        "last-modified", "origin", "p3p", "permissions-policy", "pragma", "priority", "referrer-policy",
        "retry-after", "server", "strict-transport-security", "te", "trailer", "transfer-encoding", "upgrade",
        "upgrade-insecure-requests", "user-agent", "vary", "via", "www-authenticate",
        "x-content-type-options",
        "x-dns-prefetch-control", "x-frame-options", "x-powered-by", "x-requested-with", "x-xss-protection",
    ]

    private static let openPrefixes = ["access-control-", "cross-origin-", "sec-ch-", "sec-fetch-"]

    private static let mostValues = 500
    private static let mostCookies = 200

    /// A text as text, a picture in base64, of everything else the size.
    ///
    /// `truncated`: the capture has no more of it; `coding`: that could not be undone; `charset`: of a text that is no UTF-8.
    private static func body(_ body: Body, _ secrets: ViewerSecrets) -> JSONValue {
        var object: JSONObject = ["type": body.mediaType.map { .string($0) } ?? .null]
        if body.isTruncated { object["truncated"] = true }
        if let coding = body.remainingCoding { object["coding"] = .string(coding) }
        guard let bytes = body.bytes else {
            object["size"] = body.size.map { JSONValue($0) } ?? .null
            return .object(object)
        }
        object["size"] = JSONValue(bytes.count)
        let shown = Array(bytes.prefix(mostBytes))
        if shown.count < bytes.count { object["cut"] = true }
        if let text = text(shown, isCut: shown.count < bytes.count) {
            object["text"] = .string(text)
            object["open"] = .bool(secrets.isOpen(text))
        } else if bytes.count <= mostBytes, isPicture(body.mediaType) {
            object["base64"] = .string(Base64.encode(bytes))
        } else if body.remainingCoding == nil,
            let text = WesternText.text(of: shown, mediaType: body.mediaType)
        {
            object["text"] = .string(text)
            object["open"] = .bool(secrets.isOpen(text))
            object["charset"] = .string(WesternText.charset)
        }
        return .object(object)
    }

    /// Nil for bytes that are no UTF-8; a text that was cut may end in the middle of a character.
    private static func text(_ bytes: [UInt8], isCut: Bool) -> String? {
        for end in 0..<(isCut ? 4 : 1) {
            if let text = String(validating: bytes.dropLast(end), as: UTF8.self) { return text }
        }
        return nil
    }

    /// Those that hold no script.
    private static func isPicture(_ type: String?) -> Bool {
        ["image/png", "image/jpeg", "image/gif", "image/webp", "image/x-icon", "image/vnd.microsoft.icon"]
            .contains(Body.essence(of: type ?? ""))
    }

    /// Each member with its name and its text: a script's numbers would lose digits, and its objects members of the same name.
    static func members(_ object: JSONObject?) -> JSONValue {
        guard let object else { return .null }
        return .array(
            object.members.map { member in
                var shown: JSONObject = ["name": .string(member.name)]
                shown["text"] = .string(member.value.string ?? JSONWriter.text(of: member.value))
                if case .number = member.value { shown["number"] = true }
                return .object(shown)
            }
        )
    }

    private static func token(_ token: StepToken, _ secrets: ViewerSecrets) -> JSONValue {
        var object: JSONObject = ["name": .string(token.name), "text": .string(token.token.text)]
        object["header"] = members(token.token.header)
        object["claims"] = members(token.token.claims)
        object["secret"] = .array(
            (token.token.claims?.members ?? []).filter { secrets.isSecret(claim: $0.name, $0.value) }
                .map { .string($0.name) }
        )
        object["encryption"] = members(token.envelope?.header)
        object["signature"] = .string(token.signature.rawValue)
        object["checks"] = .array(
            token.checks.map { check in
                [
                    "name": .string(check.name), "outcome": .string(check.outcome.rawValue),
                    "detail": .string(check.detail), "source": .string(check.specification),
                    "requirement": .string(TokenRequirements.sentence(for: check)),
                ]
            }
        )
        object["deviations"] = .array(
            token.token.deviations.map {
                ["part": .string($0.part), "what": .string($0.what), "source": .string($0.specification)]
            }
        )
        return .object(object)
    }
}
