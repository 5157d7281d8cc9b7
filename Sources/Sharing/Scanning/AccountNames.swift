import Captures

/// What stands before the number of an account and says that it is one: `/users/583231`, `user_id=583231`, `"uid": 583231`.
enum AccountNames {
    /// Whether such a segment of a path, or such a name, stands right before a place.
    static func stand(before start: Int, in text: UnsafeBufferPointer<UInt8>) -> Bool {
        guard start > 0 else { return false }
        if text[start - 1] == 0x2f {
            let word = word(before: start - 1, in: text)
            let isSegment = start - 1 - word.count > 0 && text[start - 2 - word.count] == 0x2f
            return isSegment && self.isSegment(String(decoding: word, as: UTF8.self).lowercased())
        }
        var end = start
        var hasMark = false
        while end > 0, start - end < longestGap {
            let byte = text[end - 1]
            if byte == 0x3a || byte == 0x3d {
                guard !hasMark else { return false }
                hasMark = true
            } else if !around.contains(byte) {
                break
            }
            end -= 1
        }
        return hasMark && isName(String(decoding: word(before: end, in: text), as: UTF8.self))
    }

    /// Whether the number of an account is behind a segment of a path.
    static func isSegment(_ word: String) -> Bool { segments.contains(word) }

    /// Whether what stands under a name is somebody's number: `userId`, `databaseId`, as no other thing is called.
    static func isOwnName(_ name: String) -> Bool {
        let key = SecretRoles.normalized(name)
        return own.contains(where: key.hasSuffix)
    }

    private static let own = [
        "userid", "memberid", "customerid", "personid", "profileid", "patientid", "subscriberid",
        "databaseid",
    ]

    /// Whether a parameter or a member of this name has the number of an account.
    static func isName(_ name: String) -> Bool {
        let key = SecretRoles.normalized(name)
        return names.contains(key) || key.hasSuffix("accountid") || own.contains(where: key.hasSuffix)
    }

    /// Whether somebody's account has the name of a thing that protocols, products, environments and pages speak of: it is
    /// replaced where it is named only.
    static func isWord(_ name: String) -> Bool { pages.contains(name.lowercased()) || isThing(name) }

    /// Whether it is one of those that name no page: behind `/users/` it is somebody's.
    static func isThing(_ name: String) -> Bool { things.contains(name.lowercased()) }

    /// Whether a segment of a path, or a folder of folders of people, stands right before a place behind which somebody's name is.
    static func standInPath(before start: Int, in text: UnsafeBufferPointer<UInt8>) -> Bool {
        guard start > 0, isSeparator(text[start - 1]) else { return false }
        // In JSON a backslash is written twice.
        let isDoubled = start > 1 && text[start - 1] == 0x5c && text[start - 2] == 0x5c
        let end = isDoubled ? start - 2 : start - 1
        let word = word(before: end, in: text)
        let isSegment = end - word.count > 0 && isSeparator(text[end - 1 - word.count])
        return isSegment && ofPeople.contains(String(decoding: word, as: UTF8.self).lowercased())
    }

    private static func isSeparator(_ byte: UInt8) -> Bool { byte == 0x2f || byte == 0x5c }

    private static let ofPeople: Set<String> = [
        "author", "users", "people", "members", "profiles", "home", "u",
    ]

    private static let pages = words(
        """
        callback authorize authorization authenticate authentication redirect consent logout signout signup register
        registration verify verification confirm device devices refresh revoke introspect userinfo discovery metadata
        claims certs keys jwks federation dashboard settings preferences notifications messages search home index
        welcome overview report reports status health monitor metrics events local remote internal external private
        shared basic free
        """
    )
    private static let things = words(
        """
        gateway proxy router server worker agent daemon socket stream webhook google github gitlab bitbucket microsoft
        azure amazon apple facebook twitter linkedin slack discord auth0 okta keycloak salesforce android windows linux
        macos ubuntu browser chrome chromium firefox safari opera webkit desktop tablet staging production development
        sandbox preview testing release stable canary nightly beta alpha premium standard enterprise business trial plan
        widget widgets plugin module package project projects repository organization company engineering marketing
        finance product products catalog order orders invoice payment checkout cart store shop mercury venus earth mars
        jupiter saturn
        """
    )

    private static func words(_ text: String) -> Set<String> {
        Set(WordTable.words(text))
    }

    private static let segments: Set<String> = [
        "user", "users", "u", "people", "person", "account", "accounts", "member", "members", "profile",
        "profiles", "customer", "customers", "employee", "employees", "contact", "contacts", "patient",
        "patients",
    ]
    private static let names: Set<String> = [
        "id", "u", "uid", "user", "sub", "account", "member", "personid", "ownerid", "authorid", "actorid",
        "creatorid", "customerid", "subjectid",
    ]

    /// White space, quotation marks and what escapes them, between a name and its value.
    private static let around: Set<UInt8> = [0x20, 0x22, 0x27, 0x5c]
    private static let longestGap = 12
    private static let longestName = 40

    private static func word(
        before end: Int,
        in text: UnsafeBufferPointer<UInt8>
    ) -> Slice<UnsafeBufferPointer<UInt8>> {
        var start = end
        while start > 0, end - start < longestName,
            text[start - 1].isASCIIAlphanumeric || text[start - 1] == 0x5f || text[start - 1] == 0x2d
        {
            start -= 1
        }
        return text[start..<end]
    }
}
