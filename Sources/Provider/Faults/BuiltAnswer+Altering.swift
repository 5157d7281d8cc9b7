import Captures
import JSON
import OAuth

/// The parts of an answer that faults change; what an answer has not, is left alone.
extension BuiltAnswer {
    mutating func alterParameters(_ change: (inout [Member]) -> Void) {
        guard case .authorization(var response) = content else { return }
        change(&response.parameters)
        content = .authorization(response)
    }

    /// Of a token response.
    mutating func alterMembers(_ change: (inout [Member]) -> Void) {
        guard case .tokens(var members, let isForm) = content else { return }
        change(&members)
        content = .tokens(members, isForm: isForm)
    }

    /// Of a JSON document.
    mutating func alterObject(_ change: (inout JSONObject) -> Void) {
        guard case .object(var object) = content else { return }
        change(&object)
        content = .object(object)
    }

    /// Of the ID token, however it is delivered.
    mutating func alterIDToken(_ change: (inout UnsignedToken) -> Void) {
        func changeAll(_ members: inout [Member]) {
            for index in members.indices where members[index].name == "id_token" {
                guard case .token(var token) = members[index].value else { continue }
                change(&token)
                members[index].value = .token(token)
            }
        }
        alterMembers { changeAll(&$0) }
        alterParameters { changeAll(&$0) }
    }

    var hasIDToken: Bool {
        switch content {
        case .tokens(let members, _): members.contains { $0.name == "id_token" }
        case .authorization(let response): response.parameters.contains { $0.name == "id_token" }
        default: false
        }
    }

    /// An error as the protocol's endpoints tell it (RFC 6749, section 5.2).
    mutating func fail(_ status: Int, _ error: String, _ description: String) {
        self = .json(
            ["error": .string(error), "error_description": .string(description)],
            status: status,
            role: role
        )
    }

    /// A page where something else is expected.
    mutating func becomePage(_ status: Int, _ text: String) {
        let role = role
        self = .page(status, SignInPage.error(text))
        self.role = role
    }
}

extension [BuiltAnswer.Member] {
    /// Replaces a member, or adds it; nil removes it.
    mutating func set(_ name: String, _ value: JSONValue?) {
        guard let value else { return removeAll { $0.name == name } }
        guard let index = firstIndex(where: { $0.name == name }) else {
            return append(.init(name, .json(value)))
        }
        self[index] = .init(name, .json(value))
    }
}
