import Captures
import Flows
import JOSE
import JSON
import OAuth

/// What an app says of its own request for the tokens, which the capture lacks, and what it says once it has them.
extension CallbackCourse {
    /// Whether the app says in words that it did not get its tokens for the code.
    static func saysThatTheExchangeFailed(_ callback: RejectedCallback, _ flow: Flow) -> Bool {
        let sentences = said(over: callback, flow)
        // Who misses a refresh token has the others.
        return sentences.contains(where: isOfFailedExchange)
            && !sentences.contains { $0.containsBytes("a refresh token") }
    }

    /// Whether the app says in words that the ID token did not pass, which it has by its exchange of the code alone.
    static func blamesIDToken(_ callback: RejectedCallback, _ flow: Flow) -> Bool {
        guard callback.response.parameter("id_token") == nil else { return false }
        let hasNonce = flow.authorizationRequests.contains { $0.nonce != nil }
        return said(over: callback, flow).contains { isOfIDToken($0) || hasNonce && isOfNonce($0) }
    }

    /// Whether the app's words are those that a library has for what comes behind the state, and do not say what it was.
    static func isBehindState(_ callback: RejectedCallback, _ flow: Flow) -> Bool {
        said(over: callback, flow).contains { behindStateWords.contains(where: $0.containsBytes) }
    }

    /// mod_auth_openidc's, rack-oauth2's, openid_connect's and go-oidc's.
    private static let behindStateWords = [
        "error in handling response type", "unknown token type", "unexpected token type: ",
        "no id_token field in oauth2 token",
    ]

    /// Whether the app says that issuers differ, and not which: openid_connect compares its setting with the metadata in these words.
    static func namesOtherIssuer(_ callback: RejectedCallback, _ flow: Flow) -> Bool {
        said(over: callback, flow).contains { $0.containsBytes("issuer mismatch") }
    }

    /// Which claims the ID token has, of which the app misses one; nil where there is no such token.
    static func claims(of callback: RejectedCallback, _ flow: Flow) -> Evidence? {
        guard let token = callback.idToken(in: flow)?.idToken, let claims = token.token.claims else {
            return nil
        }
        return Evidence(
            place: Place(exchange: token.place.exchange, part: .jwtClaims, name: ""),
            value: Masking.shown(
                claims.members.map(\.name).prefix(30).joined(separator: ", "),
                of: "members"
            ),
            note: "all that the ID token tells"
        )
    }

    /// The issuer of the ID token, and the app's own words, which name it but for a slash at its end; nil where they do not.
    static func issuerButForSlash(_ callback: RejectedCallback, _ flow: Flow) -> [Evidence]? {
        guard let delivered = callback.idToken(in: flow), let issuer = delivered.idToken.token.issuer else {
            return nil
        }
        let other = (issuer.hasSuffix("/") ? String(issuer.dropLast()) : issuer + "/").asciiLowercased()
        let sentences = said(over: callback, flow)
        guard let words = sentences.first(where: { isOfIssuer($0) && hasWord(other, in: $0) }) else {
            return nil
        }
        return [
            delivered.evidence(ofClaim: "iss"),
            Evidence(
                place: Place(exchange: callback.wording, part: .responseBody, name: ""),
                value: Masking.shown(Excerpt.around(other, in: words), of: "body"),
                note: "the same but for the slash at its end"
            ),
        ]
    }

    /// The issuer of the ID token and that of the metadata, where the two are one and the app says in words that it expects another;
    /// nil otherwise.
    static func otherIssuer(_ callback: RejectedCallback, _ flow: Flow) -> [Evidence]? {
        guard let delivered = callback.idToken(in: flow), let issuer = delivered.idToken.token.issuer,
            let document = flow.issuerDocuments.last(where: { $0.issuer?.equalsBytes(of: issuer) ?? false }),
            said(over: callback, flow).contains(where: isOfIssuer)
        else { return nil }
        return [
            delivered.evidence(ofClaim: "iss"),
            Evidence(
                place: document.answer.place("issuer"),
                value: Masking.shown(issuer, of: "issuer"),
                note: "the provider's metadata name the same one"
            ),
        ]
    }

    /// Whether an address stands in a sentence as a whole.
    private static func hasWord(_ address: String, in sentence: String) -> Bool {
        guard sentence.containsBytes(address) else { return false }
        return sentence.ranges(of: address).prefix(mostPlaces).contains { range in
            let rest = sentence[range.upperBound...]
            guard let next = rest.first else { return true }
            // A host or port goes on behind a sign.
            return !next.isLetter && !next.isNumber && !"/-_%".contains(next)
                && !(".:".contains(next)
                    && rest.dropFirst().first.map { $0.isLetter || $0.isNumber } ?? false)
        }
    }

