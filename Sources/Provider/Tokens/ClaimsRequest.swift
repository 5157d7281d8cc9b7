import JSON

/// The claims that a login asks for by name, whatever its scope (OpenID Connect Core, section 5.5).
struct ClaimsRequest: Sendable {
    private let members: JSONObject

    /// Nil where the parameter is no JSON object.
    init?(_ text: String) {
        guard let members = (try? JSONParser.parse(Array(text.utf8)))?.object else { return nil }
        self.members = members
    }

    /// Those that userinfo is to tell.
    var inUserInfo: Set<String> { Set(names("userinfo")) }

    /// Those that the ID token is to have.
    var inIDToken: Set<String> { Set(names("id_token")) }

    /// The user that is wanted (section 5.5.1); nil where anybody is.
    var subject: String? {
        ["id_token", "userinfo"].lazy.compactMap { self.members[$0]?["sub"]?["value"]?.string }.first
    }

    /// The way of signing in that is wanted, of several the one that is preferred (section 5.5.1.1); nil where any is.
    var acr: String? {
        let asked = members["id_token"]?["acr"]
        return asked?["value"]?.string ?? asked?["values"]?.array?.lazy.compactMap(\.string).first
    }

    private func names(_ place: String) -> [String] { members[place]?.object?.members.map(\.name) ?? [] }
}
