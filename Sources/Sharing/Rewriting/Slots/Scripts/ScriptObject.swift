/// An object of JSON or of a script that is being read.
struct ScriptObject {
    /// The member that it is the value of.
    var name: String
    /// Where it begins.
    let start: Int
    /// Of the variables of a query, and what they hold, where the object of the query begins.
    let queryObject: Int?
    /// The member of the document, or of the variables of a query, that it is or stands in; nil for those themselves.
    let variable: String?
    /// What a member of it says: `{"name": "IDToken2", "value": "…"}`.
    var said: String?
    /// The slot that says it.
    var saidIn: Int?
    /// The slot of its member `value`, which may come first.
    var value: Int?

    /// Whether it says that the value is a password.
    var saysPassword = false
    /// The slot of an answer, and of a user, of whom more is known when a member beside it says what they are for.
    var answer: Int?
    var user: Int?
    var isChallenge = false
    /// Whether a question stands in it, and whether the answer is a sentence, as pages give it to what many ask.
    private var isQuestion = false
    var answersInSentence = false
    /// Whether the user's slot is of an `identifier`, which a line of a log has of other things.
    private var isVague = false
    /// Whether it is a part of a login that is going on, one with a password, or a line of a log.
    private var isTransaction = false
    var isLogin = false
    private var isLogLine = false
    /// The slot of the `id` of a `user`, which is a handle (Web Authentication, section 5.4.3) where a member beside it is what
    /// pages show of somebody.
    private var handle: Int?
    private var isShown = false
    /// The slots of its `name` and what pages show, which are a person's where a member beside them says so.
    private var ownNames: [Int] = []
    var isPerson = false
    /// Whether it says of itself that it is a person: `{"type": "customers", …}`.
    private(set) var isOfPerson = false
    /// Whether it, or what it stands in, is the day on which somebody was born.
    private let isBirth: Bool
    /// Whether its members, or those of what it stands in, say what is wrong with fields.
    let tellsOfFields: Bool
    /// The slots of members that may be the number of a bank account or of a person, and the one that a member beside it says to be it.
    private var numbers: [String: Int] = [:]
    private var ownNumber: String?
    /// The slot of its `id`, and whether a member beside it says what somebody is called.
    var id: Int?
    var isCalled = false
    /// What it says of somebody under names that anything has.
    var handles = UserHandles()
    /// What somebody typed into a field.
    var typed = TypedTexts()
    /// What it calls.
    var call = ScriptCall()

    /// `parent`: the object that it is a member of, of whose `attributes` it may be (JSON:API).
    init(name: String, at start: Int, inside parent: ScriptObject?) {
        self.name = name
        self.start = start
        let holdsVariables = parent?.queryObject == nil && GraphQLVariables.isVariables(name)
        queryObject = holdsVariables ? parent?.start ?? start : parent?.queryObject
        variable = holdsVariables ? nil : parent.map { $0.variable ?? name }
        let singular = name.hasSuffix("s") ? String(name.dropLast()) : name
        isBirth = SecretRoles.isBirthDay(singular) || parent?.isBirth ?? false
        tellsOfFields =
            FieldFaults.isList(name) || parent?.tellsOfFields ?? false && !FieldFaults.isSent(name)
        if name == "attributes", let parent { isPerson = parent.isOfPerson }
        if Self.askers.contains(name.lowercased()) { (isOfPerson, isPerson, isCalled) = (true, true, true) }
    }

    /// What a member is called of a day that has one for each part: `"birthdays": [{"date": {"year": 1990, …}, "text": "…"}]`;
    /// nil for others.
    ///
    /// `member`: in small letters.
    func nameInBirth(_ member: String) -> String? { isBirth ? Self.partsOfBirth[member] : nil }

    private static let partsOfBirth = [
        "year": "birthyear", "month": "birthmonth", "day": "dayofbirth", "text": "birthdate",
    ]

