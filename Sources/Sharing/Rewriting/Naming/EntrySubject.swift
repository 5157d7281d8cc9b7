import Captures
import JSON

/// Tells whom an entry is about: a client, somebody who signs in, people; by the address of its request and the members of a body.
enum EntrySubject {
    // MARK: - By its request

    /// Whether the request of an entry goes where clients say who they are: the token endpoint, and those for pushed
    /// requests, device authorization, revocation and introspection.
    static func authenticatesClient(_ entry: JSONValue) -> Bool {
        guard let request = entry["request"]?.object, request["method"]?.string?.uppercased() == "POST" else {
            return false
        }
        let path = request["url"]?.string?.split { $0 == "?" || $0 == "#" }.first ?? ""
        let last = path.split(separator: "/").last?.lowercased() ?? ""
        if ["token", "introspect", "revo", "authoriz"].contains(where: last.containsBytes) { return true }
        if last == "par" || last.hasPrefix("par.") { return true }
        let body = Array((request["postData"]?["text"]?.string ?? "").utf8.prefix(1 << 12))
        return ["grant_type", "client_assertion", "response_type"].contains {
            ByteSearch.index(of: Array($0.utf8), in: body) != nil
        }
    }

    /// Whether the request of an entry goes where somebody signs in, by the last segment of its path: `/login`, `/sign-in`.
    ///
    /// A server action of Next.js is posted to the page itself, and has a list of arguments for its body.
    static func signsIn(_ entry: JSONValue) -> Bool {
        guard let request = entry["request"]?.object, request["method"]?.string?.uppercased() == "POST" else {
            return false
        }
        let path = request["url"]?.string?.split { $0 == "?" || $0 == "#" }.first ?? ""
        return path.split(separator: "/").last.map { SignInCall.isOne(String($0)) } ?? false
    }

    /// Whether an entry's answer is about a person, or people, by the path of its request: `/me`, `/users/7`, MyInfo's
    /// `/person/…`, SCIM.
    static func isAboutSomebody(_ entry: JSONValue) -> Bool {
        let url = entry["request"]?["url"]?.string ?? ""
        let path = url.split { $0 == "?" || $0 == "#" }.first ?? ""
        let segments = routed(url) ?? path.split(separator: "/").dropFirst(2).map { $0.lowercased() }
        guard let last = segments.last else { return false }
        let before = segments.dropLast().last ?? ""
        return persons.contains(last) || last.hasSuffix("users.identity") || peoples.contains(last)
            || peoples.contains(before) || segments.contains("scim")
    }

    /// The segments of `?rest_route=/wp/v2/users/me`, by which WordPress finds what it does without rewritten addresses; nil for
    /// other addresses.
    private static func routed(_ url: String) -> [String]? {
        guard let name = url.firstRange(of: "rest_route=") else { return nil }
        let route = Array(url[name.upperBound...].utf8.prefix { $0 != 0x26 && $0 != 0x23 })
        let path = SlotReader.string(TextCoding.percent.decoded(route[...]).bytes)
        return path.split(separator: "/").map { $0.lowercased() }
    }

    private static let persons: Set<String> = [
        "me", "@me", "user", "userinfo", "profile", "whoami", "myself", "currentuser", "current_user",
        "person",
    ]
    private static let peoples: Set<String> = ["users", "people", "person", "persons", "profiles", "members"]

    // MARK: - By a body

    /// Whether a document has at least two members that only people have.
    static func saysWhoSomebodyIs(_ text: [UInt8]) -> Bool {
        let names = [
            "email", "mail", "given_name", "givenName", "family_name", "familyName", "firstName",
            "first_name",
            "lastName", "last_name", "sub", "phone_number", "phoneNumber", "phone", "birthdate", "uinfin",
            "mobileno",
            "preferred_username", "username", "userName", "displayName", "UserAttributes", "user_claims",
            "user_id",
            "Username", "picture", "image", "avatar", "user",
            "street", "street_address", "formatted", "regadd", "dob",
            "postalCode", "city", "addressLine1", "zip", "family", "given", "birthDate",
            // Of a register.
            "lastupdated", "classification", "noa", "noa-basic", "householdincome", "cpfbalances",
            "cpfcontributions",
            // Of mail, which says who wrote to whom.
            "threadId", "snippet", "bodyPreview", "toRecipients", "emailAddress",
        ]
        let head = Array(text.prefix(1 << 16))
        var count = 0
        for name in names {
            let quoted = Array("\"\(name)\"".utf8)
            // A member of it, and no value.
            guard let start = ByteSearch.index(of: quoted, in: head),
                head[(start + quoted.count)...].first(where: { $0 > 0x20 }) == 0x3a
            else { continue }
            count += 1
            if count == 2 { return true }
        }
        return false
    }

    /// A token request in JSON, as some providers take it: its members are the protocol's.
    static func isTokenRequest(_ text: [UInt8]) -> Bool {
        ByteSearch.index(of: Array("\"grant_type\"".utf8), in: Array(text.prefix(1 << 12))) != nil
    }

    /// `{"code": 482913}`, as somebody typed it: six digits, where an error has fewer or is none of a request.
    static func answersChallenge(_ text: [UInt8]) -> Bool {
        let name = Array("\"code\"".utf8)
        guard let start = ByteSearch.index(of: name, in: Array(text.prefix(1 << 12))) else { return false }
        let value = text[(start + name.count)...].drop { $0 <= 0x20 || $0 == 0x3a }
        return value.prefix { $0.isASCIIDigit }.count == 6
    }
}
