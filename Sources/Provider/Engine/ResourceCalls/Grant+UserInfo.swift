import JSON
import OAuth

extension ProviderState.Grant {
    /// What is told of the user by scope (OpenID Connect Core, section 5.4), what was asked for by name (section 5.5), and what is
    /// told in any case.
    var userInfoClaims: JSONObject {
        guard let user else { return JSONObject() }
        let scopes = scope.spaceDelimited
        let named = claims?.inUserInfo ?? []
        var told: JSONObject = ["sub": .string(user.subject)]
        for member in user.ownClaims.members where told[member.name] == nil {
            let isEmail = member.name.hasPrefix("email")
            if scopes.contains(isEmail ? "email" : "profile") || named.contains(member.name) {
                told[member.name] = member.value
            }
        }
        for member in user.givenClaims.members { told[member.name] = member.value }
        return told
    }
}
