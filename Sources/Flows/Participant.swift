/// Who sends or receives: a lane of the timeline.
package struct Participant: Sendable, Hashable {
    /// What somebody is in a login; `app` is the part of the client that answers at the redirect URI.
    package enum Role: String, Sendable, Hashable {
        case browser
        case backend
        case app
        case provider
        case resource
    }

    /// Which lane it is.
    package var role: Role
    /// The client's process where the recorder knew it, else the role.
    package var name: String

    init(role: Role, name: String? = nil) {
        self.role = role
        self.name = name ?? role.rawValue
    }
}
