package import Captures
package import Diagnosis
package import Flows
import JOSE
package import JSON
import OAuth
import TestSupport
import Testing

/// A capture of the folder `captures/`, to be diagnosed as it is or with one thing changed.
package struct Recording {
    package var exchanges: [Exchange]

    package init(_ exchanges: [Exchange]) { self.exchanges = exchanges }

    /// Reads a file below `captures/`, named without `.har`.
    package init(_ path: String) throws {
        let name = "captures/\(path).har"
        let capture = try CaptureReader.read(bytes: Fixtures.bytes(name), name: name)
        exchanges = capture.indices.map { capture[$0] }
    }

    package var flows: [Flow] { FlowFinder.flows(in: Capture(exchanges)) }

    package var diagnoses: [FlowDiagnosis] { flows.map { Diagnostician.diagnose($0) } }

    package var findings: [Finding] { diagnoses.flatMap(\.findings) }

    package var outcomes: [Outcome] { diagnoses.map(\.outcome) }

    package func finding(_ rule: String) -> Finding? { findings.first { $0.rule == rule } }

    /// The reason why a rule could not decide; nil where it did.
    package func abstention(_ rule: String) -> String? {
        diagnoses.flatMap(\.abstentions).first { $0.rule == rule }?.reason
    }

    // MARK: - Changing one thing, which fails the test where it is not there

    package func without(_ drop: (Exchange) -> Bool) -> Recording {
        Recording(exchanges.filter { !drop($0) })
    }

    package func editing(_ edit: (inout Exchange) -> Void) -> Recording {
        Recording(
            exchanges.map { exchange in
                var exchange = exchange
                edit(&exchange)
                return exchange
            }
        )
    }

    /// The last request to a path, its form changed: nil takes the field out.
    package func sending(_ name: String, _ value: String?, to path: String = "/token") -> Recording {
        guard let index = exchanges.lastIndex(where: { $0.request.url.path == path }) else {
            Issue.record("no request to \(path)")
            return self
        }
        var copy = self
        var items = FormBody.items(of: exchanges[index].request.body)?.items.map { ($0.name, $0.value) } ?? []
        if let position = items.firstIndex(where: { $0.0 == name }) {
            if let value { items[position].1 = value } else { items.remove(at: position) }
        } else if let value {
            items.append((name, value))
        }
        copy.exchanges[index].request.body = Body(text: FormBody.encode(items), mediaType: FormBody.mediaType)
        return copy
    }

    /// A parameter of the authorization request changed, wherever the request is seen; nil takes it out.
    package func asking(_ name: String, _ value: String?) -> Recording {
        editing { exchange in
            if exchange.request.url.path == "/authorize" {
                exchange.request.url = RecordedURL(Self.changing(exchange.request.url.text, name, value))
            }
            guard let location = exchange.response?.location, RecordedURL(location).path == "/authorize"
            else { return }
            exchange.response?.redirect(to: Self.changing(location, name, value))
        }
    }

    /// The last answer of the token endpoint is a success, with a token in which nothing can be read.
    package func granted() -> Recording {
        answering("/token", 200, ["access_token": "not-a-token", "token_type": "Bearer"])
    }

    /// The last answer of a path.
    package func answering(_ path: String, _ status: Int, _ json: JSONValue? = nil) -> Recording {
        guard let index = exchanges.lastIndex(where: { $0.request.url.path == path }) else {
            Issue.record("no request to \(path)")
            return self
        }
        var copy = self
        copy.exchanges[index].response?.status = status
        copy.exchanges[index].response?.body = json.map {
            Body.json(JSONWriter.text(of: $0))
        }
        return copy
    }

    /// The JSON of the last answer of a path, changed.
    package func editingAnswer(of path: String, _ edit: (inout JSONObject) -> Void) -> Recording {
        guard let index = exchanges.lastIndex(where: { $0.request.url.path == path }),
            var object = exchanges[index].response?.body?.bytes.flatMap({ try? JSONParser.parse($0) })?.object
        else {
            Issue.record("no JSON from \(path)")
            return self
        }
        edit(&object)
        var copy = self
        copy.exchanges[index].response?.body = .json(JSONWriter.text(of: .object(object)))
        return copy
    }

    /// The ID token of the last token answer with another header or other claims; its signature stays as it was.
    package func editingIDToken(
        claims: (inout JSONObject) -> Void = { _ in },
        header: (inout JSONObject) -> Void = { _ in }
    ) -> Recording {
        editingAnswer(of: "/token") { answer in
            guard let token = answer["id_token"]?.string.flatMap({ JSONWebToken.parse($0) }),
                var first = token.header,
                var second = token.claims
            else { return }
            header(&first)
            claims(&second)
            let parts = [first, second].map { encoded(JSONWriter.text(of: .object($0))) }
            let signature = token.text.split(separator: ".", omittingEmptySubsequences: false).last ?? ""
            answer["id_token"] = .string("\(parts[0]).\(parts[1]).\(signature)")
        }
    }

    /// With an encrypted ID token in the last token answer.
    package var withEncryptedIDToken: Recording {
        editingAnswer(of: "/token") {
            $0["id_token"] = "eyJhbGciOiJSU0EtT0FFUCIsImVuYyI6IkEyNTZHQ00ifQ.AA.AA.AA.AA"
        }
    }

    /// The last exchange of a path, changed.
    package func editingLast(_ path: String, _ edit: (inout Exchange) -> Void) -> Recording {
        guard let index = exchanges.lastIndex(where: { $0.request.url.path == path }) else { return self }
        var copy = self
        edit(&copy.exchanges[index])
        return copy
    }

    /// A call about the client's registration right behind that (RFC 7592, section 2); its answer is that of the registration, changed.
    package func configuring(_ method: String, _ edit: (inout JSONObject) -> Void = { _ in }) -> Recording {
        guard var call = exchanges.last(where: { $0.request.url.path == "/register" }),
            var answer = call.response?.body?.bytes.flatMap({ try? JSONParser.parse($0) })?.object,
            let client = answer["client_id"]?.string
        else {
            Issue.record("no registration")
            return self
        }
        edit(&answer)
        call.startedAt = call.endedAt + .milliseconds(1)
        call.duration = .milliseconds(1)
        call.request.method = method
        call.request.url = RecordedURL(call.request.url.text + "/" + client)
        call.request.headers.append("Authorization", "Bearer not-a-token-0123456789")
        if method != "PUT" { call.request.body = nil }
        call.response?.status = method == "DELETE" ? 204 : 200
        let text = JSONWriter.text(of: .object(answer))
        call.response?.body = method == "DELETE" ? nil : Body.json(text)
        return Recording(exchanges + [call])
    }

    /// The last answer of a path with another header; nil takes it out.
    package func answering(_ path: String, header name: String, _ value: String?) -> Recording {
        editingLast(path) { exchange in
            exchange.response?.headers.remove(name)
            if let value { exchange.response?.headers.append(name, value) }
        }
    }

    /// Without the flow's authorization request and what led to it.
    package var withoutAuthorization: Recording {
        without { ["/authorize", "/login", "/sign-in", "/callback"].contains($0.request.url.path) }
    }

    /// As saved without content: no body of any request or answer of a path.
    package func withoutBodies(of path: String) -> Recording {
        editing { exchange in
            guard exchange.request.url.path == path else { return }
            exchange.request.body = exchange.request.body.map { _ in Body(content: .missing) }
            if exchange.response?.body != nil { exchange.response?.body = Body(content: .missing) }
        }
    }

    /// As Chrome exports by default: no cookie and no credential anywhere.
    package var sanitized: Recording { sanitized { _ in true } }

    /// The same of some exchanges.
    package func sanitized(where isOne: (Exchange) -> Bool) -> Recording {
        editing { exchange in
            guard isOne(exchange) else { return }
            exchange.request.headers.fields.removeAll {
                ["cookie", "authorization"].contains($0.name.lowercased())
            }
            exchange.request.listedCookies = []
            exchange.response?.headers.remove("set-cookie")
            exchange.response?.listedCookies = []
        }
    }

    /// As an import of two files has it: some of the exchanges are of an export without cookies and credentials.
    package func imported(stripped isStripped: (Exchange) -> Bool) -> Recording {
        sanitized(where: isStripped).editing { exchange in
            let file = isStripped(exchange) ? "a.har" : "b.har"
            exchange.provenance.seen = [Provenance.Sighting(file: file, entry: 0)]
        }
    }

    /// As an import has it, beside another file.
    package func imported(beside other: String) throws -> Recording {
        let from = { (file: String) in
            { (exchange: inout Exchange) in
                exchange.provenance.seen = [Provenance.Sighting(file: file, entry: 0)]
            }
        }
        return Recording(
            editing(from("a.har")).exchanges + (try Recording(other)).editing(from("b.har")).exchanges
        )
    }

    /// With the provider's metadata in front, so that an endpoint is known without its parameters.
    package func withMetadata() throws -> Recording {
        let document = try Recording("healthy/web-code-flow").exchanges.filter {
            $0.request.url.path.hasSuffix("openid-configuration")
        }
        return Recording(
            document.map { exchange in
                var exchange = exchange
                exchange.startedAt = Timestamp(seconds: 1_772_000_000)
                return exchange
            } + exchanges
        )
    }

    /// With the provider's metadata and keys asked for in front, some of it changed.
    package func withDocuments(_ edit: (inout Exchange) -> Void) throws -> Recording {
        let paths = ["/.well-known/openid-configuration", "/jwks"]
        let documents = try Recording("healthy/web-code-flow").exchanges.filter {
            paths.contains($0.request.url.path)
        }
        #expect(documents.count == paths.count)
        return Recording(
            documents.enumerated().map { offset, exchange in
                var exchange = exchange
                exchange.startedAt = Timestamp(seconds: 1_772_000_000 + Int64(offset))
                edit(&exchange)
                return exchange
            } + exchanges
        )
    }

    /// The browser's half alone.
    package var frontChannel: Recording {
        without { $0.request.headers.first("user-agent")?.hasPrefix("shop-backend") ?? false }
    }

    /// The half of the app's server alone.
    package var backChannel: Recording {
        without { !($0.request.headers.first("user-agent")?.hasPrefix("shop-backend") ?? false) }
    }

    package static func changing(_ url: String, _ name: String, _ value: String?) -> String {
        let parsed = RecordedURL(url)
        var items = parsed.queryItems.items.map { ($0.name, $0.value) }
        if let position = items.firstIndex(where: { $0.0 == name }) {
            if let value { items[position].1 = value } else { items.remove(at: position) }
        } else if let value {
            items.append((name, value))
        }
        return parsed.withoutQuery + "?" + FormBody.encode(items)
    }
}

extension RecordedResponse {
    package mutating func redirect(to location: String) {
        headers.replace("Location", with: location)
        redirectURL = location
    }
}

extension Finding {
    /// Places of the evidence as `exchange part name`; a dash for computed values.
    package var places: [String] {
        evidence.map {
            "\($0.place.exchange.map { "\($0)" } ?? "-") \($0.place.part.rawValue) \($0.place.name)"
        }
    }

    package var notes: [String] { evidence.compactMap(\.note) }
}

extension Flow {
    /// The nonce of the first ID token.
    package var deliveredNonce: String? { idTokens.first?.token.nonce }
}

/// Base64url of a text.
package func encoded(_ text: String) -> String { Base64URL.encode(text.utf8) }
