import Captures
import Flows

/// What an app itself names as the reason for which it refused a callback, where that is none of what it knows a login by: cookies, state.
///
/// Told by the words of libraries and products, in what the app shows and in the address that it sends the browser to.
enum SaidReason: CaseIterable {
    /// Its server does not trust the certificate of a server that it asked.
    case distrust
    /// Its server did not reach the provider.
    case silence
    /// It knows the login by the state alone, and does not know the one that came.
    case sealedState
    /// It asked about the user, and did not get, or could not use, what it was told.
    case user
    /// It knows who came, and failed at its own record of them.
    case record
    /// It knows who came, and did not sign them in.
    case person

    /// Nil where the app says nothing of the kind.
    static func of(_ callback: RejectedCallback, in flow: Flow) -> SaidReason? {
        let location = flow.capture[callback.place].response?.location ?? ""
        // A page may say so of anything.
        if RecordedURL(location).queryItems.first("error") == "AccessDenied" { return .person }
        let sentences = CallbackCourse.said(over: callback, flow)
        return allCases.first { reason in sentences.contains { reason.isSaid(in: $0) } }
    }

    /// `sentence`: in lower case.
    func isSaid(in sentence: String) -> Bool {
        func has(_ words: [String]) -> Bool { words.contains(where: sentence.containsBytes) }
        switch self {
        case .distrust: return has(Self.distrusting)
        case .silence:
            return has(Self.unreached)
                || CallbackCourse.isSaid(Self.broken, of: Self.providersThings, in: sentence)
        case .sealedState: return has(Self.ofGoTrue)
        case .user:
            return has(Self.unusable)
                || has(["fail", "unable to", "could not", "cannot", "error"]) && has(Self.askingForUser)
        case .record: return has(Self.failingRecords)
        case .person: return has(Self.turningAway)
        }
    }

    // MARK: - Words, in lower case

    /// OpenSSL's, Go's, Java's, .NET's, Node's and curl's.
    private static let distrusting = [
        "certificate signed by unknown authority", "tls: failed to verify certificate",
        "unable to get local issuer certificate", "certificate verify failed", "certificate_verify_failed",
        "pkix path building failed", "unable to find valid certification path",
        "self signed certificate", "self-signed certificate", "self_signed_cert",
        "unable to verify the first certificate", "unable_to_verify_leaf_signature",
        "the remote certificate is invalid", "curl error 60", "curl error 77",
    ]

    /// Of the provider's metadata in ASP.NET, of Nextcloud, and of curl.
    private static let unreached = [
        "idx20803", "idx20804", "could not reach the openid connect provider", "curl error 6:",
        "curl error 7:", "curl error 28:",
    ]
    /// Said of any server, of the app's database as well.
    private static let broken = [
        "econnrefused", "enotfound", "eai_again", "etimedout", "no such host", "could not resolve host",
        "getaddrinfo", "connection refused", "connection timed out", "connect timed out", "i/o timeout",
        "name or service not known", "temporary failure in name resolution", "no route to host",
    ]
    private static let providersThings = [
        "openid-connect/", "openid-configuration", "oauth2/", "oauth/", "/token\"", "jwks", "userinfo",
        "identity provider", "oidc", "openid provider", "token endpoint", "token request", "access token",
    ]

    /// Supabase Auth.
    private static let ofGoTrue = [
        "bad_oauth_state", "bad_oauth_callback", "oauth callback with invalid state",
        "oauth state is invalid", "oauth state parameter missing",
    ]

    private static let askingForUser =
        [
            "get", "getting", "fetch", "fetching", "retrieve", "retrieving", "obtain", "obtaining",
        ].flatMap { verb in
            [
                "userinfo", "the userinfo", "user info", "user information", "user profile",
                "the user profile", "user email", "user details",
            ].map { "\(verb) \($0)" }
        }
    /// Spring Security's, Cloudflare's, openid_connect's, Vault's, JupyterHub's, RomM's, Grafana's and mod_auth_openidc's.
    private static let unusable = [
        "invalid_user_info_response", "missing attribute 'sub' in attributes",
        "attribute value for 'sub' cannot be null", "failed to fetch user/group information",
        "access token invalid or expired", "error validating claims", "no username_claim in userdata",
        "email is missing from token", "return an email address", "oauthlogin(get info from",
        "remote user could not be set",
    ]