    /// Whether a sentence, in lower case, says of the issuer of a token that it is not the one expected; certificates have issuers, too.
    private static func isOfIssuer(_ sentence: String) -> Bool {
        isSaid(
            ["invalid", "incorrect", "mismatch", "not match", "unexpected", "expected"],
            of: ["'iss'", "\"iss\"", "iss claim", "iss value", "issuer"],
            in: sentence
        )
            && !["certificate", "ssl", "tls"].contains(where: sentence.containsBytes)
    }

    /// The sentences, in lower case, of the app's page and of where it sends the browser.
    static func said(over callback: RejectedCallback, _ flow: Flow) -> [String] {
        let page = PageText.words(of: flow.capture[callback.wording].response?.body, limit: 1 << 16)
        let location = values(in: flow.capture[callback.place].response?.location ?? "")
        return [callback.noticeWords(in: flow), page, location].compactMap(\.self).flatMap { text in
            text.asciiLowercased().split(separator: ". ").map(String.init)
        }
    }

    /// Whether a sentence, in lower case, names the ID token and a check that it did not pass, or has the words of a library for one.
    private static func isOfIDToken(_ sentence: String) -> Bool {
        if tokenFaults.contains(where: sentence.containsBytes) { return true }
        return isSaid(
            [
                "invalid", "incorrect", "expired", "not match", "mismatch", "verif", "signature",
                "unexpected issuer", "does not contain",
            ],
            of: ["id token", "id_token", "id-token"],
            in: sentence
        ) && !isOfBrowser(sentence)
    }

    /// Whether a sentence, in lower case, says that the nonce is another one: who sent one to the provider has it back in the ID token alone.
    private static func isOfNonce(_ sentence: String) -> Bool {
        isSaid(["not match", "mismatch"], of: ["nonce"], in: sentence) && !isOfBrowser(sentence)
    }

    /// Whether it speaks of what the browser brings, too.
    private static func isOfBrowser(_ sentence: String) -> Bool {
        ["cookie", "session", "state", "csrf", "xsrf", "hint"].contains(where: sentence.containsBytes)
    }

    /// Whether one of the faults stands close to one of the names: a page of a debugger is one sentence, with all settings of the app.
    ///
    /// A name stands as one of its own: an invalid token is no ID token.
    static func isSaid(_ faults: [String], of names: [String], in sentence: String) -> Bool {
        guard faults.contains(where: sentence.containsBytes) else { return false }
        return names.contains { name in
            guard sentence.containsBytes(name) else { return false }
            return sentence.ranges(of: name).prefix(mostPlaces).contains { range in
                guard !(sentence[..<range.lowerBound].last?.isLetter ?? false) else { return false }
                let passage = String(
                    sentence[..<range.lowerBound].suffix(reach) + sentence[range.lowerBound...].prefix(reach)
                )
                return faults.contains(where: passage.containsBytes)
            }
        }
    }

    /// In characters, to either side: as much as a sentence has.
    private static let reach = 120
    private static let mostPlaces = 100

    /// json-jwt's, behind OmniAuth, Python Social Auth's, go-oidc's, OAuth2 Proxy's, openid-client's, pyoidc's and ASP.NET's.
    private static let tokenFaults = [
        "json::jwk::set::kidnotfound", "json::jws::verificationfailed", "token error: signature",
        "token error: invalid ", "at_hash claim does not match", "oidc: expected audience",
        "oidc: id token signed with unsupported algorithm", "oidc: id token issued by a different provider",
        "oidc: token is expired", "before the nbf (not before) time",
        "does not match with any of allowed audiences", "audience claims [aud] do not exist",
        "aud mismatch, expected", " not in aud:[", "experror: ", "iaterror: ", "nosuitablesigningkeys",
        "idx10205", "idx10214", "idx10222",
        "idx10223", "idx10500", "idx10501", "idx10503", "idx10511",
    ]

    /// Whether a sentence, in lower case, says so: a verb that libraries have for it, the thing, and that it failed.
    private static func isOfFailedExchange(_ sentence: String) -> Bool {
        func has(_ words: [String]) -> Bool { words.contains(where: sentence.containsBytes) }
        if namesAnsweredEndpoint(sentence) || sentence.containsBytes("(newtransportwithcode)") { return true }
        guard has(["fail", "unable to", "could not", "cannot", "error"]),
            // What libraries look for before they exchange a code, or keep in a cookie for that.
            !has(["csrf", "xsrf", "cookie", "session", "state", "verifier"])
        else { return false }
        if has(["exchang", "redeem"]), has([" code", " token"]) { return true }
        return has(gettingTokens)
    }

