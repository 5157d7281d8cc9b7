import Captures

/// What one user goes through at the provider's pages: from a request to its answer.
struct Transaction: Sendable {
    /// What it was begun by, and is to end with.
    enum Purpose: Sendable {
        case login(PendingLogin)
        case logout(PendingLogout)
        /// A sign-in, or something else, that no client asked for.
        case visit
    }

    let id: String
    var purpose: Purpose
    /// Which recorded way through the pages it follows; nil for the built-in page.
    var script: Int?
    /// What was recorded, by what stands for it here.
    var values: [(old: String, new: String)] = []
    /// Steps of the script that were answered.
    var served: Set<Int> = []
    /// The last of them that changed something; -1 before any.
    var progress = -1
    var user: ProviderConfiguration.User?
    var signedInAt: Timestamp?
    /// What was typed as a name on a page of its own.
    var typedName: String?
    /// Whether its answer was given: what comes afterwards belongs to another one.
    var isOver = false

    init(id: String, purpose: Purpose, script: Int? = nil) {
        self.id = id
        self.purpose = purpose
        self.script = script
    }

    /// What stands here for each recorded value; of several the first.
    var played: [String: String] {
        Dictionary(values.map { ($0.old, $0.new) }) { first, _ in first }
    }

    /// What stands for some recorded values from now on, whatever stood for them before.
    mutating func take(_ played: [String: String]) {
        values.removeAll { played[$0.old] != nil }
        values += played.map { (old: $0.key, new: $0.value) }
    }

    var login: PendingLogin? { if case .login(let login) = purpose { login } else { nil } }
    var logout: PendingLogout? { if case .logout(let logout) = purpose { logout } else { nil } }
}
