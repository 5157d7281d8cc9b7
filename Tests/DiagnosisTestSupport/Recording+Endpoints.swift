import Captures
package import JSON
import TestSupport
import Testing

extension Recording {
    /// With the provider's endpoints at other addresses, their parameters behind them.
    ///
    /// `address`: of `authorize`, `token`, `jwks`, `userinfo` and `end-session`.
    package func withEndpoints(_ address: (String) -> String) -> Recording {
        func moved(_ url: String) -> String {
            let url = RecordedURL(url)
            guard let name = Self.endpoints.first(where: { url.withoutQuery == Self.base + $0 }) else {
                return url.text
            }
            let new = address(name)
            return new + (url.query.map { (RecordedURL(new).query == nil ? "?" : "&") + $0 } ?? "")
        }
        return editing { exchange in
            exchange.request.url = RecordedURL(moved(exchange.request.url.text))
            if let location = exchange.response?.location { exchange.response?.redirect(to: moved(location)) }
            guard exchange.request.url.path.hasSuffix("openid-configuration"),
                var text = exchange.response?.body?.text
            else { return }
            for name in Self.endpoints {
                text = text.split(separator: "\"\(Self.base)\(name)\"", omittingEmptySubsequences: false)
                    .joined(separator: "\"\(address(name))\"")
            }
            exchange.response?.body = .json(text)
        }
    }

    private static let base = "https://id.harbour.example/"
    private static let endpoints = ["authorize", "token", "jwks", "userinfo", "end-session"]
}

extension Recording {
    /// The token request's credentials brought to the pushed request instead, which is refused as that was: no login follows it.
    package var authenticatingAtPAR: Recording {
        guard let asked = exchanges.first(where: { $0.request.url.path == "/authorize" }),
            var pushed = exchanges.last(where: { $0.request.url.path == "/token" })
        else {
            Issue.record("no login with a token request")
            return self
        }
        let secret =
            FormBody.items(of: pushed.request.body)?.items.filter { $0.name == "client_secret" } ?? []
        let fields = (asked.request.url.queryItems.items + secret).map { ($0.name, $0.value) }
        pushed.request.url = RecordedURL("https://id.harbour.example/par")
        pushed.request.body = Body(text: FormBody.encode(fields), mediaType: FormBody.mediaType)
        let documents = exchanges.filter {
            ["/register", "/.well-known/openid-configuration"].contains($0.request.url.path)
        }
        return Recording(documents + [pushed])
    }
}

extension Recording {
    /// With the metadata read once more a minute behind all else, for another login, as they are by then.
    package func rereadingMetadata(_ edit: (inout JSONObject) -> Void) throws -> Recording {
        var later = try #require(
            exchanges.first { $0.request.url.path == "/.well-known/openid-configuration" }
        )
        var document = try #require(
            later.response?.body?.bytes.flatMap { try? JSONParser.parse($0) }?.object
        )
        edit(&document)
        later.response?.body = .json(JSONWriter.text(of: .object(document)))
        later.startedAt = try #require(exchanges.last).startedAt + .seconds(60)
        return Recording(exchanges + [later])
    }

    /// With another recording's exchanges behind its own, a minute later; of their servers' clocks nothing is said.
    package func followed(by other: Recording) throws -> Recording {
        let end = try #require(exchanges.last).endedAt + .seconds(60)
        let pause = try end - #require(other.exchanges.first).startedAt
        let later = other.editing { exchange in
            exchange.startedAt = exchange.startedAt + pause
            exchange.response?.headers.remove("Date")
        }
        return Recording(exchanges + later.exchanges)
    }
}
