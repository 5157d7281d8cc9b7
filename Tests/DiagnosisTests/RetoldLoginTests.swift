import Captures
import Diagnosis
import DiagnosisTestSupport
import JSON
import TestSupport
import Testing

/// Logins that were recorded with programs in forms of their own: the same is found as in HAR.
struct RetoldLoginTests {
    enum Form: CaseIterable {
        case logbookJSON
        case logbookText
        case mockServer
        case vcr
    }

    private static let names = [
        "healthy/web-code-flow", "healthy/native-app", "healthy/refresh", "healthy/logout",
        "token-request/redirect-uri-token-mismatch", "token-request/token-invalid-client",
        "token-request/pkce-verifier-mismatch", "refresh/refresh-token-reused",
    ]

    @Test(arguments: names, Form.allCases) func sameIsFound(name: String, form: Form) throws {
        let path = "captures/\(name).har"
        let capture = try CaptureReader.read(bytes: Fixtures.bytes(path), name: path)
        let exchanges = capture.indices.map { capture[$0] }
        let retold = try CaptureReader.read(bytes: Array(Self.text(of: exchanges, form).utf8), name: "login")
        let (expected, found) = (Recording(exchanges), Recording(retold.indices.map { retold[$0] }))
        #expect(retold.count == exchanges.count && retold.losses.isEmpty)
        #expect(found.outcomes == expected.outcomes)
        #expect(Set(found.findings.map(\.rule)) == Set(expected.findings.map(\.rule)))
    }

    // MARK: - What the programs write

    private static func text(of exchanges: [Exchange], _ form: Form) -> String {
        switch form {
        case .logbookJSON:
            return exchanges.enumerated().flatMap { logged($1, $0) }.map {
                line(of: $0, " --- [main] org.zalando.logbook.Logbook : " + JSONWriter.text(of: $1))
            }.joined()
        case .logbookText:
            return exchanges.enumerated().map(printed).joined()
        case .mockServer:
            return JSONWriter.text(of: .array(exchanges.map(mocked)))
        case .vcr:
            let interactions = JSONValue.array(exchanges.map(played))
            return JSONWriter.text(of: ["http_interactions": interactions, "recorded_with": "VCR 6.1.0"])
        }
    }

    private static func line(of exchange: Exchange, _ words: String) -> String {
        "\(exchange.startedAt.rfc3339.prefix(23)) TRACE 1\(words)\n"
    }

    private static func headers(_ fields: HeaderFields) -> JSONObject {
        var object = JSONObject()
        for field in fields.fields where !field.name.hasPrefix(":") {
            object[field.name] = .array((object[field.name]?.array ?? []) + [.string(field.value)])
        }
        return object
    }

    private static func logged(_ exchange: Exchange, _ number: Int) -> [(Exchange, JSONValue)] {
        let (request, response) = (exchange.request, exchange.response)
        let name = JSONValue.string("c\(number)")
        return [
            (
                exchange,
                [
                    "origin": "remote", "type": "request", "correlation": name, "protocol": "HTTP/1.1",
                    "remote": "127.0.0.1", "method": .string(request.method),
                    "uri": .string(request.url.text),
                    "headers": .object(headers(request.headers)), "body": json(request.body),
                ]
            ),
            (
                exchange,
                [
                    "origin": "local", "type": "response", "correlation": name, "protocol": "HTTP/1.1",
                    "duration": 5, "status": JSONValue(response?.status ?? 0),
                    "headers": .object(headers(response?.headers ?? HeaderFields())),
                    "body": json(response?.body),
                ]
            ),
        ]
    }

    /// JSON stands there as it is, all else as a text.
    private static func json(_ body: Body?) -> JSONValue {
        guard let text = body?.text, !text.isEmpty else { return .null }
        let value = body?.essence == "application/json" ? try? JSONParser.parse(Array(text.utf8)) : nil
        return value ?? .string(text)
    }

    private static func printed(_ number: Int, _ exchange: Exchange) -> String {
        let (request, response) = (exchange.request, exchange.response)
        let lines = { (fields: HeaderFields) in
            headers(fields).members.map { field in
                "\n\(field.name): \((field.value.array ?? []).compactMap(\.string).joined(separator: ", "))"
            }.joined()
        }
        let text = { (body: Body?) in body?.text.flatMap { $0.isEmpty ? nil : "\n\n\($0)" } ?? "" }
        let asked = """
             --- [main] org.zalando.logbook.Logbook : Incoming Request: c\(number)
            Remote: 127.0.0.1
            \(request.method) \(request.url.text) HTTP/1.1\(lines(request.headers))\(text(request.body))
            """
        let answered = """
             --- [main] org.zalando.logbook.Logbook : Outgoing Response: c\(number)
            Duration: 5 ms
            HTTP/1.1 \(response?.status ?? 0) x\(lines(response?.headers ?? HeaderFields()))\(text(response?.body))
            """
        return line(of: exchange, asked) + line(of: exchange, answered)
    }

    private static func mocked(_ exchange: Exchange) -> JSONValue {
        let (request, response) = (exchange.request, exchange.response)
        var fields = headers(request.headers)
        let origin = request.url.origin ?? ""
        fields["Host"] = .array([.string(origin.split(separator: "/").last.map(String.init) ?? "")])
        var query = JSONObject()
        for item in request.url.queryItems.items {
            query[item.name] = .array((query[item.name]?.array ?? []) + [.string(item.value)])
        }
        return [
            "timestamp": .string(String(exchange.startedAt.rfc3339.prefix(23)).replacing("T", with: " ")),
            "httpRequest": [
                "method": .string(request.method), "path": .string(request.url.path),
                "queryStringParameters": .object(query), "headers": .object(fields),
                "secure": .bool(origin.hasPrefix("https")), "body": json(request.body),
            ],
            "httpResponse": [
                "statusCode": JSONValue(response?.status ?? 0),
                "headers": .object(headers(response?.headers ?? HeaderFields())),
                "body": json(response?.body),
            ],
        ]
    }

    private static func played(_ exchange: Exchange) -> JSONValue {
        let (request, response) = (exchange.request, exchange.response)
        return [
            "request": [
                "method": .string(request.method.lowercased()), "uri": .string(request.url.text),
                "body": ["encoding": "UTF-8", "string": .string(request.body?.text ?? "")],
                "headers": .object(headers(request.headers)),
            ],
            "response": [
                "status": ["code": JSONValue(response?.status ?? 0), "message": "x"],
                "headers": .object(headers(response?.headers ?? HeaderFields())),
                "body": ["encoding": "UTF-8", "string": .string(response?.body?.text ?? "")],
            ],
            "recorded_at": .string(exchange.startedAt.rfc3339),
        ]
    }
}
