import Captures
import Flows

/// What a value is by the name under which it stands.
enum SecretRoles {
    /// How sure a name is of its value.
    enum Role: Sendable {
        /// Secret whatever it is.
        case secret(Secret.Kind)
        /// Secret if it looks drawn and not chosen: the name is also used for other things.
        case drawn(Secret.Kind)
        /// The protocol's own words, identifiers and addresses that everybody may know.
        case open
        /// Nothing as a whole: its parts have names of their own.
        case parts
        case unknown
    }

    static func role(of name: String, in container: TextKind) -> Role {
        if name == SlotReader.basicCredentials { return .parts }
        if [SlotReader.fileName, PersonRegister.unnamed, TypedTexts.name].contains(name) {
            return .secret(.personal)
        }
        if name == TypedDigits.name { return .secret(.oneTimeCode) }
        // `user.id`, as OpenTelemetry and those who collect traces and logs call it.
        if name.hasSuffix("user.id") || name == "usr.id" { return .secret(.subject) }
        // `data-user-name`, as pages keep it for their scripts.
        if let own = withoutData(name), case .secret(let kind) = role(of: own, in: .text) {
            return .secret(kind)
        }
        let key = normalized(name)
        // `OIDC_CLAIM_family_name`, as Apache's module hands claims on; `myinfo.name` of sgID.
        let claim = withoutClaimPrefix(key)
        if claim != key { return role(ofKey: claim, in: .claims) }
        let whole = role(ofKey: key, in: container)
        guard case .unknown = whole else { return whole }
        // `user[password]`, `credentials.passcode`, `ctl00$Main$Password`, `Password1`, `http://…/claims/emailaddress`.
        let parts = name.utf8.split { marks.contains($0) }.lazy
            .map { normalized(String(decoding: $0, as: UTF8.self)) }
        let last = parts.last { !fields.contains($0) } ?? ""
        if last != key, case let part = role(ofKey: last, in: container), !isUnknown(part) { return part }
        let bare = withoutNumber(last)
        if bare != last, let kind = secrets[bare] ?? PersonalRoles.kind(of: bare, isAboutPeople: false) {
            return .secret(kind)
        }
        if isPassword(bare) || isPassword(lastWord(of: name)) || isAnswer(bare) { return .secret(.password) }
        // `g_csrf_token`, `login_csrf`; `csrfFieldName` is none.
        if ["csrf", "xsrf"].contains(where: key.containsBytes) { return .drawn(.formToken) }
        // `X-Acme-Sid`
        if container == .text, name.lowercased().hasSuffix("-sid") { return .drawn(.claim) }
        return byEnding(key, bare, in: container, isOfWords: name.utf8.contains(0x2d)) ?? whole
    }

    /// What an attribute is called that pages keep for their scripts; nil for other names.
    ///
    /// Behind `data-` stands no other one.
    private static func withoutData(_ name: String) -> String? {
        guard name.hasPrefix("data-") else { return nil }
        let own = name.dropFirst(5)
        return own.hasPrefix("data-") ? nil : String(own)
    }

    private static func withoutNumber(_ key: String) -> String {
        let bytes = key.utf8.drop { $0 == 0x5f }
        let digits = bytes.reversed().prefix(while: \.isASCIIDigit).count
        return String(Substring(bytes.dropLast(digits)))
    }

    /// The last of several words, in small letters: `pass` of `u_pass` and of `dbPass1`; empty where there is one only.
    private static func lastWord(of name: String) -> String {
        let bytes = Array(name.utf8).reversed().drop { $0.isASCIIDigit }
        var word: [UInt8] = []
        for byte in bytes {
            guard byte.isASCIILetter else { break }
            // Where small letters end before a capital.
            if let first = word.last, first & 0x20 == 0, byte & 0x20 != 0 { break }
            word.append(byte)
        }
        return word.count < bytes.count ? SlotReader.string(word.reversed()).lowercased() : ""
    }

