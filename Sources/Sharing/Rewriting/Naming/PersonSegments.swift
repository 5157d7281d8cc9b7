import Captures

/// Segments of a path that are what somebody's account is called, or what a register numbers somebody by, by the one before
/// them: `/username/ada`, `/users/ada`, `/person/S1234567D`.
enum PersonSegments {
    /// What a segment is called; nil where it is nobody's.
    static func name(of part: ArraySlice<UInt8>, behind segment: ArraySlice<UInt8>) -> String? {
        guard segment.count <= longest else { return nil }
        let own = SlotReader.string(segment)
        if ofRegister.contains(own.lowercased()), isNumberOfRegister(part) { return "uinfin" }
        // A single word behind people may be a page of everybody: it is replaced there only. Auth0 has the steps of a sign-in
        // behind `/u/`, with hyphens: `/u/mfa-sms-challenge`.
        let isOfPeople = ofPeople.contains(own.lowercased()) || own == "u" && !part.contains(0x2d)
        let name: String? =
            named.contains(SecretRoles.normalized(own))
            ? "username" : isOfPeople ? SlotReader.personSegment : nil
        return name.flatMap { mayBeAccount(part) ? $0 : nil }
    }

    /// In bytes, of a segment.
    private static let longest = 40

    private static let named: Set<String> = [
        "byusername", "loginname", "preferredusername", "userlogin", "username", "usernames",
    ]

    /// `/home/products` may be a page.
    static let ofPeople: Set<String> = ["author", "members", "people", "profiles", "users"]

    /// Where MyInfo has what it knows of somebody: `/v3/person/S1234567D/`.
    private static let ofRegister = ["person", "person-basic"]

    /// Whether a segment is a letter, seven digits and a letter: behind such a segment it is a number of Singapore's whatever its
    /// last letter is.
    private static func isNumberOfRegister(_ part: ArraySlice<UInt8>) -> Bool {
        part.count == 9 && part.first.map(\.isASCIILetter) ?? false && part.last.map(\.isASCIILetter) ?? false
            && part.dropFirst().dropLast().allSatisfy(\.isASCIIDigit)
    }

    /// Whether a segment may be an account: letters, digits and what joins them, no word of which is one of pages and operations
    /// (`/users/sign_in`, `/users/findByEmail`), and no file.
    private static func mayBeAccount(_ part: ArraySlice<UInt8>) -> Bool {
        guard (3...longest).contains(part.count), part.first.map(\.isASCIIAlphanumeric) ?? false,
            part.allSatisfy({ $0.isASCIIAlphanumeric || [0x2d, 0x2e, 0x5f].contains($0) }),
            part.contains(where: \.isASCIILetter)
        else { return false }
        let own = SlotReader.string(part)
        return !SureWords.isCommon(own) && !SecretRoles.isWord(own) && !isOfPages(part)
    }

    /// Whether a path ends as that of an endpoint does, whose server is called by its other segments: `/users/eu1/authorize`.
    static func isOfEndpoint(_ last: ArraySlice<UInt8>) -> Bool {
        last.count <= longest && endpoints.contains(SlotReader.string(last).lowercased())
    }

    private static let endpoints: Set<String> = [
        "authorize", "callback", "device_authorization", "introspect", "jwks", "jwks.json",
        "oauth-authorization-server", "openid-configuration",
    ]

    /// Whether one of the words of a text is met in what pages, operations and products are called.
    static func isOfPages(_ text: ArraySlice<UInt8>) -> Bool {
        words(of: text).contains { ofPages.contains($0) || AccountNames.isWord($0) }
    }

    /// In small letters; those of `findByEmail` begin with capitals.
    private static func words(of part: ArraySlice<UInt8>) -> [String] {
        var words: [[UInt8]] = [[]]
        var last: UInt8 = 0
        for byte in part {
            let begins = (0x61...0x7a).contains(last) && (0x41...0x5a).contains(byte)
            if begins || !byte.isASCIILetter { words.append([]) }
            if byte.isASCIILetter { words[words.count - 1].append(byte.asciiLowercased) }
            last = byte
        }
        return words.filter { !$0.isEmpty }.map(SlotReader.string)
    }

    /// Pages of everybody, operations, things that somebody has, and kinds of files.
    private static let ofPages = Set(
        WordTable.words(
            """
            accept access account accounts action actions activate activation active activities activity add
            address addresses admin admins all anonymous api apis approve archive area areas assets assign audit
            auth authenticate authn authorize authz avatar avatars baseline batch benefits block blocked board
            boards browse bulk by calendar callback cancel card cards careers change check claims clients close
            code confirm confirmation confirmed consent consents contact contacts contracts count create
            credentials css csv current data default delete denied detail details device devices directory
            disable documents download drive edit email emails enable enroll error errors events exist exists
            expired explore export external factor factors fapi faq favorites featured feed filter find follow
            followers following forgot forgotten friends gallery get group groups guest guests help history home
            html hub icons id identities identity ids image images img impersonate import inactive index info
            init internal invitation invitations invite invited ios items jobs js json kanban key keys language
            latest license limits list lists locale locales lock locked log login logo logoff logon logout logs
            lookup mail manage management map match me media member members membership memberships menu merge
            messages meta metadata mfa mine mobile mode my name names new next notes notification notifications
            oauth oauth2 offers omniauth onboarding online openid options order orders org organization
            organizations orgs otp overview owner page pages passkey passkeys password passwords patch payment
            payments pending people permission permissions phone phones photo photos php picture ping plans
            points policies pool pools popular portal posts preference preferences premium prepare prev pricing
            privacy private process profile profiles progress providers public query recent recover recovery
            refresh register registration reject release remove report reports request requests resend reset
            resolve resources restore result results resume revoke rewards role roles root rules saml save
            schema scopes search security self send session sessions set settings sign signin signout signup sms
            sso start state static stats status stop storage store stream sub submit subscribe subscription
            subscriptions suggest suggested suggestions summary suspend swagger switch sync system tags target
            tasks team teams tenant tenants terms test tests theme token tokens totp transfer tree twofactor
            type types unblock unlock unsubscribe update upload usage user username usernames users validate
            validation verification verified verify version versions view views wallet webauthn welcome whoami
            widget workspace xml
            """
        )
    )
}
