import Captures

/// Whose folders are named in paths of files, as stack traces and tools tell them: `/home/ada/shop/x.js:3`, `C:\Users\ada\…`,
/// `/Users/ada/Library`.
enum HomeFolders {
    /// The names of their owners; accounts that are nobody's, as servers and images have them, are none.
    static func names(in text: [UInt8]) -> Set<String> {
        var names: Set<String> = []
        for folder in folders {
            var start = 0
            while let place = Bytes.index(of: folder, in: text, from: start) {
                start = place + folder.count
                if let name = name(behind: start, folder, at: place, in: text) { names.insert(name) }
            }
        }
        return names
    }

    private static let folders = ["home/", "Users/", "Users\\"].map { Array($0.utf8) }
    private static let mostBytes = 32

    private static func name(behind start: Int, _ folder: [UInt8], at place: Int, in text: [UInt8]) -> String?
    {
        let separator = folder[folder.count - 1]
        guard isOfFiles(place, separator, in: text) else { return nil }
        // In JSON a backslash is written twice.
        let begin = separator == 0x5c && start < text.count && text[start] == 0x5c ? start + 1 : start
        let name = text[begin...].prefix(mostBytes + 1).prefix { isOfName($0) }
        let rest = text[name.endIndex...].prefix(256).prefix { $0 > 0x20 && !ends.contains($0) }
        guard (3...mostBytes).contains(name.count), name.contains(where: \.isASCIILetter),
            rest.first == separator || rest.isEmpty && (separator == 0x5c || isOwn(place, in: text)),
            // `/home/products` may be a page.
            folder[0] == 0x55 || rest.isEmpty || rest.contains(0x2e)
        else { return nil }
        let own = SlotReader.string(name)
        return SureWords.isCommon(own) || AccountNames.isWord(own) || isNobodys(own)
            ? nil : own
    }

    /// Whether the path begins here, or behind a drive, and is none of an address.
    private static func isOfFiles(_ place: Int, _ separator: UInt8, in text: [UInt8]) -> Bool {
        guard place > 0, text[place - 1] == separator else { return false }
        var before = place - 1
        if separator == 0x5c, before > 0, text[before - 1] == 0x5c { before -= 1 }
        if separator == 0x5c { return before > 0 && text[before - 1] == 0x3a }
        guard before > 0 else { return true }
        if text[..<before].suffix(7).elementsEqual("file://".utf8) { return true }
        return !isOfName(text[before - 1]) && ![0x2f, 0x25, 0x7d].contains(text[before - 1])
            && text[before - 1] < 0x80
    }

    /// Whether an environment has a path for whose folder it is: `HOME=/home/ada`, `"HOME": {"value": "/home/ada"}`.
    private static func isOwn(_ place: Int, in text: [UInt8]) -> Bool {
        let before = text[..<place].suffix(longestGap)
        guard let name = before.ranges(of: Array("HOME".utf8)).last else { return false }
        // `HOMEPAGE=/home/products`; what stands behind the end of a setting is another one's.
        return before[name.upperBound...].first.map { !$0.isASCIIWordByte } ?? false
            && !before[name.upperBound...].contains { [0x0a, 0x26, 0x2c, 0x3b].contains($0) }
    }

    /// In bytes, with the name of the variable.
    private static let longestGap = 24

    private static func isOfName(_ byte: UInt8) -> Bool {
        byte.isASCIIWordByte || byte == 0x2d || byte == 0x2e
    }

    /// What stands around paths.
    private static let ends: Set<UInt8> = Set("\"'`<>()|,;:".utf8)
    /// Whether it is what computers call the account of a program, or of everybody who uses them.
    static func isNobodys(_ name: String) -> Bool { nobodys.contains(name.lowercased()) }

    /// Of servers, images and machines that build.
    private static let nobodys: Set<String> = [
        "ubuntu", "debian", "centos", "fedora", "ec2-user", "azureuser", "vagrant", "node", "www", "www-data",
        "nginx", "apache", "httpd", "php", "python", "java", "ruby", "go", "app", "apps", "web", "site",
        "sites",
        "deploy", "deployer", "runner", "build", "builder", "builduser", "jenkins", "circleci", "travis",
        "gitlab-runner",
        "git", "docker", "container", "vscode", "codespace", "jovyan", "public", "shared", "all", "local",
        "opt",
        "jboss", "tomcat", "postgres", "mysql", "oracle", "steam", "pi", "sbx_user1051", "expo",
        "runneradmin",
        "administrator", "vsts", "vssadministrator", "containeradministrator", "frappe", "odoo", "keycloak",
    ]
}