    /// What a member is called that says nothing by itself: `"phone_numbers": [{"data": "…"}]`, as well as what
    /// ``WrappedValues`` has, by what it is the value of, the
    /// name of the relying party (Web Authentication, section 5.4.2), which is no person's, and the hash of a query that
    /// everybody asks; nil for others.
    ///
    /// `member`: in small letters.
    func nameOfMember(_ member: String) -> String? {
        if member == "name", name == "rp" { return "rp_name" }
        // `"relations": [{"person": "…"}]` of Google's People API.
        if member == "person", name == "relations" { return "full_name" }
        if isShown(member) { return "shown_name" }
        // `{"device": {"serialNumber": "…"}}`; a certificate has one as well.
        if member == "serialnumber" || member == "serial_number", name.lowercased().hasSuffix("device") {
            return "device_serial"
        }
        if member == "sha256hash", name == "persistedQuery" { return "persistedQueryHash" }
        if Self.townWords.contains(member), Self.whereabouts.contains(SecretRoles.normalized(name)) {
            return "city_name"
        }
        if WrappedValues.isValue(member, of: name) { return name }
        guard member == "data", case .secret(let kind) = SecretRoles.role(of: name, in: .json),
            kind == .phone || kind == .email
        else { return nil }
        return name
    }

    /// Whether a member is what pages show of a thing.
    private func isShown(_ member: String) -> Bool {
        Self.shown.contains(member) && Self.things.contains(SecretRoles.normalized(name))
    }

    /// The slot of the number of a bank account, or of a person, with what says what number it is beside it:
    /// `{"SchemeName": "UK.OBIE.SortCodeAccountNumber", "Identification": "…", "Name": "…"}`, and in Brazil
    /// `{"identification": "…", "rel": "CPF"}` and `{"compeCode": "001", "number": "…"}`; nil for others.
    ///
    /// `member`: in small letters.
    mutating func bankAccount(_ slot: Int, called member: String) -> Int? {
        if let name = Self.numberMarks[member] { ownNumber = name }
        if member == "identification" || member == "number" { numbers[member] = slot }
        guard let name = ownNumber, let number = numbers.removeValue(forKey: name) else { return nil }
        // Whose it is. Schemes of other things have a name as well.
        isPerson = true
        return number
    }

    private static let numberMarks = [
        "schemename": "identification", "rel": "identification", "compecode": "number",
    ]

    /// Takes note of a type.
    mutating func isType(_ type: String) {
        guard Self.types.contains(type.lowercased()) else { return }
        (isOfPerson, isPerson, isCalled) = (true, true, true)
    }

    /// Members that say what an object is, in small letters.
    static let typing: Set<String> = [
        "type", "resourcetype", "__typename", "@type", "objecttype", "object",
    ]
    private static let types: Set<String> = [
        "user", "users", "person", "people", "customer", "customers", "member", "members", "patient",
        "practitioner",
        "contact", "contacts", "employee", "employees", "viewer", "profile", "profiles",
    ]

    /// Members that say what a file is called, in small letters, and the endings of documents.
    static let filing: Set<String> = [
        "filename", "file_name", "originalname", "originalfilename", "original_filename", "attachmentname",
    ]
    static let endings: Set<String> = [
        "pdf", "doc", "docx", "xls", "xlsx", "ppt", "pptx", "odt", "ods", "rtf", "txt", "csv", "zip", "jpg",
        "jpeg", "png",
        "heic", "tif", "tiff", "msg", "eml", "pages",
    ]

    /// Members that are whoever asks, in small letters.
    private static let askers: Set<String> = ["current_user", "currentuser", "me", "viewer"]

    /// The slot of its `id` once it is known to be somebody's.
    ///
    /// `isWhole`: the object is a document of its own.
    /// `member`: in small letters.
    mutating func ownID(_ slot: Int, called member: String, isWhole: Bool) -> Int? {
        if member == "id" { id = slot }
        if Self.called.contains(member) || Self.personal.contains(member) { isCalled = true }
        guard isWhole || isCalled, let own = id else { return nil }
        id = nil
        return own
    }

    private static let called: Set<String> = ["login", "name", "displayname", "screen_name", "mail"]

