import Captures
import Flows
import JOSE
import JSON
import OAuth
import TestSupport
import Testing

extension OnePlaceTests {
    /// A change, and what is to be said of it first.
    struct Change: CustomTestStringConvertible, Sendable {
        var what: String
        var capture = "captures/healthy/web-code-flow"
        /// Step and label of the difference.
        var place: String
        /// What its note has to say.
        var note: String
        var edit: @Sendable (ComparedRecording) -> ComparedRecording

        var testDescription: String { what }
    }

    static let changes: [Change] = [
        Change(what: "a parameter is dropped", place: "authorization_request nonce", note: "is missing") {
            $0.asking("nonce", nil, at: "/authorize")
        },
        Change(what: "a parameter is added", place: "authorization_request prompt", note: "is new") {
            $0.asking("prompt", "login", at: "/authorize")
        },
        Change(
            what: "another scope",
            place: "authorization_request scope",
            note: "profile is missing; email is new"
        ) {
            $0.asking("scope", "openid email", at: "/authorize")
        },
        Change(
            what: "another client",
            place: "authorization_request client_id",
            note: "cut off after 4 of 8 characters"
        ) {
            $0.asking("client_id", "shop", at: "/authorize")
        },
        Change(
            what: "another response type",
            place: "authorization_request response_type",
            note: "id_token is new"
        ) { $0.asking("response_type", "code id_token", at: "/authorize") },
        Change(
            what: "another challenge method",
            place: "authorization_request code_challenge_method",
            note: "differs from character 1 on"
        ) { $0.asking("code_challenge_method", "plain", at: "/authorize") },
        Change(
            what: "slash at the end of the redirect URI",
            place: "token_request redirect_uri",
            note: "not that of authorization_request: a \"/\" too many at the end"
        ) { $0.sending("redirect_uri", "https://www.shop.example/callback/", to: "/token") },
        Change(
            what: "redirect URI encoded twice",
            place: "token_request redirect_uri",
            note: "percent-encoded once too often"
        ) { $0.sending("redirect_uri", "https%3A%2F%2Fwww.shop.example%2Fcallback", to: "/token") },
        Change(
            what: "verifier of another login",
            place: "token_request code_verifier (against code_challenge)",
            note: "does not fit; in the first flow it fits by S256"
        ) { $0.sending("code_verifier", "aW1wb3NzaWJsZS12ZXJpZmllci1vZi1hbm90aGVyLWxvZ2lu", to: "/token") },
        Change(what: "no verifier", place: "token_request code_verifier", note: "is missing") {
            $0.sending("code_verifier", nil, to: "/token")
        },
        Change(
            what: "another code",
            place: "token_request code",
            note: "not that of authorization_response"
        ) { $0.sending("code", "cQ8WoqRcna07b9D2fT3CX3J7bzNpG1fX", to: "/token") },
        Change(
            what: "another secret",
            place: "token_request client_secret",
            note: "differs from character 1 on"
        ) {
            $0.sending("client_secret", "another-secret-of-no-one", to: "/token")
        },
        Change(
            what: "secret in the header",
            place: "token_request Authorization (client authentication)",
            note: "client_secret_basic instead of client_secret_post"
        ) {
            $0.sending("client_secret", nil, to: "/token").sending("client_id", nil, to: "/token")
                .header(
                    "Authorization",
                    "Basic c2hvcC13ZWI6bm90LWEtc2VjcmV0LW9mLWFueW9uZQ==",
                    ofRequestTo: "/token"
                )
        },
        Change(
            what: "state cut off on its way",
            place: "authorization_response state",
            note: "not that of authorization_request: cut off after 10 of 22 characters"
        ) { recording in
            let state = recording.flow?.authorizationRequests.first?.state ?? ""
            return recording.asking("state", String(state.prefix(10)), at: "/callback")
        },
        Change(what: "no state in the response", place: "authorization_response state", note: "is missing") {
            $0.asking("state", nil, at: "/callback")
        },
        Change(
            what: "error instead of a code",
            place: "authorization_response error",
            note: "is new: access_denied"
        ) { $0.asking("code", nil, at: "/callback").asking("error", "access_denied", at: "/callback") },
        Change(
            what: "cookie of the login lost",
            place: "authorization_response shop_login",
            note: "is missing"
        ) {
            $0.header("Cookie", nil, ofRequestTo: "/callback").editing("/callback") {
                $0.request.listedCookies = []
            }
        },
        Change(
            what: "stricter cookie",
            place: "authorization_request shop_login (SameSite)",
            note: "strict instead of lax"
        ) { recording in
            recording.editing("/login") { exchange in
                for index in exchange.response?.headers.fields.indices ?? 0..<0 {
                    let value = exchange.response?.headers.fields[index].value ?? ""
                    exchange.response?.headers.fields[index].value = value.replacing("Lax", with: "Strict")
                }
            }
        },
        Change(
            what: "cookie that ended the day before",
            place: "authorization_request shop_login (Set-Cookie)",
            note: "deleted instead of set"
        ) { recording in
            recording.editing("/login") { exchange in
                let end = (exchange.endedAt - .seconds(86_400)).httpDate
                for index in exchange.response?.headers.fields.indices ?? 0..<0
                where exchange.response?.headers.fields[index].value.hasPrefix("shop_login=") ?? false {
                    exchange.response?.headers.fields[index].value += "; Expires=\(end)"
                }
            }
        },
        Change(
            what: "another status",
            place: "token_request status",
            note: "401 instead of 200: invalid_client"
        ) {
            $0.answering("/token", 401, ["error": "invalid_client"])
        },
        Change(
            what: "no answer",
            place: "token_request kind of answer",
            note: "no answer (the server could not be reached) instead of"
        ) {
            $0.editing("/token") {
                $0.response = nil
                $0.failure = "net::ERR_CONNECTION_REFUSED"
            }
        },
        Change(
            what: "a page for an answer",
            place: "token_request kind of answer",
            note: "a page instead of a JSON object"
        ) {
            $0.editing("/token") { $0.response?.body = .html("<!doctype html><title>Oops</title>") }
        },
        Change(what: "a member dropped", place: "token_request refresh_token", note: "is missing") {
            $0.editingAnswer(of: "/token") { $0["refresh_token"] = nil }
        },
        Change(
            what: "a member of another type",
            place: "token_request expires_in",
            note: "a string instead of a number"
        ) {
            $0.editingAnswer(of: "/token") { $0["expires_in"] = "600" }
        },
        Change(what: "shorter life", place: "token_request expires_in", note: "60 s instead of 600 s") {
            $0.editingAnswer(of: "/token") { $0["expires_in"] = 60 }
        },
        Change(what: "another token type", place: "token_request token_type", note: "dpop instead of bearer")
        {
            $0.editingAnswer(of: "/token") { $0["token_type"] = "DPoP" }
        },
        Change(what: "less scope", place: "token_request scope", note: "profile is missing") {
            $0.editingAnswer(of: "/token") { $0["scope"] = "openid" }
        },
        Change(what: "another alg", place: "token_request id_token alg", note: "ES256 instead of RS256") {
            $0.editingToken(of: "/token", header: { $0["alg"] = "ES256" })
        },
        Change(what: "no typ", place: "token_request id_token typ", note: "is missing") {
            $0.editingToken(of: "/token", header: { $0["typ"] = nil })
        },
        Change(what: "a claim dropped", place: "token_request id_token sub", note: "is missing") {
            $0.editingToken(of: "/token", claims: { $0["sub"] = nil })
        },
        Change(
            what: "a claim of another type",
            place: "token_request id_token exp",
            note: "a string instead of a number"
        ) {
            $0.editingToken(of: "/token", claims: { $0["exp"] = "1773566708" })
        },
        Change(
            what: "audience as a list",
            place: "token_request id_token aud",
            note: "an array instead of a string"
        ) {
            $0.editingToken(of: "/token", claims: { $0["aud"] = ["shop-web"] })
        },
        Change(
            what: "audience as a list of others",
            place: "token_request id_token aud",
            note: "shop-web is missing; shop-api, shop-mobile are new"
        ) { $0.editingToken(of: "/token", claims: { $0["aud"] = ["shop-api", "shop-mobile"] }) },
        Change(
            what: "another audience in a list",
            place: "token_request id_token aud",
            note: "differs"
        ) { $0.editingToken(of: "/token", claims: { $0["aud"] = ["somebody-else"] }) },
        Change(
            what: "another audience",
            place: "token_request id_token aud",
            note: "not that of authorization_request"
        ) { $0.editingToken(of: "/token", claims: { $0["aud"] = "somebody-else" }) },
        Change(
            what: "issuer with a slash",
            place: "token_request id_token iss",
            note: "not that of discovery: a \"/\" too many at the end"
        ) { $0.editingToken(of: "/token", claims: { $0["iss"] = "https://id.harbour.example/" }) },
        Change(
            what: "another nonce",
            place: "token_request id_token nonce",
            note: "not that of authorization_request"
        ) {
            $0.editingToken(of: "/token", claims: { $0["nonce"] = "8X6o1Zls0JpdLNykz87AzO" })
        },
        Change(
            what: "a token that another key signed",
            place: "token_request id_token (signature)",
            note: "invalid instead of valid"
        ) {
            $0.editingAnswer(of: "/token") { answer in
                let token = answer["id_token"]?.string ?? ""
                answer["id_token"] = .string(token.dropLast(8) + "AAAAAAAA")
            }
        },
        Change(
            what: "token endpoint elsewhere",
            place: "token_request URL",
            note: "a \"/\" too many at the end"
        ) {
            $0.editing("/token") { $0.request.url = RecordedURL("https://id.harbour.example/token/") }
        },
        Change(
            what: "access token of another login",
            place: "userinfo_request access_token",
            note: "not that of token_request"
        ) {
            $0.header(
                "Authorization",
                "Bearer qpeBtiO4eaIWoGlYvnTqOq5MaL24cL8NFrTrrqOa",
                ofRequestTo: "/userinfo"
            )
        },
        Change(what: "no access token", place: "userinfo_request access_token", note: "is missing") {
            $0.header("Authorization", nil, ofRequestTo: "/userinfo")
        },
        Change(
            what: "another subject at userinfo",
            place: "userinfo_request sub",
            note: "not that of token_request"
        ) { $0.editingAnswer(of: "/userinfo") { $0["sub"] = "bob" } },
        Change(
            what: "token refused",
            place: "userinfo_request status",
            note: "401 instead of 200"
        ) {
            $0.answering("/userinfo", 401, nil).header(
                "WWW-Authenticate",
                #"Bearer error="invalid_token""#,
                ofAnswerFrom: "/userinfo"
            )
        },
        Change(
            what: "app answers with an error page",
            place: "authorization_response status",
            note: "500 instead of 302"
        ) {
            $0.editing("/callback") {
                $0.response?.status = 500
                $0.response?.headers.fields.removeAll { $0.name == "Location" }
                $0.response?.redirectURL = ""
                $0.response?.body = .html("<h1>Error</h1>")
            }
        },
        Change(
            what: "tokens as a page",
            place: "token_request Content-Type",
            note: "text/html instead of application/json"
        ) { recording in
            recording.editing("/token") { exchange in
                exchange.response?.body?.mediaType = "text/html"
                exchange.response?.headers.fields.removeAll { $0.name.lowercased() == "content-type" }
                exchange.response?.headers.append("Content-Type", "text/html")
            }
        },
        Change(
            what: "clock of the app two hours ahead",
            place: "authorization_response clock of www.shop.example",
            note: "ahead; in the first flow it is right"
        ) { recording in
            let date = recording.exchanges.last { $0.request.url.path == "/token" }?.startedAt
            return recording.header(
                "Date",
                date.map { ($0 + .seconds(7200)).httpDate },
                ofAnswerFrom: "/callback"
            )
        },
        Change(
            what: "a step is missing",
            place: "userinfo_request step",
            note: "the second flow ends before it"
        ) {
            $0.without("/userinfo")
        },
        Change(
            what: "refresh token not rotated any more",
            capture: "captures/healthy/refresh",
            place: "refresh_request refresh_token",
            note: "that of token_request, which it is not in the first flow"
        ) { recording in
            let first = recording.flow?.tokenRequests.first?.issuedRefreshToken ?? ""
            return recording.editingAnswer(of: "/token") { $0["refresh_token"] = .string(first) }
        },
        Change(
            what: "hint of another login",
            capture: "captures/healthy/logout",
            place: "end_session_request id_token_hint",
            note: "not that of token_request"
        ) { $0.asking("id_token_hint", "eyJhbGciOiJub25lIn0.eyJzdWIiOiJib2IifQ.AAAA", at: "/end-session") },
        Change(
            what: "proof for another address",
            capture: "captures/providers/myinfo",
            place: "token_request DPoP htu",
            note: "scheme http instead of https"
        ) { recording in
            guard let request = recording.flow?.tokenRequests.first,
                let text = recording.exchanges[request.exchange].request.headers.first("dpop"),
                let token = JSONWebToken.parse(text), var claims = token.claims, let header = token.header,
                let address = claims["htu"]?.string
            else { return recording }
            claims["htu"] = .string(address.replacing("https://", with: "http://"))
            let parts = [header, claims].map { Base64URL.encode(JSONWriter.bytes(of: .object($0))) }
            let proof = "\(parts[0]).\(parts[1]).\(text.split(separator: ".").last ?? "")"
            return recording.header(
                "DPoP",
                proof,
                ofRequestTo: recording.exchanges[request.exchange].request.url.path
            )
        },
    ]
}