    /// `X-Secret`, `oauth_token_secret`, `DD-API-KEY`, `totpPin`: names of which the last word says what the value is, if it
    /// looks like that; nil for others.
    ///
    /// `isOfWords`: the name is of words with hyphens between them, as those of header fields are.
    private static func byEnding(
        _ key: String,
        _ bare: String,
        in container: TextKind,
        isOfWords: Bool
    ) -> Role? {
        if key.hasPrefix("x") {
            switch role(ofKey: String(key.dropFirst()), in: container) {
            case .secret(let kind): return .secret(kind)
            case .drawn(let kind): return .drawn(kind)
            default: break
            }
        }
        // What is published is called a key as well.
        if key.containsBytes("public") || key.hasSuffix("sitekey") { return nil }
        guard let kind = endings.first(where: { bare.hasSuffix($0.ending) })?.kind else { return nil }
        // `X-Goog-Api-Key`: a header field that is called so is nothing else.
        let isField = container == .text && isOfWords && headerEndings.contains(where: bare.hasSuffix)
        return isField ? .secret(kind) : .drawn(kind)
    }

    private static let headerEndings = ["token", "apikey", "secret"]

    /// Whether it is the name of a setting that somebody chose as a secret, in capitals as environments have them:
    /// `SESSION_SECRET`, `export DJANGO_SECRET_KEY`; not `ERR_NO_SECRET`, which is what an error is called.
    static func isSetting(_ name: String) -> Bool {
        let own = name.hasPrefix("export ") ? name.dropFirst(7) : name[...]
        guard !own.split(separator: "_").contains(where: { wordsOfErrors.contains(String($0)) }) else {
            return false
        }
        return own.utf8.allSatisfy { (0x41...0x5a).contains($0) || $0.isASCIIDigit || $0 == 0x5f }
            && ["_SECRET", "SECRET_KEY", "SECRET_KEY_BASE", "SIGNING_KEY", "ENCRYPTION_KEY", "COOKIE_KEY"]
                .contains(
                    where: own.hasSuffix
                )
    }

    private static let wordsOfErrors: Set<String> = [
        "BAD", "ERR", "ERROR", "EXPIRED", "INVALID", "MISSING", "NO", "UNKNOWN", "WRONG",
    ]

    /// Whether a name leaves no doubt, so that what somebody chose is a secret as well: `secret`, `refreshToken`, `credentials`.
    static func saysSecret(_ name: String) -> Bool {
        let key = normalized(name)
        return ["secret", "secrets", "token", "credential", "credentials"].contains(where: key.hasSuffix)
    }

    private static let endings: [(ending: String, kind: Secret.Kind)] = [
        ("token", .token), ("ticket", .token), ("assertion", .assertion), ("apikey", .apiKey),
        ("key", .apiKey),
        ("secret", .credentials), ("verifier", .credentials), ("signature", .credentials),
        ("session", .credentials), ("sessionid", .credentials), ("sess", .credentials), ("otp", .oneTimeCode),
        ("pin", .oneTimeCode), ("answer", .oneTimeCode), ("nonce", .nonce),
    ]

    private static func withoutClaimPrefix(_ key: String) -> String {
        if key.hasPrefix("myinfo"), key.utf8.count > 6 { return String(key.dropFirst(6)) }
        return key.hasPrefix("oidcclaim") ? String(key.dropFirst(9)) : key
    }

    private static let marks = Set(".[]$:/'\"".utf8)
    /// What a part of a name says that stands behind the telling one: `login:passwd:input`.
    private static let fields: Set<String> = ["input", "value", "field", "text"]

    private static func isUnknown(_ role: Role) -> Bool { if case .unknown = role { true } else { false } }

    /// Whether a value that is described so is a password or a one-time code: `{"type": "password", "value": "…"}`.
    static func saysPassword(_ description: String) -> Bool {
        guard description.utf8.count <= 32 else { return false }
        let key = normalized(description)
        return isPassword(key) || secrets[key] == .oneTimeCode
    }

    /// Words for it, alone and in longer names: `newPassword`, `login_pw`.
    private static func isPassword(_ key: String) -> Bool {
        shortPasswordWords.contains(key)
            || passwordBeginnings.mayStand(in: key) && passwordWords.contains(where: key.containsBytes)
                && !aboutPasswords.contains(where: key.hasSuffix)
    }

    /// Those that are one only by themselves: other words have them in them.
    private static let shortPasswordWords: Set<String> = [
        "pass", "pw", "psw", "pswd", "jpass", "logpass", "clave", "userpass", "loginpw", "userpw",
        "loginpass",
        // French, Turkish and Romanian, Estonian, Slovenian, Polish without its marks, Indonesian.
        "mdp", "parola", "parool", "geslo", "haslo", "sandi",
    ]

    /// Whether it is what somebody answers who is asked for more than a password: `secAnswer2`, `challenge_answer`.
    private static func isAnswer(_ key: String) -> Bool {
        key.hasSuffix("answer")
            && ["seca", "secq", "secret", "secur", "challenge", "question", "recovery"].contains(
                where: key.hasPrefix
            )
    }