    /// The slots of what a person is called, once a member beside these says that the object is one: its `name`, and what pages
    /// show of a member of a group (`"groups": [{"displayName": "…", "userPrincipalName": "…"}]`).
    ///
    /// `member`: in small letters.
    mutating func names(_ slot: Int, called member: String) -> [Int] {
        if Self.personal.contains(member) { isPerson = true }
        if member == "name" || isShown(member) { ownNames.append(slot) }
        guard isPerson else { return [] }
        defer { ownNames = [] }
        return ownNames
    }

    /// What is called by what stands beside it: the `answer` to a question that a login asks, the `user` of a password.
    ///
    /// `member`: in small letters.
    mutating func chosen(_ slot: Int, called member: String) -> (slot: Int, name: String)? {
        if member == "id", name == "user" { handle = slot }
        if member == "displayname" { isShown = true }
        if isShown, let own = handle {
            handle = nil
            return (own, UserHandles.name)
        }
        switch member {
        case "answer": answer = slot
        case "user", "login", "benutzer", "utilisateur", "identifiant", "usuario", "utente", "gebruiker":
            (user, isVague) = (slot, false)
        case "identifier": (user, isVague) = (slot, true)
        case "name", "names", "display":
            // `"author": {"name": "…"}`
            return Self.persons.contains(name.lowercased()) ? (slot, "displayName") : nil
        case "statetoken", "statehandle": (isChallenge, isTransaction) = (true, true)
        case "questionkey", "username": isChallenge = true
        case "question": isQuestion = true
        case "pass", "password", "passwd", "passcode", "pwd", "pw", "passwort", "kennwort", "motdepasse",
            "contrasena", "contraseña", "senha", "wachtwoord":
            isLogin = true
        case "level", "loglevel", "severity": isLogLine = true
        default: return nil
        }
        if isChallenge || isQuestion && !answersInSentence, let answer {
            self.answer = nil
            return (answer, "securityAnswer")
        }
        guard isLogin || isTransaction || isLogLine && !isVague, let user else { return nil }
        self.user = nil
        return (user, "username")
    }

    /// `"mobileno": {"value": "…"}`: the object is what the value is called by; nil where it holds the variables of a query, of
    /// which one may be called so.
    var nameOfValue: String? {
        said ?? Self.lists[name]
            ?? (GraphQLVariables.isVariables(name) ? nil : name.isEmpty ? "value" : name)
    }

    /// Lists of Google's People API whose elements have a `value`, and what that is.
    private static let lists = [
        "biographies": "biography", "genders": "gender", "nicknames": "nickname", "occupations": "occupation",
        "urls": "website",
    ]

    /// `"race": {"code": "CN", "desc": "CHINESE"}`, as MyInfo has it: the object is what both are called by; nil for others, of
    /// which a `code` may be a login's or an error's.
    var nameOfChoice: String? { PersonalRoles.isChoice(SecretRoles.normalized(name)) ? name : nil }

    /// `"backup_codes": [{"code": "48217730", …}]`: the list is what each is called by; nil for others.
    var nameOfCode: String? {
        guard name.lowercased().hasSuffix("codes"),
            case .secret(.oneTimeCode) = SecretRoles.role(of: name, in: .json)
        else { return nil }
        return name
    }

    /// `"error": {"code": "Authorization_RequestDenied", …}`, as Microsoft Graph and other services have it: a word for what is wrong,
    /// and nobody's code; nil for others.
    var nameOfFault: String? {
        ["error", "errors", "innererror"].contains(SecretRoles.normalized(name)) ? "error_code" : nil
    }

    /// Takes a name; false where a better one is known.
    ///
    /// `member`: in small letters.
    mutating func says(_ own: String, in slot: Int, called member: String) -> Bool {
        let isPassword = SecretRoles.saysPassword(own)
        guard isPassword || !saysPassword && isName(own, of: member) else { return false }
        (said, saidIn, saysPassword) = (own, slot, isPassword)
        return true
    }

