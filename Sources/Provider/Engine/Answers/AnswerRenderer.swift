import Captures
import JOSE
import JSON
import OAuth

/// Turns a built answer into bytes: signs, hashes, encodes; and remembers what it gave out.
struct AnswerRenderer {
    var state: ProviderState
    let random: @Sendable (Int) -> [UInt8]

    mutating func response(_ answer: BuiltAnswer) -> RecordedResponse {
        var headers = answer.headers
        var location = answer.location
        var body: Body?
        switch answer.content {
        case .none: break
        case .body(let content): body = content
        case .object(let object): body = json(object)
        case .form(let object): body = form(object)
        case .token(let token, let mediaType): body = Body(text: signed(token), mediaType: mediaType)
        case .tokens(let members, let isForm):
            let object = JSONObject(values(of: members).map { ($0.name, $0.value) })
            body = isForm ? form(object) : json(object)
        case .authorization(let response):
            let carried = carried(response)
            switch response.mode {
            case .query, .fragment: location = SentText(Self.url(response.target, carried, response.mode))
            // The provider hands none over itself; the page that does so posts it.
            case .formPost, .credential: body = Self.formPost(response, carried)
            }
        }
        if let location { headers.fields.insert(.init(name: SentText("Location"), value: location), at: 0) }
        headers.fields += answer.cookies.map(\.field)
        if let type = body?.mediaType, !type.isEmpty, !headers.contains("content-type") {
            headers.append("Content-Type", type)
        }
        for index in headers.fields.indices {
            headers.fields[index].value = Self.harmless(headers.fields[index].value)
        }
        return RecordedResponse(status: answer.status, headers: headers, body: body)
    }

    /// A value that ends no field: control characters percent-encoded, as a URL would have them (RFC 9110, section 5.5).
    private static func harmless(_ value: String) -> String {
        func isControl(_ byte: UInt8) -> Bool { byte < 0x20 && byte != 0x09 || byte == 0x7f }
        guard value.utf8.contains(where: isControl) else { return value }
        let bytes = value.utf8.flatMap { byte in
            isControl(byte) ? Array(PercentEncoding.encode(String(UnicodeScalar(byte))).utf8) : [byte]
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    // MARK: - Values

    /// The members with tokens signed, those first that others carry the hash of.
    private mutating func values(of members: [BuiltAnswer.Member]) -> [(name: String, value: JSONValue)] {
        var texts: [String: String] = [:]
        for member in members {
            switch member.value {
            case .json(let value): texts[member.name] = value.string
            case .token(let token) where token.hashes.isEmpty: texts[member.name] = signed(token)
            case .token: break
            }
        }
        for member in members {
            guard case .token(let token) = member.value, !token.hashes.isEmpty else { continue }
            texts[member.name] = signed(token, beside: texts)
        }
        return members.map { member in
            if let memory = member.memory, let text = texts[member.name] { remember(memory, text) }
            if case .json(let value) = member.value { return (member.name, value) }
            return (member.name, .string(texts[member.name] ?? ""))
        }
    }

    private mutating func remember(_ memory: BuiltAnswer.Memory, _ text: String) {
        switch memory {
        case .code(let code): state.issued.codes[text] = code
        case .accessToken(let token): state.issued.accessTokens[text] = token
        case .refreshToken(let token): state.issued.refreshTokens[text] = token
        case .session(let session, let reader):
            state.sessions.recognize(session, by: text)
            state.sessions[session]?.add(reader)
        }
    }

    func signed(_ token: UnsignedToken, beside members: [String: String] = [:]) -> String {
        var claims = token.claims
        for (claim, member) in token.hashes {
            guard let value = members[member] ?? token.hashed[member] else {
                claims[claim] = nil
                continue
            }
            claims[claim] = .string(JSONWebToken.halfHash(of: value, algorithm: token.algorithm ?? .rs256))
        }
        var text: String
        if token.isSealedAlone {
            text = JSONWriter.text(of: .object(claims))
        } else if let algorithm = token.algorithm, let key = token.key,
            let signed = try? JSONWebToken.sign(
                claims: claims,
                header: token.header,
                algorithm: algorithm,
                with: key
            )
        {
            text = signed
        } else {
            let header = JSONObject([JSONObject.Member(name: "alg", value: "none")] + token.header.members)
            text =
                Base64URL.encode(JSONWriter.bytes(of: .object(header))) + "."
                + Base64URL.encode(JSONWriter.bytes(of: .object(claims))) + "."
        }
        if let tampering = token.tampering { text = tampering(text) }
        return token.seal?.sealed(text, random: random) ?? text
    }

    private func form(_ object: JSONObject) -> Body {
        let items = object.members.map { ($0.name, $0.value.string ?? JSONWriter.text(of: $0.value)) }
        return Body(text: FormBody.encode(items), mediaType: FormBody.mediaType + "; charset=utf-8")
    }

    private func json(_ object: JSONObject) -> Body {
        let bytes = JSONWriter.bytes(of: .object(object))
        return Body(content: .bytes(bytes), mediaType: "application/json", size: bytes.count)
    }

    // MARK: - Authorization responses

    private mutating func carried(_ response: BuiltAnswer.Authorization) -> [(String, String)] {
        let parameters = values(of: response.parameters).map { name, value in
            (name, value.string ?? JSONWriter.text(of: value))
        }
        guard var envelope = response.envelope else { return parameters }
        for (name, value) in parameters { envelope.claims[name] = .string(value) }
        return [("response", signed(envelope))]
    }

    /// The target with the parameters in its query or fragment.
    static func url(_ target: String, _ parameters: [(String, String)], _ mode: AuthorizationResponse.Mode)
        -> String
    {
        let items = FormBody.encode(parameters)
        guard mode == .query else { return target + "#" + items }
        return target + (RecordedURL(target).query == nil ? "?" : "&") + items
    }

    private static func formPost(_ response: BuiltAnswer.Authorization, _ parameters: [(String, String)])
        -> Body
    {
        guard let page = response.page, let text = page.body.text else {
            return Body(
                text: SignInPage.formPost(to: response.target, parameters),
                mediaType: "text/html; charset=utf-8"
            )
        }
        let pairs = page.values.compactMap { old, name in
            parameters.first { $0.0 == name }.map { (old: old, new: $0.1) }
        }
        var body = Body(text: Substitution(pairs).applied(to: text), mediaType: page.body.mediaType)
        body.mediaType = page.body.mediaType ?? "text/html; charset=utf-8"
        return body
    }
}