    /// What names end with that tell something of a password, and are not its own: `password_expires_in`, `resetPasswordUrl`.
    private static let aboutPasswords = words(
        """
        expires expiresin expiresat expiry expiration expirationdate expired changed changedat updatedat \
        createdat resetat setat lastset lastlogin lastloginat lastused lastusedat length minlength maxlength policy strategy strength complexity rules \
        required enabled disabled supported allowed attempts age days message error errors label placeholder \
        title url uri link href page path type less status state algorithm method
        """
    )

    private static let passwordWords = [
        "password", "passwd", "passcode", "passphrase", "passwort", "kennwort", "motdepasse", "contrasena",
        "senha", "pwd", "wachtwoord", "hasło", "пароль", "密码", "密碼", "パスワード", "비밀번호", "lösenord", "losenord",
        "adgangskode", "passord", "contraseña", "jelszó", "jelszo", "şifre", "sifre",
        "salasana", "heslo", "kodeord", "lozinka", "contrasenia", "contrasenha", "katasandi", "matkhau",
        "mậtkhẩu", "katalaluan", "รหัสผ่าน", "كلمةالمرور", "كلمةالسر", "סיסמה", "סיסמא", "κωδικόςπρόσβασης",
        "συνθηματικό", "पासवर्ड", "கடவுச்சொல்",
    ]

    private static let passwordBeginnings = WordBeginnings(passwordWords)

    /// `key`: as ``normalized(_:)`` has it.
    private static func role(ofKey key: String, in container: TextKind) -> Role {
        let isAboutPeople =
            switch container {
            case .claims, .form, .multipart, .html: true
            default: false
            }
        if let kind = secrets[key] { return .secret(kind) }
        if let kind = PersonalRoles.kind(of: key, isAboutPeople: isAboutPeople) { return .secret(kind) }
        if container == .claims, PersonalRoles.ofClaims.contains(key) { return .secret(.personal) }
        // What a site keeps in the browser is between the two, whatever it is called.
        switch container {
        case .cookies, .setCookie: return .secret(.cookie)
        default: break
        }
        if open.contains(key) || key.hasSuffix("endpoint") || key.hasSuffix("supported")
            || TraceNames.contain(key)
        {
            return .open
        }
        guard let kind = drawn[key] else { return .unknown }
        switch container {
        // A header field that is called so is nothing else.
        case .text where headerWords.contains(key): return .secret(kind)
        // In a query or a form these are the protocol's; a document calls other things so.
        case .url, .form, .multipart: return .secret(kind)
        case .claims, .html: return protocolWords.contains(key) ? .secret(kind) : .drawn(kind)
        default: return .drawn(kind)
        }
    }

    /// Whether a text is, as a whole, one of the words that protocols and documents have for names.
    static func isWord(_ text: String) -> Bool {
        let key = normalized(text)
        return secrets[key] != nil || drawn[key] != nil || open.contains(key)
            || PersonalRoles.isWord(key)
    }

    /// In lower case, without the marks that separate words: `accessToken`, `access_token` and `access-token` are one; so are
    /// `family_name` and `family_name#ja-Kana-JP` (OpenID Connect Core, section 5.2).
    static func normalized(_ name: String) -> String {
        String(
            decoding: withoutLanguage(name).lowercased().utf8.filter {
                $0 != 0x5f && $0 != 0x2d && $0 != 0x2e && $0 != 0x20
            },
            as: UTF8.self
        )
    }

    /// `ns#client_secret` has no language.
    private static func withoutLanguage(_ name: String) -> Substring {
        guard let mark = name.utf8.firstIndex(of: 0x23), mark > name.startIndex else { return name[...] }
        let tag = name.utf8[mark...].dropFirst()
        let isTag =
            (2...3).contains(tag.prefix { $0.isASCIILetter }.count)
            && tag.first { !$0.isASCIILetter } ?? 0x2d == 0x2d
            && tag.allSatisfy { $0.isASCIIAlphanumeric || $0 == 0x2d }
        return isTag ? name[..<mark] : name[...]
    }

    private static let headerWords: Set<String> = ["secret", "token", "session", "sessionid", "auth"]

    /// Names of the protocol's own values also where other things are written.
    private static let protocolWords: Set<String> = ["code", "authorizationcode", "state", "nonce"]

