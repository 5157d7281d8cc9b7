import Captures
import Flows
import JSON

/// User name and password in a request of a sign-in page, whatever the page calls them.
struct SignInCredentials: Sendable, Hashable {
    var user: String?
    var password: String?

    init(user: String?, password: String?) {
        self.user = user
        self.password = password
    }

    /// Of a form, or of a JSON object with members anywhere inside; nil where there is neither name nor password.
    ///
    /// `fields`: passwords of other names, known by their page.
    init?(of request: RecordedRequest, fields: PasswordFields = PasswordFields()) {
        self.init(user: nil, password: nil)
        guard request.method != "GET", let body = request.body, (body.size ?? 0) < 1 << 16 else { return nil }
        if let items = FormBody.items(of: body) ?? MultipartForm.items(of: body) {
            for item in items.items where !item.value.isEmpty { take(item.name, item.value, fields) }
        } else if let json = JSONBody.value(of: body) {
            take(json, fields, depth: 0)
        }
        guard user != nil || password != nil else { return nil }
    }

    private mutating func take(_ name: String, _ value: String, _ fields: PasswordFields) {
        let lower = name.lowercased()
        if password == nil, Self.isPassword(lower) || fields.contains(name) {
            password = value
        } else if user == nil, Self.userNames.contains(lower) {
            user = value
        }
    }

    private mutating func take(_ value: JSONValue, _ fields: PasswordFields, depth: Int) {
        guard depth < 6 else { return }
        switch value {
        case .array(let elements): for element in elements { take(element, fields, depth: depth + 1) }
        case .object(let object):
            if takeCallback(object) { return }
            for member in object.members {
                if let text = member.value.string, !text.isEmpty {
                    take(member.name, text, fields)
                } else {
                    take(member.value, fields, depth: depth + 1)
                }
            }
        default: break
        }
    }

    /// ForgeRock's callbacks say by their type what was typed, if anything: the members `name` in them are their own.
    private mutating func takeCallback(_ object: JSONObject) -> Bool {
        guard let type = object["type"]?.string, type.hasSuffix("Callback"),
            object["input"]?.array != nil || object["output"]?.array != nil
        else { return false }
        guard let typed = object["input"]?.array?.first?["value"]?.string, !typed.isEmpty else { return true }
        switch type {
        case "NameCallback", "ValidatedCreateUsernameCallback": user = user ?? typed
        case "PasswordCallback", "ValidatedCreatePasswordCallback": password = password ?? typed
        default: break
        }
        return true
    }

    private static func isPassword(_ name: String) -> Bool {
        ["password", "passwd", "pass", "pwd", "j_password", "user_password", "passcode"].contains(name)
            || name.hasSuffix(".password") || name.hasSuffix("[password]")
    }

    private static let userNames: Set<String> = [
        "username", "user", "login", "email", "loginfmt", "identifier", "j_username", "user_id", "userid",
        "name",
        "user_name", "login_id", "account", "pf.username", "user[email]", "user[login]", "signinname",
    ]
}

extension RecordedResponse {
    /// Whether it is a page that asks for a password once more, in a field that was sent.
    ///
    /// `sent`: the names of the fields of the request.
    func asksForPasswordAgain(_ sent: Set<String>) -> Bool {
        guard status == 200, let body, body.isPage, let page = body.bytes else { return false }
        return HTMLForm.all(in: page).flatMap(\.fields).contains {
            $0.type == "password" && sent.contains($0.name)
        }
    }
}