    /// Supabase, Auth.js, Grafana, Nextcloud.
    private static let failingRecords = [
        "database error saving new user", "database error updating user", "oauthcreateaccount",
        "user sync failed", "failed to provision",
    ]
    /// Auth.js, Cloudflare Access, Grafana, Supabase, GitLab, Python Social Auth, FastAPI Users, JupyterHub, OAuth2 Proxy, SonarQube.
    private static let turningAway = [
        "oauthaccountnotlinked", "account does not have access", "sign up is disabled", "signup is disabled",
        "signups not allowed", "user not a member of one of the required", "user is not a member of",
        "without a pre-existing", "authentication is not allowed by the application policy",
        "oauth_not_available_email", "oauth_user_already_exists", "not currently authorized to use this hub",
        "invalid session: unauthorized", "can't sign up because", "is already associated to an existing user",
    ]
}

extension CallbackCourse {
    static func words(of reason: SaidReason) -> (explanation: String, fix: String) {
        switch reason {
        case .distrust: (distrust, distrustFix)
        case .silence: (silence, silenceFix)
        case .sealedState: (sealedState, sealedStateFix)
        case .user: (user, userFix)
        case .record: (record, recordFix)
        case .person: (person, personFix)
        }
    }

    private static let distrust = """
        The provider's answer reached the redirect URI. Then, as the app says itself, its own server asked another one by TLS and did not trust that \
        one's certificate. At a callback that is the provider, as a rule: its token endpoint, keys or UserInfo. Cookies and state are not the reason.
        """
    private static let distrustFix = """
        Give the app's server the certificate authority that signed it, in the store that its runtime reads: NODE_EXTRA_CA_CERTS, REQUESTS_CA_BUNDLE, SSL_CERT_FILE (Go, OpenSSL), \
        curl.cainfo in php.ini, a truststore of Java (-Djavax.net.ssl.trustStore), update-ca-certificates in its container. Where browsers trust it and the server does not, the provider \
        mostly leaves out the certificate in between: have it send the whole chain.
        """

    private static let silence = """
        The provider's answer reached the redirect URI. Then the app's own server, as it says itself, did not get through to the provider. The browser did: the two \
        stand in different places.
        """
    private static let silenceFix = """
        From where the app's server runs (inside of its container) open the address that it names. A name that is known outside alone, localhost, a proxy or firewall on the way out and a port that is \
        not published are the usual reasons. Have it know the provider by the same public name as the browser, by DNS or an alias, so that the issuer stays one.
        """

    private static let sealedState = """
        The provider's answer went to a service, Supabase Auth, that signs users in for the app. It sets no cookie for that: all that it knows a login by is the state that it \
        gave to the provider, and the one that came back is none of its own, or too old.
        """
    private static let sealedStateFix = """
        Send no state of your own in queryParams: it takes the place of the service's; what the app wants to keep goes into redirectTo. Sign in without delay, since the service's is good for \
        some minutes, and do not load its callback twice. Where the address also names an error of the provider, go by that.
        """

    private static let user = """
        The provider's answer reached the redirect URI. The app says itself that it failed at what comes behind the exchange of the code: it asked the provider about the user and did not get, \
        or could not use, what it was told. Cookies and state are not the reason.
        """
    private static let userFix = """
        Compare the address of UserInfo, or of the API that tells about the user, in the app's settings with the provider's own, and the scopes that were granted with what it wants for it \
        (openid, profile, email). Then see that the claim by which the app knows its users is in the answer: Spring by user-name-attribute. Some providers tell e-mail and names by \
        UserInfo alone, not in the ID token (Authelia since 4.39): have the app ask there, or the provider put them into the token. Record the app's server as well to see the request.
        """

    private static let record = """
        The provider's answer reached the redirect URI. The app knows who came and says itself that it failed when it made or changed its own record of them, in its database. Provider, cookies and \
        state did what they should.
        """
    private static let recordFix = """
        Look into the log of the app and of its database for this time: a column that is missing or may not be empty, a name or an e-mail address that another record has already, a trigger that \
        fails. Compare what the app needs of a new user with the claims that the provider sends, which go by the scopes that were granted.
        """

    private static let person = """
        The provider's answer reached the redirect URI. The app says itself that it did not sign in who came: it has no account for them and makes none, has another one at their e-mail address, or \
        they are on none of its lists. Provider, cookies and state did what they should.
        """
    private static let personFix = """
        Compare whom the app is set to let in, and whether it may make accounts, with what the provider says of this user: e-mail address and whether it is verified, groups, roles. \
        Where an account at that address exists already, sign in by that one first and link the two, or allow the app to match by e-mail address.
        """
}