    private static let secrets: [String: Secret.Kind] = table([
        .accessToken: "accesstoken authtoken xauthtoken bearertoken xaccesstoken xforwardedaccesstoken",
        .refreshToken: "refreshtoken", .idToken: "idtoken idtokenhint",
        .token:
            "logintoken sessiontoken xsessiontoken xtoken xvaulttoken privatetoken tgt loginticket subjecttoken actortoken registrationaccesstoken temporaryproof logouttoken tokenid initialaccesstoken loginhinttoken xidtoken xamznoidcdata xamzoidcdata",
        .codeVerifier: "codeverifier", .codeChallenge: "codechallenge",
        .clientSecret:
            "clientsecret consumersecret appsecret xclientsecret apisecret xapisecret sharedsecret xsharedsecret authsecret xauthsecret",
        .assertion: "clientassertion assertion",
        .proof: "dpop dpopnonce", .deviceCode: "devicecode authreqid", .userCode: "usercode",
        .requestURI: "requesturi",
        .sessionState: "sessionstate",
        .password:
            "phpauthpw ksecvaluedata mnemonic seedphrase recoveryphrase recoverykey secretphrase secretword password passwd pwd passphrase passcode userpassword newpassword oldpassword currentpassword confirmpassword jpassword idtoken2 callback callback1 credential securityanswer secretanswer",
        .oneTimeCode:
            "confirmationcode otc bindingcode oobcode additionalauthdata recoverycodeinput totppin cvv cvv2 cvc cvc2 securitycode tan pushtan smstan mtan pin xpin otp xotp xgithubotp accesscode xaccesscode recoverycode recoverycodes backupcode backupcodes otpvalue totp smsmfacode softwaretokenmfacode emailotpcode smsotpcode onetimepassword onetimecode mfacode verificationcode pincode smscode txcode twofactorcode authcode2 otpcode",
        .credentials:
            "secretdata iplanetdirectorypro rawid totpsecret otpsecret secretcode xauth xauthkey lsid xsessionid phpsessid jsessionid authorization proxyauthorization xamzsecuritytoken signature signaturedata xsignature",
        .apiKey: "apikey xapikey xfunctionskey ocpapimsubscriptionkey subscriptionkey privatekey secretkey",
        .saml: "samlrequest samlresponse samlart relaystate wresult wctx",
        .formToken:
            "csrf xcsrf csrftoken xcsrftoken xsrftoken xxsrftoken csrfmiddlewaretoken authenticitytoken requestverificationtoken antiforgerytoken sessioncode sessiondatakey sessiondatakeyconsent authid tabid execution viewstate eventvalidation flowtoken canary sft ctx statetoken statehandle loginchallenge consentchallenge logoutchallenge loginverifier consentverifier logoutverifier otk",
        .claim: "athash chash shash rthash jti sid ath jkt uti rh aio puid",
    ])

    private static let drawn: [String: Secret.Kind] = table([
        .authorizationCode: "code authorizationcode authcode", .state: "state", .nonce: "nonce",
        .token: "token ticket jwt bearer request response t invite invitation invitecode invitationcode",
        .credentials:
            "secret secretkeybase key session sessionid sessioninfo authsession auth sig hash tokenvalue credentials keyhandle credentialid coid",
        // Rails and Yii say in `<meta name="csrf-param">` which field has the token.
        .formToken: "lt flow interaction challenge id csrfparam",
    ])

    /// Whether what stands under a name is what somebody, or somebody's account, is called.
    static func namesSomebody(_ name: String) -> Bool {
        // `data-display-name`
        if let own = withoutData(name) { return namesSomebody(own) }
        let key = withoutClaimPrefix(normalized(name))
        let last = name.utf8.split { marks.contains($0) }.last ?? []
        return PersonalRoles.namesSomebody(key)
            || PersonalRoles.namesSomebody(normalized(String(decoding: last, as: UTF8.self)))
    }

    /// Whether what stands under a name is what pages show of somebody, or of something else that has a name.
    static func isShownName(_ name: String) -> Bool { ["displayname", "name"].contains(normalized(name)) }

    /// Whether what stands under a name is what somebody's account is called.
    static func namesAccount(_ name: String) -> Bool {
        PersonalRoles.namesAccount(withoutClaimPrefix(normalized(name)))
    }

    /// Whether what stands under a name is the day on which somebody was born.
    static func isBirthDay(_ name: String) -> Bool {
        let key = withoutClaimPrefix(normalized(name))
        return ["birthdate", "birthday", "bday", "dob", "dateofbirth", "geburtsdatum"].contains(
            where: key.hasSuffix
        )
    }

