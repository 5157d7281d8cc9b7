import Captures

/// What somebody is known by in a document that calls it as anything is called, found by the members beside it: the `user_id` of
/// an event that an app tells of (`{"user_id": "bolund", "event_type": "login"}`), the `id` of a user with an address
/// (`"user": {"id": "bolund", "email": "…"}`), the `key` of one whose `kind` says so, the `login` of an author.
///
/// Numbers are none: those of accounts are told by their names.
struct UserHandles {
    /// What such a value is called from then on: somebody's identifier, whatever it is.
    static let name = "userHandle"

    /// The slots of each that are not yet told to be somebody's.
    private var tracked: Int?
    private var own: Int?
    private var key: Int?
    private var account: Int?
    private var isEvent = false
    private var isSomebody = false
    private var isKind = false

    /// Whether a function is told who somebody is: `Sentry.setUser({id: "ada", username: "…"})`.
    static func isSetter(_ function: String) -> Bool { ["setUser", "setUserContext"].contains(function) }

    /// The slots that are somebody's identifier, of those that were met so far.
    ///
    /// `member`: in small letters; `object`: what the object is the value of.
    mutating func slots(
        with slot: Int,
        called member: String,
        of object: String,
        saying value: ArraySlice<UInt8>
    ) -> [Int] {
        let isWord = value.contains { $0.isASCIILetter || $0 >= 0x80 }
        switch member {
        case "user_id", "userid", "$user_id": if isWord { tracked = slot }
        case "id": if isWord, Self.users.contains(object.lowercased()) { own = slot }
        // `{"kind": "multi", "user": {"key": "…", "email": "…"}}`
        case "key" where Self.users.contains(object.lowercased()): if isWord { own = slot }
        case "key": if isWord { key = slot }
        case "login", "nick", "handle":
            guard SecretFinder.isAccount(value) else { break }
            if Self.owners.contains(object.lowercased()) { return [slot] }
            account = slot
        case "kind": isKind = value.elementsEqual("user".utf8)
        default:
            if Self.ofEvents.contains(member) { isEvent = true }
            if Self.ofPeople.contains(member) { isSomebody = true }
        }
        var told: [Int] = []
        if isEvent, let slot = tracked { (tracked, told) = (nil, told + [slot]) }
        if isSomebody, let slot = own { (own, told) = (nil, told + [slot]) }
        if isSomebody, let slot = account { (account, told) = (nil, told + [slot]) }
        if isKind, let slot = key { (key, told) = (nil, told + [slot]) }
        return told
    }

    private static let users: Set<String> = ["user", "usr", "person", "enduser", "end_user", "currentuser"]
    /// Members that are somebody, whose account is called by the `login` of them.
    private static let owners: Set<String> = users.union([
        "assignee", "author", "creator", "current_user", "me", "member", "owner", "reporter", "reviewer",
        "sender", "viewer",
    ])
    /// Of what analytics send of an event, and of nothing else.
    private static let ofEvents: Set<String> = [
        "anonymousid", "anonymous_id", "distinct_id", "device_id", "$device_id", "event_type", "insert_id",
        "messageid",
    ]
    private static let ofPeople: Set<String> = ["email", "ip_address", "username", "phone_number"]
}
