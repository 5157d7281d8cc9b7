import Captures

/// What a `User-Agent` says of its sender.
package enum UserAgentName {
    /// A browser, or an app on the user's device: none of a server's.
    package static func isOnDevice(_ agent: String) -> Bool {
        agent.lowercased().hasPrefix("mozilla/") || isNativeApp(agent)
    }

    /// An app of iOS, macOS or Android that speaks by the system's own library, or by one for apps.
    package static func isNativeApp(_ agent: String) -> Bool {
        let name = agent.lowercased()
        if name.containsBytes("cfnetwork/") && name.containsBytes("darwin/") { return true }
        if libraries.contains(where: name.containsBytes) { return true }
        return !name.hasPrefix("mozilla/") && systems.contains(where: name.containsBytes)
    }

    private static let libraries = [
        "okhttp/", "dalvik/", "alamofire/", "cronet/", "unityplayer/", "(dart:io)",
    ]
    /// As apps name the device in agents of their own.
    private static let systems = [
        "(iphone;", "(ipad;", "; ios ", "(ios ", "; android ", "(android ",
    ]
}
