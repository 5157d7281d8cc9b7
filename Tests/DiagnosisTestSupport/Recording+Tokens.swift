package import Captures
import JOSE
package import JSON
import OAuth
import Testing

extension Recording {
    /// With a refresh at the end, which gets another access token.
    package func refreshing(to token: String) -> Recording {
        var recording = editingAnswer(of: "/token") { $0["refresh_token"] = "a-refresh-token-8675309" }
        guard var refresh = recording.exchanges.last(where: { $0.request.url.path == "/token" }),
            let last = recording.exchanges.last
        else { return self }
        refresh.startedAt = last.startedAt + .milliseconds(100)
        recording.exchanges.append(refresh)
        return recording.sending("grant_type", "refresh_token").sending("code", nil)
            .sending("redirect_uri", nil).sending("code_verifier", nil)
            .sending("refresh_token", "a-refresh-token-8675309")
            .answering(
                "/token",
                200,
                ["access_token": .string(token), "token_type": "Bearer", "expires_in": 600]
            )
    }

    /// The claims of the client assertion of the last request to a path, changed; its signature is then worth
    /// nothing.
    package func asserting(to path: String = "/token", _ edit: (inout JSONObject) -> Void) -> Recording {
        guard let index = exchanges.lastIndex(where: { $0.request.url.path == path }),
            let text = FormBody.items(of: exchanges[index].request.body)?.first("client_assertion")
        else { return self }
        return sending("client_assertion", Self.changing(claimsOf: text, edit), to: path)
    }

    /// The claims of the DPoP proof of the last request to a path, changed.
    package func proving(to path: String, _ edit: (inout JSONObject) -> Void) -> Recording {
        guard let index = exchanges.lastIndex(where: { $0.request.url.path == path }),
            let text = exchanges[index].request.headers.first("dpop")
        else { return self }
        return replacing("DPoP", with: Self.changing(claimsOf: text, edit), at: index)
    }

    /// The header of the DPoP proof of the last request to a path, changed.
    package func provingWithHeader(to path: String, _ edit: (inout JSONObject) -> Void) -> Recording {
        guard let index = exchanges.lastIndex(where: { $0.request.url.path == path }),
            let text = exchanges[index].request.headers.first("dpop"),
            var header = JSONWebToken.parse(text)?.header
        else { return self }
        edit(&header)
        let parts = text.split(separator: ".")
        let changed = encoded(JSONWriter.text(of: .object(header)))
        return replacing("DPoP", with: ([changed[...]] + parts.dropFirst()).joined(separator: "."), at: index)
    }

    /// The claims of the access token of a call changed, also in the answer that issued it.
    package func bearing(at index: Int, _ edit: (inout JSONObject) -> Void) -> Recording {
        guard let header = exchanges[index].request.headers.first("authorization") else { return self }
        let token = Self.changing(claimsOf: String(header.dropFirst("Bearer ".count)), edit)
        return replacing("Authorization", with: "Bearer " + token, at: index)
            .editingAnswer(of: "/token") { $0["access_token"] = .string(token) }
    }

    /// A header of a request replaced; nil takes it out.
    package func replacing(_ name: String, with value: String?, at index: Int) -> Recording {
        var copy = self
        copy.exchanges[index].request.headers.remove(name)
        if let value { copy.exchanges[index].request.headers.append(name, value) }
        return copy
    }

    /// A header of the last request to a path replaced; nil takes it out.
    package func sendingHeader(_ name: String, _ value: String?, to path: String) -> Recording {
        guard let index = exchanges.lastIndex(where: { $0.request.url.path == path }) else { return self }
        return replacing(name, with: value, at: index)
    }

    /// With a key set of EC keys that the app, or somebody else, serves.
    package func publishing(_ kids: [String], at url: String, _ time: Timestamp) throws -> Recording {
        var fetched = try #require(exchanges.first { $0.request.method == "GET" })
        fetched.startedAt = time
        fetched.request.url = RecordedURL(url)
        fetched.response = RecordedResponse(status: 200)
        let keys = kids.map { kid -> JSONValue in
            ["kty": "EC", "crv": "P-256", "kid": .string(kid), "x": "AA", "y": "AA"]
        }
        fetched.response?.body = Body(
            text: JSONWriter.text(of: ["keys": .array(keys)]),
            mediaType: "application/json"
        )
        return Recording([fetched] + exchanges)
    }

    private static func changing(claimsOf text: String, _ edit: (inout JSONObject) -> Void) -> String {
        guard var claims = JSONWebToken.parse(text)?.claims else { return text }
        edit(&claims)
        let parts = text.split(separator: ".")
        return "\(parts[0]).\(encoded(JSONWriter.text(of: .object(claims)))).\(parts[2])"
    }
}
