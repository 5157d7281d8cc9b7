import Captures

/// What a `User-Agent` says of its sender.
package enum UserAgentName {
    /// A browser, or an app on the user's device: none of a server's.
    package static func isOnDevice(_ agent: String) -> Bool {
        agent.lowercased().hasPrefix("mozilla/") || isNativeApp(agent)
    }

    /// An app of iOS, macOS or Android that speaks by the system's own library.
    package static func isNativeApp(_ agent: String) -> Bool {
        let name = agent.lowercased()
        return name.containsBytes("cfnetwork/") && name.containsBytes("darwin/")
            || name.containsBytes("okhttp/") || name.containsBytes("dalvik/")
    }
}
