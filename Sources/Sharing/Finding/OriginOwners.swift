import Captures

/// Whose computer a page comes from that somebody tries out at home, by the name of its host: `http://adas-macbook-pro.local:3000`,
/// `http://macbook-von-ada:8080`.
enum OriginOwners {
    /// What the owner is called, as the host has it and by itself; empty for other hosts.
    ///
    /// `address`: of an `Origin` or a `Referer`, with a scheme.
    static func names(in address: String) -> [String] {
        let bytes = Array(address.utf8.prefix(longest))
        guard let mark = bytes.firstRange(of: Array("://".utf8)) else { return [] }
        return names(
            inHost: SlotReader.string(bytes[mark.upperBound...].prefix { isOfHost($0) }).lowercased()
        )
    }

    /// What the owner of a device is called that has a name of its own: `{"deviceName": "Adas iPhone"}`, `hostname=adas-air.local`;
    /// empty for others.
    ///
    /// `name`: under which it stands.
    static func names(inDevice text: String, under name: String) -> [String] {
        guard (8...13).contains(name.utf8.count), (6...64).contains(text.utf8.count),
            text.utf8.contains(where: { $0 == 0x20 || $0 == 0x2d }),
            devices.contains(SecretRoles.normalized(name))
        else { return [] }
        let words = text.lowercased().split { $0 == " " || $0 == "-" }
        // Others than `Adas` may be called so for what they are used for: `runner-mac`.
        guard let first = words.first, first.hasSuffix("s") || machines.contains(String(first)) else {
            return []
        }
        // `Adas Handy`
        if words.count == 2, handhelds.contains(String(words[1])) {
            return names(inHost: "\(first)-iphone")
        }
        return names(inHost: words.joined(separator: "-"))
    }

    private static let handhelds: Set<String> = [
        "handy", "phone", "smartphone", "tablet", "telefon", "watch",
    ]

    private static let devices: Set<String> = ["computername", "devicename", "hostname", "machinename"]

    /// What the owner of a host is called, as the host has it and by itself; empty for others.
    ///
    /// `host`: in small letters.
    static func names(inHost host: String) -> [String] {
        guard let label = own(host) else { return [] }
        let words = label.split(separator: "-").map(String.init)
        guard words.count >= 2 else { return [] }
        if let place = words.indices.dropFirst().dropLast().first(where: { prepositions.contains(words[$0]) }
        ),
            machines.contains(words[0])
        {
            return named(words[place + 1])
        }
        guard machines.contains(words[1]) else { return [] }
        let names = named(words[0])
        guard words[0].hasSuffix("s"), !names.isEmpty else { return names }
        // `Ada's` without its apostrophe.
        let owner = String(words[0].dropLast())
        return others.contains(owner) ? [] : names + named(owner)
    }

    /// Whether what stands under a name is the address of a page.
    static func isOrigin(_ name: String) -> Bool {
        [6, 7, 27].contains(name.utf8.count)
            && ["accesscontrolalloworigin", "origin", "referer"].contains(SecretRoles.normalized(name))
    }

    /// The name of a computer in somebody's own network; nil for other hosts.
    private static func own(_ host: String) -> String? {
        guard host.contains(".") else { return host }
        return networks.first(where: host.hasSuffix).map { String(host.dropLast($0.utf8.count)) }
            .flatMap { $0.contains(".") ? nil : $0 }
    }

    /// Those of four letters and more can be told from other words; with a capital shorter ones can.
    private static func named(_ word: String) -> [String] {
        let name = word.prefix(1).uppercased() + word.dropFirst()
        guard word.utf8.count >= 3, word.utf8.allSatisfy(\.isASCIILetter), !SureWords.isCommon(word),
            !AccountNames.isWord(word), !DeviceOwners.isNobody(name),
            !others.contains(word), !machines.contains(word)
        else { return [] }
        return word.utf8.count >= 4 ? [word, name] : [name]
    }

    /// In bytes, of an address.
    private static let longest = 256

    private static func isOfHost(_ byte: UInt8) -> Bool {
        byte.isASCIIAlphanumeric || byte == 0x2d || byte == 0x2e
    }

    private static let networks = [".local", ".lan", ".home", ".home.arpa", ".localdomain", ".fritz.box"]
    private static let machines: Set<String> = [
        "air", "desktop", "imac", "ipad", "iphone", "laptop", "mac", "macbook", "mbp", "notebook", "pc",
        "thinkpad",
    ]
    private static let prepositions: Set<String> = ["af", "av", "de", "di", "van", "von"]
    /// What else such computers are called by.
    private static let others: Set<String> = [
        "access", "address", "api", "backend", "build", "business", "chromeos", "class", "dell", "demo",
        "dev", "development", "devs", "docs", "express", "frontend", "gaming", "graphics", "home", "ios",
        "ipados", "jenkins", "kids", "kubernetes", "lab", "macos", "main", "media", "office", "old",
        "operations", "ops", "press", "previous", "process", "prod", "redis", "sales", "school", "server",
        "services",
        "shop", "spare", "staff", "stage", "status", "students", "studio", "team", "test", "tests",
        "windows", "wireless", "work",
    ]
}
