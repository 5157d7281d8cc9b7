/// What has to be told differently about trusting a certificate and using a proxy.
enum ClientPlatform: CaseIterable {
    case appleMobile
    case android
    case macOS
    case windows
    case debian
    case fedora
    case firefox
    case commandLine
    case java
    case simulator

    var title: String {
        switch self {
        case .appleMobile: "iPhone, iPad"
        case .android: "Android"
        case .macOS: "macOS"
        case .windows: "Windows"
        case .debian: "Debian, Ubuntu"
        case .fedora: "Fedora, RHEL"
        case .firefox: "Firefox"
        case .commandLine: "curl, Node, Python, Go, Ruby"
        case .java: "Java"
        case .simulator: "iOS simulator"
        }
    }

    /// All platforms, those that a User-Agent speaks of first.
    ///
    /// Empty or unknown ones leave the order as it is.
    static func ordered(for userAgent: String) -> [ClientPlatform] {
        let first = named(in: userAgent)
        return first + allCases.filter { !first.contains($0) }
    }

    /// The platforms a User-Agent may mean, the likeliest first.
    static func named(in userAgent: String) -> [ClientPlatform] {
        let agent = userAgent.lowercased()
        func has(_ words: String...) -> Bool { words.contains { agent.contains($0) } }
        if has("iphone", "ipad", "ipod", "cfnetwork") && !has("macintosh") {
            return [.appleMobile, .simulator]
        }
        if has("android", "okhttp", "dalvik") { return [.android] }
        if agent.hasPrefix("java/") || has("java-http-client", "apache-httpclient") { return [.java] }
        let tools = ["curl/", "wget/", "python", "node", "undici", "go-http-client", "ruby", "deno", "bun/"]
        if tools.contains(where: agent.hasPrefix) { return [.commandLine] }
        // Firefox has a store of its own; the system's serves whatever else is used there.
        let browser: [ClientPlatform] = has("firefox/") ? [.firefox] : []
        if has("windows") { return browser + [.windows] }
        if has("fedora", "red hat", "centos") { return browser + [.fedora] }
        if has("linux", "ubuntu", "x11") { return browser + [.debian, .fedora] }
        // Safari of an iPad says that it is a Mac's.
        if has("macintosh") {
            return browser + (has("firefox/", "chrome/") ? [.macOS] : [.macOS, .appleMobile])
        }
        return browser
    }
}