    /// Members that only people have, in small letters.
    private static let personal: Set<String> = [
        "username", "preferred_username", "email", "given_name", "givenname", "family_name", "familyname",
        "firstname", "first_name", "lastname", "last_name", "upn", "homeaccountid", "phone_number",
        "fulllegalname", "userprincipalname",
    ]

    /// Members, one of them or a list, that are somebody.
    private static let persons: Set<String> = [
        "user", "users", "author", "owner", "owners", "member", "members", "customer", "customers", "person",
        "people", "holder", "cardholder", "emergencycontact", "nextofkin", "credentialsubject",
        "employee", "employees", "contact", "contacts", "manager", "sender", "patient", "student", "teacher",
        "creator", "assignee", "reporter", "me", "viewer", "currentuser", "current_user",
        "claims", "idtokenclaims", "userinfo", "userprofile", "emailaddress",
    ]

    /// Members that say in which town, in small letters, and the objects that say where somebody's requests come from:
    /// `"geographicalContext": {"city": "…"}` of Okta's log, `"location_info": {"city_name": "…"}` of Auth0's.
    private static let townWords: Set<String> = ["city", "postalcode", "postal_code", "zip"]
    private static let whereabouts: Set<String> = [
        "clientlocation", "geo", "geographicalcontext", "geoip", "geolocation", "iplocation", "location",
        "locationinfo",
    ]

    /// Members that are what pages show, in small letters, and what has such a name and is nobody.
    private static let shown: Set<String> = ["displayname", "display_name"]
    private static let things: Set<String> = [
        "app", "application", "applications", "apps", "group", "groups",
        "identityprovider", "identityproviders", "idp", "idps", "organization", "organizations",
        "permission", "permissions", "realm", "role", "roles", "scope", "scopes", "tenant", "tenants",
    ]

    private func isName(_ own: String, of member: String) -> Bool {
        // `{"op": "replace", "path": "name.familyName", "value": "…"}` (RFC 7644, section 3.5.2).
        if member == "path", case .secret = SecretRoles.role(of: own, in: .claims) { return true }
        // `{"system": "phone", "value": "…"}` of FHIR.
        if member == "system" { return ["phone", "sms", "fax", "pager"].contains(own) }
        // `{"claim": "given_name", "value": "…"}`, `{"field": "username", "rejectedValue": "…"}`.
        if Self.attributing.contains(member), case .secret = SecretRoles.role(of: own, in: .json) {
            return true
        }
        guard member == "type" else { return Self.naming.contains(member) }
        // `{"type": "mobile", "value": "…"}` in a list of phone numbers.
        return said == nil
            && (name.isEmpty || own.utf8.contains { $0 == 0x2f || $0 == 0x5f || $0 == 0x3a })
    }

    /// Members that say what the value beside them is called.
    static let naming: Set<String> = ["name", "key", "typ", "type"]
    /// Members that say it where what they say is a word for a password.
    static let describing: Set<String> = [
        "kind", "method", "id", "field", "factor", "credentialtype", "factortype", "authenticator",
        "attribute", "path", "loc", "system", "claim", "claimtype", "attributename", "param",
    ]
    /// Of these the ones that say it of people as well.
    private static let attributing: Set<String> = [
        "id", "field", "attribute", "attributename", "loc", "claim", "claimtype", "param",
    ]
    /// Members whose value is called by the one beside them, or by what the object is the value of.
    static let valued: Set<String> = ["value", "val", "nbr", "stringvalue", "claimvalue", "attributevalue"]
    /// The member that has several of them: `{"name": "given_name", "values": ["…"]}`.
    static let listed = "values"
    /// Members that have what a form does not take, where the one before them says what it was for.
    static let refused: Set<String> = ["input", "rejectedvalue"]
    /// Members that tell one of the things that somebody can be, as a form offers them.
    static let choosing: Set<String> = ["code", "desc"]
    /// Members that are the value where the one before them says that it is a password.
    static let perhapsValued: Set<String> = [
        "secret", "data", "answer", "response", "credential", "input", "rejectedvalue",
    ]
}