    /// Whether what stands under an open name is in somebody's own words, or leads somewhere: it may name people.
    static func isFreeText(_ name: String, _ text: String) -> Bool {
        let key = normalized(name)
        // Some write a sentence where the code of the error should be.
        return freeTexts.contains(key) || key == "error" && text.utf8.contains(0x20)
    }

    /// Whether what stands under an open name is no part of a key (RFC 7518, section 6): `n` and `x` mean other things in cookies
    /// and scripts.
    static func isOfNoKey(_ name: String, _ value: [UInt8]) -> Bool {
        guard ["n", "e", "x", "y"].contains(name) else { return false }
        let isLongEnough = name == "e" ? value.count <= longestExponent : value.count >= shortestCoordinate
        return !isLongEnough || !value.allSatisfy(\.isBase64URLCharacter)
    }

    /// In characters of base64url: of a public exponent, and of a coordinate or a modulus.
    private static let longestExponent = 8
    private static let shortestCoordinate = 32

    private static let freeTexts = Set(
        words(
            "href src action errordescription erroruri clientname contacts display device class style path server via statustext status submit button domain creator pageref version softwareversion wwwauthenticate claims n e x y"
        )
    )

    /// Whether what stands under a name is a client, an issuer or an address of theirs.
    static func isIdentifier(_ name: String) -> Bool {
        let key = normalized(name)
        return identifierNames.contains(key) || key.hasSuffix("endpoint")
    }

    private static let identifierNames = Set(
        words(
            "clientid redirecturi redirecturis postlogoutredirecturi postlogoutredirecturis iss issuer aud azp appid jwksuri audience host"
        )
    )

    /// Whether what stands under a name is what a client or a server is called, and no prose.
    static func isParty(_ name: String) -> Bool { parties.contains(normalized(name)) }

    private static let parties = Set(words("clientid iss issuer aud azp appid audience"))

    /// Whether what stands under a name is public whatever it looks like: identifiers, addresses, names of keys.
    static func isPublic(_ name: String) -> Bool {
        let key = normalized(name)
        return publicNames.contains(key) || key.hasSuffix("endpoint")
    }

    private static let publicNames: Set<String> = Set(
        words(
            "clientid redirecturi redirecturis postlogoutredirecturis postlogoutredirecturi iss issuer aud azp appid idp tid kid x5c x5u alg jwksuri resource audience scope host responsetype responsemode granttype tokentype codechallengemethod clientassertiontype prompt error erroruri errorcodes autherror persistedqueryhash"
        )
    )

    private static let open: Set<String> = Set(
        words(
            "clientid redirecturi redirecturis postlogoutredirecturis responsetypes granttypes autherror persistedqueryhash scope responsetype responsemode granttype iss issuer aud azp kid x5c x5u alg typ enc cty prompt display uilocales acrvalues acr amr codechallengemethod tokentype expiresin tokenendpointauthmethod postlogoutredirecturi resource audience error errordescription erroruri jwksuri kty crv use keyops zip crit claims maxage clientassertiontype requestedtokentype subjecttokentype issuedtokentype actortokentype exp iat nbf authtime updatedat emailverified phonenumberverified locale version clientname clienturi logouri tosuri policyuri applicationtype contacts softwareid softwareversion method status htm htu ver tid idp appid azpacr host connection accept acceptlanguage acceptencoding contenttype contentlength useragent date server cachecontrol pragma vary expires age via lastmodified transferencoding keepalive origin allow accesscontrolalloworigin accesscontrolallowmethods accesscontrolallowheaders accesscontrolallowcredentials accesscontrolexposeheaders accesscontrolmaxage stricttransportsecurity contentsecuritypolicy referrerpolicy xframeoptions xcontenttypeoptions permissionspolicy upgradeinsecurerequests secfetchsite secfetchmode secfetchdest secfetchuser secchua secchuamobile secchuaplatform te dnt httpversion starteddatetime mimetype statustext domain path samesite device verificationuri interval submit button action href src class style type rel charset lang width height n e x y wwwauthenticate connectionid pageref creator bodysize headerssize size time"
        )
    )

    private static func words(_ text: String) -> [String] { WordTable.words(text) }

    private static func table(_ rows: [Secret.Kind: String]) -> [String: Secret.Kind] {
        rows.reduce(into: [:]) { table, row in
            for word in words(row.value) { table[word] = row.key }
        }
    }
}