    /// Whether a token endpoint stands in front of what it answered (`https://…/token == Unauthorized`): Mojolicious::Plugin::OAuth2.
    private static func namesAnsweredEndpoint(_ sentence: String) -> Bool {
        guard let sign = sentence.firstRange(of: " == "),
            let word = sentence[..<sign.lowerBound].split(separator: " ").last
        else { return false }
        return word.hasPrefix("http") && RecordedURL(String(word)).path.containsBytes("token")
    }

    /// How they say that they ask for tokens; a request token is one of OAuth 1.
    private static let gettingTokens =
        [
            "get", "getting", "obtain", "obtaining", "fetch", "fetching", "retrieve", "retrieving",
            "requesting",
        ].flatMap { verb in
            ["token", "the token", "access token", "an access token", "the access token"].map {
                "\(verb) \($0)"
            }
        } + ["request an access token", "request the access token", "access token response"]

    /// Whether the app says in words that the state is not the one it kept.
    static func saysThatTheStateIsAnother(_ callback: RejectedCallback, _ flow: Flow) -> Bool {
        let words = callback.noticeWords(in: flow)?.asciiLowercased() ?? ""
        return ["invalid state", "state mismatch"].contains(where: words.containsBytes)
    }

    static let otherState = """
        The app exchanged the code, and says itself that the state is not the one that it kept: its session holds the state of another login by now, mostly \
        of one that was begun in a second tab.
        """
    static let otherStateFix = """
        Begin one login at a time and finish it in the tab it was begun in. Where the app is yours: keep each login's state under a key of its own in the session.
        """

    static let tokenRefused = """
        The provider's answer reached the redirect URI, and the app says itself that it did not take the ID token, which its server had got for the code. \
        Neither that request nor the token is in this capture.
        """
    static let tokenRefusedFix = """
        Go by its words: a token that has run out, or is not valid yet, is a matter of the two servers' clocks; issuer and audience are compared with the app's settings; a \
        key that is not found, or a signature, is about the key set, which the app may have kept from before the provider changed its keys; a nonce is that of another login. \
        Record the app's server as well: then the token itself is looked at.
        """

    static let issuerRefused = """
        The app knew the login again and exchanged its code, and says itself that the issuer of the ID token is not the one that it expects. Token and metadata name one \
        and the same, so it is the app that has another one in its settings.
        """
    static let issuerRefusedFix = """
        Write the issuer into the app's settings as the provider's metadata have it, to the last slash: scheme, host, port and path are compared as they stand. If the name \
        in the settings is the one that the provider is to have, change its public address instead.
        """

    static let issuerUnmatched = """
        The provider's answer reached the redirect URI, and the app says itself that the issuer is not the one that it expects: that of the provider's metadata, which its server reads, of the answer \
        (iss), or of the ID token. Cookies and state are not the reason.
        """

    static let slashRefused = """
        The app knew the login again and exchanged its code, and says itself which issuer it expects: that of the ID token, but for a slash at its end. The two are compared as they stand.
        """

    static let behindState = """
        The provider's answer reached the redirect URI, and the app refused it in words that it has for what comes behind the state alone: it knew the login again. \
        What failed is its server's exchange of the code, or a check of what came of it; those requests are not in this capture.
        """
    static let behindStateFix = """
        Read the log of the app's server for this time (mod_auth_openidc: Apache's error log), or record the server as well. Usual reasons are a wrong or expired client secret, a token \
        endpoint or key set that the server cannot reach, an answer without an ID token, one of another issuer or for another client than is set, clocks that differ, and keys from before the \
        provider changed them.
        """

    static let exchangeFailed = """
        The provider's answer reached the redirect URI, and the app says that it did not get its tokens for the code. That request, which its server makes \
        itself, is not in this capture. Libraries look at cookies and state before that, so those will have been in order.
        """
    static let exchangeFailedFix = """
        Record the app's server as well, or read its log for this time: it has the answer of the token endpoint. Usual reasons are a wrong or expired client \
        secret, a token endpoint that the server cannot reach or whose certificate it does not trust, another redirect URI than the login had, and a code that \
        was sent before.
        """

    static let notLetIn = """
        The app knew the login again, exchanged its code, and answered 403. By that status apps mostly say that they know who came and do not let them in: the user is \
        on none of their lists, or a claim by which they decide is not there.
        """
    static let notLetInFix = """
        Compare whom the app is set to let in (users, domains of e-mail addresses, groups, roles, organizations) with what the ID token and UserInfo say of this \
        user. Where groups or roles are missing there, the provider gives them only for a scope, or after a mapping that has to be made for this client.
        """
}
